//! Text that is typed to a program which already runs.
//!
//! A shell that waits for input runs what it is given, and so does any interpreter; a program that is
//! neither may start one (`!` in a pager, `\!` in a database client) or be one under another name. So
//! every text is read as shell lines, and as a program of each interpreter that may be listening. Which
//! those are is told by the command the program was started with, by what was typed to it before, and by
//! the names of the processes below it.
//!
//! A line may come in pieces, and what a line means may depend on those before it. So a text is read
//! three times: by itself, as the rest of the line it continues, and behind everything that was typed
//! before, of which only what is new counts.

mod keys;
mod readers;
#[cfg(test)]
mod tests;

pub use readers::InputReader;

use std::borrow::Cow;

use crate::command::{
    Analysis, CommandContext, CommandFinding, MAX_COMMAND_CHARS, MAX_WORDS_CHARS, Severity,
    analyse, category_for,
};
use crate::shell;

/// Most that is remembered of what was typed to one program, in bytes. Of a longer history the beginning
/// goes; a name whose meaning went with it is one that nobody knows, and asks.
pub const MAX_TYPED_BYTES: usize = 32 * 1024;

/// The key under which text that cannot be read is found.
const UNREADABLE: &str = "unparsable command";

/// Who is typed to, and what was typed before.
#[derive(Clone, Debug, Default)]
pub struct Listening<'a> {
    /// The command the program was started with.
    pub command: &'a str,
    /// The names of the processes it consists of, as far as they can be seen.
    pub processes: &'a [String],
    /// What was typed to it before, in order.
    pub before: &'a str,
    /// Whether it has a terminal, on which keys edit the line that is being typed.
    pub terminal: bool,
}

impl Listening<'_> {
    /// Who may be reading.
    #[must_use]
    pub fn readers(&self, host: &CommandContext<'_>) -> Vec<InputReader> {
        readers::of(self, host)
    }
}

/// Everything that speaks against typing a text.
#[must_use]
pub fn analyse_input(text: &str, who: &Listening<'_>, host: &CommandContext<'_>) -> Analysis {
    let readers = who.readers(host);
    let only_shells = readers.iter().all(|reader| *reader == InputReader::Shell);
    let has_shell = readers.contains(&InputReader::Shell);
    let mut analysis = Analysis::default();
    let mut take = |found: Analysis, keeps: &dyn Fn(&CommandFinding) -> bool| {
        analysis.sudo_reads_stdin |= found.sudo_reads_stdin;
        analysis.disposables.extend(found.disposables);
        if has_shell {
            analysis.left.take_in(found.left);
        }
        for finding in found.findings {
            if keeps(&finding) && !analysis.findings.contains(&finding) {
                analysis.findings.push(finding);
            }
        }
    };
    let typed = text.replace('\r', "\n");
    let begun = rest_of_line(who.before);
    let line = format!("{begun}{typed}");
    let whole = format!("{}{typed}", who.before);
    // What is not finished is not run yet, and is read again when it is. What is no shell's language to
    // begin with says nothing by being unreadable.
    let unreadable_counts =
        has_shell && only_shells && !is_unfinished(&line) && !is_unfinished(&whole);
    let readable = |finding: &CommandFinding| unreadable_counts || finding.category != UNREADABLE;
    take(analyse(&line, host), &readable);
    for single in typed.lines().chain(line.lines()) {
        let single = readers::behind_escape(single).unwrap_or(single);
        take(analyse(single, host), &|finding| finding.category != UNREADABLE);
    }
    if !who.before.is_empty() {
        let earlier = analyse(who.before, host).findings;
        take(analyse(&whole, host), &|finding| {
            finding.category != UNREADABLE && !earlier.contains(finding)
        });
    }
    for reader in &readers {
        let InputReader::Interpreter(interpreter) = reader else { continue };
        let judged = |program: &str| analyse(&readers::as_argument(interpreter, program), host);
        take(judged(&line), &|finding| finding.category != UNREADABLE);
        // What a name stands for was typed before. What asks by itself asked then.
        let passed = |line: &&str| judged(line).findings.is_empty();
        let known = match passed(&who.before) {
            true => Cow::Borrowed(who.before),
            false => Cow::Owned(who.before.lines().filter(passed).collect::<Vec<_>>().join("\n")),
        };
        if !known.is_empty() {
            let earlier = judged(&known).findings;
            let is_new = |finding: &CommandFinding| {
                finding.category != UNREADABLE
                    && !earlier.iter().any(|known| known.category == finding.category)
            };
            let mut found = judged(&format!("{known}\n{line}"));
            for finding in &mut found.findings {
                finding.words = line.trim().chars().take(MAX_WORDS_CHARS).collect();
            }
            take(found, &is_new);
        }
    }
    let mut unreadable = |why| {
        let words = text.escape_debug().take(MAX_WORDS_CHARS).collect();
        let category = category_for(UNREADABLE).unwrap_or(UNREADABLE);
        let finding = CommandFinding { category, severity: Severity::Dangerous, words, why };
        take(Analysis { findings: vec![finding], ..Analysis::default() }, &|_| true);
    };
    if who.terminal && has_shell && keys::edits(text) {
        unreadable("Keys that edit a line are among it, so what will be run cannot be read.");
    }
    if !readers.is_empty() && line.chars().nth(MAX_COMMAND_CHARS / 2).is_some() {
        unreadable("It is too long to be read, and what reads it would run it.");
    }
    analysis
}

/// What to remember after a text was typed.
pub fn remember(typed: &mut String, text: &str) {
    typed.push_str(&text.replace('\r', "\n"));
    if typed.len() > MAX_TYPED_BYTES {
        let from = typed.len() - MAX_TYPED_BYTES / 2;
        let from = typed.char_indices().map(|(at, _)| at).find(|at| *at >= from).unwrap_or(0);
        let from = typed[from..].find('\n').map_or(from, |at| from + at + 1);
        typed.drain(..from);
    }
}

/// The line that was begun and not ended.
fn rest_of_line(before: &str) -> &str {
    let mut begin = before.rfind('\n').map_or(0, |at| at + 1);
    // A line that ends with a backslash goes on in the next one.
    while before[..begin].ends_with("\\\n") {
        begin = before[..begin - 2].rfind('\n').map_or(0, |at| at + 1);
    }
    &before[begin..]
}

/// Whether a shell would wait for more.
fn is_unfinished(text: &str) -> bool {
    !text.ends_with('\n')
        || text.ends_with("\\\n")
        || matches!(shell::parse(text).error, Some(shell::Error::Unclosed { .. }))
}
