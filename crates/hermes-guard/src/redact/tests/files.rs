//! What is hidden in every mode, shown as it is for files.

use super::super::keys::KEY_PREFIXES;
use super::*;

fn file(text: &str) -> String {
    redact_file(text).into_owned()
}

#[test]
fn known_keys_become_markers_that_cannot_be_used() {
    for known in KEY_PREFIXES {
        let secret = format!("{}{RANDOM}{RANDOM}", known.text);
        let text = format!("x = \"{secret}\"\n");
        assert_eq!(file(&text), format!("x = \"«redacted:{}…»\"\n", known.text));
        assert_eq!(file(&format!("say:\\n{secret}")), format!("say:\\n«redacted:{}…»", known.text));
        assert_eq!(file(&format!("a%3D{secret}")), format!("a%3D«redacted:{}…»", known.text));
    }
}

#[test]
fn every_issuer_is_known() {
    for prefix in [
        "sk-",
        "ghp_",
        "github_pat_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "xapp-1-",
        "xoxb-",
        "xoxa-",
        "xoxp-",
        "xoxr-",
        "xoxs-",
        "AIza",
        "pplx-",
        "fal_",
        "fc-",
        "bb_live_",
        "gAAAA",
        "AKIA",
        "sk_live_",
        "sk_test_",
        "rk_live_",
        "SG.",
        "hf_",
        "r8_",
        "npm_",
        "pypi-",
        "dop_v1_",
        "doo_v1_",
        "am_",
        "sk_",
        "tvly-",
        "exa_",
        "gsk_",
        "syt_",
        "retaindb_",
        "hsk-",
        "mem0_",
        "brv_",
        "xai-",
        "ntn_",
        "fw-",
        "fw_",
        "fpk_",
        "glpat-",
        "ASIA",
        "hvs.",
        "shpat_",
    ] {
        let secret = format!("{prefix}{RANDOM}");
        for text in
            [secret.clone(), format!("({secret})"), format!("key={secret},"), format!("a/{secret}")]
        {
            assert!(!file(&text).contains(&RANDOM[..8]), "{text}");
            assert!(!full(&text).contains(&RANDOM[6..20]), "{text}");
        }
    }
}

#[test]
fn the_second_half_of_a_two_part_key_goes_too() {
    let secret = format!("SG.{}.{RANDOM}", &RANDOM[..22]);
    assert_eq!(file(&format!("{secret}.")), "«redacted:SG.…».");
    assert_eq!(full(&secret), "SG.aB3...3dE5");
}

#[test]
fn one_lower_case_word_after_a_distinct_prefix_is_a_key() {
    assert_eq!(file("ghp_abcdefghijkl"), "«redacted:ghp_…»");
    assert_eq!(full("hf_abcdefghijklmnopqrstuvwx"), "hf_abc...uvwx");
}

#[test]
fn private_keys_disappear_whatever_is_left_of_them() {
    let line = |kind: &str, label: &str| format!("-----{kind} {label}-----");
    let material = "MIIEpAIBAAKCAQEAx7Zk2uAbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdef";
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let (begin, end) = (line("BEGIN", label), line("END", label));
        let cases = [
            (format!("a\n{begin}\n{material}\nabc=\n{end}\nb"), format!("a\n{PRIVATE_KEY}\nb")),
            (format!("{begin}\nMIIEcut"), PRIVATE_KEY.to_owned()),
            (
                format!(
                    "{begin}\nProc-Type: 4,ENCRYPTED\n\n{material}\n{material}\n\nthe next words"
                ),
                format!("{PRIVATE_KEY}\n\nthe next words"),
            ),
            (format!("1|{begin}\n2|{material}\n3|{material}\n"), format!("1|{PRIVATE_KEY}\n")),
            (format!("+{begin}\n+{material}\n+{end}\n other"), format!("+{PRIVATE_KEY}\n other")),
            (
                format!("{{\"k\": \"{begin}\\n{material}\\n{end}\\n\"}}"),
                format!("{{\"k\": \"{PRIVATE_KEY}\\n\"}}"),
            ),
            (format!("\"{begin}\\n{material}\\n{material}\""), format!("\"{PRIVATE_KEY}\"")),
            (
                format!("words before\n{material}\n{material}\nabc=\n{end}\nafter"),
                format!("words before\n{PRIVATE_KEY}\nafter"),
            ),
        ];
        for (text, wanted) in cases {
            assert_eq!(file(&text), wanted, "{text}");
            assert_eq!(full(&text), wanted, "{text}");
            assert_eq!(file(&wanted), wanted);
        }
    }
}

#[test]
fn talk_about_private_keys_stays() {
    let begin = ["-----BEGIN", "RSA PRIVATE KEY-----"].join(" ");
    let public = ["-----BEGIN", "PUBLIC KEY-----"].join(" ");
    let end = ["-----END", "PRIVATE KEY-----"].join(" ");
    for text in [
        format!("a key begins with {begin} and so on"),
        format!("if line == \"{begin}\" {{\n    found();\n}}\n"),
        format!("{public}\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n"),
        format!("it ends with {end} as usual"),
    ] {
        assert_eq!(file(&text), text);
    }
}

#[test]
fn passwords_headers_and_tokens_are_masked() {
    let bot = format!("12345678:{}", "Ab1".repeat(12));
    let jwt = ["eyJhbGciOi1", "eyJzdWIiOiI1", "c2lnbmF0dXJl"].join(".");
    all_become(
        file,
        &[
            ("postgres://ada:s3cr3t@db/x", "postgres://ada:***@db/x"),
            ("redis://:hunter22@cache", "redis://:***@cache"),
            ("curl -H 'Authorization: Bearer abcdef123456'", "curl -H 'Authorization: Bearer ***'"),
            ("X-Api-Key: abcdef123456", "X-Api-Key: ***"),
            ("https://ada:passw0rd99@example.com/x", "https://ada:***@example.com/x"),
            (&bot, "12345678:***"),
            (&jwt, MASK),
        ],
    );
}

#[test]
fn what_only_looks_like_a_key_stays() {
    all_stay(
        file,
        &[
            "struct sk_buff *sk_buff_head_init_function(void)",
            "let task-list-of-many-long-words = 1;",
            "disk-usage-report-generator",
            "MAX_TOKENS=4096",
            "am_transactional_name",
            "npm_config_registry_url",
            "hf_something_lower_case_only",
            "am_sha256_digest_initialise",
            "sk_getBufferHeadLength(x)",
            "sk-estimator-doc-link",
            "fc-cache-directory-list",
            "exa_CONSTANT_NAME_HERE",
            "github_pat_setup_guide",
            "ghp_xxxxxxxxxxxxxxxxxxxx",
            "token = settings.token",
            "the password is stored elsewhere",
            "https://example.com/a@b",
            "git@github.com:owner/repository.git",
            "postgres://user:{password}@host/db",
            "postgres://user:$PASSWORD@host/db",
            "API_KEY=abcdef",
            "\"password\": \"hunter2\"",
            "password: hunter2",
        ],
    );
}

#[test]
fn text_without_secrets_is_not_copied() {
    for text in ["fn main() {}\n", "https://example.com/ at 12:30, +1 token"] {
        assert!(matches!(redact_file(text), Cow::Borrowed(_)));
    }
}
