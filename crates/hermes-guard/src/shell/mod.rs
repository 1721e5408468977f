//! Reading shell text as a shell does.
//!
//! [`parse`] turns the text of a command into a tree, in one pass and before anything is removed
//! from it: quotes, escapes, comments, heredocs, substitutions, keywords, functions and
//! redirections mean here what they mean to bash. Everything in the tree knows where it stands in
//! the source ([`Span`]), so that callers can rewrite the text around it and leave the rest, byte
//! for byte, as it was.
//!
//! * [`ShellScript::root`] is the tree; [`ShellScript::simple_commands`] is the same as a flat list, in the
//!   order of the source, each with its surroundings: what feeds it, what reads it, whether it runs
//!   in the background, what it is nested in.
//! * A [`ShellWord`] has parts. It is a constant when nothing in it depends on running something
//!   ([`ShellWord::literal`]).
//! * [`ShellScript::heredocs`], [`ShellScript::comments`] and [`ShellScript::quotes`] say which bytes are data.
//!
//! # Text that is not shell
//!
//! Parsing never fails as a whole. [`ShellScript::error`] says why it stopped; the tree then holds the
//! complete lines before that point, which are what a shell would already have run.
//!
//! # What never happens here
//!
//! Nothing is expanded or looked up: the value of a variable is the business of
//! `command`. No work grows faster than the text: depth, words, commands and the little
//! backtracking there is (`((` may be arithmetic or two subshells) have fixed budgets, and going
//! over one is an [`Error`] like any other.

mod compound;
mod context;
pub mod escapes;
mod expansion;
mod flat;
mod heredoc;
mod list;
pub mod pattern;
mod scan;
mod simple;
#[cfg(test)]
mod tests;
mod tree;
mod word;

pub use flat::{CommandPosition, Nesting, Separator};
pub(crate) use list::CLOSERS;
pub use tree::{
    AssignedValue, CaseArm, Chain, CommandList, Compound, CompoundKind, Connector, Heredoc,
    ListItem, Parameter, ParameterOperation, PartKind, Pipeline, Quoted, Quoting, Redirect,
    RedirectKind, ShellCommand, ShellWord, SimpleCommand, Span, Substitution, SubstitutionStyle,
    Terminator, VariableAssignment, WordPart,
};

/// Why a text could not be read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text ended inside something.
    #[error("{what} is never closed (byte {at})")]
    Unclosed {
        /// What was open, with its article.
        what: &'static str,
        /// The byte at which it began.
        at: usize,
    },
    /// Something stands where it cannot.
    #[error("unexpected {what} (byte {at})")]
    Unexpected {
        /// What was found, to follow "unexpected".
        what: &'static str,
        /// The byte at which it stands.
        at: usize,
    },
    /// One of the budgets was used up.
    #[error("more than {limit} {what} (byte {at})")]
    TooMuch {
        /// What there was too much of, in the plural.
        what: &'static str,
        /// The limit of [`ParseLimits`] that was reached.
        limit: u32,
        /// Where the limit was reached.
        at: usize,
    },
}

/// A shell text with its tree, and which of its bytes are only data.
#[derive(Debug)]
pub struct ShellScript<'a> {
    /// The text itself. All spans point into it.
    pub source: &'a str,
    /// The chains of commands of the top level.
    pub root: CommandList<'a>,
    /// The bodies of heredocs, in the order of their operators.
    pub heredocs: Vec<Heredoc<'a>>,
    /// Every comment, from its `#` to the end of the line.
    pub comments: Vec<Span>,
    /// Every quotation with its quote characters. One inside a substitution that is itself quoted
    /// comes before the outer one.
    pub quotes: Vec<Quoted>,
    /// Where a command is missing that a shell insists on, as in `if a; then fi`: the first such byte.
    /// Nothing runs there, so reading goes on.
    pub missing_command: Option<usize>,
    /// Why reading stopped early.
    pub error: Option<Error>,
}

/// How much of a text is read before [`Error::TooMuch`].
///
/// Commands that a model writes have the small [`ParseLimits::COMMAND`], because every rule of
/// `command` runs over the tree; a check of whole files can afford more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLimits {
    /// How deeply constructs may be nested. Each level costs a few kilobytes of stack.
    pub depth: u32,
    /// Simple and compound commands in the whole text.
    pub commands: u32,
    /// Words in the whole text, quoted ones as one.
    pub words: u32,
    /// Runs of text and expansions that the words consist of.
    pub parts: u32,
}

impl ParseLimits {
    /// What [`parse`] allows: more than a command that somebody could judge has.
    pub const COMMAND: Self = Self { depth: 40, commands: 2_000, words: 8_000, parts: 8_000 };
}

/// Reads the shell text of a command.
#[must_use]
pub fn parse(source: &str) -> ShellScript<'_> {
    parse_within(source, ParseLimits::COMMAND)
}

/// Reads shell text within limits of the caller's choice.
#[must_use]
pub fn parse_within(source: &str, limits: ParseLimits) -> ShellScript<'_> {
    scan::Parser::new(source, limits).script()
}
