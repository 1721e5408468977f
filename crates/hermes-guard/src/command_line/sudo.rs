//! Passwords for `sudo`.
//!
//! A command of the terminal tool has no terminal, so `sudo` cannot ask for a password. It could read
//! one from its input (`-S`), but its input is the command's own: `echo x | sudo tee f` would try `x`.
//! With `-A` it runs a program that tells it, and hands that its prompt as the only argument.
//!
//! The caller asks [`asks`] whether there is anything to do, and then has [`with_options`] put the
//! options it chose behind each `sudo`. Afterwards [`refused`] and [`needs_terminal`] tell from the
//! output what became of it. No password passes through here.

use std::borrow::Cow;

use crate::shell::{self, CommandPosition};

use super::call::{LineCall, sudo_options};
use super::insertions::Insertions;

/// The names that surely mean the system's `sudo`. A password is not handed to `./sudo`.
const NAMES: &[&str] =
    &["sudo", "/bin/sudo", "/usr/bin/sudo", "/usr/local/bin/sudo", "/run/wrappers/bin/sudo"];

/// Whether a command line has a `sudo` that would ask for a password.
#[must_use]
pub fn asks(command: &str) -> bool {
    let script = shell::parse(command);
    script.simple_commands().iter().any(|place| asks_for_password(place).is_some())
}

/// Gives these options to every `sudo` of a command line that would ask for a password.
///
/// A `sudo` counts where it is the command word, also behind wrappers that leave the input alone
/// (`env A=1 sudo`, `timeout 5 sudo`), in functions and in substitutions. It does not in quotes,
/// comments, arguments or bodies of heredocs. One that was told how to get its password (`-S`, `-A`,
/// `-n`), or that needs none (`-K`, `-V`, `--help`, a lone `-k`), stays as it is.
///
/// The options are written as they are, so they must be quoted for a shell.
#[must_use]
pub fn with_options<'c>(command: &'c str, options: &str) -> Cow<'c, str> {
    let script = shell::parse(command);
    let behind = format!(" {options}");
    let mut insertions = Insertions::default();
    for place in script.simple_commands() {
        if let Some(at) = asks_for_password(&place) {
            insertions.add(at, &behind);
        }
    }
    insertions.apply(command)
}

/// Where the word of a `sudo` ends that would ask.
fn asks_for_password(place: &CommandPosition<'_, '_>) -> Option<usize> {
    if place.nesting.heredoc {
        return None;
    }
    let call = LineCall::of(place.command)?;
    // Only the outermost one: a `sudo` that another one starts is root's.
    let (index, _) = call.layers().find(|(_, name)| *name == "sudo")?;
    let word = place.command.words.get(index)?;
    if !word.is_plain() || !NAMES.contains(&word.text) {
        return None;
    }
    let args: Vec<_> = place.command.words[index + 1..].iter().map(super::call::text).collect();
    let options = sudo_options(&args);
    let has = |letter: char, name: &str| {
        options.letters.contains(letter) || options.names.contains(&name)
    };
    let told_how = has('S', "stdin") || has('A', "askpass") || has('n', "non-interactive");
    let forgets_only = has('k', "reset-timestamp") && options.len == args.len();
    let asks_nothing = has('K', "remove-timestamp")
        || has('V', "version")
        || options.names.contains(&"help")
        || forgets_only;
    (!told_how && !asks_nothing).then_some(word.span.end)
}

/// Whether `sudo` says in its output that the password it got was wrong.
#[must_use]
pub fn refused(output: &str) -> bool {
    // Phrases that only `sudo` uses.
    const OWN: &[&str] =
        &["incorrect password attempt", "incorrect authentication attempt", "sorry, try again"];
    // Phrases that others use too: `git` and `ssh` put their own names or `fatal:` before them.
    const SHARED: &[&str] = &["authentication failed", "authentication failure"];
    output.lines().any(|line| {
        let line = line.to_ascii_lowercase();
        OWN.iter().any(|phrase| line.contains(phrase))
            || SHARED.iter().filter_map(|phrase| line.find(phrase)).any(|at| {
                let before = line[..at].trim_start();
                before.is_empty() || before.starts_with("sudo")
            })
    })
}

