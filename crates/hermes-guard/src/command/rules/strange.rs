//! Tools nobody has listed, with arguments that do not belong to an everyday call: a disk, a file of the
//! system, a library from the temporary folder, a shell beside a port.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::super::paths;
use super::super::wrappers;
use super::{DangerRule, RuleCheck};

pub(crate) const STRANGE: Category = Category::asks(
    "unknown tool with a strange argument",
    "A tool is given a disk, a file of the system, a library, a shell or an address without a name, which is not usual.",
);

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: STRANGE,
    programs: &[],
    check: RuleCheck::Structure,
    catches: &[
        "somefs-format /dev/sdb1",
        "sometool --set x /etc/ssh/sshd_config",
        "sometool --engine /tmp/x.so",
        "sometool --rsh-command=/tmp/x a",
        "shellserver --port=8080 bash",
        "ldap-wipe --base dc=x",
        "wget http://45.67.89.10/x",
    ],
    passes: &[
        "lsblk /dev/sdb",
        "curl http://192.168.1.10/status",
        "curl http://127.0.0.1:8080/",
        "nginx -t -c /etc/nginx/nginx.conf",
        "sometool --config /etc/x.conf",
        "ldd /tmp/x.so",
        "shellserver bash",
        "smartctl -a /dev/sda",
    ],
}];

/// Programs that look at what they are given, or are told about files of the system every day.
pub(super) static READERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "ls last lastb who w journalctl less more bat stat file du df wc diff cmp md5sum sha1sum sha256sum sha512sum b2sum cksum \
    sum uniq tr readlink realpath basename dirname test [ [[ fd locate which whereis type tree \
    exa eza lsd namei getfacl lsattr lsof findmnt blkid lsblk udevadm smartctl nginx \
    named-checkconf named-checkzone postconf echo printf read export code micro man diff3 sdiff \
    colordiff meld ldd nm objdump readelf xmllint yamllint shellcheck column join comm csplit \
    expand iconv cd pushd id getent egrep fgrep zgrep zcat zless ack ag node ruby php java go \
    cargo make npm yarn pnpm mkdir touch true false : source . bash sh zsh dash ksh fish whois \
    host ping pgrep ps top htop watch open xdg-open kate gedit subl pygmentize highlight tput \
    stty screen minicom picocom cu hd lpr lp enscript aspell look paste size gdb pwd dir vdir \
    sync eject mpv vlc cdparanoia lsusb lspci lshw hwinfo inxi fatlabel xfs_info dumpe2fs \
    isoinfo testparm sshd apachectl haproxy wg sha224sum sha384sum md5 shasum ascii stdbuf \
    printenv env mapfile readarray for case select let declare local eval exec trap alias set \
    unset ansible-inventory terraform packer puppet augtool inotifywait inotifywatch fswatch \
    checksec rkhunter lynis aide tripwire clamscan shellharden sudoedit-check jc"
        .split(' ')
        .collect()
});

/// Whether an address names its machine by number only, and the machine is neither this one nor near.
pub(crate) fn is_numbered(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    if scheme.len() > 16
        || scheme.contains(' ') && !scheme.ends_with("http") && !scheme.ends_with("https")
    {
        return false;
    }
    let authority = rest.split(['/', '?', '#', '"', '\'', ' ']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.split(':').next().unwrap_or(host);
    let Ok(address) = host.parse::<std::net::Ipv4Addr>() else { return false };
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_unspecified()
        || matches!(address.octets(), [1, 1, 1, 1] | [8, 8, _, _] | [9, 9, 9, 9]))
}

/// Whether a call of a tool that no rule is about has an argument that makes one wonder.
pub(crate) fn is_strange(call: &ProgramCall<'_>, is_listed: bool) -> bool {
    if call.args.is_empty()
        || call.name.is_empty()
        || call.asks_for_help()
        || call.has(&["--version", "-V"])
        || call.name.contains('.') && call.name.ends_with(".sh")
    {
        return false;
    }
    let fetches = !matches!(call.name, "echo" | "printf" | "grep" | "rg" | "git" | "sed" | "awk");
    if fetches && call.args.iter().any(|arg| arg.text.contains("://") && is_numbered(&arg.text)) {
        return true;
    }
    let reads = READERS.contains(call.name) || wrappers::wrapper(call.name).is_some();
    if reads || runs_others(call) || matches!(call.name, "find" | "su" | "xargs") {
        return false;
    }
    if loads_from_temp(call) {
        return true;
    }
    !is_listed
        && (takes_secrets(call) || is_named_so(call) || touches_system(call) || offers_shell(call))
}

/// A store of keys, given to a tool that nobody knows.
fn takes_secrets(call: &ProgramCall<'_>) -> bool {
    call.args.iter().enumerate().any(|(at, arg)| {
        let is_value = at > 0 && call.args[at - 1].text.starts_with('-');
        !is_value
            && arg.text.contains(['/', '~'])
            && !arg.text.ends_with(".pub")
            && paths::is_private_store(&call.path(&arg.text))
    })
}

