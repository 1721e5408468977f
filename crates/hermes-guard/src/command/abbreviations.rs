//! Long options that are cut short: `--rec` is `--recursive` to most programs, so it is to the rules.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::call::Arg;

/// Programs, and the options that rules look for. Of several that begin alike, the first is meant; an option
/// that is written out is never taken for a longer one, so those that are the beginning of another stand
/// here, too.
const OPTIONS: &[(&str, &str)] = &[
    (
        "curl",
        "upload-file data-binary data-urlencode data-raw data-ascii data form-string form output-dir output config \
        insecure url url-query json request proxy-insecure proxy netrc-file cookie",
    ),
    (
        "wget",
        "post-file post-data body-file body-data output-document directory-prefix delete-after method mirror \
        no-check-certificate header use-askpass execute input-file",
    ),
    ("sed", "in-place expression file"),
    ("truncate", "size"),
    ("shred", "remove zero"),
    (
        "tar",
        "remove-files to-command delete use-compress-program checkpoint-action checkpoint absolute-names directory \
        extract overwrite info-script new-volume-script rsh-command rmt-command",
    ),
    ("docker", "privileged all force volume volumes"),
    ("docker-compose", "volumes rmi remove-orphans force"),
    (
        "git",
        "force delete hard exec upload-pack receive-pack open-files-in-pager prune mirror force-with-lease \
        force-if-includes cached amend all discard-changes tree-filter index-filter msg-filter env-filter \
        commit-filter extcmd expire exec-path sendmail-cmd smtp-server aggressive",
    ),
    ("hg", "config remotecmd ssh force"),
    ("svn", "config-option config-dir editor-cmd diff-cmd force"),
    ("aws", "recursive delete force skip-final-snapshot no-verify-ssl"),
    ("gsutil", "recursive"),
    ("kubectl", "all all-namespaces force recursive grace-period prune privileged overrides"),
    ("oc", "all all-namespaces force recursive grace-period prune"),
    ("terraform", "auto-approve destroy force"),
    ("iptables", "flush policy delete-chain delete"),
    ("ip6tables", "flush policy delete-chain delete"),
    ("nft", "file"),
    ("unshare", "map-root-user"),
    ("nsenter", "target all mount"),
    (
        "rsync",
        "delete delete-after delete-before delete-during delete-excluded delete-delay remove-source-files rsh rsync-path \
        files-from force",
    ),
    ("rm", "recursive force no-preserve-root"),
    ("chmod", "recursive reference"),
    ("chown", "recursive reference"),
    ("chgrp", "recursive reference"),
    ("chattr", "recursive"),
    ("setfacl", "remove-all remove-default remove recursive modify set restore"),
    ("cp", "remove-destination target-directory recursive reflink"),
    ("install", "target-directory mode owner"),
    ("useradd", "non-unique uid groups password"),
    ("usermod", "append groups password shell lock unlock uid"),
    ("userdel", "remove force"),
    ("gpasswd", "add delete members administrators"),
    ("passwd", "delete unlock lock expire"),
    ("chpasswd", "encrypted crypt-method"),
    ("chage", "expiredate lastday inactive"),
    ("chsh", "shell"),
    ("journalctl", "vacuum-size vacuum-time vacuum-files rotate"),
    ("logrotate", "force log mail"),
    ("dmesg", "clear read-clear"),
    ("sysctl", "write load system"),
    ("systemctl", "force now root"),
    ("shutdown", "poweroff reboot halt"),
    ("modprobe", "remove force"),
    ("mysql", "execute init-command pager defaults-file"),
    ("mysqladmin", "force"),
    ("mysqldump", "all-databases all"),
    ("psql", "command file dbname"),
    ("dropdb", "force if-exists"),
    ("pg_restore", "clean create"),
    ("mongosh", "eval file"),
    ("mongo", "eval"),
    ("mongorestore", "drop"),
    ("mongoimport", "drop"),
    ("redis-cli", "eval pipe"),
    ("sqlite3", "cmd init"),
    ("zip", "move delete unzip-command recurse-paths"),
    ("base64", "decode"),
    ("base32", "decode"),
    ("basenc", "decode base64 base32 base16"),
    ("sort", "compress-program output"),
    ("split", "filter"),
    ("env", "split-string unset"),
    ("su", "command shell"),
    ("runuser", "command session-command"),
    ("sudo", "login shell stdin"),
    ("script", "command"),
    ("flock", "command"),
    ("watch", "exec"),
    ("xargs", "arg-file replace null"),
    ("parallel", "arg-file"),
    ("at", "file"),
    ("mount", "rbind bind move remount"),
    ("umount", "force lazy all"),
    ("swapoff", "all"),
    ("wipefs", "all force"),
    ("sgdisk", "zap-all zap clear delete"),
    ("sfdisk", "delete wipe"),
    ("blkdiscard", "force secure"),
    ("mdadm", "zero-superblock stop fail remove create grow"),
    (
        "hdparm",
        "security-erase-enhanced security-erase security-set-pass yes-i-know-what-i-am-doing",
    ),
    ("cryptsetup", "batch-mode force-password"),
    ("lvremove", "force yes"),
    ("vgremove", "force yes"),
    ("pvremove", "force yes"),
    ("nvme", "force ses"),
    ("tee", "append"),
    ("mv", "force target-directory"),
    ("ln", "symbolic force target-directory"),
    ("bash", "rcfile init-file"),
    ("zsh", "rcs"),
    ("make", "eval file makefile directory include-dir"),
    ("node", "eval require import loader print env-file"),
    ("nc", "exec sh-exec lua-exec ssl"),
    (
        "gpg",
        "export export-secret-keys export-secret-subkeys delete-keys delete-secret-keys delete-secret-and-public-key \
        send-keys gen-revoke decrypt import export-ownertrust always-trust",
    ),
    (
        "pip",
        "index-url extra-index-url trusted-host yes find-links global-option config-settings break-system-packages",
    ),
    (
        "apt-get",
        "allow-unauthenticated allow-downgrades force-yes purge assume-yes allow-remove-essential",
    ),
    ("apt", "allow-unauthenticated force-yes purge assume-yes allow-remove-essential"),
    ("dpkg", "purge remove force-all install unpack"),
    ("rpm", "erase nodeps nosignature nodigest import install upgrade force"),
    ("dnf", "nogpgcheck"),
    ("yum", "nogpgcheck"),
    ("pacman", "remove upgrade noconfirm nodeps"),
    ("npm", "force registry script-shell unsafe-perm"),
];

