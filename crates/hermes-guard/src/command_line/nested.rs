//! Commands inside commands: what a line hands, as text, to another shell.

use std::borrow::Cow;

use crate::shell::{
    self, CommandPosition, RedirectKind, ShellCommand, ShellScript, ShellWord, SimpleCommand,
};

use super::call::{LineCall, leading, text};

/// How many shells deep to look.
const MAX_SHELLS: u32 = 4;

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];

/// Programs, besides shells, that run what their arguments or their input say.
const CARRIERS: &[&str] = &[
    "at",
    "batch",
    "eval",
    "find",
    "flock",
    "parallel",
    "screen",
    "script",
    "su",
    "systemd-run",
    "tmux",
    "trap",
    "watch",
    "xargs",
];

/// Whether a program runs what it is given.
pub(super) fn carries(program: &str) -> bool {
    SHELLS.contains(&program) || CARRIERS.contains(&program)
}

/// Asks about every simple command of a text, those of nested shells included, until there is an
/// answer.
pub(super) fn find_command<T>(
    source: &str,
    ask: &mut dyn FnMut(&ShellScript<'_>, &CommandPosition<'_, '_>) -> Option<T>,
) -> Option<T> {
    find_within(source, MAX_SHELLS, ask)
}

fn find_within<T>(
    source: &str,
    shells: u32,
    ask: &mut dyn FnMut(&ShellScript<'_>, &CommandPosition<'_, '_>) -> Option<T>,
) -> Option<T> {
    let script = shell::parse(source);
    for place in script.simple_commands() {
        if let Some(answer) = ask(&script, &place) {
            return Some(answer);
        }
        if shells == 0 {
            continue;
        }
        for inner in handed_over(&script, &place) {
            if let Some(answer) = find_within(&inner, shells - 1, ask) {
                return Some(answer);
            }
        }
    }
    None
}

/// The texts that a command gives to a shell: `bash -c '…'`, `bash <<E`, `echo '…' | bash`.
fn handed_over<'a>(script: &ShellScript<'a>, place: &CommandPosition<'_, 'a>) -> Vec<Cow<'a, str>> {
    let mut texts = Vec::new();
    let Some(call) = LineCall::of(place.command) else { return texts };
    if carries(call.program()) {
        let arguments = place.command.words.iter().skip(1).map(script_of);
        texts.extend(arguments.filter(|text| text.contains([' ', '\t', '\n'])));
        texts.extend(input(script, place.command));
    }
    let Some(ShellCommand::Simple(reader)) = place.feeds() else { return texts };
    if !LineCall::of(reader).is_some_and(|reader| carries(reader.program())) {
        return texts;
    }
    match call.program() {
        "echo" | "printf" => texts.push(Cow::Owned(printed(call.args()))),
        "cat" => texts.extend(input(script, place.command)),
        _ => {}
    }
    texts
}

/// What `echo` and `printf` print, near enough: `\n` ends lines.
fn printed(args: &[Cow<'_, str>]) -> String {
    args[leading(args, "", &[]).len..].join(" ").replace("\\n", "\n")
}

/// Heredocs and here-strings.
fn input<'a>(script: &ShellScript<'a>, command: &SimpleCommand<'a>) -> Vec<Cow<'a, str>> {
    let text_of = |redirect: &shell::Redirect<'a>| match redirect.kind {
        RedirectKind::Heredoc => {
            let heredoc = script.heredocs.get(redirect.heredoc?)?;
            Some(Cow::Borrowed(heredoc.span.of(script.source)))
        }
        RedirectKind::HereString => Some(script_of(&redirect.target)),
        _ => None,
    };
    command.redirects.iter().filter_map(text_of).collect()
}

/// A word as a program for another shell. Expansions in double quotes stay what they are there.
fn script_of<'a>(word: &ShellWord<'a>) -> Cow<'a, str> {
    if word.literal().is_none()
        && let Some(inside) = word.text.strip_prefix('"').and_then(|text| text.strip_suffix('"'))
    {
        return Cow::Borrowed(inside);
    }
    text(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(line: &str) -> bool {
        find_command(line, &mut |_, place| {
            let call = LineCall::of(place.command)?;
            (call.program() == "target").then_some(())
        })
        .is_some()
    }

    #[test]
    fn looks_into_every_shell() {
        for line in [
            "target",
            "a; (target)",
            "a $(target)",
            "bash -c target' x'",
            "bash -lc 'a; target'",
            "sudo bash -c 'target x'",
            "bash -c \"cd $X; target\"",
            "su -c 'a && target'",
            "trap 'target x' EXIT",
            "bash <<E\ntarget\nE",
            "bash <<'E'\ntarget\nE",
            "bash <<< 'target x'",
            "echo target | sh",
            "echo -e 'a\\ntarget' | sh",
            "printf 'target\\n' x | bash",
            "cat <<E | bash\ntarget\nE",
            "tmux new -d 'target x'",
            "bash -c 'bash -c \"target x\"'",
            "echo 'target x' | at now",
        ] {
            assert!(finds(line), "{line}");
        }
    }

    #[test]
    fn text_that_nobody_runs_is_text() {
        for line in [
            "echo 'a; target'",
            "grep 'x; target' f",
            "git commit -m 'a; target'",
            "echo target | cat",
            "cat <<E\ntarget\nE",
            "cat <<< 'target x'",
            "# target",
            "echo bash -c 'target x'",
        ] {
            assert!(!finds(line), "{line}");
        }
    }

    #[test]
    fn depth_has_an_end() {
        let nest = |depth: u32| {
            (0..depth).fold("target x".to_owned(), |inner, _| {
                format!("eval '{} '", inner.replace('\'', "'\\''"))
            })
        };
        assert!(finds(&nest(MAX_SHELLS)));
        assert!(!finds(&nest(MAX_SHELLS + 1)));
    }
}
