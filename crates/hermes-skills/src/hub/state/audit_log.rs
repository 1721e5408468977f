//! `audit.log`: one line for every act, for people and for putting a lost lock file together again.

use std::fs::OpenOptions;
use std::io::Write as _;

use hermes_store::atomic::AtomicError;

use super::HubState;
use super::installed::InstalledSkill;
use crate::hub::error::HubError;
use crate::hub::record::TrustLevel;

/// Longest log that is read back.
const LONGEST: u64 = 64 << 20;

/// What was done with a skill of the hub, when, and with which verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLogLine {
    /// UTC, to the second.
    pub time: String,
    /// `INSTALL`, `UNINSTALL`, `BLOCKED` or `UPDATE`.
    pub action: String,
    /// The skill.
    pub name: String,
    /// The source's id.
    pub source: String,
    /// How far it was believed.
    pub trust: TrustLevel,
    /// What the scanner said.
    pub verdict: String,
    extras: Vec<(String, String)>,
}

impl AuditLogLine {
    /// One of the `name=value` words behind the verdict.
    #[must_use]
    pub fn extra(&self, key: &str) -> Option<&str> {
        self.extras.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// Now, as the log and the lock file write it.
#[must_use]
pub fn timestamp() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Adds a line.
///
/// # Errors
/// The disk refuses: an act that cannot be recorded is not made.
pub fn record(
    state: &HubState,
    action: &str,
    name: &str,
    source: &str,
    trust: TrustLevel,
    verdict: &str,
    extras: &[(&str, &str)],
) -> Result<(), HubError> {
    let mut line = format!(
        "{} {action} {} {}:{} {}",
        timestamp(),
        word(name),
        word(source),
        trust.as_str(),
        word(verdict)
    );
    for (key, value) in extras {
        line.push_str(&format!(" {key}={}", word(value)));
    }
    line.push('\n');
    let file = state.skills().hub_audit_log();
    let failed = |error| HubError::from(AtomicError::when("write to", &file)(error));
    let mut log = OpenOptions::new().create(true).append(true).open(&file).map_err(failed)?;
    // One write, so that lines of two processes do not mix.
    log.write_all(line.as_bytes())
        .and_then(|()| log.sync_data())
        .map_err(|error| AtomicError::when("write to", &file)(error).into())
}

/// Adds the line of an installed or updated skill.
///
/// # Errors
/// The disk refuses.
pub fn record_installed(
    state: &HubState,
    action: &str,
    name: &str,
    entry: &InstalledSkill,
) -> Result<(), HubError> {
    let extras = [
        ("identifier", entry.identifier.as_str()),
        ("path", &entry.install_path),
        ("hash", &entry.content_hash),
    ];
    record(state, action, name, &entry.source, entry.trust_level, &entry.scan_verdict, &extras)
}

/// A value as one word: blanks and control characters escaped.
fn word(text: &str) -> String {
    if text.is_empty() {
        return "-".to_owned();
    }
    let mut word = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '%'
            || character == '='
            || character.is_whitespace()
            || character.is_control()
        {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                word.push_str(&format!("%{byte:02X}"));
            }
        } else {
            word.push(character);
        }
    }
    word
}

fn plain(word: &str) -> String {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match code.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The acts so far; nothing if there is no log. Lines that make no sense are left out.
#[must_use]
pub fn read(state: &HubState) -> Option<Vec<AuditLogLine>> {
    let file = state.skills().hub_audit_log();
    if std::fs::metadata(&file).ok()?.len() > LONGEST {
        return None;
    }
    let text = String::from_utf8_lossy(&std::fs::read(&file).ok()?).into_owned();
    Some(text.lines().filter_map(parse).collect())
}

fn parse(line: &str) -> Option<AuditLogLine> {
    let mut words = line.split(' ');
    let mut next = || words.next();
    let (time, action, name) = (next()?, next()?, next()?);
    let (source, trust) = next()?.rsplit_once(':')?;
    let verdict = next()?;
    let trust = match trust {
        "builtin" => TrustLevel::Builtin,
        "trusted" => TrustLevel::Trusted,
        _ => TrustLevel::Community,
    };
    let extras = words
        .filter_map(|word| word.split_once('='))
        .map(|(key, value)| (key.to_owned(), plain(value)))
        .collect();
    Some(AuditLogLine {
        time: time.to_owned(),
        action: action.to_owned(),
        name: plain(name),
        source: plain(source),
        trust,
        verdict: plain(verdict),
        extras,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::SkillsHome;
    use hermes_store::home::Home;
    use proptest::prelude::*;

    #[test]
    fn a_name_cannot_write_a_second_line() {
        let home = tempfile::tempdir().unwrap();
        let state = HubState::new(&SkillsHome::new(&Home::at(home.path())));
        state.prepare().unwrap();
        let name = "x\n2026-01-01T00:00:00Z INSTALL evil github:builtin safe";
        record(
            &state,
            "BLOCKED",
            name,
            "url",
            TrustLevel::Community,
            "dangerous",
            &[("url", "a b=c")],
        )
        .unwrap();
        let acts = read(&state).unwrap();
        assert_eq!(acts.len(), 1);
        assert_eq!(acts[0].name, name);
        assert_eq!(acts[0].extra("url"), Some("a b=c"));
        assert_eq!(acts[0].verdict, "dangerous");
    }

    proptest! {
        #[test]
        fn words_come_back_as_they_were(text in "\\PC{1,30}|[ \\t\\n%=]{1,9}") {
            let word = word(&text);
            prop_assert!(!word.contains([' ', '\n', '=']));
            if text != "-" {
                prop_assert_eq!(plain(&word), text);
            }
        }
    }
}
