//! What secrets look like.

/// What is done with a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Group 2 is a key with a known prefix; group 1 stands before it.
    KeyPrefix,
    /// The whole match is a private key.
    PrivateKey,
    /// Group 2 is the secret, between groups 1 and 3.
    MaskBetween,
    /// The same, but a placeholder in its place is left alone.
    MaskUnlessTemplate,
}

/// A prefix that issuers put before their keys.
pub(super) struct KeyPrefix {
    pub(super) text: &'static str,
    /// Fewest characters after it.
    least: usize,
}

const fn key(text: &'static str, least: usize) -> KeyPrefix {
    KeyPrefix { text, least }
}

/// Longer prefixes stand before the shorter ones they begin with.
pub(super) const KEY_PREFIXES: &[KeyPrefix] = &[
    key("github_pat_", 10),
    key("ghp_", 10),
    key("gho_", 10),
    key("ghu_", 10),
    key("ghs_", 10),
    key("ghr_", 10),
    key("glpat-", 10),
    key("sk_live_", 10),
    key("sk_test_", 10),
    key("rk_live_", 10),
    key("sk-", 10),
    key("xoxa-", 10),
    key("xoxb-", 10),
    key("xoxp-", 10),
    key("xoxr-", 10),
    key("xoxs-", 10),
    key("xapp-", 10),
    key("AIza", 30),
    key("AKIA", 16),
    key("ASIA", 16),
    key("hf_", 10),
    key("r8_", 10),
    key("npm_", 10),
    key("pypi-", 10),
    key("pplx-", 10),
    key("dop_v1_", 10),
    key("doo_v1_", 10),
    key("hvs.", 10),
    key("shpat_", 10),
    key("SG.", 10),
    key("tvly-", 10),
    key("exa_", 10),
    key("gsk_", 10),
    key("xai-", 30),
    key("fpk_", 30),
    key("ntn_", 10),
    key("fal_", 10),
    key("bb_live_", 10),
    key("gAAAA", 20),
    key("syt_", 10),
    key("brv_", 10),
    key("mem0_", 10),
    key("retaindb_", 10),
    key("hsk-", 10),
];

/// All prefixes as one pattern: group 1 is what stands before, group 2 the key.
pub(super) fn key_prefixes() -> String {
    let alternatives: Vec<String> = KEY_PREFIXES
        .iter()
        .map(|KeyPrefix { text, least }| {
            format!("{}[A-Za-z0-9_.\\-]{{{least},}}", regex::escape(text))
        })
        .collect();
    format!("(^|[^A-Za-z0-9_\\-])({})", alternatives.join("|"))
}

/// The other rules, in the order they are applied.
pub(super) const RULES: &[(&str, Rule)] = &[
    // A private key, also one whose end is missing.
    (
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s:,\-().]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
        Rule::PrivateKey,
    ),
    // Authorization: Bearer abc
    (
        r#"(?i)((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|digest)\s+)([A-Za-z0-9._~+/=\-]{8,})()"#,
        Rule::MaskBetween,
    ),
    // X-Api-Key: abc
    (
        r#"(?i)((?:x-api-key|x-goog-api-key|x-api-token|x-auth-token|x-access-token)["']?\s*[:=]\s*["']?)([A-Za-z0-9._~+/=\-]{8,})()"#,
        Rule::MaskBetween,
    ),
    // A bot token: number, colon, long rest.
    (r"(\b[0-9]{8,12}:)([A-Za-z0-9_\-]{30,})(\b|$)", Rule::MaskBetween),
    // postgres://user:password@host
    (
        r#"(?i)(\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?)://[^\s:@/"']*:)([^\s@/"']+)(@)"#,
        Rule::MaskUnlessTemplate,
    ),
    // https://token@host and https://user:password@host
    (
        r#"(?i)(\b(?:https?|wss?|git|ssh|ftp)://(?:[^\s:@/"']*:)?)([A-Za-z0-9_\-.~%]{8,})(@)"#,
        Rule::MaskUnlessTemplate,
    ),
    // A signed web token.
    (r"(\b)(eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+)()", Rule::MaskBetween),
];
