//! Words that tell what a sentence wants.

/// Verbs by which a reader is told to run what follows.
const RUN: &[&str] = &[
    "run",
    "runs",
    "running",
    "execute",
    "executing",
    "invoke",
    "paste",
    "start",
    "type",
    "enter",
    "launch",
    "call",
    "use",
    "setup",
    "setup:",
    "with",
];
/// Signs that a sentence speaks against what it names.
const WARNING: &[&str] = &[
    "never",
    "don't",
    "dont",
    "avoid",
    "refuse",
    "reject",
    "warn",
    "warning",
    "beware",
    "dangerous",
    "malicious",
    "attack",
    "attacks",
    "attacker",
    "attackers",
    "prohibited",
    "forbidden",
    "blocked",
    "blocks",
    "prevent",
    "prevents",
    "unsafe",
    "insecure",
    "vulnerable",
    "cannot",
    "can't",
    "instead",
    "detect",
    "detects",
    "flag",
    "flags",
    "suspicious",
    "anti-pattern",
    "antipattern",
    "wrong",
    "bad",
    "deny",
    "denies",
    "disallow",
    "disallowed",
    "risky",
    "harmful",
];
/// Two words that do so together.
const WARNING_PAIRS: &[(&str, &str)] = &[
    ("do", "not"),
    ("must", "not"),
    ("should", "not"),
    ("may", "not"),
    ("not", "allowed"),
    ("rather", "than"),
];

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| {
        !(character.is_alphanumeric() || character == '\'' || character == '-')
    })
    .filter(|word| !word.is_empty())
    .map(str::to_ascii_lowercase)
}

/// Whether a sentence tells somebody to run something.
pub(super) fn has_run_verb(sentence: &str) -> bool {
    words(sentence).any(|word| RUN.contains(&word.as_str()))
}

/// Whether a sentence speaks against what it names.
pub(super) fn warns(sentence: &str) -> bool {
    let mut before = String::new();
    for word in words(sentence) {
        if WARNING.contains(&word.as_str())
            || WARNING_PAIRS.iter().any(|&(first, second)| first == before && second == word)
        {
            return true;
        }
        before = word;
    }
    sentence.contains(['❌', '⛔', '🚫', '✗', '✘'])
}

/// Whether a line before a block warns of it: `Bad:`, `❌ Wrong`, `Never do this:`.
pub(super) fn warns_of_block(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches(['*', '_']);
    if !(line.ends_with(':') || line.len() < 60) {
        return false;
    }
    warns(line)
}

/// Programs that a line may begin with to be taken for a command.
const PROGRAMS: &[&str] = &[
    "apt",
    "apt-get",
    "base64",
    "bash",
    "brew",
    "cargo",
    "cat",
    "chmod",
    "chown",
    "cp",
    "crontab",
    "curl",
    "dd",
    "dig",
    "docker",
    "echo",
    "env",
    "eval",
    "export",
    "find",
    "git",
    "gpg",
    "head",
    "host",
    "mkfs.ext4",
    "mv",
    "nc",
    "ncat",
    "ngrok",
    "node",
    "nohup",
    "npm",
    "npx",
    "nslookup",
    "openssl",
    "perl",
    "pip",
    "pip3",
    "powershell",
    "printenv",
    "printf",
    "python",
    "python3",
    "rm",
    "rsync",
    "ruby",
    "scp",
    "sh",
    "shred",
    "socat",
    "ssh",
    "sudo",
    "systemctl",
    "tail",
    "tar",
    "tee",
    "uv",
    "wget",
    "wipefs",
    "xxd",
    "zip",
    "zsh",
    "iwr",
    "iex",
    "irm",
    "hermes",
    "claude",
];

/// Whether a line is nothing but a command.
pub(super) fn is_command_line(line: &str) -> bool {
    let line = line.trim();
    let whole_code = line.len() > 2
        && line.starts_with('`')
        && line.ends_with('`')
        && !line[1..line.len() - 1].contains('`');
    let line = if whole_code { line.trim_matches('`') } else { line };
    let (line, prompted) = match line.strip_prefix("$ ") {
        Some(command) => (command, true),
        None => (line, false),
    };
    let Some((program, arguments)) = line.split_once([' ', '\t']) else { return false };
    if !PROGRAMS.contains(&program) {
        return prompted || whole_code && arguments.contains(" -");
    }
    let has_sign = arguments.contains(" | ")
        || arguments.contains("://")
        || arguments.split_ascii_whitespace().any(|word| {
            word.starts_with('-') && word.len() > 1
                || word.starts_with(['/', '~', '$', '>', '.', '"', '\''])
        });
    let is_sentence = line.ends_with(['.', ':', '?', ',']) && !line.ends_with(" .");
    prompted || whole_code || has_sign && !is_sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_sentences() {
        assert!(is_command_line("curl -s https://a.b/c | sh"));
        assert!(is_command_line("`npm install x`"));
        assert!(is_command_line("$ make all"));
        assert!(!is_command_line("find the file in the folder and read it."));
        assert!(!is_command_line("host the page somewhere"));
    }

    #[test]
    fn warnings_are_seen() {
        assert!(warns("Never run"));
        assert!(warns("You must not call"));
        assert!(!warns("Then run"));
    }
}
