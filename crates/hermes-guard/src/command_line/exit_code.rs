//! Exit codes that are no failures.

use crate::shell::{self, CommandList, CompoundKind, ShellCommand, Terminator};

use super::call::LineCall;

/// What an exit code says about a command line, where a bare number would mislead.
///
/// The last command of the line decides, seen through `sudo`, `timeout`, `env` and their like. It
/// does not when its result is turned round (`! grep x f`) or dropped (`grep x f &`).
#[must_use]
pub fn meaning(command: &str, code: i32) -> Option<&'static str> {
    if code == 0 {
        return None;
    }
    let script = shell::parse(command);
    if script.error.is_some() {
        return None; // the shell's own complaint
    }
    let words = last_call(&script.root)?;
    let (program, args) = words.split_first()?;
    of_program(program, args, code)
}

/// The program whose exit code is that of a list, and what it is given.
fn last_call(list: &CommandList<'_>) -> Option<Vec<String>> {
    let item = list.items.last()?;
    let pipeline = item.chain.pipelines().last()?;
    if pipeline.negated || item.terminator == Terminator::Background {
        return None;
    }
    match pipeline.commands.last()? {
        ShellCommand::Simple(simple) => {
            let call = LineCall::of(simple)?;
            let args = call.args().iter().map(|arg| arg.clone().into_owned());
            Some(std::iter::once(call.program().to_owned()).chain(args).collect())
        }
        ShellCommand::Compound(compound) => match &compound.kind {
            CompoundKind::Subshell(list) | CompoundKind::Group(list) => last_call(list),
            CompoundKind::Test(_) => Some(vec!["[[".to_owned()]),
            _ => None,
        },
    }
}

fn of_program(program: &str, args: &[String], code: i32) -> Option<&'static str> {
    match (program, code) {
        ("grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack", 1) => {
            Some("No matches were found (not an error)")
        }
        ("diff" | "colordiff" | "cmp", 1) => Some("The files differ (expected, not an error)"),
        ("find", 1) => Some("Some directories could not be read; the results may be partial"),
        ("test" | "[" | "[[", 1) => Some("The condition is false (expected, not an error)"),
        ("curl", 6) => Some("The host name could not be resolved"),
        ("curl", 7) => Some("The connection to the host failed"),
        ("curl", 22) => Some("The server answered with an HTTP error status"),
        ("curl", 28) => Some("The request timed out"),
        ("git", 1) => of_git(args),
        _ => None,
    }
}

/// What a one says about a git command: for those that answer a question it is the answer, for all others
/// (`push`, `commit`, `merge` …) a failure like any other.
fn of_git(args: &[String]) -> Option<&'static str> {
    match git_command(args)? {
        "diff" | "diff-index" | "diff-files" | "diff-tree" => {
            Some("Often normal for git: the files differ")
        }
        "grep" => Some("No matches were found (not an error)"),
        "check-ignore" => Some("None of the paths is ignored (not an error)"),
        "merge-base" if args.iter().any(|arg| arg == "--is-ancestor") => {
            Some("It is no ancestor (not an error)")
        }
        "config" if args.iter().any(|arg| arg.starts_with("--get") || arg == "get") => {
            Some("The setting is not there (not an error)")
        }
        _ => None,
    }
}

/// The command behind git's own options.
fn git_command(args: &[String]) -> Option<&str> {
    const WITH_VALUE: [&str; 6] =
        ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"];
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        match arg {
            option if WITH_VALUE.contains(&option) => drop(args.next()),
            option if option.starts_with('-') => {}
            command => return Some(command),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(command: &str, code: i32, part: &str) {
        let text = meaning(command, code).unwrap_or_else(|| panic!("nothing about {command}"));
        assert!(text.contains(part), "{command}: {text}");
    }

    #[test]
    fn knows_the_programs() {
        for program in ["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"] {
            says(&format!("{program} x f"), 1, "No matches");
            assert_eq!(meaning(&format!("{program} x f"), 2), None);
        }
        for program in ["diff", "colordiff", "cmp"] {
            says(&format!("{program} a b"), 1, "differ");
        }
        says("find / -name x", 1, "partial");
        says("test -f x", 1, "condition");
        says("[ -f x ]", 1, "condition");
        says("[[ -f x && -d y ]]", 1, "condition");
        says("curl x", 6, "resolved");
        says("curl x", 7, "connection");
        says("curl x", 22, "HTTP");
        says("curl x", 28, "timed out");
        says("git diff", 1, "Often normal");
    }

    #[test]
    fn a_failed_git_push_is_not_called_normal() {
        for command in [
            "git push",
            "git push origin main",
            "git -C /tmp/x push --force",
            "git -c a.b=diff push",
            "git commit -m 'git diff'",
            "git merge x",
            "git pull",
            "git --no-pager fetch",
            "git config user.name x",
            "git",
        ] {
            assert_eq!(meaning(command, 1), None, "{command}");
        }
        says("git --no-pager diff --exit-code", 1, "differ");
        says("git -C x grep word", 1, "No matches");
        says("git check-ignore x", 1, "ignored");
        says("git merge-base --is-ancestor a b", 1, "ancestor");
        says("git config --get user.name", 1, "not there");
    }

    #[test]
    fn other_codes_and_programs_mean_nothing() {
        for (command, code) in [
            ("grep x f", 0),
            ("grep x f", 127),
            ("curl x", 1),
            ("ls", 1),
            ("mygrep x", 1),
            ("", 1),
            ("git diff", 128),
            ("x=1", 1),
            ("$PROGRAM x", 1),
            ("grep x 'f", 1),
        ] {
            assert_eq!(meaning(command, code), None, "{command}");
        }
    }

    #[test]
    fn the_last_command_decides() {
        for command in [
            "cd x && grep a b",
            "a || grep b c",
            "a | grep b",
            "a; grep b c",
            "a\ngrep b c\n",
            "a & grep b c",
            "grep b c;",
            "A=1 B=2 grep b c",
            "/usr/bin/grep b c",
            "(cd x; grep a b)",
            "{ grep a b; }",
            "time grep a b",
            "'grep' a b",
            "grep a b # | wc",
        ] {
            says(command, 1, "No matches");
        }
        for command in
            ["grep a b | wc", "grep a b; ls", "grep a b && ls", "if grep a b; then c; fi"]
        {
            assert_eq!(meaning(command, 1), None, "{command}");
        }
    }

    #[test]
    fn quotes_are_honoured() {
        says("grep 'a | b; c && d' f", 1, "No matches");
        says("grep \"a || ls\" f", 1, "No matches");
        assert_eq!(meaning("echo '; grep a b'", 1), None);
        assert_eq!(meaning("echo \"| grep a b\"", 1), None);
        assert_eq!(meaning("cat <<E\n; grep a b\nE", 1), None);
    }

    #[test]
    fn sees_through_wrappers() {
        for wrapper in ["sudo", "sudo -u x", "timeout 5", "env A=1", "nice -n 5", "command"] {
            says(&format!("{wrapper} grep a b"), 1, "No matches");
        }
        assert_eq!(meaning("command -v grep", 1), None);
        assert_eq!(meaning("xargs grep a", 1), None);
    }

    #[test]
    fn a_result_that_is_turned_round_or_dropped_means_nothing() {
        assert_eq!(meaning("! grep a b", 1), None);
        assert_eq!(meaning("grep a b &", 1), None);
    }
}
