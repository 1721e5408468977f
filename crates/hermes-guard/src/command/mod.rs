//! What a shell command would do, and whether someone should be asked first.
//!
//! [`analyse`] reads the text with [`crate::shell`], follows what it would run (variables, wrappers,
//! nested shells, pipes) and asks every rule about every program it meets. It returns all findings,
//! each with the key of its category, so that an approval of one danger never hides another.
//!
//! * A rule (`rules`) is a small record: a category, the programs it is about, a check over one
//!   resolved call, and examples that it must catch and must let pass. Adding a danger means adding a
//!   record.
//! * Going through the text is the work of `machine`; wrappers (`wrappers`), interpreters
//!   (`interpreters`) and paths (`paths`) are tables beside it.
//!
//! Data is not code: a quoted argument, a comment, a commit message or the body of a heredoc is only
//! looked at when some program would run it.
//!
//! # Two severities
//!
//! [`Severity::Floor`] is for what nobody ever wants: it cannot be approved, so it is only said when
//! certain. [`Severity::Dangerous`] asks. Text that cannot be read asks.
//!
//! # What never happens here
//!
//! Nothing runs, no file is opened, no variable of this process is read. No work grows faster than
//! the text; see the budgets in [`crate::shell`] and in `machine`.

mod abbreviations;
mod aliases;
mod call;
mod category;
mod code;
mod earlier;
mod facts;
mod find;
mod interpreters;
mod kept;
mod machine;
mod names;
mod options;
mod paths;
mod recipes;
mod rules;
#[cfg(test)]
mod tests;
mod wrappers;

use std::borrow::Cow;

use category::UNPARSABLE;
pub use category::{Category, CommandFinding, MAX_WORDS_CHARS, Severity, category_for};
pub use earlier::{EarlierCommands, MAX_FILE_TEXT};
pub use kept::KeptShell;

/// The key of changes to the agent's own rules, which no lasting yes lifts.
pub const OWN_RULES_KEY: &str = rules::own_rules::OWN_RULES.key;
/// The key of deleting folders with everything in them.
pub const RECURSIVE_DELETE_KEY: &str = rules::delete::RECURSIVE.key;
use machine::Machine;

/// Longer texts are not looked into.
pub const MAX_COMMAND_CHARS: usize = 128_000;
/// Texts with terminal sequences are looked at twice, with and without them, up to this length in
/// bytes; longer ones ask.
pub const MAX_SHOWN: usize = 32 * 1024;
/// How many findings are kept.
pub const MAX_FINDINGS: usize = 50;

/// Whether what lies so below a home are settings or programs of somebody else, which may run commands: what
/// a command is asked about before it writes there.
#[must_use]
pub fn writes_settings(below_home: &str) -> bool {
    !below_home.starts_with(".hermes/") && paths::is_sensitive_at_home(below_home)
}

/// What is known about where a command would run.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommandContext<'a> {
    /// What `~` stands for.
    pub home: Option<&'a str>,
    /// `HERMES_HOME`, whose files get rules of their own.
    pub hermes_home: Option<&'a str>,
    /// So that `~name` is known to be `~`.
    pub user: Option<&'a str>,
    /// Where relative paths start, until a `cd`.
    pub cwd: Option<&'a str>,
    /// Where temporary files go.
    pub temp_dir: Option<&'a str>,
    /// What earlier commands left in the shell.
    pub shell: Option<&'a KeptShell>,
    /// What earlier commands left elsewhere, by their texts.
    pub earlier: Option<&'a EarlierCommands>,
}

impl<'a> CommandContext<'a> {
    /// The same after other commands of the session.
    #[must_use]
    pub fn after(self, earlier: Option<&'a EarlierCommands>) -> Self {
        Self { earlier, ..self }
    }
}

