//! Redaction: secrets in text on its way to a model, a person or a log.
//!
//! One automaton looks for everything that could begin or name a secret: key prefixes, header names,
//! words such as `password`, the `://` of a URL. Nearly all text has few of these and is only read
//! once, without a copy. Around each hit a hand-written rule looks at the neighbourhood and decides.
//! Rules never look further than they then consume, or only a fixed distance, so the work grows with
//! the text and with nothing else, however hostile the text is.
//!
//! What is hidden depends on the [`RedactMode`]. Guesses from names (`token = …`) suit logs and dumps of
//! the environment. In source code they would hide half of every file, so the code modes keep to what
//! shows by itself: prefixes, headers, passwords in URLs, private keys.
//!
//! A hidden value is [`MASK`], or its first six and last four characters when it is long enough that
//! these give nothing away. For files even that is too much: a model could write the shortened key
//! back, and a broken credential would look like a real one. There, a known prefix becomes a marker
//! such as `«redacted:ghp_…»` and everything else [`MASK`].
//!
//! Redacting twice gives the same as once. The rules know their own masks and step over them, and
//! text in which something was hidden is read again until nothing more is found: what one rule hides
//! can show another rule more than it saw before.

use std::borrow::Cow;

mod anchors;
mod assignment;
mod blocks;
mod calls;
mod fields;
mod flags;
mod headers;
mod keys;
mod languages;
mod line_start;
mod lists;
mod logins;
mod manifests;
mod mask;
mod memorable;
mod names;
mod nearby;
mod parameters;
mod scan;
mod secret_documents;
mod sentences;
mod short_options;
mod tables;
mod terminal;
#[cfg(test)]
mod tests;
mod tokens;
mod urls;
mod values;
mod walk;
mod words;

pub use mask::{MASK, PRIVATE_KEY};
pub use parameters::is_credential_name;
pub(crate) use words::made_of_words;

/// How often text is read again after something was hidden. Real text needs one.
const MORE_PASSES: usize = 8;

/// Where text comes from, and so what counts as a secret in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedactMode<'a> {
    /// Any text: logs, messages, errors.
    Full,
    /// Source text: no guesses from names.
    CodeFile,
    /// Like [`RedactMode::CodeFile`], for text that may be written back: nothing of a secret remains.
    FileRead,
    /// Like [`RedactMode::Full`], and credentials in the query and fragment of URLs as well. Elsewhere they
    /// stay on purpose: a link with a token in it is often the very thing asked for.
    UrlCredentials,
    /// What a command printed. Like [`RedactMode::CodeFile`], but [`RedactMode::Full`] when the command prints
    /// environment variables.
    Terminal {
        /// The command that was run.
        command: &'a str,
    },
}

/// Whether secrets are hidden at all: the user's setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redaction {
    /// Secrets are hidden.
    #[default]
    On,
    /// Text passes as it is.
    Off,
}

/// Hides secrets, according to a setting that is fixed when the program starts. A model that could
/// change it later could switch it off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Redactor {
    switch: Redaction,
}

impl Redactor {
    /// A redactor with the user's setting.
    #[must_use]
    pub fn new(switch: Redaction) -> Self {
        Self { switch }
    }

    /// The text without its secrets, or as it is when the user switched redaction off.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str, mode: RedactMode<'_>) -> Cow<'t, str> {
        match self.switch {
            Redaction::On => redact(text, mode),
            Redaction::Off => Cow::Borrowed(text),
        }
    }
}

/// The text without its secrets, whatever the user's setting: for places where a secret must not
/// appear under any circumstances.
#[must_use]
pub fn redact<'t>(text: &'t str, mode: RedactMode<'_>) -> Cow<'t, str> {
    let rules = scan::RedactRules::of(mode);
    let Some(mut clean) = pass(text, rules) else { return Cow::Borrowed(text) };
    for _ in 0..MORE_PASSES {
        match pass(&clean, rules) {
            Some(cleaner) => clean = cleaner,
            None => break,
        }
    }
    Cow::Owned(clean)
}

/// One walk over the text, if it changes anything.
fn pass(text: &str, rules: scan::RedactRules) -> Option<String> {
    urls::redact_form(text, rules).or_else(|| walk::walk(text, rules))
}

/// The text of a file with its secrets replaced.
#[must_use]
pub fn redact_file(text: &str) -> Cow<'_, str> {
    redact(text, RedactMode::FileRead)
}
