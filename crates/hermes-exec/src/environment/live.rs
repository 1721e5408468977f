//! What a running command wrote last, for whoever watches.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_process::OutputTap;

/// Bytes that are kept; a glance at a running command needs no more.
const KEPT_BYTES: usize = 16 * 1024;

/// The end of a command's output. It is told every piece as it arrives, which must be quick however much a command
/// writes, so it keeps bytes and counts lines; they are made text when somebody looks.
#[derive(Debug, Default)]
pub struct LiveOutput(Mutex<LiveBytes>);

#[derive(Debug, Default)]
struct LiveBytes {
    bytes: Vec<u8>,
    lines: usize,
    is_cut: bool,
    has_news: bool,
    left_out: Option<String>,
}

impl LiveOutput {
    fn state(&self) -> MutexGuard<'_, LiveBytes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lines with this text are our own and are not shown.
    pub(super) fn leave_out(&self, text: String) {
        self.state().left_out = Some(text);
    }

    /// Takes what a command writes.
    pub(super) fn tap(self: &Arc<Self>) -> OutputTap {
        let live = Arc::clone(self);
        Arc::new(move |bytes: &[u8]| live.push(bytes))
    }

    fn push(&self, bytes: &[u8]) {
        let mut state = self.state();
        state.lines += bytes.iter().filter(|byte| **byte == b'\n').count();
        state.has_news = true;
        let end = &bytes[bytes.len().saturating_sub(KEPT_BYTES)..];
        let surplus = (state.bytes.len() + end.len()).saturating_sub(KEPT_BYTES);
        state.is_cut |= surplus > 0 || end.len() < bytes.len();
        state.bytes.drain(..surplus);
        state.bytes.extend_from_slice(end);
    }

    /// The whole lines at the end of the output and how many there were in all, if something came since the last look.
    /// A line that is still being written may hold the first half of a secret, which nobody could know for one.
    pub fn news(&self) -> Option<(String, usize)> {
        let mut state = self.state();
        if !std::mem::take(&mut state.has_news) {
            return None;
        }
        let text = String::from_utf8_lossy(&state.bytes).into_owned();
        let (whole, unfinished) = text.rsplit_once('\n').unwrap_or(("", &text));
        let cut = if state.is_cut { 1 } else { 0 };
        let left_out = state.left_out.as_deref();
        let mut lines: Vec<&str> = whole
            .split('\n')
            .skip(cut)
            .filter(|line| !left_out.is_some_and(|ours| line.contains(ours)))
            .map(|line| last_state(line.strip_suffix('\r').unwrap_or(line)))
            .collect();
        // What a progress bar stood at before it was drawn anew.
        if let Some((before, _)) = unfinished.rsplit_once('\r') {
            lines.push(last_state(before));
        }
        Some((lines.join("\n"), state.lines))
    }
}

/// What is left of a line that was written over.
fn last_state(line: &str) -> &str {
    line.rsplit('\r').next().unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_seen_once() {
        let live = LiveOutput::default();
        assert_eq!(live.news(), None);
        live.push(b"one\r\ntwo\npass");
        assert_eq!(live.news(), Some(("one\ntwo".into(), 2)));
        assert_eq!(live.news(), None);
        live.push(b"word\n");
        assert_eq!(live.news(), Some(("one\ntwo\npassword".into(), 3)));
    }

    #[test]
    fn a_flood_leaves_its_end() {
        let live = LiveOutput::default();
        live.push(&b"y\n".repeat(1_000_000));
        live.push(b"last\n");
        let (text, lines) = live.news().unwrap();
        assert!(text.len() <= KEPT_BYTES && text.ends_with("y\nlast"), "{}", text.len());
        assert_eq!(lines, 1_000_001);
    }

    #[test]
    fn a_progress_bar_shows_where_it_stood_and_our_own_lines_are_left_out() {
        let live = LiveOutput::default();
        live.leave_out("<M>".into());
        live.push(b"get\n10%\r20%\r30");
        assert_eq!(live.news().unwrap().0, "get\n20%");
        live.push(b"%\rdone\n<M>/home<M>\n");
        assert_eq!(live.news().unwrap().0, "get\ndone");
    }
}
