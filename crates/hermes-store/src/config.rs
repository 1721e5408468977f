//! Reading `config.yaml`.
//!
//! [`Config::load`] parses the file, expands `${NAME}` in its strings and hands out values by
//! dotted path. A missing file is an empty configuration. A broken one is a [`ConfigError`] that
//! shows the place; a program that should start anyway, to look at things, uses
//! [`Config::load_or_default`] and shows the error. Loading never writes, whatever it finds.
//!
//! The order in which settings override each other is built-in defaults, then this file, then
//! environment, then flags; [`Config::with_defaults`] and [`merge`] make the first of these steps.
//!
//! The typed getters answer `None` both when a setting is absent and when it has another kind:
//! the rule for wrong values is "use the default", and complaining about them is the job of
//! [`crate::config_keys::check`], once, in one place. They are lenient in the same way as `check`:
//! since an expanded `${PORT}` is always text, the text `"8080"` counts as the number 8080.

mod error;
mod expand;
mod masked;
mod merge;

pub(crate) use error::kind_of;
pub use error::{ConfigError, Excerpt, MAX_EXCERPT_CHARS};
pub use expand::expand;
pub use hermes_tool::settings::scalar::{as_bool, as_f64, as_i64, as_text};
pub use masked::{MASK, masked};
pub use merge::merge;

use std::fmt;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Map, Value};

use crate::atomic::{AtomicError, read_if_present};
use crate::key_path::KeyPath;

/// Largest configuration file read.
pub const MAX_CONFIG_BYTES: u64 = 4 * 1024 * 1024;

/// A configuration as loaded.
#[derive(Clone, PartialEq)]
pub struct Config {
    value: Value,
    source: PathBuf,
    fingerprint: Option<Fingerprint>,
}

/// Tells whether a file has changed: time of the last change and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// Nanoseconds since 1970.
    pub modified_ns: u128,
    /// Bytes.
    pub size: u64,
}

impl Fingerprint {
    /// The fingerprint of a file as it is now; `None` when it cannot be looked at.
    pub fn of(path: &Path) -> Option<Fingerprint> {
        std::fs::metadata(path).ok().map(|metadata| Fingerprint::from_metadata(&metadata))
    }

    pub(crate) fn from_metadata(metadata: &Metadata) -> Fingerprint {
        let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Fingerprint { modified_ns: since.map_or(0, |since| since.as_nanos()), size: metadata.len() }
    }
}

impl Config {
    /// A configuration without any setting.
    pub fn empty(source: impl Into<PathBuf>) -> Config {
        Config { value: Value::Object(Map::new()), source: source.into(), fingerprint: None }
    }

    /// A configuration made from a value instead of a file; anything but an object counts as
    /// empty.
    pub fn from_value(value: Value) -> Config {
        let mut config = Config::empty("");
        if value.is_object() {
            config.value = value;
        }
        config
    }

    /// Parses a text; `source` is for error messages. Nothing is expanded.
    pub fn parse(text: &str, source: &Path) -> Result<Config, ConfigError> {
        let value = match crate::yaml::parse(text) {
            Ok(Value::Null) => Value::Object(Map::new()),
            Ok(value @ Value::Object(_)) => value,
            Ok(other) => return Err(ConfigError::not_a_mapping(source, &other)),
            Err(problem) => return Err(ConfigError::syntax(text, source, problem)),
        };
        Ok(Config { value, source: source.to_path_buf(), fingerprint: None })
    }

    /// Loads a file and expands variables through `lookup`; a missing file is empty.
    pub fn load(
        path: &Path,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Config, ConfigError> {
        let mut config = Config::load_unexpanded(path)?;
        expand(&mut config.value, &lookup);
        Ok(config)
    }

    /// Loads a file as it is written, with `${NAME}` untouched.
    pub fn load_unexpanded(path: &Path) -> Result<Config, ConfigError> {
        let Some((bytes, metadata)) = read_if_present(path, MAX_CONFIG_BYTES)? else {
            // A link that leads nowhere is not the same as no configuration: somebody has one.
            if path.is_symlink() {
                let gone = std::io::Error::other("it is a link to a file that is not there");
                return Err(AtomicError::when("open", path)(gone).into());
            }
            return Ok(Config::empty(path));
        };
        let text = String::from_utf8(bytes).map_err(|error| ConfigError::not_utf8(path, &error))?;
        let mut config = Config::parse(&text, path)?;
        config.fingerprint = Some(Fingerprint::from_metadata(&metadata));
        Ok(config)
    }

    /// Like [`Config::load`], but a file that cannot be used yields an empty configuration
    /// together with the error, which the caller must show.
    pub fn load_or_default(
        path: &Path,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> (Config, Option<ConfigError>) {
        match Config::load(path, lookup) {
            Ok(config) => (config, None),
            Err(error) => {
                let mut config = Config::empty(path);
                // Kept, so that whoever watches the file notices when it has been repaired.
                config.fingerprint = Fingerprint::of(path);
                (config, Some(error))
            }
        }
    }

    /// Fills what is missing from `defaults`; see [`merge`].
    #[must_use]
    pub fn with_defaults(mut self, defaults: &Value) -> Config {
        self.value = merge(defaults.clone(), self.value);
        self
    }

    /// Everything, always an object.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Everything, always an object.
    pub fn into_value(self) -> Value {
        self.value
    }

    /// The file this came from, whether it exists or not.
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// State of the file when it was read; `None` if there was none.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        self.fingerprint
    }

    /// The value at a dotted path.
    pub fn get(&self, path: &str) -> Option<&Value> {
        KeyPath::parse(path).ok()?.find(&self.value)
    }

    /// A yes/no setting.
    pub fn bool(&self, path: &str) -> Option<bool> {
        as_bool(self.get(path)?)
    }

    /// A whole number.
    pub fn integer(&self, path: &str) -> Option<i64> {
        as_i64(self.get(path)?)
    }

    /// The value at a dotted path as a number; numerals in quotes count.
    pub fn number(&self, path: &str) -> Option<f64> {
        as_f64(self.get(path)?)
    }

    /// A text; numbers and booleans are given as they would be printed.
    pub fn text(&self, path: &str) -> Option<String> {
        as_text(self.get(path)?)
    }

    /// A list of texts; items of other kinds are left out, and a single text is a list of one.
    pub fn text_list(&self, path: &str) -> Option<Vec<String>> {
        match self.get(path)? {
            Value::Array(items) => Some(items.iter().filter_map(as_text).collect()),
            single => as_text(single).map(|text| vec![text]),
        }
    }

    /// A section: a mapping of names to values.
    pub fn section(&self, path: &str) -> Option<&Map<String, Value>> {
        self.get(path)?.as_object()
    }
}

impl fmt::Debug for Config {
    /// Shows which settings there are, not what they say: some hold keys and passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&String> = self.value.as_object().into_iter().flat_map(Map::keys).collect();
        f.debug_struct("Config")
            .field("source", &self.source)
            .field("fingerprint", &self.fingerprint)
            .field("keys", &keys)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
