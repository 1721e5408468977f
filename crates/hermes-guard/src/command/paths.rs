//! Which places must stay, and which files nobody overwrites by accident.
//!
//! A path is first made absolute and freed of detours ([`resolve`]); the user's home folder is
//! written `~` from then on, however it was spelled. Everything here works on that text alone.

mod records;

use std::borrow::Cow;

use super::facts::{HOLE, ShellFacts};
use super::names::is_pattern;
use crate::shell::pattern::{PatternCase, ShellPattern};
pub(super) use records::is_records;

/// A place whose loss cannot be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protected {
    Root,
    System,
    Home,
}

/// Directories that make a system, below the root.
const SYSTEM: &[&str] = &[
    "home",
    "root",
    "etc",
    "usr",
    "var",
    "bin",
    "sbin",
    "boot",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "dev",
    "proc",
    "sys",
    "usr/bin",
    "usr/sbin",
    "usr/lib",
    "usr/lib64",
    "system",
    "users",
    "library",
    "applications",
    "private",
    "private/etc",
    "private/var",
];

impl ShellFacts<'_> {
    /// A path, absolute where possible, without detours; `~` stands for the user's home.
    pub(super) fn path<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let path = resolve(path, self);
        match self.links.is_empty() {
            true => path,
            false => self.followed(&path).map_or(path, Cow::Owned),
        }
    }

    /// The inverse for the user's own home: a path that the system understands.
    pub(super) fn spelled_out(&self, path: &str) -> String {
        let Self { host, .. } = self;
        let below = |begin: &str| {
            path.strip_prefix(begin).filter(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match (below("~/.hermes"), host.hermes_home, below("~"), host.home) {
            (Some(rest), Some(home), ..) | (_, _, Some(rest), Some(home)) => {
                format!("{home}{rest}")
            }
            _ => path.to_owned(),
        }
    }
}

/// A path without `.`, `..` and doubled slashes, starting at `/`, `~` or a user's `~name` where that
/// is known.
pub(super) fn resolve<'p>(path: &'p str, facts: &ShellFacts<'_>) -> Cow<'p, str> {
    let path = fold_home(path, facts);
    let detour = path.contains("//") || path.contains("/.") || path.starts_with('.');
    let rooted = path.starts_with(['/', '~', HOLE]);
    let resolved = match (rooted, &facts.cwd) {
        (true, _) if !detour && (path.len() == 1 || !path.ends_with('/')) => path,
        (true, _) => Cow::Owned(without_detours(&path)),
        (false, Some(cwd)) if path.is_empty() => Cow::Owned(cwd.to_string()),
        (false, Some(cwd)) => Cow::Owned(without_detours(&format!("{cwd}/{path}"))),
        (false, None) if !detour && !path.ends_with('/') => path,
        (false, None) => Cow::Owned(without_detours(&path)),
    };
    // A home that is reached by a detour is still the home.
    match resolved {
        Cow::Owned(path) => Cow::Owned(fold_home(&path, facts).into_owned()),
        path => path,
    }
}

/// `/home/me/x` as `~/x`, when that is where home is.
fn fold_home<'p>(path: &'p str, facts: &ShellFacts<'_>) -> Cow<'p, str> {
    if !path.starts_with('/') && !path.starts_with('~') {
        return Cow::Borrowed(path);
    }
    let below = |base: Option<&str>| {
        let base = base?.trim_end_matches('/');
        let rest = path.strip_prefix(base).filter(|_| base.len() > 1)?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    };
    if let Some(rest) = below(facts.host.hermes_home) {
        return Cow::Owned(format!("~/.hermes{rest}"));
    }
    if let Some(rest) = below(facts.host.home) {
        return Cow::Owned(format!("~{rest}"));
    }
    let own_name = facts.host.user.filter(|user| !user.is_empty());
    if let (Some(user), Some(named)) = (own_name, path.strip_prefix('~'))
        && let Some(rest) = named.strip_prefix(user)
        && (rest.is_empty() || rest.starts_with('/'))
    {
        return Cow::Owned(format!("~{rest}"));
    }
    Cow::Borrowed(path)
}

fn without_detours(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match kept.last() {
                None if absolute => {}
                None | Some(&"..") => kept.push(".."),
                // The folder above a home is one of a system's, whichever it is.
                Some(last) if last.starts_with('~') => kept = vec!["/home"],
                Some(&"/home") => return "/".to_owned(),
                Some(_) => {
                    kept.pop();
                }
            },
            part => kept.push(part),
        }
    }
    let joined = kept.join("/");
    match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// Whether a resolved path (perhaps a pattern) is, or covers, a place that must stay.
