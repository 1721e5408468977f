//! Which commands print environment variables.
//!
//! Their output is a list of names and values, and guessing from names is right there. A wrong answer
//! in this direction hides a little too much, so the reading of the command is generous.

/// Commands that print variables.
const PRINTERS: [&str; 6] = ["env", "printenv", "set", "export", "declare", "typeset"];
/// Commands that run the command after them.
const WRAPPERS: [&str; 16] = [
    "sudo", "doas", "command", "builtin", "exec", "nohup", "time", "nice", "ionice", "stdbuf",
    "timeout", "xargs", "setsid", "chroot", "then", "do",
];
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];
/// How deep shells in shells are followed.
const DEEPEST: usize = 4;

/// Whether a command's output lists environment variables.
pub(super) fn prints_environment(command: &str) -> bool {
    prints(command, DEEPEST)
}

fn prints(command: &str, depth: usize) -> bool {
    segments(command).iter().any(|words| segment_prints(words, depth))
}

fn segment_prints(words: &[String], depth: usize) -> bool {
    if words.iter().any(|word| is_variable_file(word)) {
        return true;
    }
    // `docker exec web env`, `ssh host printenv`
    if words.last().is_some_and(|last| matches!(base(last), "env" | "printenv")) {
        return true;
    }
    let mut rest = words.iter().enumerate().filter(|(_, word)| {
        !word.starts_with('-')
            && !word.contains('=')
            && !word.starts_with(|c: char| c.is_ascii_digit())
    });
    let Some((at, name)) = rest.find(|(_, word)| !WRAPPERS.contains(&base(word))) else {
        return false;
    };
    if PRINTERS.contains(&base(name)) {
        return true;
    }
    // `sudo -u user env`: the word after an option may be its value.
    if at > 0
        && words[at - 1].starts_with('-')
        && let Some((_, next)) = rest.next()
        && PRINTERS.contains(&base(next))
    {
        return true;
    }
    let runs_text = words.iter().any(|word| SHELLS.contains(&base(word)) || base(word) == "ssh")
        || matches!(base(name), "eval" | "su" | "docker" | "podman" | "kubectl" | "wsl");
    depth > 0 && runs_text && words.iter().any(|word| prints(word, depth - 1))
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Files that hold variables: `.env`, `.env.local`, `app.env`, `/proc/1/environ`.
fn is_variable_file(word: &str) -> bool {
    let name = base(word.rsplit(['<', '=']).next().unwrap_or(word));
    name == ".env"
        || name.starts_with(".env.")
        || name.ends_with(".env") && name.len() > 4
        || name == ".envrc"
        || name == "environ" && word.contains("/proc/")
}

/// The words of each simple command, without quotes.
fn segments(command: &str) -> Vec<Vec<String>> {
    let mut segments = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                if let Some(next) = characters.next() {
                    word.get_or_insert_default().push(next);
                }
            }
            (Some(_), inside) => word.get_or_insert_default().push(inside),
            (None, ';' | '|' | '&' | '\n' | '(' | ')' | '`' | '{' | '}') => {
                end_word(&mut segments, &mut word);
                segments.push(Vec::new());
            }
            (None, blank) if blank.is_whitespace() => end_word(&mut segments, &mut word),
            (None, plain) => word.get_or_insert_default().push(plain),
        }
    }
    end_word(&mut segments, &mut word);
    segments
}

fn end_word(segments: &mut [Vec<String>], word: &mut Option<String>) {
    if let (Some(word), Some(segment)) = (word.take(), segments.last_mut()) {
        segment.push(word);
    }
}