/// Whether `sudo` says in its output that it had nobody to ask for a password.
#[must_use]
pub fn needs_terminal(output: &str) -> bool {
    const PHRASES: &[&str] =
        &["a password is required", "no tty present", "a terminal is required"];
    output.lines().any(|line| {
        let line = line.to_ascii_lowercase();
        PHRASES.iter().any(|phrase| line.contains(phrase))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `@` stands for what is put in; as many as there are `@` are expected.
    fn check(expected: &str) {
        let command = expected.replace('@', "");
        assert!(asks(&command), "{expected}");
        assert_eq!(with_options(&command, "-A -p x"), expected.replace('@', " -A -p x"));
    }

    #[test]
    fn rewrites_command_words() {
        for line in [
            "sudo@ ls",
            "sudo@ -u root ls",
            "sudo@ ls; sudo@ id",
            "a | sudo@ tee f && sudo@ b || sudo@ c & sudo@ d",
            "(sudo@ a)",
            "case x in x) sudo@ a;; y) sudo@ b;; esac",
            "a\nsudo@ b",
            "sudo@ a \\\n  && sudo@ b",
            "/usr/bin/sudo@ ls",
            "sudo@ -v",
            "sudo@ -k ls",
            "sudo@>f ls",
        ] {
            check(line);
        }
    }

    #[test]
    fn rewrites_behind_keywords_assignments_and_wrappers() {
        for line in [
            "if sudo@ a; then sudo@ b; elif sudo@ c; then d; else sudo@ e; fi",
            "while sudo@ a; do sudo@ b; done; for x in y; do sudo@ c; done",
            "{ sudo@ a; }; ! sudo@ b; time sudo@ c; time -p sudo@ d",
            "A=1 B='x y' sudo@ a",
            ">f sudo@ a",
            "env A=1 sudo@ a; nohup sudo@ b; timeout 5 sudo@ c; nice -n 3 sudo@ d; exec sudo@ e",
            "f() { sudo@ a; }; f",
        ] {
            check(line);
        }
    }

    #[test]
    fn rewrites_inside_substitutions() {
        check("echo $(sudo@ a) \"$(sudo@ b)\" `sudo@ c` \"`sudo@ d`\" <(sudo@ e)");
        check("x=$(sudo@ a)");
    }

    #[test]
    fn leaves_words_that_are_no_commands() {
        for line in [
            "",
            "ls",
            "echo sudo ls",
            "apt install sudo",
            "which sudo",
            "man sudo",
            "sudoedit f",
            "'sudo ls'",
            "echo \"; sudo ls\"",
            "'sudo' ls",
            "\\sudo ls",
            "ls # sudo ls",
            "# sudo ls",
            "cat <<E\nsudo ls\nE",
            "bash <<'E'\nsudo ls\n$(sudo id)\nE",
            "cat <<E\n$(sudo id)\nE",
            "bash -c 'sudo ls'",
            "./sudo ls",
            "x=sudo",
            "command -v sudo",
            "xargs sudo rm",
            "eval sudo ls",
            "> sudo",
            "[[ sudo ]]",
            "for sudo in a; do b; done",
            "$(echo sudo) ls",
        ] {
            assert!(!asks(line), "{line}");
        }
    }

    #[test]
    fn leaves_a_sudo_that_needs_nothing_from_us() {
        for line in [
            "sudo -S ls",
            "sudo -A ls",
            "sudo -n ls",
            "sudo --stdin ls",
            "sudo --askpass ls",
            "sudo --non-interactive ls",
            "sudo -kS ls",
            "sudo -u root -n ls",
            "sudo -nu root ls",
            "sudo A=1 -n ls",
            "sudo -K",
            "sudo -k",
            "sudo -V",
            "sudo --help",
            "sudo --version",
        ] {
            assert!(!asks(line), "{line}");
        }
        check("sudo -n true || sudo@ ls");
    }

    #[test]
    fn options_of_the_program_are_not_those_of_sudo() {
        check("sudo@ ls -S");
        check("sudo@ -u S ls -n");
        check("sudo@ -p -n ls");
        check("sudo@ -uA ls");
        check("sudo@ -- -n");
    }

    #[test]
    fn an_inner_sudo_belongs_to_the_outer_one() {
        check("sudo@ -u a sudo -u b ls");
    }

    #[test]
    fn the_body_of_a_heredoc_stays_while_its_command_changes() {
        check("sudo@ tee f <<E\nsudo x\n$(sudo y)\nE\nsudo@ z");
    }

    #[test]
    fn only_complete_lines_are_rewritten() {
        check("sudo@ a\nsudo 'b");
    }

    #[test]
    fn knows_a_refused_password() {
        for output in [
            "Sorry, try again.\nsudo: 3 incorrect password attempts",
            "sudo: 1 incorrect password attempt",
            "sudo: Authentication failed, try again.",
            "Authentication failed",
            "sudo: Maximum 3 incorrect authentication attempts reached",
            "sudo: PAM: Authentication failure",
        ] {
            assert!(refused(output), "{output}");
        }
        for output in [
            "",
            "fatal: Authentication failed for 'https://example.org/x.git/'",
            "psql: password authentication failed for user \"x\"",
            "sudo: a password is required",
            "the password is incorrect",
        ] {
            assert!(!refused(output), "{output}");
        }
    }

    #[test]
    fn knows_a_missing_terminal() {
        for output in [
            "sudo: a password is required",
            "sudo: no tty present and no askpass program specified",
            "sudo: a terminal is required to read the password; either use the -S option",
            "x\nSUDO: A Password Is Required\ny",
        ] {
            assert!(needs_terminal(output), "{output}");
        }
        for output in ["", "password required", "sudo: 1 incorrect password attempt"] {
            assert!(!needs_terminal(output), "{output}");
        }
    }
}
