//! What stands where a helper program belongs: a shell, an interpreter with something to run, a file that anybody may
//! have put there.

/// Where anybody may put a file.
pub(crate) fn is_temp(text: &str) -> bool {
    ["/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/"].iter().any(|place| text.starts_with(place))
}

/// Whether a text is a shell or an interpreter with something to run, or a program from a temporary folder.
pub(crate) fn starts_shell(text: &str) -> bool {
    const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "fish", "ash"];
    const OTHERS: &[&str] = &[
        "python",
        "python3",
        "perl",
        "ruby",
        "node",
        "php",
        "nc",
        "ncat",
        "curl",
        "wget",
        "rm",
        "eval",
        "xargs",
        "osascript",
        "socat",
        "powershell",
        "pwsh",
        "busybox",
    ];
    let text = text.trim_start_matches(['"', '\'', '|', '!', ' ']);
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let name = first.strip_prefix("/usr").unwrap_or(first);
    let name = name.strip_prefix("/bin/").unwrap_or(name);
    SHELLS.contains(&name) || is_temp(first) || OTHERS.contains(&name) && words.next().is_some()
}
