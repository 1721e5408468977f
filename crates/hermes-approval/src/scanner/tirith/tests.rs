use super::*;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

fn settings(program: &Path) -> ScannerSettings {
    ScannerSettings {
        enabled: true,
        program: program.to_str().unwrap().to_owned(),
        timeout: Duration::from_secs(5),
        fail_open: true,
    }
}

/// A scanner that is a script.
fn script(folder: &Path, body: &str) -> ScannerSettings {
    let path = folder.join("tirith");
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o755).open(&path).unwrap();
    write!(file, "#!/bin/sh\n{body}\n").unwrap();
    settings(&path)
}

fn vars() -> Vars {
    [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into_iter().collect()
}

async fn scan(settings: &ScannerSettings, command: &str) -> ScanReport {
    let scanner = Tirith::new(settings, &vars()).unwrap();
    scanner.scan(command, CancellationToken::new()).await
}

#[tokio::test]
async fn the_exit_code_is_the_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let json = r#"echo '{"findings":[{"rule_id":"pipe_to_shell","title":"a pipe to a shell"}]}'"#;
    for (code, objects) in [(0, false), (1, true), (2, true)] {
        let settings = script(folder.path(), &format!("{json}; exit {code}"));
        let scan = scan(&settings, "x").await;
        assert_eq!(scan.objects, objects, "{code}");
        if objects {
            assert_eq!(scan.concern("x").unwrap().key, "tirith:pipe_to_shell");
            assert_eq!(scan.summary, "a pipe to a shell");
        }
    }
    let settings = script(folder.path(), "echo not json; exit 1");
    assert_eq!(scan(&settings, "x").await.concern("x").unwrap().key, "tirith:unnamed");
}

#[tokio::test]
async fn the_command_is_one_argument_after_the_flags() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("told");
    let settings = script(folder.path(), &format!("printf '%s\\n' \"$@\" > {}", told.display()));
    scan(&settings, "-rf; $(x) 'y").await;
    assert_eq!(
        std::fs::read_to_string(told).unwrap(),
        "check\n--json\n--non-interactive\n--shell\nposix\n--\n-rf; $(x) 'y\n"
    );
}

#[tokio::test]
async fn failure_means_what_the_setting_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut slow = script(folder.path(), "exec sleep 60");
    slow.timeout = Duration::from_millis(50);
    let missing = settings(Path::new("/nowhere/tirith"));
    assert!(!scan(&slow, "x").await.objects && !scan(&missing, "x").await.objects);
    let odd = script(&folder.path().join("."), "exit 7");
    for mut settings in [missing, odd] {
        settings.fail_open = false;
        assert_eq!(scan(&settings, "x").await.rules, ["unavailable"]);
    }
}

#[tokio::test]
async fn three_failures_in_a_row_are_enough() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let body = format!("echo x >> {0}; [ $(wc -l < {0}) = 3 ] && exit 0; exit 9", count.display());
    let settings = ScannerSettings { fail_open: false, ..script(folder.path(), &body) };
    let scanner = Tirith::new(&settings, &vars()).unwrap();
    let mut answers = Vec::new();
    for _ in 0..8 {
        answers.push(scanner.scan("x", CancellationToken::new()).await.objects);
    }
    // The third run went well, so three more failures were needed; then it was left alone, and
    // stays closed.
    assert_eq!(answers, [true, true, false, true, true, true, true, true]);
    assert!(scanner.is_given_up());
    assert_eq!(std::fs::read_to_string(count).unwrap().lines().count(), 6);
}

#[test]
fn a_warning_only_about_app_domains_is_dropped() {
    let finding = |rule: &str, text: &str| {
        format!("{{\"findings\":[{{\"rule_id\":\"{rule}\",\"title\":\"{text}\"}}]}}")
    };
    let app = finding(LOOKALIKE_RULE, "domain ends in '.app'");
    assert!(!interpret(Verdict::Warn, &app).objects);
    assert!(interpret(Verdict::Block, &app).objects);
    assert!(interpret(Verdict::Warn, &finding(LOOKALIKE_RULE, "ends in '.zip'")).objects);
    assert!(interpret(Verdict::Warn, &finding(LOOKALIKE_RULE, "x.app.zip")).objects);
    assert!(interpret(Verdict::Warn, &finding("other", ".app")).objects);
    assert!(interpret(Verdict::Warn, "").objects);
    assert!(interpret(Verdict::Warn, "{\"findings\":[]}").objects);
}

#[test]
fn what_it_says_is_bounded() {
    let one = format!("{{\"rule_id\":\"r\",\"title\":\"{}\"}}", "t".repeat(100));
    let all = vec![one; 200].join(",");
    let scan = interpret(Verdict::Block, &format!("{{\"findings\":[{all}]}}"));
    assert_eq!((scan.rules.len(), scan.summary.chars().count()), (MAX_FINDINGS, MAX_SUMMARY));
}

#[test]
fn a_scanner_that_is_off_is_none() {
    let off = ScannerSettings { enabled: false, ..settings(Path::new("x")) };
    assert!(Tirith::new(&off, &Vars::default()).is_none());
}
