//! Reading shell text as a shell does.
//!
//! [`parse`] turns the text of a command into a tree, in one pass and before anything is removed
//! from it: quotes, escapes, comments, heredocs, substitutions, keywords, functions and
//! redirections mean here what they mean to bash. Everything in the tree knows where it stands in
//! the source ([`Span`]), so that callers can rewrite the text around it and leave the rest, byte
//! for byte, as it was.
//!
//! * [`Script::root`] is the tree; [`Script::simple_commands`] is the same as a flat list, in the
//!   order of the source, each with its surroundings: what feeds it, what reads it, whether it runs
//!   in the background, what it is nested in.
//! * A [`Word`] has parts. It is a constant when nothing in it depends on running something
//!   ([`Word::literal`]).
//! * [`Script::heredocs`], [`Script::comments`] and [`Script::quotes`] say which bytes are data.
//!
//! # Text that is not shell
//!
//! Parsing never fails as a whole. [`Script::error`] says why it stopped; the tree then holds the
//! complete lines before that point, which are what a shell would already have run.
//!
//! # What never happens here
//!
//! Nothing is expanded or looked up: the value of a variable is the business of
//! [`crate::command`]. No work grows faster than the text: depth, words, commands and the little
//! backtracking there is (`((` may be arithmetic or two subshells) have fixed budgets, and going
//! over one is an [`Error`] like any other.

mod compound;
pub mod escapes;
mod expansion;
mod flat;
mod heredoc;
mod list;
mod scan;
mod simple;
#[cfg(test)]
mod tests;
mod tree;
mod word;

pub use flat::{Nesting, Place, Separator};
pub use tree::{
    Assignment, CaseArm, Chain, Command, Compound, CompoundKind, Connector, Heredoc, Item, List,
    Operation, Parameter, Part, PartKind, Pipeline, Quoted, Quoting, Redirect, RedirectKind,
    SimpleCommand, Span, Substitution, SubstitutionStyle, Terminator, Value, Word,
};

/// How deeply constructs may be nested.
pub const MAX_DEPTH: u32 = 40;
/// How many simple commands one text may have.
pub const MAX_COMMANDS: u32 = 2_000;
/// How many words one text may have.
pub const MAX_WORDS: u32 = 8_000;
/// How many parts (runs of text, expansions) all words together may have.
pub const MAX_PARTS: u32 = 8_000;

/// Why a text could not be read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text ended inside something.
    #[error("{what} is never closed (byte {at})")]
    Unclosed {
        /// What was open.
        what: &'static str,
        /// Where it began.
        at: usize,
    },
    /// Something stands where it cannot.
    #[error("unexpected {what} (byte {at})")]
    Unexpected {
        /// What was found.
        what: &'static str,
        /// Where.
        at: usize,
    },
    /// One of the budgets was used up.
    #[error("more than {limit} {what} (byte {at})")]
    TooMuch {
        /// Of what.
        what: &'static str,
        /// How much is allowed.
        limit: u32,
        /// Where the limit was reached.
        at: usize,
    },
}

/// A text that was read.
#[derive(Debug)]
pub struct Script<'a> {
    /// The text itself. All spans point into it.
    pub source: &'a str,
    /// What is run, in order.
    pub root: List<'a>,
    /// The bodies of heredocs, in the order of their operators.
    pub heredocs: Vec<Heredoc<'a>>,
    /// Every comment, from its `#` to the end of the line.
    pub comments: Vec<Span>,
    /// Every quotation with its quote characters. One inside a substitution that is itself quoted
    /// comes before the outer one.
    pub quotes: Vec<Quoted>,
    /// Why reading stopped early.
    pub error: Option<Error>,
}

/// Reads shell text.
#[must_use]
pub fn parse(source: &str) -> Script<'_> {
    scan::Parser::new(source).script()
}
