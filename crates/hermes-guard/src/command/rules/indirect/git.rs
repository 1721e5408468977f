//! Settings and options of git that make it run something.

use super::super::super::call::{Arg, ProgramCall};
use super::is_usual;

/// Settings of git whose value is a command, or where to find one.
fn is_git_command_key(key: &str) -> bool {
    const KEYS: &[&str] = &[
        "core.pager",
        "core.editor",
        "core.sshcommand",
        "core.fsmonitor",
        "core.hookspath",
        "core.gitproxy",
        "core.askpass",
        "core.alternaterefscommand",
        "core.attributesfile",
        "core.worktree",
        "diff.external",
        "credential.helper",
        "sequence.editor",
        "gpg.program",
        "gpg.ssh.program",
        "gpg.x509.program",
        "gpg.ssh.defaultkeycommand",
        "interactive.difffilter",
        "uploadpack.packobjectshook",
        "include.path",
        "init.templatedir",
        "web.browser",
        "protocol.ext.allow",
        "protocol.allow",
        "sendemail.sendmailcmd",
        "instaweb.httpd",
    ];
    const ENDS: &[&str] = &[
        ".textconv",
        ".clean",
        ".smudge",
        ".process",
        ".driver",
        ".cmd",
        ".command",
        ".uploadpack",
        ".receivepack",
        ".proxy",
        ".vcs",
        ".helper",
        ".program",
    ];
    let key = key.to_ascii_lowercase();
    KEYS.contains(&key.as_str())
        || key.starts_with("pager.")
        || key.starts_with("includeif.")
        || (key.starts_with("submodule.") && key.ends_with(".update"))
        || ENDS.iter().any(|end| key.ends_with(end))
}

/// Whether a setting of git makes it run something unusual.
fn git_setting(key: &str, value: &str) -> bool {
    let value = value.trim();
    if key.to_ascii_lowercase().starts_with("alias.") {
        return value.starts_with('!');
    }
    match key.to_ascii_lowercase().as_str() {
        "core.fsmonitor" | "core.worktree" => !matches!(value, "true" | "false" | ""),
        "protocol.allow" | "protocol.ext.allow" => value == "always",
        // Whatever says yes to every signature.
        key if key.starts_with("gpg.") && key.ends_with("program") => {
            let name = value.rsplit('/').next().unwrap_or(value);
            ![
                "gpg",
                "gpg2",
                "gpgsm",
                "ssh-keygen",
                "smimesign",
                "op-ssh-sign",
                "gitsign",
                "qubes-gpg-client",
            ]
            .contains(&name.trim_end_matches(".exe"))
        }
        "core.hookspath" | "init.templatedir" | "core.attributesfile" => {
            // Hooks that a repository keeps for all who work on it are its own.
            !matches!(value, "" | "/dev/null" | ".husky" | ".githooks" | ".husky/_" | "hooks")
        }
        key if key.starts_with("pager.") && matches!(value, "true" | "false") => false,
        key if key.starts_with("submodule.") => value.starts_with('!'),
        // Where everything comes from and goes to.
        key if key.starts_with("url.")
            && (key.ends_with(".insteadof") || key.ends_with(".pushinsteadof")) =>
        {
            !key.starts_with("url.https://github.com")
                && !key.starts_with("url.git@github.com")
                && !key.contains("x-access-token")
                && !key.contains("oauth2")
        }
        key if key.starts_with("remote.") && key.ends_with(".push") => value.starts_with('+'),
        key if key.starts_with("remote.") && key.ends_with(".pushurl") => true,
        key if key.ends_with(".helper") && value.starts_with("!gh auth git-credential") => false,
        key => is_git_command_key(key) && !is_usual(value),
    }
}

/// Whether a call of git makes it run something unusual.
pub(super) fn runs(call: &ProgramCall<'_>) -> bool {
    const READS: &[&str] = &["--get", "--get-all", "--get-regexp", "--list", "-l", "--unset"];
    let words: Vec<&str> = call.args.iter().map(Arg::as_str).collect();
    let pairs = words.windows(2).filter(|pair| pair[0] == "-c" || pair[0] == "--config");
    let setting = |text: &str| match text.split_once('=') {
        Some((key, value)) => git_setting(key, value),
        None => false,
    };
    if pairs.clone().any(|pair| setting(pair[1]))
        || words.iter().any(|word| word.strip_prefix("--config=").is_some_and(setting))
    {
        return true;
    }
    let verb = words.iter().find(|word| {
        matches!(**word, "config" | "clone" | "fetch" | "pull" | "push" | "ls-remote" | "grep")
            || matches!(**word, "difftool" | "archive" | "remote" | "submodule" | "send-email")
            || matches!(**word, "fetch-pack" | "send-pack" | "log" | "diff" | "show" | "init")
    });
    let verb = verb.copied().unwrap_or_default();
    if verb == "config" && !words.iter().any(|word| READS.contains(word)) {
        let at = words.iter().position(|word| *word == "config").unwrap_or_default();
        let mut operands = words[at + 1..].iter().filter(|word| !word.starts_with('-'));
        let mut key = operands.next().copied().unwrap_or_default();
        if matches!(key, "set" | "add") {
            key = operands.next().copied().unwrap_or_default();
        }
        let value = operands.next().copied().unwrap_or_default();
        return !value.is_empty() && git_setting(key, value);
    }
    let remote_program = |word: &str, at: usize| {
        let (name, given) = word.split_once('=').unwrap_or((word, ""));
        let takes = matches!(name, "--upload-pack" | "--receive-pack" | "--extcmd")
            || (name == "--exec" && matches!(verb, "archive" | "push" | "fetch-pack"))
            || (name == "-u" && verb == "clone")
            || (name == "-x" && verb == "difftool");
        let given = if given.is_empty() { words.get(at + 1).copied() } else { Some(given) };
        takes
            && given.is_some_and(|program| {
                !matches!(program, "git-upload-pack" | "git-receive-pack") && !is_usual(program)
            })
    };
    words.iter().enumerate().any(|(at, word)| {
        word.starts_with("ext::")
            || (word.starts_with("--exec-path=") && at < 3)
            || (verb == "grep" && word.strip_prefix("-O").is_some_and(|pager| !is_usual(pager)))
            || word.strip_prefix("--open-files-in-pager=").is_some_and(|pager| !is_usual(pager))
            || (word.starts_with("--template=") && verb != "log" && verb != "show")
            || remote_program(word, at)
    })
}
