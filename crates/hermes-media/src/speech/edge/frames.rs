//! The messages of the protocol: headers, a blank line, content.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::text::escape;

/// The name under which the service knows a voice: `en-US-AriaNeural` is written out.
#[must_use]
pub fn full_voice(voice: &str) -> String {
    match voice.trim().rsplit_once('-') {
        Some((region, name)) if name.ends_with("Neural") && region.contains('-') => {
            format!("Microsoft Server Speech Text to Speech Voice ({region}, {name})")
        }
        _ => voice.trim().to_owned(),
    }
}

/// A speed as the service takes it: 1 is `+0%`.
#[must_use]
pub fn rate(speed: f64) -> String {
    format!("{:+.0}%", ((speed - 1.0) * 100.0).round())
}

/// A moment as a browser writes it.
#[must_use]
pub fn js_date(moment: Timestamp) -> String {
    let moment = moment.to_zoned(TimeZone::UTC);
    moment.strftime("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)").to_string()
}

/// The first message: the wished form of the sound.
#[must_use]
pub fn config(now: Timestamp) -> String {
    format!(
        "X-Timestamp:{}\r\nContent-Type:application/json; charset=utf-8\r\nPath:speech.config\r\n\r\n\
         {{\"context\":{{\"synthesis\":{{\"audio\":{{\"metadataoptions\":{{\"sentenceBoundaryEnabled\":\"false\",\
         \"wordBoundaryEnabled\":\"false\"}},\"outputFormat\":\"audio-24khz-48kbitrate-mono-mp3\"}}}}}}}}\r\n",
        js_date(now)
    )
}

/// The second message: what is to be said.
#[must_use]
pub fn speech(request: &str, now: Timestamp, ssml: &str) -> String {
    format!(
        "X-RequestId:{request}\r\nContent-Type:application/ssml+xml\r\nX-Timestamp:{}Z\r\nPath:ssml\r\n\r\n{ssml}",
        js_date(now)
    )
}

/// What is to be said, by whom and how fast. The text is escaped already.
#[must_use]
pub fn ssml(voice: &str, rate: &str, text: &str) -> String {
    format!(
        "<speak version='1.0' xmlns='http://www.w3.org/2001/10/synthesis' xml:lang='en-US'>\
         <voice name='{}'><prosody pitch='+0Hz' rate='{rate}' volume='+0%'>{text}</prosody></voice></speak>",
        escape(voice)
    )
}

/// What the service says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeMessage<'m> {
    /// A piece of MP3.
    Audio(&'m [u8]),
    /// Everything was said.
    TurnEnd,
    /// Something that can be left alone.
    Other,
}

impl<'m> EdgeMessage<'m> {
    /// Reads a text message.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn of_text(text: &str) -> Result<Self, String> {
        let head = text.split_once("\r\n\r\n").map_or(text, |(head, _)| head);
        match header(head.as_bytes(), "Path").as_deref() {
            Some("turn.end") => Ok(Self::TurnEnd),
            Some("turn.start" | "response" | "audio.metadata") => Ok(Self::Other),
            other => Err(format!("a message of unknown kind ({})", other.unwrap_or("none"))),
        }
    }

    /// Reads a binary message: the length of the headers, the headers, the sound.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn of_bytes(message: &'m [u8]) -> Result<Self, String> {
        let short = || "a piece of sound that is too short".to_owned();
        let (length, rest) = message.split_first_chunk::<2>().ok_or_else(short)?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (head, sound) = rest.split_at_checked(length).ok_or_else(short)?;
        if header(head, "Path").as_deref() != Some("audio") {
            return Err("a binary message that is no sound".to_owned());
        }
        match (header(head, "Content-Type").as_deref(), sound) {
            (Some("audio/mpeg"), sound) => Ok(Self::Audio(sound)),
            // The last one has neither.
            (None, []) => Ok(Self::Other),
            (kind, _) => Err(format!("sound of unknown kind ({})", kind.unwrap_or("none"))),
        }
    }
}

/// A header's value, blanks around it left out.
fn header(head: &[u8], name: &str) -> Option<String> {
    head.split(|byte| *byte == b'\n').find_map(|line| {
        let line = std::str::from_utf8(line).ok()?;
        let (found, value) = line.split_once(':')?;
        found.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_browsers_date_names_day_and_zone() {
        let moment: Timestamp = "2026-11-15T19:00:00Z".parse().unwrap();
        assert_eq!(
            js_date(moment),
            "Sun Nov 15 2026 19:00:00 GMT+0000 (Coordinated Universal Time)"
        );
    }

    #[test]
    fn voices_are_written_out() {
        let full = "Microsoft Server Speech Text to Speech Voice (en-US, AriaNeural)";
        assert_eq!(full_voice("en-US-AriaNeural"), full);
        assert_eq!(full_voice(full), full);
        assert!(
            full_voice("zh-CN-liaoning-XiaobeiNeural").ends_with("(zh-CN-liaoning, XiaobeiNeural)")
        );
        assert_eq!(
            (rate(1.0), rate(1.25), rate(0.5)),
            ("+0%".into(), "+25%".into(), "-50%".into())
        );
    }

    #[test]
    fn sound_begins_behind_its_headers() {
        let head = b"Path:audio\r\nContent-Type:audio/mpeg\r\n";
        let mut message = u16::try_from(head.len()).unwrap().to_be_bytes().to_vec();
        message.extend_from_slice(head);
        message.extend_from_slice(b"mp3");
        assert_eq!(EdgeMessage::of_bytes(&message), Ok(EdgeMessage::Audio(b"mp3")));
        let last = b"\0\x0cPath:audio\r\n";
        assert_eq!(EdgeMessage::of_bytes(last), Ok(EdgeMessage::Other));
        assert!(EdgeMessage::of_bytes(b"\xFF\xFFPath:audio").is_err());
    }

    proptest! {
        #[test]
        fn any_message_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = EdgeMessage::of_bytes(&bytes);
            let _ = EdgeMessage::of_text(&String::from_utf8_lossy(&bytes));
        }
    }
}
