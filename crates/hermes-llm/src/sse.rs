//! Server-sent events from bytes, however they are cut.
//!
//! The one parser of events that is ours; the MCP SDK brings its own for its transports. Not that one
//! here: it ends a stream at the first line that breaks the rules (an unknown field, bytes that are no
//! UTF-8), and model servers break them every day. This one goes on. It is pushed into, without a stream
//! or a runtime, so that it can be fuzzed and so that any cutting of the bytes provably gives the same
//! events.

/// The most bytes one event may have. A line without end would otherwise fill the memory.
pub const MAX_EVENT_BYTES: usize = 32 << 20;

/// What stood between two blank lines of the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Its name; often empty.
    pub name: String,
    /// Its data, lines joined by a line break.
    pub data: String,
}

/// An event is larger than [`MAX_EVENT_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server sent an event of more than {} MB", MAX_EVENT_BYTES >> 20)]
pub struct TooLarge;

/// Puts bytes together to events.
#[derive(Debug, Default)]
pub struct SseParser {
    line: Vec<u8>,
    after_return: bool,
    started: bool,
    event: SseEvent,
    has_data: bool,
}

impl SseParser {
    /// Takes the next bytes and gives the events that are now whole.
    ///
    /// # Errors
    ///
    /// An event grows too large.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, TooLarge> {
        let mut whole = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_return) && rest.first() == Some(&b'\n') {
                rest = &rest[1..];
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', rest);
            let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + self.event.data.len() + line.len() > MAX_EVENT_BYTES {
                return Err(TooLarge);
            }
            self.line.extend_from_slice(line);
            rest = after;
            if let Some((end, after)) = rest.split_first() {
                self.after_return = *end == b'\r';
                whole.extend(self.end_line());
                rest = after;
            }
        }
        Ok(whole)
    }

    /// Takes the end of the bytes. Servers that forget the last empty line still get heard.
    pub fn finish(&mut self) -> Option<SseEvent> {
        let last = self.end_line();
        last.or_else(|| self.end_event())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let mut line = line.as_ref();
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event.name),
            // Comments, ids and retry times are of no use here.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(cuts: &[&[u8]]) -> Vec<SseEvent> {
        let mut events = SseParser::default();
        let mut all: Vec<SseEvent> =
            cuts.iter().flat_map(|bytes| events.push(bytes).unwrap()).collect();
        all.extend(events.finish());
        all
    }

    fn data(text: &str) -> Vec<String> {
        read(&[text.as_bytes()]).into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn every_line_end_comments_and_missing_ends_are_understood() {
        assert_eq!(data("data: a\n\ndata: b\r\n\r\ndata: c\r\rdata:d"), ["a", "b", "c", "d"]);
        assert_eq!(data(": ping\n\nid: 1\n\ndata: x\ndata:  y\n\n"), ["x\n y"]);
        assert_eq!(data("\u{feff}data: a\n\n"), ["a"]);
        assert_eq!(data("data\n\n"), [""]);
        assert_eq!(data("{\"no\": \"stream\"}"), Vec::<String>::new());
        assert_eq!(read(&[b"event: e\ndata: 1\n\n"])[0].name, "e");
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let mut events = SseParser::default();
        let much = vec![b'x'; MAX_EVENT_BYTES];
        assert_eq!(events.push(&much), Ok(Vec::new()));
        assert_eq!(events.push(b"xx"), Err(TooLarge));
    }

    proptest! {
        #[test]
        fn cutting_changes_nothing(text in "(data: ?|event: |[a-zä{}\\[\\]: ]|\n|\r|\r\n){0,60}", cut in 0usize..80) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            let (front, back) = bytes.split_at(cut);
            prop_assert_eq!(read(&[front, back]), read(&[bytes]));
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(read(&single), read(&[bytes]));
        }
    }
}
