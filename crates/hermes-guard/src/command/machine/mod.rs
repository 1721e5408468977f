//! Going through a script as a shell would, without running anything.
//!
//! The machine walks the tree in order. It knows the values of variables that the text itself sets,
//! the working directory as `cd` changes it, the text that constant commands print, and for the
//! rest where it comes from ([`super::call::Taint`]). Every simple command becomes a
//! [`super::call::ProgramCall`] for the rules; wrappers are taken off one by one, and text that some shell
//! will run (after `-c`, for `eval`, through a pipe) is parsed and walked in turn.
//!
//! What cannot be known is a [`super::call::HOLE`] in otherwise known text. Both arms of a condition
//! are walked, the last value assigned to a variable counts, and a loop over a few constants is
//! walked once for each.
//!
//! All of it stays within budgets: levels of nesting, and work measured in bytes looked at. Going
//! over one yields a finding of its own and ends the walk.

mod arrivals;
mod braces;
mod builtins;
mod carried;
mod definitions;
mod network;
mod output;
mod parameters;
mod programs;
mod prompts;
mod recipes;
mod repeat;
mod run;
mod sessions;
mod state;
mod unpack;
mod words;

use std::rc::Rc;

use super::call::{Taint, TextFlow, Via};
use super::category::{Category, CommandFinding, Severity, UNPARSABLE};
use super::facts::ShellFacts;
use super::{CommandContext, EarlierCommands};
use crate::shell::{self, ShellScript};
use state::ShellState;

/// How deeply scripts, wrappers and compound commands may be nested together.
const MAX_DEPTH: u32 = 44;
/// How many bytes may be looked at, counting again what is looked at again.
const MAX_WORK: usize = 700_000;
/// What a call costs besides its words.
const CALL_WORK: usize = 80;
/// What each of its words costs every time a wrapper is taken off; more when there are very many,
/// since every rule looks at all of them.
const ARGUMENT_WORK: usize = 8;
const MANY_ARGUMENTS: usize = 200;
const MANY_ARGUMENTS_WORK: usize = 100;
/// What a redirection costs.
const REDIRECT_WORK: usize = 240;
/// How much work may be spent before loops and functions are walked only once.
const THOROUGH_WORK: usize = 200_000;

pub(super) struct Machine<'f> {
    facts: ShellFacts<'f>,
    state: ShellState<'f>,
    findings: Vec<CommandFinding>,
    /// Resolved commands, when someone wants to see them.
    spellings: Option<Vec<String>>,
    sudo_reads_stdin: bool,
    disposables: Vec<String>,
    /// Modules that were read because a program imports them.
    imported: Vec<String>,
    depth: u32,
    work: usize,
    spent: bool,
}

/// Where the machine is: the script it reads and what surrounds it.
#[derive(Clone, Copy)]
pub(super) struct Here<'h, 'a> {
    script: &'h ShellScript<'a>,
    via: Via,
    stdin: &'h TextFlow,
}

/// The words a finding is about, and what they are wrapped in.
#[derive(Clone, Copy)]
pub(super) struct RunSite<'s> {
    words: &'s str,
    via: Via,
}

impl RunSite<'_> {
    fn also(self, via: Via) -> Self {
        Self { via: self.via.and(via), ..self }
    }
}

/// What a walk found.
pub(super) struct Walked {
    pub(super) findings: Vec<CommandFinding>,
    pub(super) spellings: Vec<String>,
    pub(super) sudo_reads_stdin: bool,
    pub(super) disposables: Vec<String>,
    pub(super) left: EarlierCommands,
    /// Where the shell is afterwards, `~` for home; nothing where nobody knows.
    pub(super) cwd: Option<String>,
}

