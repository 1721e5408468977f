//! The program that a simple command really runs, behind `sudo`, `env`, `timeout` and their like.
//!
//! [`LineCall::of`] reads the words of a command from the left. As long as the program is one that runs
//! another, its options (with their values), assignments and operands are skipped; each program met on
//! the way is a layer. Only wrappers whose input, output and exit code are those of the program inside
//! count: `xargs` and `bash -c` are none.
//!
//! Words that depend on variables are kept as they stand in the source. They are never taken for a
//! name they might turn out to be.

use std::borrow::Cow;

use crate::shell::{ShellWord, SimpleCommand};

/// A program that runs the program named by its arguments.
struct Wrapper {
    name: &'static str,
    /// Letters of options that take a value.
    short: &'static str,
    /// Names of options that take a value.
    long: &'static [&'static str],
    /// Operands before the program (`timeout 5 …`).
    operands: usize,
    /// Letters of options with which nothing is run (`command -v`).
    instead: &'static str,
}

const fn wrapper(
    name: &'static str,
    short: &'static str,
    long: &'static [&'static str],
) -> Wrapper {
    Wrapper { name, short, long, operands: 0, instead: "" }
}

const SUDO_VALUES: &str = "CDghpRrTtUu";
const SUDO_LONG_VALUES: &[&str] = &[
    "chdir",
    "chroot",
    "close-from",
    "command-timeout",
    "group",
    "host",
    "other-user",
    "prompt",
    "role",
    "type",
    "user",
];

const WRAPPERS: &[Wrapper] = &[
    Wrapper { instead: "eKlVv", ..wrapper("sudo", SUDO_VALUES, SUDO_LONG_VALUES) },
    wrapper("doas", "Cu", &[]),
    wrapper("env", "CSu", &["chdir", "split-string", "unset"]),
    wrapper("nice", "n", &["adjustment"]),
    wrapper("ionice", "cnPpu", &["class", "classdata", "pgid", "pid", "uid"]),
    Wrapper { operands: 1, ..wrapper("timeout", "ks", &["kill-after", "signal"]) },
    wrapper("stdbuf", "eio", &["error", "input", "output"]),
    wrapper("time", "fo", &["format", "output"]),
    wrapper("nohup", "", &[]),
    wrapper("setsid", "", &[]),
    Wrapper { instead: "Vv", ..wrapper("command", "", &[]) },
    wrapper("builtin", "", &[]),
    wrapper("exec", "a", &[]),
];

/// The words of a simple command and where the program of each layer stands among them.
pub(super) struct LineCall<'a> {
    words: Vec<Cow<'a, str>>,
    layers: Vec<usize>,
}

impl<'a> LineCall<'a> {
    /// The call a simple command makes; nothing when it only assigns or redirects.
    pub(super) fn of(command: &SimpleCommand<'a>) -> Option<Self> {
        Self::of_words(command.words.iter().map(text).collect())
    }

    /// The call that words make.
    pub(super) fn of_words(words: Vec<Cow<'a, str>>) -> Option<Self> {
        let mut at = 0;
        let mut layers = Vec::new();
        while at < words.len() {
            layers.push(at);
            let Some(wrapper) = WRAPPERS.iter().find(|one| one.name == base_name(&words[at]))
            else {
                break;
            };
            match behind(wrapper, &words[at + 1..]) {
                Some(skipped) => at += 1 + skipped,
                None => break,
            }
        }
        if layers.is_empty() { None } else { Some(Self { words, layers }) }
    }

    /// The name of the innermost program, without its folder.
    pub(super) fn program(&self) -> &str {
        self.words().first().map_or("", |word| base_name(word))
    }

    /// What the innermost program is given.
    pub(super) fn args(&self) -> &[Cow<'a, str>] {
        self.words().get(1..).unwrap_or_default()
    }

    /// The innermost program and what it is given.
    pub(super) fn words(&self) -> &[Cow<'a, str>] {
        let at = self.layers.last().copied().unwrap_or_default();
        self.words.get(at..).unwrap_or_default()
    }

    /// Every program from the outside in: its index among the words, and its name without a folder.
    pub(super) fn layers(&self) -> impl Iterator<Item = (usize, &str)> {
        self.layers.iter().filter_map(|at| Some((*at, base_name(self.words.get(*at)?))))
    }

    /// Whether one of the layers has this name.
    pub(super) fn runs_through(&self, name: &str) -> bool {
        self.layers().any(|(_, layer)| layer == name)
    }

    /// Whether it only asks for help or for a version.
    pub(super) fn asks_for_help(&self) -> bool {
        self.args().iter().any(|arg| matches!(arg.as_ref(), "--help" | "--version"))
            || self.args().last().is_some_and(|arg| matches!(arg.as_ref(), "-h" | "-v"))
    }
}

