use proptest::prelude::*;

use super::*;

fn look(command: &str) -> Analysis {
    let around = Surroundings {
        home: Some("/home/me"),
        hermes_home: Some("/home/me/.hermes"),
        user: Some("me"),
        cwd: Some("/home/me/project"),
        temp_dir: Some("/tmp"),
    };
    analyse(command, &around)
}

fn keys(command: &str) -> Vec<&'static str> {
    look(command).findings.iter().map(|finding| finding.category).collect()
}

#[test]
fn reports_every_danger_and_not_only_the_first() {
    let found = keys("git push -f; rm -rf build && systemctl stop x");
    assert_eq!(found, ["git force push", "recursive delete", "stop or restart a service"]);
}

#[test]
fn findings_quote_the_words_that_caused_them() {
    let analysis = look("ls && git push -f origin main; echo done");
    assert_eq!(analysis.findings[0].words, "git push -f origin main");
    let analysis = look("bash -c 'ls; git clean -fd'");
    assert!(analysis.findings.iter().any(|finding| finding.words == "git clean -fd"));
}

#[test]
fn text_that_cannot_be_read_asks_and_is_never_refused() {
    for command in ["echo 'open", "rm -rf / \"open", "if true; then rm -rf /", "a )", "$((("] {
        let analysis = look(command);
        assert_eq!(keys(command), ["unparsable command"], "{command}");
        assert!(!analysis.is_floor(), "{command}");
    }
}

#[test]
fn complete_lines_before_an_error_count() {
    assert!(look("rm -rf /\necho 'open").is_floor());
    assert!(!look("rm -rf /; echo 'open").is_floor());
}

#[test]
fn very_long_text_asks_and_is_never_refused() {
    let analysis = look(&format!("rm -rf / {}", "x".repeat(MAX_COMMAND_CHARS)));
    assert!(analysis.is_dangerous() && !analysis.is_floor());
    assert!(!look(&format!("echo {}", "x".repeat(100_000))).is_dangerous());
}

#[test]
fn ordinary_text_that_other_readers_stumble_over_passes() {
    for command in [
        "echo \"$(grep -c 'a)' f)\"",
        "echo \"$(python3 x.py | sort)\"",
        "echo \"say \\\"hi\\\" to $(man -k x)\"",
        "printf '%s\\n' \"it's $(rg -c x)\"",
        "git commit -m \"$(cat <<'E'\nit's (fine) `really` $x\nE\n)\"",
        "x=1\n\n\n\n\n\nls",
        "echo a#b # rm -rf /",
    ] {
        assert_eq!(keys(command), Vec::<&str>::new(), "{command}");
    }
}

#[test]
fn elsewhere_it_asks_instead_of_refusing() {
    for command in
        ["docker exec web rm -rf /", "ssh host sudo reboot", "kubectl exec p -- kill -9 -1"]
    {
        let analysis = look(command);
        assert!(analysis.is_dangerous() && !analysis.is_floor(), "{command}");
    }
}

#[test]
fn containers_may_run_programs_given_as_arguments() {
    for command in ["docker exec web sh -c 'ls'", "docker run --rm alpine sh -c 'echo hi'"] {
        assert_eq!(keys(command), Vec::<&str>::new(), "{command}");
    }
}

#[test]
fn follows_the_working_directory() {
    assert!(look("cd / && rm -rf *").is_floor());
    assert!(look("(cd /etc && rm -rf .)").is_floor());
    assert!(look("cd ../.. && rm -rf *").is_floor());
    assert!(!look("(cd / && ls); rm -rf *").is_floor());
    assert!(!look("cd /tmp/x && rm -rf *").is_floor());
    assert!(!look("cd \"$DIR\" && rm -rf *").is_floor());
    assert!(!look("cd / && cd - && rm -rf *").is_floor());
}

#[test]
fn variables_hold_what_was_assigned_last() {
    assert!(look("d=/; rm -rf $d").is_floor());
    assert!(!look("d=/; d=/tmp/x; rm -rf $d").is_floor());
    assert!(!look("d=/; d=$(mktemp -d); rm -rf $d").is_floor());
    assert!(!look("(d=/); rm -rf $d").is_floor());
    assert!(!look("rm -rf \"$UNKNOWN/\"").is_floor());
    assert!(!look("rm -rf \"$BUILD\"/*").is_floor());
    assert!(!look("rm -rf \"${DESTDIR:-}/usr\"").is_floor());
    assert!(look("rm -rf \"${DESTDIR:-/}\"").is_floor());
}

