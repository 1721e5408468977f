//! Patches over several files, as pure functions.
//!
//! A patch is one text that adds, updates, deletes and moves files:
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/greet.rs
//! @@ fn greet @@
//!  fn greet() {
//! -    say("hello");
//! +    say("good morning");
//!  }
//! *** Add File: NOTES.md
//! +Greetings depend on the hour.
//! *** Move File: old.txt -> archive/old.txt
//! *** Delete File: draft.txt
//! *** End Patch
//! ```
//!
//! Two steps, both without any input or output of their own:
//!
//! 1. [`parse`] reads the text into a [`Patch`]. It forgives what models commonly get wrong
//!    (fences, missing frame lines, forgotten blanks before context, carriage returns) and refuses
//!    what would lose text: unknown headers, stray lines, paths that climb with `..`.
//! 2. [`plan`] asks a [`PatchWorkspace`] for the files concerned, plays all operations on a simulated
//!    file map and answers with the [`PatchPlan`]: every effect in a safe order, each write with its
//!    bytes before and after. A later operation sees what an earlier one did. If anything at all
//!    is wrong, the answer is the list of all [`PatchProblem`]s and there is nothing to carry out.
//!
//! # Where a hunk lands
//!
//! The context and `-` lines of a hunk must be found as whole, adjacent lines. [`LineStrategy`] lists
//! how they may differ from the file; the first strategy that finds anything decides. Hunks follow
//! each other downwards. A hint after `@@` picks the first place from the line that holds it;
//! without one the place must be the only one. Line numbers after `@@` only choose between
//! equals. A hint never overrules lines that occur once: sloppy hints are common, and the quoted
//! lines are the better evidence.
//!
//! # What never happens here
//!
//! Nothing is read, written, locked or looked up. No byte outside the `-` and `+` lines changes:
//! context keeps the file's own spelling, endings and stray bytes, even where the patch quotes it
//! loosely. No operation is planned when another one cannot be.

mod editor;
mod header;
mod hint;
mod indent;
mod keep;
mod lines;
mod needle;
mod parse;
mod patch;
mod plan;
mod problem;
mod strategy;
mod workspace;

#[cfg(test)]
mod memory_files;
#[cfg(test)]
mod properties;

pub use self::editor::AppliedHunk;
pub use self::parse::{ParseError, ParseProblem, parse};
pub use self::patch::{Hunk, HunkLine, Marker, OldRange, Patch, PatchAction, PatchOperation};
pub use self::plan::{ChangeKind, FileChange, PatchEffect, PatchPlan, plan};
pub use self::problem::{PatchProblem, ProblemKind};
pub use self::strategy::LineStrategy;
pub use self::workspace::{PatchWorkspace, PathNeed, PathState, lexical_identity};