/// What was found in a command.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Everything that speaks against running it, in the order of the text.
    pub findings: Vec<CommandFinding>,
    /// It makes `sudo` read a password from its input.
    pub sudo_reads_stdin: bool,
    /// What it deletes unasked because of where that is: build folders of the project, things below
    /// the temporary folder. Whoever can look at the files has to see that no link leads elsewhere.
    pub disposables: Vec<String>,
    /// What it would leave for later commands.
    pub left: EarlierCommands,
    /// Where the shell would be afterwards, if that can be said.
    pub cwd: Option<String>,
}

impl Analysis {
    /// Whether anyone has to be asked.
    #[must_use]
    pub fn is_dangerous(&self) -> bool {
        !self.findings.is_empty()
    }

    /// Whether it must never run.
    #[must_use]
    pub fn is_floor(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Floor)
    }
}

/// Everything that speaks against running a command; nothing is run or looked up.
#[must_use]
pub fn analyse(command: &str, host: &CommandContext<'_>) -> Analysis {
    if is_too_long(command) {
        let finding = CommandFinding::new(UNPARSABLE, Severity::Dangerous, command);
        return Analysis { findings: vec![finding], ..Analysis::default() };
    }
    let mut analysis = Analysis::default();
    let text = without_nul(command);
    let (shown, too_long) = as_shown(&text);
    if too_long {
        analysis.findings.push(CommandFinding::new(UNPARSABLE, Severity::Dangerous, command));
    }
    for reading in std::iter::once(text.as_ref()).chain(shown.as_deref()) {
        let walked = Machine::new(host).walk(reading);
        analysis.sudo_reads_stdin |= walked.sudo_reads_stdin;
        analysis.disposables.extend(walked.disposables);
        analysis.left.take_in(walked.left);
        analysis.cwd = walked.cwd;
        for finding in walked.findings {
            if !analysis.findings.contains(&finding) {
                analysis.findings.push(finding);
            }
        }
    }
    analysis
}

/// Every program the command would run, with its words resolved, wrappers kept and taken off: what
/// patterns over whole commands are matched against.
#[must_use]
pub fn spellings(command: &str, host: &CommandContext<'_>) -> Vec<String> {
    if is_too_long(command) {
        return Vec::new();
    }
    let text = without_nul(command);
    let (shown, _) = as_shown(&text);
    let readings = std::iter::once(text.as_ref()).chain(shown.as_deref());
    readings
        .flat_map(|reading| Machine::new(host).with_spellings().walk(reading).spellings)
        .collect()
}

/// Every category, each once.
pub fn categories() -> impl Iterator<Item = Category> {
    let mut all: Vec<Category> = vec![UNPARSABLE];
    for rule in rules::all() {
        if !all.contains(&rule.category) {
            all.push(rule.category);
        }
    }
    all.into_iter()
}

/// Commands that show what a category is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examples {
    /// Commands of this category that are found.
    pub caught: Vec<&'static str>,
    /// These look alike and pass.
    pub passed: Vec<&'static str>,
}

/// The examples that the rules of a category are tested with.
#[must_use]
pub fn examples(key: &str) -> Examples {
    let mut examples = Examples::default();
    for rule in rules::all().filter(|rule| rule.category.key == key) {
        examples.caught.extend(rule.catches);
        examples.passed.extend(rule.passes);
    }
    examples
}

fn is_too_long(command: &str) -> bool {
    command.len() > MAX_COMMAND_CHARS && command.chars().count() > MAX_COMMAND_CHARS
}

/// No shell can be given a NUL.
fn without_nul(command: &str) -> Cow<'_, str> {
    match memchr::memchr(0, command.as_bytes()) {
        None => Cow::Borrowed(command),
        Some(_) => Cow::Owned(command.replace('\0', "")),
    }
}

/// The text as a terminal would show it, if that is another one, and whether it is too long to be
/// looked at as well. Both readings count: a sequence may hide letters of a word, and removing one
/// may hide a command.
fn as_shown(text: &str) -> (Option<String>, bool) {
    match crate::ansi::strip(text) {
        Cow::Borrowed(_) => (None, false),
        Cow::Owned(shown) if shown.len() > MAX_SHOWN => (None, true),
        Cow::Owned(shown) => (Some(shown), false),
    }
}