pub(super) fn protected(path: &str) -> Option<Protected> {
    let mut path = path;
    // Everything in a place is the place.
    while let Some((above, last)) = path.rsplit_once('/') {
        if !covers_all(last) {
            break;
        }
        path = above;
        if path.is_empty() {
            return Some(Protected::Root);
        }
    }
    if path == "/" {
        return Some(Protected::Root);
    }
    if let Some(name) = path.strip_prefix('~') {
        return (!name.contains('/')).then_some(Protected::Home);
    }
    let below = path.strip_prefix('/')?;
    let lower = below.to_ascii_lowercase();
    if SYSTEM.contains(&lower.as_str()) {
        return Some(Protected::System);
    }
    match lower.split_once('/') {
        Some(("home" | "users", name)) if !name.contains(['/', HOLE]) => Some(Protected::Home),
        None if is_pattern(&lower) && !lower.contains(HOLE) => {
            let pattern = ShellPattern::new(&lower, PatternCase::Matters);
            SYSTEM.iter().any(|name| pattern.matches(name)).then_some(Protected::System)
        }
        _ => None,
    }
}

/// `*`, `.*`, `**`, `?*`, `.[!.]*`
fn covers_all(part: &str) -> bool {
    part.contains('*') && part.chars().all(|char| "*?.[]!^".contains(char))
}

/// Whether a resolved path is a disk or a part of one.
pub(super) fn is_disk(path: &str) -> bool {
    let Some(device) = path.strip_prefix("/dev/") else { return false };
    const PREFIXES: &[&str] =
        &["sd", "nvme", "hd", "mmcblk", "vd", "xvd", "disk", "rdisk", "mapper/", "dm-", "md"];
    PREFIXES.iter().any(|prefix| device.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty()))
}

/// A file that decides how the system, a login or an account works.
pub(super) fn is_sensitive(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "/etc/",
        "/private/etc/",
        "/private/var/",
        "/private/tmp/",
        "/private/home/",
        "/boot/",
        "/bin/",
        "/sbin/",
        "/usr/bin/",
        "/usr/sbin/",
        "/lib/",
        "/lib64/",
        "/usr/lib/",
        "/proc/",
        "/sys/",
        "/var/spool/cron",
        "/System/",
        "/Library/LaunchDaemons/",
        "/Library/LaunchAgents/",
    ];
    const FILES: &[&str] = &["/etc", "/proc/sysrq-trigger", "/dev/mem", "/dev/kmem", "/dev/port"];
    if is_disk(path) || FILES.contains(&path) {
        return true;
    }
    if path.starts_with("/proc/self/") {
        return false;
    }
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    if name.ends_with(".pth") && (path.contains("-packages/") || path.contains(HOLE))
        || name.ends_with("profile.ps1")
        || matches!(name, "sitecustomize.py" | "usercustomize.py")
        || matches!(
            path,
            "/usr/local/bin/sudo"
                | "/usr/local/bin/git"
                | "/usr/local/bin/ls"
                | "/usr/local/bin/ssh"
                | "/usr/local/bin/su"
                | "/usr/local/bin/hermes"
                | "/usr/local/bin/python3"
                | "/usr/local/bin/node"
        )
    {
        return true;
    }
    if FOLDERS.iter().any(|folder| path.starts_with(folder)) || is_git_hook(path) {
        return true;
    }
    below_home(path).is_some_and(is_sensitive_at_home)
}

fn is_git_hook(path: &str) -> bool {
    path.ends_with(".vscode/tasks.json")
        || path.starts_with(".git/hooks/")
        || path.contains("/.git/hooks/")
        || path.ends_with("/.git/config")
        || path == ".git/config"
        || path.ends_with("/.git/HEAD")
}

