//! More rights than the user gave.

use super::super::finding::SkillRisk::PrivilegeEscalation;
use super::super::finding::SkillSeverity::{Critical, High, Low, Medium};
use super::{ScanRule, command, fixed};

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("suid_bit", PrivilegeEscalation, Critical),
        &["chmod"],
        r"@chmod (?:-\w+ )*(?:[ugoa]*\+[rwx]*s[rwx]*\b|[ugoa]+[=+][rwx]*s\b|0?[2467][0-7]{3}\b)",
        "A program gets the rights of its owner.",
    ),
    command(
        ("setuid_setgid", PrivilegeEscalation, High),
        &["os.setuid(0", "setuid(0", "os.setgid(0", "setcap"],
        r"\b(?:os\.)?set[ug]id\(0\)|@setcap\b[^\n]*cap_\w+[^\n]*[+=]",
        "A program takes the rights of the administrator.",
    ),
    command(
        ("setuid_setgid", PrivilegeEscalation, Critical),
        &["setcap"],
        r"@setcap\b[^\n]*cap_(?:setuid|sys_admin|dac_override|sys_ptrace)",
        "A program gets the rights of the administrator.",
    ),
    command(
        ("nopasswd_sudo", PrivilegeEscalation, Critical),
        &["nopasswd"],
        r"\bNOPASSWD\s?:",
        "The administrator's rights need no password any more.",
    ),
    command(
        ("container_escape", PrivilegeEscalation, High),
        &["--privileged", "docker.sock", "-v /:", "--pid=host", "nsenter", "release_agent", "--cap-add"],
        r"@(?:docker|podman) run\b[^\n]*(?:--privileged[^\n]*(?:-v ?/(?:etc|root|home|var/run/docker\.sock)?:|--pid[= ]host|docker\.sock)|(?:-v ?/:|--pid[= ]host)[^\n]*--privileged|-v ?/:/)|@nsenter\b[^\n]*-t ?1\b|\brelease_agent\b",
        "A container with the rights of the machine around it.",
    ),
    command(
        ("container_escape", PrivilegeEscalation, Medium),
        &["docker.sock", "--privileged"],
        r"docker\.sock|@(?:docker|podman) run\b[^\n]*--privileged",
        "A container may start others.",
    ),
    command(
        ("preload_hijack", PrivilegeEscalation, High),
        &["ld_preload", "dyld_insert", "ld.so.preload"],
        r#"\b(?:LD_PRELOAD|DYLD_INSERT_LIBRARIES)\s?=\s?["']?(?:/tmp|/var/tmp|/dev/shm|~|\$\{?HOME|\./|\.\./|/home)|\bexport LD_PRELOAD=["']?[^$\s"']|/etc/ld\.so\.preload|environ\[["']LD_PRELOAD["']\]\s?="#,
        "Foreign code is loaded into every program.",
    )
    .unless(r"libfaketime|jemalloc|tcmalloc|mimalloc|libasan|libtsan|lib\w*san|libgomp|libnccl|libcuda|libstdc|libiomp|libmkl|/usr/lib|/lib/|/usr/local/lib|/opt/"),
    command(
        ("protection_off", PrivilegeEscalation, High),
        &["mppreference", "advfirewall", "spctl", "csrutil", "disablerealtime", "disableantispyware"],
        r"\bSet-MpPreference\b[^\n]*-Disable\w+|\bAdd-MpPreference\b[^\n]*-Exclusion|\badvfirewall\b[^\n]*\boff\b|@spctl --(?:master|global)-disable|@csrutil disable|\bDisable(?:RealtimeMonitoring|AntiSpyware)\b",
        "A protection of the machine is switched off.",
    ),
    command(
        ("protection_off", PrivilegeEscalation, Medium),
        &["setenforce", "ufw", "firewalld", "apparmor", "auditd"],
        r"@setenforce 0|@ufw (?:--force )?disable|@systemctl (?:stop|disable|mask)[^\n]* (?:firewalld|apparmor|auditd|ufw)",
        "A protection of the machine is switched off.",
    ),
    command(
        ("sudo_usage", PrivilegeEscalation, High),
        &["sudo "],
        r"@sudo (?:-\w+ )*(?:su\b|-i\b|-s\b|visudo\b|passwd\b|insmod\b)|\|\s*sudo -S\b",
        "The administrator's account is taken over.",
    ),
    command(
        ("sudo_usage", PrivilegeEscalation, Medium),
        &["sudo "],
        r"\bsudo (?:-\w+ )*[./\w$]",
        "Administrator's rights are used.",
    ),
    fixed(
        ("allowed_tools_field", PrivilegeEscalation, Low),
        &["allowed-tools", "allowed_tools"],
        r"^\s*allowed[-_]tools\s*:",
        "The skill names tools it wants to use unasked.",
    ),
];
