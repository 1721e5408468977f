//! What a finding says.

use std::borrow::Cow;

/// How bad a category is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Someone has to agree first.
    Dangerous,
    /// Never run, whoever agrees.
    Floor,
}

/// A kind of danger. Approvals are remembered by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category {
    /// Stable and readable: what allowlists hold.
    pub key: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence for people.
    pub why: &'static str,
}

impl Category {
    /// A category that asks.
    pub(super) const fn asks(key: &'static str, why: &'static str) -> Self {
        Self { key, severity: Severity::Dangerous, why }
    }

    /// A category that is never allowed.
    pub(super) const fn never(key: &'static str, why: &'static str) -> Self {
        Self { key, severity: Severity::Floor, why }
    }
}

/// A danger in a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The key of its category.
    pub category: &'static str,
    /// How bad it is here: what happens inside a container or on another machine is never
    /// [`Severity::Floor`].
    pub severity: Severity,
    /// The words that caused it, as they stand in the text.
    pub words: String,
    /// One sentence for people.
    pub why: &'static str,
}

/// Longest [`Finding::words`], in characters.
pub const MAX_WORDS_CHARS: usize = 300;

impl Finding {
    pub(super) fn new(category: Category, severity: Severity, words: &str) -> Self {
        let words = words.trim();
        let words = match words.char_indices().nth(MAX_WORDS_CHARS) {
            Some((at, _)) => Cow::Owned(format!("{}…", &words[..at])),
            None => Cow::Borrowed(words),
        };
        Self { category: category.key, severity, words: words.into_owned(), why: category.why }
    }
}

/// The text cannot be read as shell, or not within the budgets.
pub(super) const UNPARSABLE: Category = Category::asks(
    "unparsable command",
    "The command cannot be read as shell text, so nothing is known about what it does.",
);

/// Keys of earlier releases, and shorter names people write, with today's key.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("recursive delete (long flag)", "recursive delete"),
    ("rm", "recursive delete"),
    ("chmod", "world/other-writable permissions"),
    ("recursive world/other-writable (long flag)", "world/other-writable permissions"),
    ("chown", "recursive chown to root"),
    ("recursive chown to root (long flag)", "recursive chown to root"),
    ("mkfs", "format filesystem"),
    ("dd", "disk copy"),
    ("SQL", "SQL DROP"),
    ("DROP", "SQL DROP"),
    ("DELETE", "SQL DELETE without WHERE"),
    ("TRUNCATE", "SQL TRUNCATE"),
    ("overwrite system file via tee", "overwrite system config"),
    ("overwrite system file via redirection", "overwrite system config"),
    ("tee", "overwrite system config"),
    ("overwrite project env/config via tee", "project env/config"),
    ("overwrite project env/config via redirection", "project env/config"),
    ("overwrite project env/config file", "project env/config"),
    ("copy/move file into /etc/", "copy/move into system or credential path"),
    ("copy/move file into system config path", "copy/move into system or credential path"),
    ("in-place edit of system config", "in-place edit"),
    ("in-place edit of system config (long flag)", "in-place edit"),
    ("sed", "in-place edit"),
    ("stop/restart system service", "stop or restart a service"),
    ("systemctl", "stop or restart a service"),
    ("force kill processes", "force kill processes"),
    ("pkill", "force kill processes"),
    ("kill process via pgrep expansion (self-termination)", "kill processes by search"),
    ("stop/restart hermes gateway (kills running agents)", "gateway self-protection"),
    ("hermes update (restarts gateway, kills running agents)", "gateway self-protection"),
    ("kill hermes/gateway process (self-termination)", "gateway self-protection"),
    ("gateway", "gateway self-protection"),
    ("pipe remote content to shell", "remote content to shell"),
    ("execute remote script via process substitution", "remote content to shell"),
    ("curl", "remote content to shell"),
    ("python", "script execution via -e/-c flag"),
    ("shell command via -c/-lc flag", "shell command via -c/-lc"),
    ("bash", "shell command via -c/-lc"),
    ("xargs", "xargs with rm"),
    ("find", "find -exec rm"),
    ("git reset --hard (destroys uncommitted changes)", "git reset --hard"),
    ("git force push (rewrites remote history)", "git force push"),
    ("git force push short flag (rewrites remote history)", "git force push"),
    ("git clean with force (deletes untracked files)", "git clean"),
    ("git branch force delete", "git branch delete"),
    ("chmod +x followed by immediate execution", "chmod +x then run"),
    ("docker", "stop or restart a container"),
];

/// Today's key for a key that was stored or typed.
#[must_use]
pub fn category_for(old_or_new_key: &str) -> Option<&'static str> {
    let key = old_or_new_key.trim();
    let same = |known: &str| known.eq_ignore_ascii_case(key);
    super::categories()
        .map(|category| category.key)
        .find(|known| same(known))
        .or_else(|| ALIASES.iter().find(|(old, _)| same(old)).map(|(_, new)| *new))
}