#[test]
fn functions_hide_programs_of_the_same_name() {
    assert!(!look("reboot() { echo no; }; reboot").is_dangerous());
    assert!(look("f() { shutdown now; }").is_floor());
}

#[test]
fn sees_when_sudo_reads_its_input() {
    for command in [
        "sudo -S ls",
        "sudo -kS ls",
        "sudo -n -S ls",
        "sudo --stdin ls",
        "x; echo p | sudo -u a -S b",
    ] {
        assert!(look(command).sudo_reads_stdin, "{command}");
    }
    for command in ["sudo ls -S", "echo sudo -S", "sudo -n true", "ls -S"] {
        assert!(!look(command).sudo_reads_stdin, "{command}");
    }
}

#[test]
fn the_only_exempt_cleanup_is_exact() {
    assert!(!look("rm -f /tmp/hermes-verify-1.py").is_dangerous());
    for command in [
        "rm -rf /tmp/hermes-verify-1.py",
        "rm -f /tmp/hermes-verify-1 /tmp/x",
        "rm -f /tmp/hermes-verify-*",
        "rm -f /tmp/hermes-verify-x/../../etc/passwd",
        "rm -f /var/tmp/hermes-verify-1",
    ] {
        assert!(look(command).is_dangerous(), "{command}");
    }
}

#[test]
fn removing_sequences_hides_nothing() {
    assert!(look("r\u{1b}[31mm -rf /").is_floor());
    assert!(look("echo \u{1b}]0;rm\u{7}\nrm -rf /").is_floor());
    assert!(look("echo \u{1b}]0;\nrm -rf /\n\u{7}").is_floor());
    assert!(look("r\0m -rf /").is_floor());
}

#[test]
fn spellings_show_every_layer() {
    let all = spellings("X=1 sudo -n r''m -rf $HOME/x", &Surroundings::default());
    assert_eq!(all, ["sudo -n rm -rf ~/x", "rm -rf ~/x"]);
}

#[test]
fn keys_of_earlier_releases_still_mean_something() {
    assert_eq!(category_for("recursive delete"), Some("recursive delete"));
    assert_eq!(category_for("recursive delete (long flag)"), Some("recursive delete"));
    assert_eq!(category_for("nothing of the kind"), None);
    for (_, new) in category::ALIASES {
        assert!(categories().any(|category| category.key == *new), "{new}");
    }
}

#[test]
fn hostile_text_stays_within_the_budgets() {
    let texts = [
        "{".repeat(120_000),
        "xargs ".repeat(20_000),
        "x=$x$x;".repeat(15_000),
        "sudo ".repeat(25_000),
        "$(".repeat(60_000),
        format!("eval '{}'", "a;".repeat(60_000)),
        "for i in 1 2 3 4 5 6 7 8 9; do ".repeat(4_000),
        "f() { f; f; f; }; f;".repeat(3_000),
        "hermes -a ".repeat(10_000),
        "\n".repeat(120_000),
        format!("rm -rf {}", "/".repeat(120_000)),
    ];
    for text in texts {
        let _ = look(&text);
    }
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC{0,80}") {
        let _ = look(&text);
    }

    #[test]
    fn never_panics_on_shell_like_text(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "rm", " -rf ", "/", "~", "sudo ", "env ", "-S ", "bash -c ", "'", "\"", "`", "$(", ")",
            "${x:-", "}", "{", ",", ";", "\n", "|", "&", "&&", ">", "<<E\n", "E\n", "find . -exec ",
            "{}", "xargs ", "eval ", "x=", "$x", "cd ", "curl u ", "sh", "echo ", "é", "ｒｍ", "\\",
            "printf %s ", "for i in a b; do ", "done", "git push ", "chmod ", "777 ", "kill ", "-1",
            "perl -", "e", "psql -c ", "DROP TABLE ", "awk ", "system(", "\u{1b}[0m", "-", "--", "=",
            "docker run -v ", ":", "ssh h ", "python -", "cmd /", "powershell -", "dd of=", "..",
        ]), 0..25)
    ) {
        let text = pieces.concat();
        let analysis = look(&text);
        prop_assert!(analysis.findings.len() <= MAX_FINDINGS + 1);
    }
}
