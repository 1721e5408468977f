use proptest::prelude::*;

use super::*;

/// Keys are put together here so that no scanner takes this file for a leak.
fn key(prefix: &str, rest: &str) -> String {
    format!("{prefix}{rest}")
}

#[test]
fn known_keys_become_markers_that_cannot_be_used() {
    for known in KEY_PREFIXES {
        let secret = key(known.text, "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5");
        let text = format!("x = \"{secret}\"\n");
        let redacted = redact_file(&text);
        assert_eq!(redacted, format!("x = \"«redacted:{}…»\"\n", known.text));
    }
}

#[test]
fn what_only_looks_like_a_key_stays() {
    for text in [
        "struct sk_buff *sk_buff_head_init_function(void)",
        "let task-list-of-many-long-words = 1;",
        "disk-usage-report-generator",
        "MAX_TOKENS=4096",
        "am_transactional_name",
        "npm_config_registry_url",
        "hf_something_lower_case_only",
        "token = settings.token",
        "the password is stored elsewhere",
        "https://example.com/a@b",
        "git@github.com:owner/repository.git",
        "postgres://user:{password}@host/db",
        "postgres://user:$PASSWORD@host/db",
    ] {
        assert!(
            matches!(redact_file(text), Cow::Borrowed(_)) || redact_file(text) == text,
            "{text}"
        );
    }
}

#[test]
fn passwords_headers_tokens_and_private_keys_are_masked() {
    let pem = |kind: &str| format!("-----{kind} RSA PRIVATE KEY-----");
    let cases = [
        ("postgres://ada:s3cr3t@db/x".to_owned(), "postgres://ada:***@db/x".to_owned()),
        ("redis://:hunter22@cache".to_owned(), "redis://:***@cache".to_owned()),
        (
            "curl -H 'Authorization: Bearer abcdef123456'".to_owned(),
            "curl -H 'Authorization: Bearer ***'".to_owned(),
        ),
        ("X-Api-Key: abcdef123456".to_owned(), "X-Api-Key: ***".to_owned()),
        (
            "https://ada:passw0rd99@example.com/x".to_owned(),
            "https://ada:***@example.com/x".to_owned(),
        ),
        (format!("12345678:{}", "Ab1".repeat(12)), "12345678:***".to_owned()),
        (
            format!("a\n{}\nMIIE\nabc=\n{}\nb", pem("BEGIN"), pem("END")),
            format!("a\n{PRIVATE_KEY}\nb"),
        ),
        (format!("{}\nMIIEcut", pem("BEGIN")), PRIVATE_KEY.to_owned()),
        (["eyJhbGciOi1", "eyJzdWIiOiI1", "c2lnbmF0dXJl"].join("."), MASK.to_owned()),
    ];
    for (text, wanted) in cases {
        assert_eq!(redact_file(&text), wanted, "{text}");
    }
}

#[test]
fn text_without_secrets_is_not_copied() {
    assert!(matches!(redact_file("fn main() {}\n"), Cow::Borrowed(_)));
}

proptest! {
    #[test]
    fn planted_keys_never_survive(
        before in "[ -~\n]{0,80}",
        after in "[ -~\n]{0,80}",
        which in 0..KEY_PREFIXES.len(),
        rest in "[A-Z][a-z][0-9][A-Za-z0-9]{32}",
    ) {
        let secret = key(KEY_PREFIXES[which].text, &rest);
        let text = format!("{before} {secret} {after}");
        prop_assert!(!redact_file(&text).contains(&rest));
    }

    #[test]
    fn redacting_twice_changes_nothing_more(text in "\\PC{0,200}") {
        let once = redact_file(&text).into_owned();
        prop_assert_eq!(redact_file(&once), once.as_str());
    }
}
