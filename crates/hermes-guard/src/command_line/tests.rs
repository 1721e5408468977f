//! What holds for every text.

use std::borrow::Cow;

use proptest::prelude::*;

use super::*;
use crate::shell;

/// Text that looks like shell.
fn lines() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a",
        "b c",
        " ",
        " ",
        "\n",
        "'",
        "\"",
        "`",
        "$(",
        "(",
        ")",
        "{ ",
        " }",
        "\\",
        ";",
        "&",
        " & ",
        "|",
        " && ",
        " || ",
        "<",
        ">",
        "2>&1",
        "&>",
        "#",
        "if ",
        "; then ",
        "; fi",
        "; do ",
        "; done",
        "for x in ",
        "while ",
        "case x in ",
        "esac",
        ";;",
        "<<E\n",
        "\nE\n",
        "é",
        "=",
        "x=1 ",
        "\r\n",
        "! ",
        "time ",
        "sudo",
        "sudo -n ",
        "-S ",
        " exec ",
        "exec",
        "exec ls",
        "command ",
        "builtin ",
        "env ",
        "wait",
        "nohup ",
        "npm run dev",
        "f() ",
        "coproc ",
        "[[ ",
        " ]]",
        "\\\n",
        "-a ",
        "bash -c ",
        "hermes gateway stop",
        "kill ",
        "timeout ",
        "npx ",
        "python -m ",
    ];
    proptest::collection::vec(proptest::sample::select(pieces), 0..30).prop_map(|all| all.concat())
}

/// Whether a text is another one with something put in.
fn only_adds(before: &str, after: &str) -> bool {
    let mut rest = after.chars();
    before.chars().all(|wanted| rest.any(|found| found == wanted))
}

/// What must hold for a rewritten line.
fn check(before: &str, after: &str) -> Result<(), TestCaseError> {
    prop_assert!(only_adds(before, after), "{before:?} became {after:?}");
    let (old, new) = (shell::parse(before), shell::parse(after));
    if old.error.is_none() {
        prop_assert_eq!(new.error, None, "{:?} became {:?}", before, after);
    }
    let bodies = |script: &shell::ShellScript<'_>| -> Vec<String> {
        script.heredocs.iter().map(|doc| doc.span.of(script.source).to_owned()).collect()
    };
    if old.error.is_none() {
        prop_assert_eq!(bodies(&old), bodies(&new));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn sudo_only_adds_options(line in lines()) {
        if sudo::asks(&line) {
            let new = sudo::with_options(&line, "-A -p x");
            check(&line, &new)?;
            prop_assert_eq!((new.len() - line.len()) % " -A -p x".len(), 0);
            prop_assert_ne!(&*new, line.as_str());
            prop_assert!(!sudo::asks(&new), "all are served already: {:?}", new);
        }
    }

    #[test]
    fn detaching_only_adds_braces(line in lines()) {
        let new = background::detach_compound(&line);
        check(&line, &new)?;
        let again = background::detach_compound(&new).into_owned();
        prop_assert_eq!(again, new, "nothing is left to do");
    }

    #[test]
    fn announcing_only_adds_groups(line in lines()) {
        let new = exec::announce(&line, "save");
        check(&line, &new)?;
        let saves = |text: &str| text.matches("{ save; ").count();
        prop_assert_eq!(new.len() - line.len(), saves(&new) * "{ save; ; }".len());
    }

    #[test]
    fn looking_never_panics(line in lines(), noise in "\\PC{0,60}", code in any::<i32>()) {
        for text in [&line, &noise] {
            let _ = foreground::refusal(text);
            let _ = gateway::stops_gateway(text);
            let _ = exit_code::meaning(text, code);
            let _ = poller::is_home_made_ci_poller(text);
            let _ = workdir::offending(text);
            let _ = (sudo::refused(text), sudo::needs_terminal(text));
            let _ = sudo::with_options(text, "-A");
            let _ = (background::detach_compound(text), exec::announce(text, "x"));
        }
    }
}

#[test]
fn quotations_are_short_and_on_one_line() {
    let whole = |text: &str| quoted(text, shell::Span::new(0, text.len()));
    assert_eq!(whole("a  b\n\tc"), "a b c");
    assert_eq!(whole(&"é".repeat(MAX_QUOTED_CHARS)), "é".repeat(MAX_QUOTED_CHARS));
    assert_eq!(whole(&"é".repeat(900)).chars().count(), MAX_QUOTED_CHARS + 1);
}

#[test]
fn hostile_lines_end_quickly() {
    for piece in
        ["sudo ", "a && b & ", "exec ls;", "npx ", "xargs kill ", "bash -c 'x y' ", "(a &", "env "]
    {
        let line = piece.repeat(20_000);
        let _ = (foreground::refusal(&line), gateway::stops_gateway(&line));
        let _ = (sudo::with_options(&line, "-A"), exit_code::meaning(&line, 1));
        let rewritten: Cow<'_, str> = background::detach_compound(&line);
        assert!(rewritten.len() >= line.len());
        assert!(exec::announce(&line, "x").len() >= line.len());
    }
}
