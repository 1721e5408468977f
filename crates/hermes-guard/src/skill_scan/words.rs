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

/// Denials, and verbs that turn them into their opposite.
const DENIED: &[&str] = &["never", "don't", "dont", "not", "cannot", "can't"];
const URGED: &[&str] = &[
    "forget", "worry", "skip", "hesitate", "miss", "omit", "stop", "fail", "wait", "bother",
    "need", "ask", "tell", "mention", "inform", "notify", "alert", "reveal", "disclose", "report",
    "show", "let", "prompt", "confirm", "ever", "pause",
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
    let mut words = words(sentence).peekable();
    while let Some(word) = words.next() {
        // "Do not forget to" asks for it all the more.
        let urges = words.peek().is_some_and(|next| URGED.contains(&next.as_str()));
        if urges && DENIED.contains(&word.as_str()) {
            // What the agent is not to be told is warned of; what the user is not to be told is hidden.
            if words.peek().is_some_and(|next| next == "tell") && tells_agent(sentence) {
                return true;
            }
            before = word;
            continue;
        }
        // "To avoid questions, …" says what for.
        if before == "to" && PURPOSES.contains(&word.as_str()) {
            before = word;
            continue;
        }
        let noun = word.starts_with("flag") && NOUN_BEFORE.contains(&before.as_str());
        if WARNING.contains(&word.as_str()) && !noun
            || WARNING_PAIRS.iter().any(|&(first, second)| first == before && second == word)
        {
            return true;
        }
        before = word;
    }
    sentence.contains(['❌', '⛔', '🚫', '✗', '✘'])
}

/// Words behind which a flag is a thing.
const NOUN_BEFORE: &[&str] = &[
    "the",
    "a",
    "an",
    "this",
    "that",
    "each",
    "every",
    "hidden",
    "feature",
    "new",
    "command-line",
];

/// Verbs that only say what something is for, behind "to".
const PURPOSES: &[&str] = &["avoid", "prevent"];

fn tells_agent(sentence: &str) -> bool {
    let sentence = sentence.to_ascii_lowercase();
    ["tell the agent", "tell an agent", "tell the model", "tell the assistant", "tell agents"]
        .iter()
        .any(|words| sentence.contains(words))
}

/// Whether a line before a block warns of it: `Bad:`, `❌ Wrong`, `Never do this:`. A line that asks to run
/// the block does not, whatever else it says.
pub(super) fn warns_of_block(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches(['*', '_']);
    if !(line.ends_with(':') || line.len() < 60) {
        return false;
    }
    warns(line) && !asks_to_run(line)
}

/// Whether a verb of running stands in a line without a denial before it.
pub(super) fn asks_to_run(line: &str) -> bool {
    const DENIALS: &[&str] =
        &["never", "not", "don't", "dont", "avoid", "cannot", "can't", "mustn't"];
    let words: Vec<String> = words(line).collect();
    words.iter().enumerate().any(|(at, word)| {
        matches!(word.as_str(), "run" | "execute" | "paste" | "invoke" | "launch")
            && !words[at.saturating_sub(4)..at].iter().any(|word| DENIALS.contains(&word.as_str()))
    })
}

/// Words of headings below which attacks are described.
const ATTACKS: &[&str] = &[
    "attack",
    "attacks",
    "attacker",
    "vulnerable",
    "vulnerability",
    "vulnerabilities",
    "exploit",
    "exploits",
    "exploitation",
    "payload",
    "payloads",
    "malicious",
    "malware",
    "injection",
    "dangerous",
    "threat",
    "threats",
    "suspicious",
    "indicators",
    "anti-pattern",
    "anti-patterns",
    "bad",
    "wrong",
    "insecure",
    "unsafe",
    "exfiltration",
    "flags",
    "detect",
    "detection",
    "escape",
    "bypass",
    "traversal",
    "ssrf",
];

/// Whether a heading announces attacks rather than steps.
pub(super) fn speaks_of_attacks(heading: &str) -> bool {
    words(heading).any(|word| ATTACKS.contains(&word.as_str()))
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
