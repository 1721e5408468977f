//! How to get a Chromium onto this machine.

/// A package manager, and how it installs Chromium.
struct Manager {
    program: &'static str,
    command: &'static [&'static str],
}

const MANAGERS: &[Manager] = &[
    Manager { program: "apt-get", command: &["apt-get", "install", "-y", "chromium"] },
    Manager { program: "dnf", command: &["dnf", "install", "-y", "chromium"] },
    Manager { program: "pacman", command: &["pacman", "-S", "--noconfirm", "chromium"] },
    Manager { program: "zypper", command: &["zypper", "--non-interactive", "install", "chromium"] },
    Manager { program: "apk", command: &["apk", "add", "chromium"] },
];

/// Where package managers are, whatever the search path says.
const FOLDERS: &str = "/usr/bin:/bin:/usr/sbin:/sbin";

/// The command that installs Chromium with this machine's package manager; none where we know no manager. Whoever
/// runs it needs the rights of root.
#[must_use]
pub fn install_command() -> Option<&'static [&'static str]> {
    let has = |manager: &&Manager| {
        std::env::split_paths(FOLDERS).any(|folder| folder.join(manager.program).exists())
    };
    MANAGERS.iter().find(has).map(|manager| manager.command)
}

/// What a person can do where there is none.
pub(crate) fn how_to_install() -> String {
    let by_hand = match install_command() {
        Some(command) => format!(" (it runs {} after asking)", command.join(" ")),
        None => String::new(),
    };
    format!(
        "install one with `hermes browser install`{by_hand}, or name one in AGENT_BROWSER_EXECUTABLE_PATH"
    )
}