static BY_PROGRAM: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| OPTIONS.iter().copied().collect());

/// The arguments with such options written out, if any is cut short.
pub(super) fn written_out<'a>(name: &str, args: &[Arg<'a>]) -> Option<Vec<Arg<'a>>> {
    if !args.iter().any(|arg| arg.text.len() > 4 && arg.text.starts_with("--")) {
        return None;
    }
    // `pip3` is `pip`.
    let known = BY_PROGRAM
        .get(name.trim_end_matches(|char: char| char.is_ascii_digit()))
        .or_else(|| BY_PROGRAM.get(name))?;
    let mut changed = false;
    let whole = |arg: &Arg<'a>| {
        let text = arg.text.strip_prefix("--")?;
        let (short, value) = match text.split_once('=') {
            Some((short, value)) => (short, Some(value)),
            None => (text, None),
        };
        if short.len() < 2 || known.split_whitespace().any(|full| full == short) {
            return None;
        }
        let full = known.split_whitespace().find(|full| full.starts_with(short))?;
        let text = match value {
            Some(value) => format!("--{full}={value}"),
            None => format!("--{full}"),
        };
        Some(Arg { text: Cow::Owned(text), ..arg.clone() })
    };
    let all: Vec<Arg<'a>> = args
        .iter()
        .map(|arg| match whole(arg) {
            Some(full) => {
                changed = true;
                full
            }
            None => arg.clone(),
        })
        .collect();
    changed.then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_cut_short_is_written_out() {
        let written = |name: &str, words: &[&'static str]| {
            let args: Vec<Arg<'_>> = words.iter().map(|word| Arg::new(*word)).collect();
            let all = written_out(name, &args)?;
            Some(all.iter().map(|arg| arg.text.to_string()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(written("curl", &["--upload-f", "x"]).as_deref(), Some("--upload-file x"));
        assert_eq!(written("wget", &["--post-f=x"]).as_deref(), Some("--post-file=x"));
        assert_eq!(written("curl", &["--data", "x"]), None);
        assert_eq!(written("curl", &["-T", "x"]), None);
        assert_eq!(written("nothing", &["--upl"]), None);
        assert_eq!(written("gpg", &["--export", "x"]), None);
        assert_eq!(written("gpg", &["--export-s"]).as_deref(), Some("--export-secret-keys"));
        assert_eq!(written("git", &["clean", "--forc"]).as_deref(), Some("clean --force"));
    }
}
