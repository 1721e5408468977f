//! The switch and the modes.

use super::*;

#[test]
fn the_switch_turns_everything_off_but_force() {
    let text = "TOKEN=abcdef";
    assert_eq!(Redactor::new(Redaction::Off).redact(text, RedactMode::Full), text);
    assert_eq!(Redactor::new(Redaction::On).redact(text, RedactMode::Full), "TOKEN=***");
    assert_eq!(Redactor::default().redact(text, RedactMode::Full), "TOKEN=***");
    assert_eq!(redact(text, RedactMode::Full), "TOKEN=***");
}

#[test]
fn long_values_show_their_ends_and_short_ones_nothing() {
    assert_eq!(full("TOKEN=12345678901234567a"), "TOKEN=123456...567a");
    assert_eq!(full("TOKEN=1234567890123456a"), "TOKEN=***");
}

#[test]
fn queries_are_looked_at_only_when_asked() {
    let url = |text: &str| redact(text, RedactMode::UrlCredentials).into_owned();
    for (text, wanted) in [
        ("https://x.example/?token=abc&a=b", "https://x.example/?token=***&a=b"),
        (
            "https://x.example/cb#access_token=abc&state=s",
            "https://x.example/cb#access_token=***&state=s",
        ),
        (
            "see https://x.example/?a=b&X-Amz-Signature=abc>",
            "see https://x.example/?a=b&X-Amz-Signature=***>",
        ),
        ("https://x.example/?code=abc&key=def", "https://x.example/?code=***&key=***"),
        ("https://ada:pw@x.example/?p%61ssword=abc", "https://ada:***@x.example/?p%61ssword=***"),
        (
            "https://x.example/?to=https://y.example/?token=abc",
            "https://x.example/?to=https://y.example/?token=***",
        ),
        ("https://x.example/?token=&q=token", "https://x.example/?token=&q=token"),
    ] {
        assert_eq!(url(text), wanted);
        assert_eq!(url(wanted), wanted);
    }
    all_stay(full, &["https://x.example/?token=abc&a=b"]);
}

#[test]
fn dumps_of_the_environment_are_known_by_their_command() {
    let hides = |command: &str| {
        redact("MY_TOKEN=abcdef", RedactMode::Terminal { command }) == "MY_TOKEN=***"
    };
    for command in [
        "env",
        "env | sort",
        "printenv",
        "printenv MY_TOKEN",
        "set",
        "export",
        "export -p",
        "declare -x",
        "cd /x && env",
        "true; printenv",
        "false || set",
        "sudo env",
        "sudo -u ada env",
        "sudo -E /usr/bin/env",
        "/usr/bin/env",
        "/usr/bin/printenv",
        "bash -c env",
        "bash -c 'env;ls'",
        "bash -c 'env | sort'",
        "bash -lc \"cd /x; printenv\"",
        "sh -c 'bash -c \"env\"'",
        "FOO=bar env",
        "time env",
        "docker exec web env",
        "docker exec web sh -c 'env'",
        "ssh host printenv",
        "ssh host 'env | sort'",
        "(env)",
        "x=$(env)",
        "cat .env",
        "cat ./app/.env.local",
        "head -3 prod.env",
        "less .envrc",
        "cat /proc/1/environ",
        "tr '\\0' '\\n' < /proc/self/environ",
        "xargs -0 -n1 </proc/1/environ",
        "if true; then env; fi",
        "grep TOKEN .env",
    ] {
        assert!(hides(command), "{command}");
    }
    for command in [
        "",
        "ls",
        "cat environment.txt",
        "git set-url",
        "grep -r printenv src",
        "npm run env-check",
        "cat settings.py",
        "python -m venv x",
        "./setup",
        "echo 'env | sort'",
        "cat dotenv.rs",
        "exported",
        "cat \"env file.txt\"",
    ] {
        assert!(!hides(command), "{command}");
    }
}

#[test]
fn other_commands_print_code() {
    let text = "\"token\": \"abcdef\"";
    assert_eq!(redact(text, RedactMode::Terminal { command: "cat x.json" }), text);
    assert_eq!(
        redact("Authorization: Bearer abc", RedactMode::Terminal { command: "cat x" }),
        "Authorization: Bearer ***"
    );
}
