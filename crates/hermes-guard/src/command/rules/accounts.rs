//! Users, privileges, scheduled jobs and the kernel.

use super::super::call::ProgramCall;
use super::super::category::Category;
use super::super::options::{Opt, Spec, options};
use super::{DangerRule, RuleCheck};

const USERS: Category = Category::asks(
    "user or privilege change",
    "Accounts, groups, passwords or special rights of files would change.",
);
const CRON: Category = Category::asks(
    "crontab install or removal",
    "Jobs that run by themselves later would be installed or removed.",
);
const KERNEL: Category =
    Category::asks("kernel modules", "Code would be loaded into the kernel or removed from it.");

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: USERS,
        programs: &[
            "useradd",
            "adduser",
            "userdel",
            "deluser",
            "usermod",
            "groupadd",
            "groupdel",
            "groupmod",
            "gpasswd",
            "passwd",
            "chpasswd",
            "visudo",
            "setcap",
            "chattr",
            "vipw",
            "vigr",
            "addgroup",
            "delgroup",
            "newusers",
            "chage",
            "net",
            "dscl",
            "dseditgroup",
            "setfacl",
            "pw",
            "chsh",
            "chfn",
        ],
        check: RuleCheck::Call(changes_accounts),
        catches: &[
            "usermod -aG sudo me",
            "sudo useradd x",
            "passwd -d root",
            "setcap cap_setuid+ep x",
            "chattr -i /etc/x",
            "gpasswd -a me docker",
            "echo root:x | chpasswd",
            "adduser me sudo",
            "visudo",
            "sudo passwd root",
            "net user x y /add",
            "userdel -r x",
            "setfacl -m u:me:rwx x",
            "setfacl -R -m o::rw .",
            "chsh -s /bin/sh me",
        ],
        passes: &[
            "id",
            "groups me",
            "passwd -S me",
            "getcap x",
            "getfacl x",
            "chsh -l",
            "lsattr x",
            "chage -l me",
            "visudo -c",
            "usermod --help",
            "docker network ls",
            "net user",
        ],
    },
    DangerRule {
        category: CRON,
        programs: &["crontab"],
        check: RuleCheck::Call(|call| {
            let mut installs =
                call.args.is_empty() && call.stdin.channel != super::super::call::Channel::Nothing;
            for opt in options(call.args, &Spec::with("u", &[])) {
                match opt {
                    Opt::Short('l', _) => return false,
                    Opt::Short('r', _) | Opt::Operand(..) => installs = true,
                    _ => {}
                }
            }
            installs && !call.asks_for_help()
        }),
        catches: &[
            "crontab -r",
            "crontab jobs.txt",
            "echo '* * * * * x' | crontab -",
            "crontab -u me -r",
            "crontab < f",
        ],
        passes: &["crontab -l", "crontab -u me -l", "crontab -e", "cat crontab"],
    },
    DangerRule {
        category: KERNEL,
        programs: &[
            "insmod",
            "rmmod",
            "modprobe",
            "kextload",
            "kextunload",
            "kmutil",
            "kmod",
            "dkms",
        ],
        check: RuleCheck::Call(|call| {
            let looks = call.asks_for_help()
                || call.has(&[
                    "-n",
                    "--dry-run",
                    "--show",
                    "-c",
                    "--showconfig",
                    "-D",
                    "--show-depends",
                    "-V",
                    "-l",
                    "--list",
                ]);
            !looks
                && !call.args.is_empty()
                && match call.name {
                    "kmod" => matches!(call.arg(0), "load" | "unload" | "insert" | "remove"),
                    "kmutil" => matches!(call.arg(0), "load" | "unload"),
                    "dkms" => matches!(call.arg(0), "install" | "remove" | "uninstall"),
                    _ => true,
                }
        }),
        catches: &["insmod x.ko", "sudo modprobe -r x", "rmmod x", "modprobe x"],
        passes: &["lsmod", "modinfo x", "modprobe -n x", "modprobe --show-depends x"],
    },
];

fn changes_accounts(call: &ProgramCall<'_>) -> bool {
    if call.asks_for_help() {
        return false;
    }
    let operands = call.operands().count();
    match call.name {
        "setfacl" => call.args.iter().any(|arg| {
            let text = arg.as_str();
            ["-m", "-M", "-x", "-X", "-b", "-k", "-s", "-S", "-R", "--modify", "--remove", "--set"]
                .iter()
                .any(|flag| text.starts_with(flag))
        }),
        "chsh" | "chfn" => !call.has(&["-l", "--list-shells"]),
        "passwd" => {
            let shows = call.has(&["-S", "--status", "-a"]);
            !shows && (operands > 0 || call.has(&["-d", "--delete", "-l", "-u", "-e", "--stdin"]))
        }
        "chage" => !call.has(&["-l", "--list"]) && !call.args.is_empty(),
        "visudo" => !call.has(&["-c", "--check", "-V"]),
        "chattr" => call.args.iter().any(|arg| {
            arg.text.starts_with(['-', '+', '='])
                && !arg.text.starts_with("--")
                && arg.text.contains(['i', 'a'])
        }),
        "setcap" => call.has(&["-r"]) || operands > 1,
        "gpasswd" | "useradd" | "adduser" | "userdel" | "deluser" | "usermod" | "groupadd"
        | "groupdel" | "groupmod" | "addgroup" | "delgroup" => !call.args.is_empty(),
        "net" => {
            matches!(call.arg(0), "user" | "localgroup" | "group")
                && call.args.iter().any(|arg| {
                    arg.text.eq_ignore_ascii_case("/add")
                        || arg.text.eq_ignore_ascii_case("/delete")
                })
        }
        "dscl" => call.has(&[
            "-create", "-append", "-delete", "-passwd", "create", "append", "delete", "passwd",
        ]),
        "dseditgroup" => call.has(&["-a", "-d"]),
        "pw" => call.arg(0).starts_with("user") || call.arg(0).starts_with("group"),
        _ => true,
    }
}