impl<'f> Machine<'f> {
    pub(super) fn new(host: &'f CommandContext<'f>) -> Self {
        let links = host.earlier.map(|earlier| earlier.links.clone()).unwrap_or_default();
        let mut facts = ShellFacts { host, cwd: None, links };
        facts.cwd = host.cwd.map(|cwd| Rc::from(facts.path(cwd).as_ref()));
        Self {
            facts,
            state: ShellState::after(host.earlier),
            findings: Vec::new(),
            spellings: None,
            sudo_reads_stdin: false,
            disposables: Vec::new(),
            imported: Vec::new(),
            depth: 0,
            work: 0,
            spent: false,
        }
    }

    /// Also keeps every resolved command.
    pub(super) fn with_spellings(mut self) -> Self {
        self.spellings = Some(Vec::new());
        self
    }

    /// Walks a whole command.
    pub(super) fn walk(mut self, text: &str) -> Walked {
        self.text(text, Via::NONE, &TextFlow::default());
        Walked {
            findings: self.findings,
            spellings: self.spellings.unwrap_or_default(),
            sudo_reads_stdin: self.sudo_reads_stdin,
            disposables: self.disposables,
            cwd: self.facts.cwd.as_deref().map(|cwd| self.facts.spelled_out(cwd)),
            left: EarlierCommands { links: self.facts.links, ..self.state.left() },
        }
    }

    /// Parses and walks text that a shell would run.
    fn text(&mut self, text: &str, via: Via, stdin: &TextFlow) -> TextFlow {
        if !self.charge(text.len()) {
            return TextFlow::default();
        }
        let script = shell::parse(text);
        let flow = self.list(Here { script: &script, via, stdin }, &script.root);
        if let Some(error) = script.error
            && !self.is_harmless_slip(text, error)
        {
            self.report(UNPARSABLE, RunSite { words: text, via });
        }
        flow
    }

    /// Whether a text that cannot be read is a slip: nothing of it runs, and what was meant would pass.
    fn is_harmless_slip(&mut self, text: &str, error: shell::Error) -> bool {
        let mut walk = |meant: &str| {
            self.charge(meant.len())
                && shell::parse(meant).error.is_none()
                && Machine::new(self.facts.host).walk(meant).findings.is_empty()
        };
        match (mended(text, error), flattened(text)) {
            (Some(mended), _) if walk(&mended) => true,
            (_, Some(words)) => walk(&words),
            _ => false,
        }
    }

    /// The same in a shell of its own: what it sets is gone afterwards.
    fn subshell_text(&mut self, text: &str, site: RunSite<'_>, stdin: &TextFlow) -> TextFlow {
        self.scoped(|machine| machine.text(text, site.via, stdin))
    }

    /// Runs a closure and forgets the variables and the directory it set.
    fn scoped<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.state.enter();
        let cwd = self.facts.cwd.clone();
        let value = run(self);
        self.facts.cwd = cwd;
        self.state.leave(mark);
        value
    }

    /// One level deeper, or nothing when the limit is reached.
    fn deeper(&mut self, run: impl FnOnce(&mut Self) -> TextFlow) -> TextFlow {
        if self.depth >= MAX_DEPTH {
            self.give_up();
        }
        if self.spent {
            return TextFlow::unknown(Taint::GENERATED);
        }
        self.depth += 1;
        let flow = run(self);
        self.depth -= 1;
        flow
    }

    /// Pays for work; false when the budget is used up.
    fn charge(&mut self, work: usize) -> bool {
        self.work += work;
        if self.work > MAX_WORK {
            self.give_up();
        }
        !self.spent
    }

    /// Whether there is budget left for walking something more than once.
    fn can_repeat(&self) -> bool {
        self.work < THOROUGH_WORK
    }

    fn give_up(&mut self) {
        if !self.spent {
            self.spent = true;
            self.report(UNPARSABLE, RunSite { words: "", via: Via::NONE });
        }
    }

    fn report(&mut self, category: Category, site: RunSite<'_>) {
        let elsewhere = site.via.has(Via::CONTAINER.and(Via::REMOTE));
        let severity = if elsewhere { Severity::Dangerous } else { category.severity };
        let finding = CommandFinding::new(category, severity, site.words);
        let same = |known: &CommandFinding| {
            known.category == finding.category && known.words == finding.words
        };
        if let Some(known) = self.findings.iter_mut().find(|known| same(known)) {
            known.severity = known.severity.max(severity);
        } else if self.findings.len() < super::MAX_FINDINGS {
            self.findings.push(finding);
        }
    }
}

