//! What a terminal tool asks about, and does to, one command line.
//!
//! The line is read once by [`crate::shell`]; every answer here is given from that tree, so a word in
//! quotes, in a comment or in the body of a heredoc is never taken for a command.
//!
//! Three services rewrite the line. They only ever insert text: what the user wrote stays, byte for
//! byte.
//!
//! * [`sudo`]: lets `sudo` read its password from the input.
//! * [`background`]: `A && B &` without a shell that waits for `B`.
//! * [`exec`]: something to do before `exec` replaces the shell.
//!
//! The others only look.
//!
//! * [`foreground`]: what would never return, or would leave something running behind.
//! * [`gateway`]: what would stop the gateway that runs the command.
//! * [`exit_code`]: what an exit code means where it is no failure.
//! * [`poller`]: a loop that waits for CI by hand.
//! * [`workdir`]: which characters a working directory may have.
//!
//! # What never happens here
//!
//! Nothing is run, looked up or expanded. A line that is no complete shell text is judged, and
//! rewritten, by its complete lines only: those are what a shell would run before it complains.
//! Nothing here is a wall against someone who hides a command on purpose; [`crate::command`] judges
//! danger.

pub mod background;
mod call;
pub mod exec;
pub mod exit_code;
pub mod foreground;
pub mod gateway;
mod insertions;
mod nested;
pub mod poller;
pub mod sudo;
#[cfg(test)]
mod tests;
pub mod workdir;

use crate::shell::Span;

/// How many characters of a command an answer quotes.
pub const MAX_QUOTED_CHARS: usize = 120;

/// The words of the source at a place, on one line and not too many of them.
fn quoted(source: &str, span: Span) -> String {
    let mut words = span.of(source).split_whitespace();
    let mut text = String::new();
    for (index, word) in words.by_ref().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(word);
        if text.len() > MAX_QUOTED_CHARS {
            break;
        }
    }
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