/// What follows a home folder, whosever it is.
pub(super) fn below_home(path: &str) -> Option<&str> {
    if path.starts_with('~') {
        return path.split_once('/').map(|(_, rest)| rest);
    }
    if let Some(rest) = path.strip_prefix("/root").and_then(|rest| rest.strip_prefix('/')) {
        return Some(rest);
    }
    let named = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
    named.split_once('/').map(|(_, rest)| rest)
}

const CREDENTIAL_FOLDERS: &[&str] = &[
    ".ssh",
    ".aws",
    ".kube",
    ".docker",
    ".gnupg",
    ".azure",
    ".config/gh",
    ".config/gcloud",
    ".password-store",
];

const CREDENTIAL_FILES: &[&str] = &[
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".my.cnf",
    ".vault-token",
    ".config/hub",
];

/// Where other programs keep logins, wallets and private messages.
const PRIVATE_STORES: &[&str] = &[
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/Signal",
    ".config/Slack",
    ".config/discord",
    ".config/rclone",
    ".config/op",
    ".config/1Password",
    ".config/Bitwarden",
    ".config/doctl",
    ".config/hcloud",
    ".config/solana",
    ".config/sops",
    ".config/age",
    ".config/containers/auth.json",
    ".config/composer/auth.json",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/TelegramDesktop",
    ".bitcoin",
    ".ethereum",
    ".electrum",
    ".exodus",
    ".monero",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".oci",
    ".boto",
    ".s3cfg",
    ".databrickscfg",
    ".snowflake",
    ".ansible/vault",
    ".vault-token",
    ".config/gcloud",
    "Library/Keychains",
    "Library/Cookies",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    "Library/Messages",
];

