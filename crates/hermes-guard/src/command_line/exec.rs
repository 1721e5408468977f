//! Something to do before `exec` ends the shell.
//!
//! The terminal tool keeps the directory and the variables of a shell for the next command. It saves
//! them when the shell exits, and a shell that became another program never does. [`announce`] puts
//! the saving in front of such an `exec`, in a group, so that what stood around it (`cd x && exec y`,
//! `if … then exec y`) decides about both.
//!
//! Nothing is put where it could run in another shell than the one whose state it saves.

use std::borrow::Cow;

use crate::shell::{
    self, CommandList, CompoundKind, ShellCommand, ShellWord, SimpleCommand, Terminator,
};

use super::insertions::Insertions;

/// Turns each `exec program …` into `{ <before>; exec program …; }`.
///
/// A shell that becomes another program saves nothing any more, so what it knows has to be saved
/// first. `before` is a command, or several, without a comment or an operator at its end.
///
/// Only an `exec` of the shell itself changes: not in a subshell, a substitution, a pipeline of
/// several stages or the background, where another shell ends; nor in the body of a function, which
/// may run anywhere. An `exec` with nothing but redirections replaces nothing and stays.
#[must_use]
pub fn announce<'c>(command: &'c str, before: &str) -> Cow<'c, str> {
    // Quotes could hide the name, but then nothing is lost except what it was going to save.
    if !command.contains("exec") {
        return Cow::Borrowed(command);
    }
    let script = shell::parse(command);
    let mut found = Vec::new();
    own_commands(&script.root, &mut found);
    let mut insertions = Insertions::default();
    for one in found {
        if replaces_shell(&one.words) && can_be_followed(command, one) {
            insertions.add(one.span.start, format!("{{ {before}; "));
            insertions.add(one.span.end, "; }");
        }
    }
    insertions.apply(command)
}

/// The simple commands that the shell of a list runs itself.
fn own_commands<'s, 'a>(list: &'s CommandList<'a>, found: &mut Vec<&'s SimpleCommand<'a>>) {
    let own = list.items.iter().filter(|item| item.terminator != Terminator::Background);
    for pipeline in own.flat_map(|item| item.chain.pipelines()) {
        let [command] = pipeline.commands.as_slice() else { continue };
        let compound = match command {
            ShellCommand::Simple(simple) => {
                found.push(simple);
                continue;
            }
            ShellCommand::Compound(compound) => compound,
        };
        match &compound.kind {
            CompoundKind::Group(list)
            | CompoundKind::For { body: list, .. }
            | CompoundKind::ArithmeticFor { body: list, .. } => own_commands(list, found),
            CompoundKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    own_commands(condition, found);
                    own_commands(body, found);
                }
                if let Some(body) = otherwise {
                    own_commands(body, found);
                }
            }
            CompoundKind::While { condition, body } => {
                own_commands(condition, found);
                own_commands(body, found);
            }
            CompoundKind::Case { arms, .. } => {
                arms.iter().for_each(|arm| own_commands(&arm.body, found));
            }
            CompoundKind::Subshell(_)
            | CompoundKind::Function { .. }
            | CompoundKind::Coproc(_)
            | CompoundKind::Arithmetic(_)
            | CompoundKind::Test(_) => {}
        }
    }
}

/// Whether words are `exec`, perhaps behind `builtin` and `command`, with a program.
fn replaces_shell(words: &[ShellWord<'_>]) -> bool {
    let mut words = words.iter().map(super::call::text);
    let mut options = "";
    loop {
        let Some(word) = words.next() else { return false };
        match word.as_ref() {
            "exec" => break,
            "builtin" => options = "--",
            "command" => options = "-- -p",
            option if !options.is_empty() && options.split(' ').any(|one| one == option) => {}
            _ => return false,
        }
    }
    loop {
        let Some(word) = words.next() else { return false };
        match word.strip_prefix('-') {
            Some("-") => return words.next().is_some(),
            // `-a name`, also at the end of a bundle such as `-ca`.
            Some(letters) if letters.ends_with('a') => drop(words.next()),
            Some(letters) if !letters.is_empty() => {}
            _ => return true,
        }
    }
}

/// A backslash as the last character of the text would take what is put behind it for its own.
fn can_be_followed(command: &str, one: &SimpleCommand<'_>) -> bool {
    let text = one.span.of(command).as_bytes();
    text.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `«…»` marks what is expected to be put into a group.
    fn check(expected: &str) {
        let command = expected.replace(['«', '»'], "");
        let wanted = expected.replace('«', "{ save; ").replace('»', "; }");
        assert_eq!(announce(&command, "save"), wanted);
    }

    #[test]
    fn announces_each_exec_with_a_program() {
        for line in [
            "«exec ls»",
            "«exec ls -l 'a b'»; c",
            "cd x && «exec ls» || b",
            "«exec \"$@\"»",
            "«builtin exec ls»; «command exec ls»; «command -p -- exec ls»; «\\exec ls»",
            "«exec -a name ls»; «exec -cl ls»; «exec -ca name ls»; «exec -- ls»",
            "a\n«exec ls» # note\nb",
            "! «exec ls»",
            "time «exec ls»",
            "«exec ls»&&b",
        ] {
            check(line);
        }
    }

    #[test]
    fn keeps_assignments_and_redirections_inside() {
        check("«A=1 B=2 exec ls»");
        check("«exec ls >f 2>&1 </dev/null»");
        check("«>f exec ls»");
        check("«exec cat <<E»\nexec ls\nE\nb");
    }

    #[test]
    fn announces_inside_what_the_shell_runs_itself() {
        for line in [
            "if «exec a»; then «exec b»; elif c; then «exec d»; else «exec e»; fi",
            "while «exec a»; do «exec b»; done",
            "for x in y; do «exec a»; done; for ((;;)); do «exec b»; done",
            "case x in x) «exec a»;; y)«exec b»;; esac",
            "{ «exec a»; } >f",
        ] {
            check(line);
        }
    }

    #[test]
    fn leaves_an_exec_without_a_program() {
        for line in [
            "exec",
            "exec >f",
            "exec 3<x 4>&1",
            "exec {fd}>f",
            "exec -a name",
            "exec --",
            "exec -c",
            "builtin exec >f",
            "command exec",
        ] {
            check(line);
        }
    }

    #[test]
    fn leaves_an_exec_of_another_shell() {
        for line in [
            "(exec ls)",
            "x=$(exec ls)",
            "echo `exec ls` \"$(exec ls)\" <(exec ls)",
            "exec ls &",
            "a && exec ls &",
            "exec ls | b",
            "a | exec ls",
            "{ exec ls; } | b",
            "{ exec ls; } &",
            "coproc exec ls",
            "f() { exec ls; }",
            "cat <<E\n$(exec ls)\nE",
        ] {
            check(line);
        }
    }

    #[test]
    fn leaves_the_word_where_it_is_no_command() {
        for line in [
            "",
            "ls",
            "echo exec ls",
            "find . -exec ls \\;",
            "docker exec x ls",
            "# exec ls",
            "'exec ls'",
            "command -v exec ls",
            "env exec ls",
            "cat <<E\nexec ls\nE",
            "exec 'ls",
        ] {
            check(line);
        }
    }

    #[test]
    fn a_backslash_at_the_end_is_not_covered_up() {
        check("exec ls\\");
        check("«exec ls\\\\»");
    }
}
