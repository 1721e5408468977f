//! The secrets file: `NAME=value` lines in `.env`.
//!
//! ```text
//! # comment
//! OPENROUTER_API_KEY=sk-or-v1-0123        # also a comment, because of the space before it
//! export GREETING="two\nlines, a \"quote\" and a \$"
//! PATTERN='taken as it stands, only \' and \\ are special'
//! ```
//!
//! Reading is forgiving: a byte order mark, Windows line ends, `export`, and spaces around `=` are
//! fine; a line that makes no sense is skipped and reported as a [`Warning`] with its number, and
//! the rest is used. If a name occurs twice the last one counts. Values end with their line;
//! a line break is written `\n` in double quotes. `$NAME` in values is *not* expanded.
//!
//! Keys copied from web pages and chats tend to bring invisible or look-alike characters along,
//! which no service accepts and nobody can see. So non-ASCII characters are removed from the
//! values of names that look like credentials ([`is_secret_name`]), with a warning.
//!
//! [`set`] and [`unset`] change one name and leave every other byte of the file as it was; the
//! result is parsed again and compared before it is written. The file is private to its owner
//! (mode 0600) after every write, whatever it was before.
//!
//! Values are secrets: neither `Debug` nor any warning or error in here contains one, nor a line
//! that could not be understood.

mod edit;
mod parse;
mod secret_names;

pub use edit::{DotEnvError, Stored, set, set_in_text, unset, unset_in_text};
pub use secret_names::is_secret_name;

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use crate::atomic::{AtomicError, read_if_present};

/// Largest `.env` read.
pub const MAX_DOTENV_BYTES: u64 = 1024 * 1024;

/// The variables of one or more `.env` files.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct DotEnv {
    /// Each name once, in order of first appearance.
    entries: Vec<(String, String)>,
    /// Where each name is in `entries`.
    index: HashMap<String, usize>,
    warnings: Vec<Warning>,
}

/// Something in a `.env` file that its owner should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Line, counted from 1.
    pub line: usize,
    /// What is the matter with it.
    pub problem: Problem,
}

/// What can be the matter with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// There is no `=`.
    NotAnAssignment,
    /// What stands before `=` cannot name a variable.
    BadName,
    /// A quoted value does not end on its line.
    UnclosedQuote,
    /// Something other than a comment follows a quoted value.
    TextAfterQuote,
    /// The line is not UTF-8.
    NotUtf8,
    /// The value contains a NUL character, which no variable can hold.
    NulCharacter,
    /// Non-ASCII characters were removed from a credential; the line is used.
    NonAsciiRemoved {
        /// The variable.
        name: String,
        /// How many characters.
        count: usize,
    },
    /// The name was set before; this line counts.
    SetAgain {
        /// The variable.
        name: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.problem {
            Problem::NotAnAssignment => f.write_str("ignored, not of the form NAME=value"),
            Problem::BadName => f.write_str(
                "ignored, a name consists of letters, digits and _ and does not begin with a digit",
            ),
            Problem::UnclosedQuote => f.write_str(
                "ignored, the quote does not end on this line; write line breaks as \\n in double quotes",
            ),
            Problem::TextAfterQuote => {
                f.write_str("ignored, there is text after the closing quote")
            }
            Problem::NotUtf8 => f.write_str("ignored, not UTF-8 text"),
            Problem::NulCharacter => f.write_str("ignored, the value contains a NUL character"),
            Problem::NonAsciiRemoved { name, count } => {
                write!(f, "removed {count} non-ASCII character(s) from {name}; copy the key again")
            }
            Problem::SetAgain { name } => {
                write!(f, "{name} is set a second time; this line counts")
            }
        }
    }
}

impl DotEnv {
    /// Reads a text; what cannot be used ends up in [`DotEnv::warnings`].
    pub fn parse(text: &str) -> DotEnv {
        DotEnv::parse_bytes(text.as_bytes())
    }

    /// Reads a file; a missing one is empty.
    pub fn load(path: &Path) -> Result<DotEnv, AtomicError> {
        let content = read_if_present(path, MAX_DOTENV_BYTES)?;
        Ok(content.map(|(bytes, _)| DotEnv::parse_bytes(&bytes)).unwrap_or_default())
    }

    fn parse_bytes(bytes: &[u8]) -> DotEnv {
        let mut env = DotEnv::default();
        for (index, raw) in parse::lines(bytes).enumerate() {
            let line = index + 1;
            let mut warn = |problem| env.warnings.push(Warning { line, problem });
            let assignment = match std::str::from_utf8(raw).map(parse::line) {
                Ok(Ok(Some(assignment))) => assignment,
                Ok(Ok(None)) => continue,
                Ok(Err(problem)) => {
                    warn(problem);
                    continue;
                }
                Err(_) => {
                    warn(Problem::NotUtf8);
                    continue;
                }
            };
            let name = assignment.name.to_string();
            let (value, count) = clean(&name, assignment.value);
            if count > 0 {
                warn(Problem::NonAsciiRemoved { name: name.clone(), count });
            }
            if env.get(&name).is_some() {
                env.warnings
                    .push(Warning { line, problem: Problem::SetAgain { name: name.clone() } });
            }
            env.put(name, value);
        }
        env
    }

    fn put(&mut self, name: String, value: String) {
        match self.index.get(&name) {
            Some(at) => self.entries[*at].1 = value,
            None => {
                self.index.insert(name.clone(), self.entries.len());
                self.entries.push((name, value));
            }
        }
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.entries.get(*self.index.get(name)?).map(|(_, value)| value.as_str())
    }

    /// All variables, in order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What the owner of the file should look at.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Takes over the variables of `other` that are missing here; warnings are not taken over.
    pub fn fill_missing(&mut self, other: &DotEnv) {
        for (name, value) in other.iter() {
            if self.get(name).is_none() {
                self.put(name.to_string(), value.to_string());
            }
        }
    }

    /// Names that `environment` knows with another value. The file wins over the environment,
    /// which surprises people who changed the variable in their shell.
    pub fn differing(&self, environment: impl Fn(&str) -> Option<String>) -> Vec<&str> {
        self.iter()
            .filter(|(name, value)| environment(name).is_some_and(|other| other != *value))
            .map(|(name, _)| name)
            .collect()
    }
}

/// Removes from a credential what cannot be part of one; also says how many characters went.
fn clean(name: &str, value: String) -> (String, usize) {
    if value.is_ascii() || !is_secret_name(name) {
        return (value, 0);
    }
    let kept: String = value.chars().filter(char::is_ascii).collect();
    let removed = value.chars().count() - kept.len();
    (kept, removed)
}

impl fmt::Debug for DotEnv {
    /// Names only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
        f.debug_struct("DotEnv")
            .field("names", &names)
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
