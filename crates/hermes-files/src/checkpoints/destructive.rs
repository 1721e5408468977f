//! Guessing from a shell command whether it may destroy files.
//!
//! Only decides whether a checkpoint is worth taking first, so it errs on the side of "may":
//! `2>/dev/null` and `pip install x` count. It is no guard, and nothing is refused because of it.

/// Programs that remove, move or overwrite files when given any argument.
const PROGRAMS: [&str; 8] = ["rm", "rmdir", "cp", "install", "mv", "truncate", "dd", "shred"];
/// Git commands that discard work; `restore` is the newer spelling of a part of `checkout`.
const GIT_COMMANDS: [&str; 4] = ["reset", "clean", "checkout", "restore"];

/// Whether a shell command looks as if it removed or overwrote files.
///
/// It does if one of the usual programs begins a word and has something after it, if `sed` edits
/// in place, if `git` is told to discard work, or if output goes to a file with a single `>`.
#[must_use]
pub fn looks_destructive(command: &str) -> bool {
    overwrites_by_redirect(command) || command_starts(command).any(starts_destructive)
}

/// Every place where a command may begin. Whitespace counts, to see through `sudo` and `xargs`.
fn command_starts(command: &str) -> impl Iterator<Item = &str> {
    command.split_inclusive(is_boundary).scan(0, |at, piece| {
        let start = *at;
        *at += piece.len();
        command.get(start..)
    })
}

fn is_boundary(c: char) -> bool {
    c.is_whitespace() || matches!(c, '&' | '|' | ';' | '`' | '(')
}

fn starts_destructive(text: &str) -> bool {
    let Some((word, rest)) = text.split_once(char::is_whitespace) else { return false };
    match word {
        "sed" => edits_in_place(rest),
        "git" => discards_work(rest),
        _ => PROGRAMS.contains(&word),
    }
}

/// Whether one of the options before the script is `-i`, alone or in a bundle.
fn edits_in_place(arguments: &str) -> bool {
    arguments.split_whitespace().take_while(|word| word.starts_with('-')).any(|option| match option
        .strip_prefix("--")
    {
        Some(long) => long.starts_with("in-place"),
        None => option.contains('i'),
    })
}

fn discards_work(arguments: &str) -> bool {
    let mut words = arguments.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" => drop(words.next()),
            _ if word.starts_with('-') => {}
            _ => {
                let followed = words.peek().is_some() || arguments.ends_with(char::is_whitespace);
                return followed && GIT_COMMANDS.contains(&word);
            }
        }
    }
    false
}

/// Whether there is a `>` that is no `>>` and has something after it.
fn overwrites_by_redirect(command: &str) -> bool {
    let bytes = command.trim_end().as_bytes();
    let redirect = |at: usize| bytes.get(at) == Some(&b'>');
    (0..bytes.len()).any(|at| {
        let alone = at == 0 || !redirect(at - 1);
        redirect(at) && alone && at + 1 < bytes.len() && !redirect(at + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sees_commands_that_destroy() {
        for command in [
            "rm -rf build",
            "cd x && rm y",
            "true||mv a b",
            "ls;rmdir d",
            "echo `rm x`",
            "echo $(rm x)",
            "find . | xargs rm -f",
            "sudo dd if=a of=b",
            "cp a b",
            "pip install x",
            "truncate -s0 f",
            "shred f",
            "sed -i s/a/b/ f",
            "sed -n -Ei s/a/b/ f",
            "sed --in-place=.bak s/a/b/ f",
            "git reset --hard",
            "git -C sub checkout .",
            "git clean -fd",
            "git restore .",
            "echo x > f",
            "> f",
            "make 2>/dev/null",
            "cat <<E\nx\nE\nrm f",
        ] {
            assert!(looks_destructive(command), "{command}");
        }
    }

    #[test]
    fn leaves_harmless_commands_alone() {
        for command in [
            "",
            "ls -la",
            "rm",
            "git status",
            "git log --oneline",
            "sed s/i/j/ f",
            "sed -n 1p install.md",
            "echo x >> f",
            "echo x >",
            "charm rmx",
            "cat format.rs",
        ] {
            assert!(!looks_destructive(command), "{command}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_overwritten_without_a_redirect_or_a_known_program(command in "[^>a-z]*") {
            prop_assert!(!looks_destructive(&command));
        }

        #[test]
        fn a_removal_is_seen_after_any_word(word in "[a-z]{0,8}") {
            let command = format!("{word} rm x");
            prop_assert!(looks_destructive(&command));
        }
    }
}
