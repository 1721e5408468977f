//! State folders as a whole: making, moving, copying and describing them; and the program that is beside them.
//!
//! ```text
//! profiles     further homes below `profiles/`: made, chosen, renamed, put away, carried elsewhere
//! contents     what of a home belongs into a copy: nothing that is a secret, a cache or alive
//! packing      tar and zip, written and unpacked with every name, size and kind looked at
//! staging      folders that are put together beside their place
//! swap         a home takes the place of another, and what follows, also after a kill
//! backup       a home as one file, databases copied whole while they are in use; and the way back
//! logs         the log files: written, rotated, read
//! entries      what verbs write into `.env` and `config.yaml`: keys, models that stand in, routes for other programs
//! checkpoints  the state of projects before a tool changed them, listed and brought back
//! moving       from a home of the Python program into ours
//! program      the program itself: where it came from, a newer one, getting rid of it
//! status       how things stand, for people and programs; the report for a bug
//! verbs        all of it as words
//! ```
//!
//! Profiles keep their settings, keys, notes, sessions, jobs and gateways apart. They are no wall between people who do not trust
//! each other: whoever may read one folder of a user may read all of them.
//!
//! # What never happens here
//!
//! A folder appears half made or half replaced, whenever the process is killed: everything is put together beside its place and
//! moved there in one step. A secret gets into a file that is carried elsewhere. Something is deleted at once.

mod backup;
pub mod checkpoints;
mod contents;
pub mod entries;
pub mod logs;
mod moving;
mod packing;
mod profiles;
pub mod program;
mod staging;
mod status;
mod swap;
pub mod verbs;

pub use profiles::ProfileError;
pub use status::status;
pub use swap::finish_interrupted;