/// `grep x <file> | wc`: a manual's word for what belongs there. No shell runs `> |`.
fn without_blanks_to_fill(line: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('<') {
        let inside = &rest[at + 1..];
        let end = inside.find('>')?;
        let is_word = |char: char| char.is_alphanumeric() || "_-. ".contains(char);
        let behind = inside[end + 1..].trim_start();
        if end == 0
            || !inside[..end].chars().all(is_word)
            || inside.starts_with(' ')
            || !(behind.is_empty() || behind.starts_with(['|', ';', ')', '<']))
        {
            return None;
        }
        text.push_str(&rest[..at]);
        text.push('x');
        rest = &inside[end + 1..];
    }
    text.push_str(rest);
    (line.matches('<').count() == 1).then_some(text)
}

/// `find . ( -name x ) -print`: brackets behind the words of a call end in an error, always.
fn with_quoted_brackets(line: &str) -> Option<String> {
    let is_search = line.starts_with("find ") || line.starts_with("sudo find ");
    (is_search && line.contains(" ( ") && line.contains(" ) ") && !line.contains("()"))
        .then(|| line.replace(" ( ", " '(' ").replace(" ) ", " ')' "))
}

/// A single line that no shell runs any of, with everything that could hide a word taken away: each piece
/// of it is then judged as a command of its own.
fn flattened(text: &str) -> Option<String> {
    let line = text.trim();
    const FIRST: &[&str] = &[
        "find", "grep", "egrep", "getent", "ssh", "zcat", "du", "sort", "watch", "wc", "sudo",
        "for",
    ];
    let first = line.trim_start_matches(['(', ' ']).split_whitespace().next().unwrap_or_default();
    let is_plain = line.len() < 1_024
        && FIRST.contains(&first)
        && !line.contains(['\n', '\r', '`', '#'])
        && !line.contains("$(")
        && !line.contains("${")
        && !line.contains("$'")
        && !line.contains("<<")
        && !line.contains("<(");
    if !is_plain {
        return None;
    }
    let flat = line.chars().filter(|char| *char != '\\').map(|char| match char {
        '\'' | '"' | '‘' | '’' | '“' | '”' | '(' | ')' | '<' | '>' | '{' | '}' => ' ',
        '&' => ';',
        char => char,
    });
    let flat: String = flat.collect();
    let pieces = flat.split([';', '|']).map(str::trim).filter(|piece| !piece.is_empty());
    // What stood in quotes may have been a command as well as a word.
    Some(pieces.collect::<Vec<_>>().join("\n"))
}

/// The text as it was probably meant, if it is a single line that no shell runs any of, beyond doubt: it
/// ends in a redirection without a target, as in `cat <file>`, or in a quotation of the only kind there is.
fn mended(text: &str, error: shell::Error) -> Option<String> {
    let line = text.trim_end();
    if line.contains(['\n', '`', '\\', '$', '#']) || line.contains("<<") {
        return None;
    }
    let quotes = (line.matches('\'').count(), line.matches('"').count());
    if matches!(error, shell::Error::Unexpected { .. })
        && let Some(mended) = without_blanks_to_fill(line).or_else(|| with_quoted_brackets(line))
    {
        return Some(mended);
    }
    match error {
        shell::Error::Unexpected { at, .. } if at >= line.len() && quotes == (0, 0) => {
            let mended = line.strip_suffix(['<', '>'])?;
            (!mended.ends_with(['<', '>', '&', '|'])).then(|| mended.to_owned())
        }
        shell::Error::Unclosed { .. } => match quotes {
            (single, 0) if single % 2 == 1 => Some(format!("{line}'")),
            (0, double) if double % 2 == 1 => Some(format!("{line}\"")),
            _ => None,
        },
        _ => None,
    }
}