/// What a word stands for; its source where that is not known before it runs.
pub(super) fn text<'a>(word: &ShellWord<'a>) -> Cow<'a, str> {
    word.literal().unwrap_or(Cow::Borrowed(word.text))
}

/// A program without its folder.
pub(super) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The options at the front of arguments: letters and names, without their values.
#[derive(Debug, Default)]
pub(super) struct Leading<'w> {
    pub(super) letters: String,
    pub(super) names: Vec<&'w str>,
    /// How many words they are, values included.
    pub(super) len: usize,
}

/// Reads options up to the first operand. `short` and `long` are those that take a value.
pub(super) fn leading<'w>(args: &'w [Cow<'_, str>], short: &str, long: &[&str]) -> Leading<'w> {
    let mut found = Leading::default();
    while let Some(arg) = args.get(found.len) {
        let Some(option) = arg.strip_prefix('-').filter(|option| !option.is_empty()) else { break };
        found.len += 1;
        match option.strip_prefix('-') {
            Some("") => break,
            Some(name) => {
                found.len += usize::from(long.contains(&name));
                found.names.push(name.split_once('=').map_or(name, |(name, _)| name));
            }
            None => match option.find(|letter| short.contains(letter)) {
                Some(at) => {
                    let bare = option[at..].chars().nth(1).is_none();
                    found.len += usize::from(bare);
                    found.letters.push_str(option);
                    found.letters.truncate(found.letters.len() - (option.len() - at) + 1);
                }
                None => found.letters.push_str(option),
            },
        }
    }
    found.len = found.len.min(args.len());
    found
}

/// The options of a `sudo`, assignments among them skipped.
pub(super) fn sudo_options<'w>(args: &'w [Cow<'_, str>]) -> Leading<'w> {
    let mut all = Leading::default();
    loop {
        let more = leading(&args[all.len..], SUDO_VALUES, SUDO_LONG_VALUES);
        all.letters.push_str(&more.letters);
        all.names.extend(more.names);
        all.len += more.len;
        match args.get(all.len) {
            Some(word) if is_assignment(word) => all.len += 1,
            _ => return all,
        }
    }
}

/// How many arguments of a wrapper stand before the program it runs.
fn behind(wrapper: &Wrapper, args: &[Cow<'_, str>]) -> Option<usize> {
    let options = leading(args, wrapper.short, wrapper.long);
    if options.letters.contains(|letter| wrapper.instead.contains(letter)) {
        return None;
    }
    let mut at = options.len + wrapper.operands;
    if matches!(wrapper.name, "env" | "sudo") {
        at += args.get(at..)?.iter().take_while(|word| is_assignment(word)).count();
    }
    (at < args.len()).then_some(at)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(line: &str) -> String {
        let words = line.split(' ').map(Cow::Borrowed).collect();
        LineCall::of_words(words).map(|call| call.words().join(" ")).unwrap_or_default()
    }

    #[test]
    fn sees_through_wrappers_and_their_options() {
        for wrapper in [
            "sudo",
            "sudo -u root",
            "sudo -nu root --",
            "sudo --user root -E A=1",
            "doas -u x",
            "env",
            "env -i A=1 B=2",
            "env -u X",
            "nice",
            "nice -n 5",
            "nice -10",
            "ionice -c 3",
            "timeout 5",
            "timeout -k 1 -s INT 5",
            "timeout --signal=INT 5s",
            "stdbuf -oL",
            "/usr/bin/time -f %e",
            "nohup",
            "setsid",
            "command",
            "command -p",
            "exec -a name",
            "sudo env A=1 timeout 5 nice",
        ] {
            assert_eq!(program(&format!("{wrapper} grep -r x")), "grep -r x", "{wrapper}");
        }
    }

    #[test]
    fn a_wrapper_without_a_program_is_the_program() {
        for line in ["sudo", "sudo -l grep", "command -v grep", "env A=1", "timeout 5", "nice -n 5"]
        {
            assert_eq!(program(line), line);
        }
    }

    #[test]
    fn names_every_layer() {
        let words = ["/usr/bin/sudo", "timeout", "5", "./x/vite"].map(Cow::Borrowed).to_vec();
        let call = LineCall::of_words(words).unwrap();
        assert_eq!(call.layers().collect::<Vec<_>>(), [(0, "sudo"), (1, "timeout"), (3, "vite")]);
        assert!(call.runs_through("timeout") && !call.runs_through("env"));
        assert_eq!(call.program(), "vite");
    }

    #[test]
    fn reads_leading_options() {
        let args = ["-nu", "me", "-Hux", "--stdin", "--user", "me", "cmd", "-S"].map(Cow::Borrowed);
        let options = leading(&args, SUDO_VALUES, SUDO_LONG_VALUES);
        assert_eq!((options.letters.as_str(), options.len), ("nuHu", 6));
        assert_eq!(options.names, ["stdin", "user"]);
    }
}
