//! Headers, command lines, URLs and tokens: hidden in code as well.

use super::*;

fn everywhere(cases: &[(&str, &str)]) {
    all_become(full, cases);
    all_become(code, cases);
}

#[test]
fn authorization_headers_lose_their_credential() {
    everywhere(&[
        ("Authorization: Bearer abc", "Authorization: Bearer ***"),
        ("proxy-authorization: Basic YWRhOnB3", "proxy-authorization: Basic ***"),
        ("authorization: Custom a1b2c3d4e5", "authorization: Custom ***"),
        ("Authorization: a1b2c3d4e5", "Authorization: ***"),
        (
            "\"Authorization\": \"Token a1b2\", \"x\": 1",
            "\"Authorization\": \"Token ***\", \"x\": 1",
        ),
        (
            "{\\\"Authorization\\\": \\\"Bearer abc\\\"}",
            "{\\\"Authorization\\\": \\\"Bearer ***\\\"}",
        ),
        ("headers['Authorization'] = 'Bearer abc1'", "headers['Authorization'] = 'Bearer ***'"),
        (
            "Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=c, Signature=d1",
            "Authorization: AWS4-HMAC-SHA256 ***, ***, ***",
        ),
        (
            "Authorization: Digest username=\"ada\", response=\"0123\"\nnext",
            "Authorization: Digest ***, ***\nnext",
        ),
    ]);
    all_become(full, &[("Authorization: Custom whatever", "Authorization: Custom ***")]);
    let long = format!("Authorization: Bearer {RANDOM}");
    assert_eq!(full(&long), "Authorization: Bearer aB3dE5...3dE5");
}

#[test]
fn key_headers_lose_their_value() {
    for name in [
        "x-api-key",
        "X-Goog-Api-Key",
        "api-key",
        "apikey",
        "x-api-token",
        "x-auth-token",
        "X-Access-Token",
    ] {
        everywhere(&[
            (&format!("{name}: a1b2c3d4e5"), &format!("{name}: ***")),
            (&format!("-H '{name}: a1b2c3d4e5' -v"), &format!("-H '{name}: ***' -v")),
            (&format!("\"{name}\": \"a1b2c3d4e5\","), &format!("\"{name}\": \"***\",")),
        ]);
    }
}

#[test]
fn cookies_lose_their_values() {
    everywhere(&[
        ("Cookie: sid=a1b2c3d4e5; other=f6a7b8c9d0", "Cookie: sid=***; other=***"),
        (
            "< Set-Cookie: sid=a1b2c3d4e5; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Secure",
            "< Set-Cookie: sid=***; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Secure",
        ),
        ("curl -H 'cookie: a=a1b2c3d4e5' x", "curl -H 'cookie: a=***' x"),
        ("curl --cookie \"a=a1b2c3d4e5\" x", "curl --cookie \"a=***\" x"),
    ]);
}

#[test]
fn passwords_on_command_lines_are_hidden() {
    everywhere(&[
        ("curl -u ada:hunter2 https://x.example", "curl -u ada:*** https://x.example"),
        ("curl --user 'ada:hunter 2' x", "curl --user 'ada:***' x"),
        ("tool --password hunter2 --verbose", "tool --password *** --verbose"),
        ("tool --password=hunter2", "tool --password=***"),
        (
            "tool --api-key \"a b\" --client-secret=x1 --token t0k",
            "tool --api-key \"***\" --client-secret=*** --token ***",
        ),
        ("sshpass -p hunter2 ssh x", "sshpass -p *** ssh x"),
        ("mysql -u root -phunter2 db", "mysql -u root -p*** db"),
    ]);
}

#[test]
fn urls_lose_passwords_and_tokens() {
    let token = format!("https://{RANDOM}@example.com/x.git");
    everywhere(&[
        ("postgresql://ada:pw@db/x", "postgresql://ada:***@db/x"),
        ("mysql+pymysql://ada:p@ss@db", "mysql+pymysql://ada:***@db"),
        ("mongodb+srv://ada:pw@db,db2/x", "mongodb+srv://ada:***@db,db2/x"),
        ("redis://:pw@cache:6379/0", "redis://:***@cache:6379/0"),
        ("amqps://ada:pw@mq", "amqps://ada:***@mq"),
        ("postgres://ada:p/w@db/x", "postgres://ada:***@db/x"),
        ("https://ada:pw@example.com/", "https://ada:***@example.com/"),
        ("smtp://ada:pw@mail", "smtp://ada:***@mail"),
        ("git+https://abcdefgh@example.com/x", "git+https://***@example.com/x"),
        ("wss://abcdefgh1@example.com/x", "wss://***@example.com/x"),
        (&token, "https://aB3dE5...3dE5@example.com/x.git"),
    ]);
    assert_eq!(full("postgres://ada:{password}@db"), "postgres://ada:***@db");
    all_stay(
        full,
        &[
            "https://example.com/?token=abc&x=y#access_token=abc",
            "https://ada@example.com/",
            "https://example.com:8080/a@b",
            "mailto:ada@example.com",
            "postgres://localhost:5432/db/a@b",
            "password: https://example.com/reset",
        ],
    );
}

#[test]
fn webhooks_lose_their_path() {
    let path = ["T0001", "B0002", RANDOM].join("/");
    everywhere(&[
        (
            &format!("https://hooks.slack.com/services/{path}"),
            "https://hooks.slack.com/services/***",
        ),
        (
            &format!("(https://discord.com/api/webhooks/123456789/{RANDOM})"),
            "(https://discord.com/api/webhooks/123456789/***)",
        ),
        (
            &format!("https://x.webhook.office.com/webhookb2/{RANDOM} y"),
            "https://x.webhook.office.com/*** y",
        ),
    ]);
}

#[test]
fn tokens_with_a_shape_are_hidden() {
    let jwt = format!("eyJ{RANDOM}.eyJ{RANDOM}.{RANDOM}");
    let bot = format!("123456789:AA{RANDOM}");
    everywhere(&[
        (&format!("t={jwt};"), "t=eyJaB3...3dE5;"),
        (&format!("eyJ{RANDOM}"), "eyJaB3...3dE5"),
        (&format!("eyJ{RANDOM}..{RANDOM}"), "eyJaB3...3dE5"),
        (&bot, "123456789:***"),
        (
            &format!("https://api.example/bot{bot}/getMe"),
            "https://api.example/bot123456789:***/getMe",
        ),
        ("call +15551234567.", "call +155****4567."),
        ("tel:+4915112345678", "tel:+491****5678"),
        ("+1234567", "+1****67"),
    ]);
}

#[test]
fn whole_form_bodies_lose_sensitive_values() {
    everywhere(&[
        ("user=ada&password=hunter2&x=1", "user=ada&password=***&x=1"),
        (
            "grant_type=refresh_token&refresh_token=abcdef\n",
            "grant_type=refresh_token&refresh_token=***\n",
        ),
        ("a=b&X-Amz-Signature=abcdef", "a=b&X-Amz-Signature=***"),
        ("a=b&tok%65n=abcdef", "a=b&tok%65n=***"),
    ]);
    all_stay(code, &["a=b&c=d", "password=hunter2", "x = a&password=b", "user=a&password="]);
}
