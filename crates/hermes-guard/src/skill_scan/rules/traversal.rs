//! Files outside the project, and somebody else's coins.

use super::super::finding::SkillRisk::{Mining, Traversal};
use super::super::finding::SkillSeverity::{Critical, High, Low, Medium};
use super::{ScanRule, command, instruction};

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("system_passwd_access", Traversal, Critical),
        &["/etc/shadow", "/etc/gshadow", "master.passwd"],
        r#"(?:@(?:cat|less|more|head|tail|cp|grep|awk|cut|sort|strings|base64|tar|scp|john|unshadow)\b[^\n|;&]*|open\(\s*["']|readFile\w*\(\s*["']|read_text|<\s?|<at>)/etc/g?shadow\b"#,
        "The passwords of the system are read.",
    ),
    command(
        ("system_passwd_access", Traversal, High),
        &["/etc/shadow"],
        r"/etc/g?shadow\b",
        "The passwords of the system are named.",
    ),
    command(
        ("system_passwd_access", Traversal, High),
        &["/etc/passwd"],
        r#"(?:@(?:cat|less|more|head|tail|cp|base64|tar|scp)\b[^\n|;&]*|open\(\s*["']|readFile\w*\(\s*["'])[\w./]*/etc/passwd\b"#,
        "The accounts of the system are read.",
    ),
    instruction(
        ("path_traversal_deep", Traversal, High),
        &["../../.."],
        r"\b(?:read|open|load|show|print|list|copy|cat|include|access)\b[^.!?\n]{0,40}(?:\.\./){3,}(?:etc|root|home|var|usr|proc|\.ssh|\.aws)\b",
        "The text asks for files far outside the skill.",
    ),
    command(
        ("path_traversal_deep", Traversal, High),
        &["../../.."],
        r"(?:\.\./){3,}(?:etc|root|home|proc|\.ssh|\.aws|\.env)\b",
        "A file far outside the skill is used.",
    ),
    command(
        ("path_traversal", Traversal, Low),
        &["../../.."],
        r"(?:\.\./){3,}",
        "A path leads far out of the skill.",
    ),
    command(
        ("proc_access", Traversal, Critical),
        &["/proc/"],
        r"/proc/(?:\d+|\$\(?\{?\w[^/\n]*|\*|\{\w+\}|<pid>|\[[^\]]*\]\*?)/(?:environ|mem)\b",
        "The memory or environment of other programs is read.",
    )
    .unless(r"/proc/\$\$/|/proc/self/"),
    command(
        ("proc_access", Traversal, Critical),
        &["/proc/[0-9]", "/proc/*", "process_iter"],
        r"/proc/(?:\[0-9\]|\*)[^\n]*environ|\bprocess_iter\([^\n]*environ",
        "The environment of other programs is read.",
    ),
    command(
        ("proc_access", Traversal, High),
        &["/proc/self/environ"],
        r"/proc/self/environ\b",
        "The whole environment is read.",
    ),
    command(
        ("dev_shm", Traversal, Medium),
        &["/dev/shm"],
        r"/dev/shm/[\w.]",
        "Files are kept in memory only.",
    ),
    command(
        ("crypto_mining", Mining, Critical),
        &[
            "stratum+",
            "xmrig",
            "minerd",
            "cpuminer",
            "nicehash",
            "ethminer",
            "cgminer",
            "t-rex",
            "nbminer",
            "phoenixminer",
            "randomx",
        ],
        r#"stratum\+(?:tcp|ssl|tls|udp)://[\w$\x22\x27{]|(?:@|\./|/)(?:xmrig|minerd|cpuminer|ethminer|cgminer|bfgminer|nbminer|phoenixminer|t-rex|lolminer|teamredminer)\b[^\n]*(?:\s-[oua]\b|--url|--user|--algo|--donate|pool)"#,
        "Coins are mined for somebody.",
    ),
    command(
        ("crypto_mining", Mining, High),
        &["rx/0", "randomx", "kawpow", "ethash", "--algo"],
        r"--algo[= ](?:rx/\w+|randomx|kawpow|ethash|cn/\w+|argon2/\w+)|\bpool\.[\w.-]+:\d{3,5}\b",
        "Coins are mined for somebody.",
    ),
    command(
        ("mining_indicators", Mining, Medium),
        &["xmrig", "coinhive", "cryptonight", "minexmr", "supportxmr", "nanopool"],
        r"\b(?:xmrig|coinhive|cryptonight|minexmr|supportxmr|nanopool)\b",
        "Words of coin mining.",
    ),
];