/// A program called after what it does.
fn is_named_so(call: &ProgramCall<'_>) -> bool {
    const VERBS: &[&str] = &["delete", "destroy", "wipe", "erase", "purge", "nuke", "_clear"];
    !call.name.contains('/') && VERBS.iter().any(|verb| call.name.contains(verb))
}

/// A disk, or a file of the system that is no value of an option.
fn touches_system(call: &ProgramCall<'_>) -> bool {
    call.args.iter().enumerate().any(|(at, arg)| {
        let text = arg.as_str();
        let is_value =
            at > 0 && call.args[at - 1].text.starts_with('-') && !is_flag(&call.args[at - 1].text);
        text.starts_with('/')
            && !text.starts_with("/proc/self")
            && (paths::is_disk(&call.path(text))
                || !is_value
                    && !text.starts_with("/usr/lib/")
                    && !text.starts_with("/proc/")
                    && !text.starts_with("/sys/")
                    && !text.starts_with("/dev/")
                    && !text.starts_with("/usr/bin/")
                    && !text.starts_with("/bin/")
                    && paths::is_sensitive(&call.path(text)))
    })
}

/// `-b`, `--set`: options that are not followed by a path of theirs, as a rule.
fn is_flag(option: &str) -> bool {
    option.len() == 2 && !matches!(option, "-c" | "-f" | "-C" | "-F" | "-i" | "-d" | "-p" | "-o")
}

/// A library, or a program in the place of a command, from where anybody may put one.
fn loads_from_temp(call: &ProgramCall<'_>) -> bool {
    let is_temp = |text: &str| {
        ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|folder| text.starts_with(folder))
    };
    let is_library = |text: &str| {
        [".so", ".dylib", ".dll", ".nse"].iter().any(|end| text.ends_with(end))
            || text.contains(".so.")
    };
    let handles = matches!(
        call.name,
        "gcc"
            | "g++"
            | "cc"
            | "c++"
            | "clang"
            | "clang++"
            | "ld"
            | "cp"
            | "mv"
            | "rm"
            | "strip"
            | "install"
            | "chmod"
            | "chown"
            | "ar"
            | "patchelf"
            | "ln"
            | "rsync"
            | "scp"
            | "curl"
            | "wget"
            | "unlink"
            | "tar"
            | "strings"
            | "xxd"
            | "od"
            | "hexdump"
            | "rustc"
            | "go"
            | "tee"
            | "dd"
            | ">"
    );
    const WORDS: &[&str] = &[
        "command",
        "exec",
        "invoke",
        "hook",
        "program",
        "plugin",
        "engine",
        "module",
        "preload",
        "provider",
        "shell",
        "helper",
        "compiler",
        "linker",
        "runner",
        "launcher",
        "wrapper",
        "bootstrap",
        "loader",
        "startup",
        "interpreter",
        "extension",
        "renderer",
        "rcfile",
        "transform",
    ];
    !handles
        && call.args.iter().enumerate().any(|(at, arg)| {
            let text = arg.as_str();
            if is_temp(text) && is_library(text) {
                return true;
            }
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, value),
                None => (text, call.args.get(at + 1).map_or("", Arg::as_str)),
            };
            name.starts_with('-')
                && is_temp(value)
                && WORDS.iter().any(|word| name.to_ascii_lowercase().contains(word))
        })
}

/// A shell, and a port at which somebody may reach it.
fn offers_shell(call: &ProgramCall<'_>) -> bool {
    let is_shell = |arg: &Arg<'_>| {
        let text = arg.as_str();
        let begin = text.split([':', ',']).next().unwrap_or(text);
        let name = begin.strip_prefix("/usr").unwrap_or(begin).trim_start_matches("/bin/");
        matches!(name, "bash" | "sh" | "zsh" | "cmd.exe" | "powershell.exe" | "powershell")
            || text.contains("/bin/sh")
            || text.contains("/bin/bash")
    };
    let is_port = |arg: &Arg<'_>| {
        let text = arg.as_str();
        text.starts_with("--port")
            || text.starts_with("--listen")
            || matches!(text, "-p" | "-l" | "--connect")
    };
    call.args.iter().any(is_shell) && call.args.iter().any(is_port)
}

/// Programs whose words are another program: that one is judged.
pub(super) fn runs_others(call: &ProgramCall<'_>) -> bool {
    wrappers::wrapper(call.name).is_some_and(|wrapper| wrapper.start(call.args).is_some())
        || matches!(
            call.name,
            "exec"
                | "builtin"
                | "busybox"
                | "toybox"
                | "parallel"
                | "flock"
                | "script"
                | "eval"
                | "su"
                | "watch"
                | "chroot"
                | "nsenter"
                | "adb"
                | "entr"
                | "coproc"
                | "setarch"
                | "fakeroot"
                | "trap"
                | "hyperfine"
                | "cargo-watch"
                | "nodemon"
                | "screen"
                | "lxc"
                | "incus"
                | "vagrant"
                | "ansible"
        )
}
