//! What a command word calls.

use std::borrow::Cow;

use super::facts::HOLE;
use crate::shell::pattern::{PatternCase, ShellPattern};

/// Programs that are also installed with a version behind the name.
const VERSIONED: &[&str] =
    &["python", "pypy", "perl", "ruby", "php", "lua", "node", "bash", "zsh", "ksh", "psql", "gcc"];

/// What a pattern in command position could mean, worst first.
const PATTERN_MEANINGS: &[&str] = &[
    "rm", "dd", "sh", "bash", "mkfs", "shutdown", "reboot", "poweroff", "halt", "init", "chmod",
    "chown", "kill", "shred", "wipefs", "find", "sudo", "curl", "wget", "python", "perl", "nc",
];

/// No name of a program or a system folder is nearly as long.
const MAX_PATTERN: usize = 128;

/// Whether a text has characters a shell would expand to file names, and is short enough to try.
pub(super) fn is_pattern(text: &str) -> bool {
    text.len() <= MAX_PATTERN && ShellPattern::has_wildcards(text)
}

/// The name of a program without path, version, suffix and case; what is unknown is left out.
pub(super) fn canonical(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'_') {
        return Cow::Borrowed(alias(word).unwrap_or(word));
    }
    // In zsh `=rm` is the path of rm.
    let word = word.strip_prefix('=').filter(|rest| rest.len() > 1).unwrap_or(word);
    let base = word.rsplit_once('/').map_or(word, |(_, base)| base);
    let mut name = base.replace(HOLE, "").to_ascii_lowercase();
    for suffix in [".exe", ".cmd", ".bat", ".com"] {
        if let Some(stem) = name.strip_suffix(suffix) {
            name = stem.to_owned();
        }
    }
    if is_pattern(&name) && can_be_pattern(word, &name) {
        let pattern = ShellPattern::new(&name, PatternCase::Matters);
        let meaning = PATTERN_MEANINGS.iter().find(|meaning| pattern.matches(meaning));
        return Cow::Borrowed(meaning.copied().unwrap_or_default());
    }
    if name == "mkfs" || name.starts_with("mkfs.") {
        return Cow::Borrowed("mkfs");
    }
    if name.starts_with("newfs_") || matches!(name.as_str(), "mkntfs" | "newfs") {
        return Cow::Borrowed("mkfs");
    }
    if name.starts_with("fsck.") {
        return Cow::Borrowed("fsck");
    }
    if let Some(alias) = alias(&name) {
        return Cow::Borrowed(alias);
    }
    let version = |char: char| char.is_ascii_digit() || char == '.' || char == '-';
    let stem = name.trim_end_matches(version);
    if stem.len() < name.len() && VERSIONED.contains(&stem) {
        name.truncate(stem.len());
    }
    Cow::Owned(name)
}

/// Other names of programs the rules know.
fn alias(name: &str) -> Option<&'static str> {
    match name {
        "nodejs" | "ts-node" | "tsx" | "esno" => Some("node"),
        "gawk" | "mawk" | "nawk" => Some("awk"),
        "gsed" => Some("sed"),
        "grm" | "srm" => Some("rm"),
        "gfind" => Some("find"),
        "gxargs" => Some("xargs"),
        "ipython3" | "bpython" => Some("ipython"),
        "luajit" => Some("lua"),
        "irb" | "pry" => Some("ruby"),
        "rexec" | "rsh" | "dbclient" | "plink" => Some("ssh"),
        "pwsh" | "pwsh-preview" => Some("powershell"),
        "fdfind" => Some("fd"),
        "ncat" | "netcat" | "nc.openbsd" | "nc.traditional" => Some("nc"),
        "rbash" => Some("bash"),
        "tofu" | "opentofu" => Some("terraform"),
        "mariadb" => Some("mysql"),
        "podman" | "nerdctl" => Some("docker"),
        _ => None,
    }
}

/// Whether a word with a slash leads to where a system keeps its programs, or may do so.
pub(super) fn is_system_path(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"];
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    FOLDERS.contains(&folder) || folder.contains(HOLE) || is_pattern(folder)
}

/// A pattern that a shell could turn into a program: below the folders of programs, or a name that
/// is partly spelled out.
fn can_be_pattern(word: &str, name: &str) -> bool {
    match word.rsplit_once('/') {
        Some((folder, _)) => {
            let folder = ShellPattern::new(folder, PatternCase::Matters);
            ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"]
                .iter()
                .any(|known| folder.matches(known))
        }
        None => name.chars().any(|char| char.is_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_the_program_behind_the_word() {
        for (word, name) in [
            ("/bin/rm", "rm"),
            ("RM", "rm"),
            ("/usr/bin/python3.11", "python"),
            ("mkfs.ext4", "mkfs"),
            ("/b?n/r[m]", "rm"),
            ("cmd.exe", "cmd"),
            ("r\u{fdd0}m", "rm"),
            ("ls", "ls"),
            ("mkfs_helper", "mkfs_helper"),
            ("./*", ""),
            ("pip3", "pip3"),
        ] {
            if word == "./*" {
                assert!(!PATTERN_MEANINGS.contains(&canonical(word).as_ref()));
            } else {
                assert_eq!(canonical(word), name, "{word}");
            }
        }
    }
}