pub(super) fn is_sensitive_at_home(rest: &str) -> bool {
    const FILES: &[&str] = &[
        ".bashrc",
        ".zshrc",
        ".profile",
        ".bash_profile",
        ".zprofile",
        ".zshenv",
        ".zlogin",
        ".zlogout",
        ".bash_login",
        ".bash_logout",
        ".bash_aliases",
        ".kshrc",
        ".cshrc",
        ".tcshrc",
        ".login",
        ".xinitrc",
        ".xprofile",
        ".config/fish/config.fish",
        ".gitconfig",
        ".config/git/config",
        ".gdbinit",
        ".pam_environment",
        ".inputrc",
        ".ssh/rc",
        ".xsession",
        ".xsessionrc",
        ".Rprofile",
        ".irbrc",
        ".pryrc",
        ".pythonrc",
        ".config/nvim/init.lua",
        ".config/nvim/init.vim",
        ".vimrc",
        ".vim/vimrc",
        ".tmux.conf",
        ".screenrc",
        ".emacs",
        ".emacs.d/init.el",
        ".lldbinit",
        ".psqlrc",
        ".sqliterc",
        ".curlrc",
        ".wgetrc",
        ".forward",
        ".bash_completion",
        ".gnupg/gpg-agent.conf",
        ".config/tmux/tmux.conf",
        ".config/nushell/config.nu",
        ".config/nushell/env.nu",
        ".jupyter/jupyter_notebook_config.py",
        ".ipython/profile_default/ipython_config.py",
        ".config/Code/User/settings.json",
        ".config/Code/User/tasks.json",
        ".xbindkeysrc",
        ".lesskey",
        ".lessfilter",
        ".makepkg.conf",
        ".config/mimeapps.list",
        ".config/user-dirs.dirs",
        ".procmailrc",
        ".mailrc",
        ".config/kitty/kitty.conf",
        ".config/alacritty/alacritty.toml",
        ".config/wezterm/wezterm.lua",
        ".hushlogin",
        ".claude/settings.json",
        ".claude.json",
        ".codex/config.toml",
        ".cursor/mcp.json",
        ".gemini/settings.json",
        ".config/pip/pip.conf",
        ".pip/pip.conf",
        ".condarc",
        ".gemrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".m2/settings.xml",
        ".cargo/config.toml",
        ".cargo/config",
        ".gradle/init.gradle",
        ".bundle/config",
        ".config/containers/registries.conf",
        ".config/uv/uv.toml",
        ".mailcap",
        ".gvimrc",
        ".guile",
        ".ghci",
        ".ocamlinit",
        ".config/zed/settings.json",
        ".config/zed/tasks.json",
        ".config/helix/config.toml",
        ".config/helix/languages.toml",
        ".config/starship.toml",
        ".config/pypoetry/config.toml",
        ".config/containers/containers.conf",
        ".config/i3/config",
        ".config/sway/config",
        ".config/hypr/hyprland.conf",
    ];
    const FOLDERS: &[&str] = &[
        ".config/fish/conf.d",
        ".config/fish/functions",
        ".local/share/applications",
        ".config/git",
        ".git-templates",
        ".zsh",
        ".oh-my-zsh/custom",
        ".config/direnv",
        ".mozilla/native-messaging-hosts",
        ".config/autostart",
        ".config/systemd/user",
        "Library/LaunchAgents",
        ".ipython/profile_default/startup",
        ".config/environment.d",
        ".config/plasma-workspace",
        ".config/upstart",
        ".local/share/systemd",
        ".local/share/dbus-1/services",
        ".config/cron",
        ".bashrc.d",
        ".zshrc.d",
        ".profile.d",
        ".vim",
        ".emacs.d",
        ".doom.d",
        ".config/emacs",
        ".config/doom",
        ".config/nvim",
        ".local/share/nvim/site",
        ".config/xonsh",
        ".config/elvish",
        ".gradle/init.d",
        ".julia/config",
        ".local/share/nautilus/scripts",
        ".config/awesome",
        ".config/bspwm",
        ".config/sxhkd",
        ".config/qtile",
        ".config/ranger",
        ".config/yazi",
        ".config/vifm",
        ".config/lf",
        ".config/mpv/scripts",
        ".config/lazygit",
        ".config/tig",
        ".config/neomutt",
        ".config/mutt",
        ".config/wezterm",
        ".hammerspoon",
    ];
    // A program of one's own before one of the system.
    const SHADOWED: &[&str] = &[
        "ls",
        "cat",
        "cp",
        "mv",
        "rm",
        "sudo",
        "su",
        "ssh",
        "scp",
        "git",
        "bash",
        "sh",
        "zsh",
        "grep",
        "find",
        "ps",
        "passwd",
        "login",
        "crontab",
        "systemctl",
        "doas",
        "gpg",
        "curl",
        "wget",
        "python",
        "python3",
        "node",
        "npm",
        "pip",
        "make",
        "vim",
        "docker",
        "kubectl",
        "env",
        "id",
        "kill",
        "tar",
        "awk",
        "sed",
        "hermes",
    ];
    // A program of a language's own tools is run by that name only.
    let tools = [".cargo/bin/", "go/bin/", ".pyenv/shims/", ".asdf/shims/", ".npm-global/bin/"];
    let of_tools = tools.iter().find_map(|folder| rest.strip_prefix(folder));
    const TOOLS: &[&str] =
        &["cargo", "rustc", "rustup", "go", "gofmt", "python", "python3", "pip", "node", "npm"];
    if of_tools.is_some_and(|name| TOOLS.contains(&name)) {
        return true;
    }
    // Whoever calls a file so means it to be read when a program begins: `.vimrc`, `.psqlrc`, `.tigrc`.
    let is_start = !rest.contains('/') && rest.starts_with('.') && rest.ends_with("rc");
    let own_program = rest.strip_prefix(".local/bin/").or_else(|| rest.strip_prefix("bin/"));
    own_program.is_some_and(|name| SHADOWED.contains(&name))
        || is_start && !matches!(rest, ".envrc" | ".prettierrc" | ".eslintrc" | ".nvmrc")
        || CREDENTIAL_FILES.contains(&rest)
        || FILES.contains(&rest)
        || is_in(rest, CREDENTIAL_FOLDERS)
        || is_in(rest, FOLDERS)
        || rest.strip_prefix(".hermes/").is_some_and(is_store)
}

