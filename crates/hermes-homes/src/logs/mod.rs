//! The log files of a home: `logs/agent.log` with what happened, `logs/errors.log` with what went wrong.
//!
//! ```text
//! write   lines at the end of the two files, which are set aside when they have grown too long
//! layer   from events of the program to such lines, without secrets
//! read    lines of them with their moment, level and component
//! verb    `hermes logs`
//! ```
//!
//! A line is `2026-11-18 20:09:00,391 WARNING gateway: text`, in local time, as the Python program writes it; lines without
//! such a beginning go on with the one before.

mod layer;
mod read;
mod verb;
mod write;

pub use layer::{LogFileLayer, keep_in_files};
pub use verb::{LogsArgs, print};
pub use write::LogFiles;

/// How bad something is, as log files say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lower")]
pub enum LogSeverity {
    /// For whoever looks for a fault.
    Debug,
    /// What happened.
    Info,
    /// Something is odd.
    Warning,
    /// Something failed.
    Error,
}

impl LogSeverity {
    /// The word in a line.
    fn word(self) -> &'static str {
        match self {
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Warning => "WARNING",
            Self::Error => "ERROR",
        }
    }

    /// The level of this word, also in the Python program's wording.
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "DEBUG" => Self::Debug,
            "INFO" => Self::Info,
            "WARNING" => Self::Warning,
            "ERROR" | "CRITICAL" => Self::Error,
            _ => return None,
        })
    }
}
