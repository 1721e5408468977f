//! What the settings in `config.yaml` are called, what they hold and what they are for.
//!
//! [`KeyTable::linked`] is the one list of known settings, put together from what the crates declare
//! ([`hermes_tool::settings`]). Documentation, completion and `config show` read it; [`check`] compares a
//! configuration with it and reports what looks like a mistake: a name nobody asks for, a value that cannot be used.
//! Findings are warnings. An unknown key is kept and handed on like any other, because a plugin or another version may
//! know it. [`misspelt`] is the part of it that is told at the start of every session.
//!
//! How much is checked depends on how well a section is known:
//!
//! * in a [`Kind::Section`] (and at the top of the file) every key must be in the list;
//! * in a [`Kind::Map`] keys are free; those in the list are checked, and one that is spelt almost like one in the list is
//!   taken for a mistake;
//! * [`Kind::Any`] takes anything.
//!
//! Check the configuration *as written* ([`crate::config::Config::load_unexpanded`]): a value with
//! `${NAME}` in it passes as anything, since what it will be is not known here.

mod check;

pub use check::{Finding, Trouble, check, check_against, misspelt};
pub use hermes_tool::settings::{KeyInfo, KeyTable, Kind};