fn is_in(path: &str, folders: &[&str]) -> bool {
    folders.iter().any(|folder| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Files of the agent that hold its keys, rules or history. Profiles have the same files.
fn is_store(path: &str) -> bool {
    const FILES: &[&str] = &[
        ".env",
        "config.yaml",
        "auth.json",
        "auth.lock",
        "state.db",
        ".anthropic_oauth.json",
        "webhook_subscriptions.json",
        "cron/jobs.json",
    ];
    const FOLDERS: &[&str] = &["sessions", "mcp-tokens", "pairing", "auth", "hooks", "plugins"];
    let path = match path.strip_prefix("profiles/").and_then(|named| named.split_once('/')) {
        Some((_, rest)) => rest,
        None => path,
    };
    FILES.contains(&path) || path.starts_with("state.db.unwritten-") || is_in(path, FOLDERS)
}

/// The live settings of a project: `.env`, `.env.local`, `config.yaml`. A backup is none.
pub(super) fn is_project_config(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    match name.strip_prefix(".env") {
        Some("") => true,
        Some(rest) => rest.len() > 1 && rest.starts_with('.') && !rest.ends_with(".bak"),
        None => name == "config.yaml",
    }
}

/// A home, or one of the folders that people keep their own things in.
pub(super) fn is_personal(path: &str) -> bool {
    matches!(path, "~" | "~/*" | "/" | "/*" | "/root" | "/home")
        || matches!(
            below_home(path).map(|rest| rest.trim_end_matches(['/', '*'])),
            Some(
                "Documents"
                    | "Desktop"
                    | "Pictures"
                    | "Downloads"
                    | "Music"
                    | "Videos"
                    | ".config"
                    | ".local"
                    | "private"
                    | "Private"
                    | "secrets"
                    | "confidential"
                    | "Finance"
                    | "Taxes"
                    | "Mail"
                    | "Maildir"
            )
        )
}

/// Where programs keep logins, wallets and private messages of an account.
pub(super) fn is_private_store(path: &str) -> bool {
    below_home(path).is_some_and(|rest| {
        is_in(rest, PRIVATE_STORES)
            || CREDENTIAL_FILES.contains(&rest)
            || is_in(rest, CREDENTIAL_FOLDERS)
    })
}

/// A file whose content should not leave the machine.
pub(super) fn is_secret(path: &str) -> bool {
    const SYSTEM_FILES: &[&str] =
        &["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/proc/self/environ"];
    const KEY_NAMES: &[&str] = &["id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "credentials"];
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    if SYSTEM_FILES.contains(&path) || KEY_NAMES.contains(&name) || path.ends_with(".git/config") {
        return true;
    }
    const NAMED: &[&str] = &[
        ".npmrc",
        ".netrc",
        ".pgpass",
        ".pypirc",
        ".git-credentials",
        ".my.cnf",
        ".vault-token",
        ".htpasswd",
        ".dockercfg",
        ".s3cfg",
        ".boto",
        "wp-config.php",
    ];
    if NAMED.contains(&name) {
        return true;
    }
    if name == ".env" || (name.starts_with(".env.") && !is_example(name)) {
        return true;
    }
    if [".pem", ".key", ".p12", ".pfx", ".kdbx"].iter().any(|end| name.ends_with(end)) {
        return true;
    }
    let is_word = |part: &str| {
        const WORDS: &[&str] = &[
            "token",
            "tokens",
            "secret",
            "secrets",
            "password",
            "passwords",
            "passwd",
            "credential",
            "credentials",
            "apikey",
            "privkey",
            "keystore",
            "wallet",
            "keyfile",
        ];
        WORDS.iter().any(|word| part.eq_ignore_ascii_case(word))
    };
    let is_key = name.ends_with("_key") || name.ends_with("-key") || name.ends_with(".jks");
    if !path.ends_with('/')
        && !is_public(name)
        && !is_example(name)
        && !name.contains([' ', '=', '?'])
        && !name.starts_with('.')
        && (is_key || name.split(['-', '_', '.']).any(is_word))
    {
        return true;
    }
    let rest = below_home(path).unwrap_or(path);
    if is_in(rest, PRIVATE_STORES) && !is_public(name) {
        return true;
    }
    CREDENTIAL_FILES.contains(&rest)
        || matches!(rest, ".bash_history" | ".zsh_history" | ".psql_history" | ".mysql_history")
        || (is_in(rest, CREDENTIAL_FOLDERS) && !is_public(name))
        || rest.strip_prefix(".hermes/").is_some_and(is_store)
}

fn is_example(name: &str) -> bool {
    ["example", "sample", "template", "dist"].iter().any(|end| name.ends_with(end))
}

fn is_public(name: &str) -> bool {
    name.ends_with(".pub") || name == "known_hosts"
}

#[cfg(test)]
mod tests;
