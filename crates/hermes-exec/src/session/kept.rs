//! What a shell on this machine leaves for the next one, taken apart.
//!
//! Most of a state is plain variables, and a shell that finds these in its environment starts in
//! half the time of one that reads them from a script. So they are taken out of the state and
//! handed over as an environment; what a shell must read itself (functions, aliases, variables of
//! other kinds) stays a script, which most sessions do not have.
//!
//! The text is bash's own listing of its variables. It is read up to the first thing that is not
//! understood to the last byte; from there on all of it is script, which is always right.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use crate::child_env::is_session_variable;

/// The end of every state, which says nothing about the session.
const TAIL: &[u8] = b"shopt -s expand_aliases\nset +e\nset +u\n";
/// What the listing of a variable begins with.
const DECLARE: &[u8] = b"declare -";
/// The longest value that is handed over: the kernel takes no longer ones.
const LONGEST_VALUE: usize = 100_000;
/// The most bytes handed over in all, well below what the kernel takes.
const MOST_BYTES: usize = 500_000;

/// What the next shell begins with.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct KeptState {
    /// In its environment.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// What it reads first; most often nothing.
    pub(crate) script: Vec<u8>,
    /// The directory `cd -` leads to.
    pub(crate) previous: Option<OsString>,
}

impl KeptState {
    /// Takes the body of a complete state apart.
    pub(crate) fn of(state: &[u8]) -> Self {
        let mut kept = Self::default();
        let mut rest = state.strip_suffix(TAIL).unwrap_or(state);
        let mut room = MOST_BYTES;
        while let Some((declared, after)) = declaration(rest) {
            match declared {
                Declared::Plain(name, value) if room > name.len() + value.len() => {
                    room -= name.len() + value.len();
                    kept.take(name, value, &rest[..rest.len() - after.len()]);
                }
                Declared::Plain(name, _) | Declared::Other(name) => {
                    // A new shell says itself that it has been nowhere else.
                    if !is_session_variable(name) && name != "OLDPWD" {
                        kept.script.extend_from_slice(&rest[..rest.len() - after.len()]);
                    }
                }
            }
            rest = after;
        }
        kept.script.extend_from_slice(rest);
        kept
    }

    /// Takes a variable from an earlier time, or away if there was none.
    pub(crate) fn put_back(&mut self, name: &str, before: &Self) {
        self.variables.retain(|(other, _)| other != name);
        let own = before.variables.iter().find(|(other, _)| other == name);
        self.variables.extend(own.cloned());
    }

    fn take(&mut self, name: &str, value: Vec<u8>, text: &[u8]) {
        match name {
            // Set by the shell itself when it enters its directory.
            "PWD" => {}
            "OLDPWD" => self.previous = Some(OsString::from_vec(value)),
            // A shell counts itself.
            "SHLVL" => match str::from_utf8(&value).ok().and_then(|level| level.parse().ok()) {
                Some(level @ 1_u32..) => {
                    let before = OsString::from((level - 1).to_string());
                    self.variables.push((name.into(), before));
                }
                _ => self.script.extend_from_slice(text),
            },
            name if is_session_variable(name) => {}
            name if steers_a_shell(name) || value.len() > LONGEST_VALUE => {
                self.script.extend_from_slice(text);
            }
            name => self.variables.push((name.into(), OsString::from_vec(value))),
        }
    }
}

/// Whether a shell that starts with this variable behaves otherwise than one that is told it later.
fn steers_a_shell(name: &str) -> bool {
    name.starts_with("BASH")
        || matches!(name, "ENV" | "IFS" | "PS4" | "POSIXLY_CORRECT" | "SHELLOPTS" | "_")
}

enum Declared<'a> {
    /// A variable with a value that is not more than text.
    Plain(&'a str, Vec<u8>),
    /// One without a value, or with one that is written in another way.
    Other(&'a str),
}

/// The first declaration of the text, and what follows it.
fn declaration(text: &[u8]) -> Option<(Declared<'_>, &[u8])> {
    let (kind, after) = word(text.strip_prefix(DECLARE)?)?;
    let (name, after) = word(after.strip_prefix(b" ")?)?;
    if let Some(after) = after.strip_prefix(b"\n") {
        return Some((Declared::Other(name), after));
    }
    if let Some(quoted) = after.strip_prefix(b"=$'") {
        let after = &quoted[closing(quoted, b'\'')? + 1..];
        return Some((Declared::Other(name), after.strip_prefix(b"\n")?));
    }
    let quoted = after.strip_prefix(b"=\"")?;
    let close = closing(quoted, b'"')?;
    let after = quoted[close + 1..].strip_prefix(b"\n")?;
    if kind != "x" {
        return Some((Declared::Other(name), after));
    }
    let mut value = Vec::with_capacity(close);
    let mut bytes = quoted[..close].iter();
    while let Some(byte) = bytes.next() {
        value.push(if *byte == b'\\' { *bytes.next()? } else { *byte });
    }
    Some((Declared::Plain(name, value), after))
}

/// A name, and what follows it.
fn word(text: &[u8]) -> Option<(&str, &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
    let (word, after) = text.split_at(end);
    Some((str::from_utf8(word).ok()?, after))
}

/// Where the quotation ends.
fn closing(quoted: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    quoted.iter().position(|byte| {
        let ends = *byte == quote && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(state: &str) -> (Vec<(String, String)>, String) {
        let kept = KeptState::of(state.as_bytes());
        let text = |part: &OsString| part.to_str().unwrap().to_owned();
        let variables = kept.variables.iter().map(|(name, value)| (text(name), text(value)));
        (variables.collect(), String::from_utf8(kept.script).unwrap())
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn plain_variables_are_handed_over_and_nothing_is_left_to_read() {
        let state = "declare -x A=\"1\"\ndeclare -x B=\"a \\\"b\\\" \\$c \\`d\\` \\\\\"\ndeclare -x \
                     C=\"two\nlines\"\ndeclare -x D=\"\"\nshopt -s expand_aliases\nset +e\nset +u\n";
        let expected = [("A", "1"), ("B", "a \"b\" $c `d` \\"), ("C", "two\nlines"), ("D", "")];
        assert_eq!(kept(state), (pairs(&expected), String::new()));
    }

    #[test]
    fn what_is_not_plain_stays_a_script_in_its_order() {
        let state = "declare -x A=\"1\"\ndeclare -x B=$'x\\'\\ny'\ndeclare -x C\ndeclare -x \
                     D=\"2\"\ndeclare -ix N=\"3\"\ndeclare -x O=\"4\"\ndeclare -ax P=([0]=\"1\")\ndeclare \
                     -x Z=\"5\"\nf () \n{ \n    declare -x Q=\"6\"\n}\nalias x='y'\n";
        let (variables, script) = kept(state);
        assert_eq!(variables, pairs(&[("A", "1"), ("D", "2"), ("O", "4")]));
        let expected = "declare -x B=$'x\\'\\ny'\ndeclare -x C\ndeclare -ix N=\"3\"\ndeclare -ax \
                        P=([0]=\"1\")\ndeclare -x Z=\"5\"\nf () \n{ \n    declare -x Q=\"6\"\n}\nalias \
                        x='y'\n";
        assert_eq!(script, expected);
    }

    #[test]
    fn a_variable_that_steers_shells_does_not_steer_the_next_one() {
        let state = "declare -x BASH_ENV=\"/x\"\ndeclare -x POSIXLY_CORRECT=\"\"\n";
        assert_eq!(kept(state), (Vec::new(), state.to_owned()));
    }

    #[test]
    fn the_level_stays_and_the_directories_are_left_to_the_shell() {
        assert_eq!(KeptState::of(b"declare -x OLDPWD\n"), KeptState::default());
        let state =
            b"declare -x OLDPWD=\"/old\"\ndeclare -x PWD=\"/new\"\ndeclare -x SHLVL=\"3\"\n";
        let kept = KeptState::of(state);
        assert_eq!(kept.variables, [(OsString::from("SHLVL"), OsString::from("2"))]);
        assert_eq!((kept.previous, kept.script), (Some(OsString::from("/old")), Vec::new()));
    }

    #[test]
    fn a_variable_of_before_comes_back_or_goes() {
        let before = KeptState::of(b"declare -x A=\"own\"\n");
        let mut now = KeptState::of(b"declare -x A=\"ours\"\ndeclare -x B=\"ours\"\n");
        now.put_back("A", &before);
        now.put_back("B", &before);
        assert_eq!(now, before);
    }

    #[test]
    fn whose_command_it_was_is_not_handed_on() {
        let state = "declare -x HERMES_SESSION_KEY=\"a\"\ndeclare -x \
                     HERMES_CRON_AUTO_DELIVER_CHAT_ID=$'b\\n'\ndeclare -x HERMES_SESSION_ID\n";
        assert_eq!(kept(state), (Vec::new(), String::new()));
    }

    #[test]
    fn what_is_too_long_for_an_environment_is_read() {
        let long = format!("declare -x A=\"{}\"\n", "x".repeat(LONGEST_VALUE + 1));
        assert_eq!(kept(&long), (Vec::new(), long.clone()));
        let many: String =
            (0..10).map(|n| format!("declare -x A{n}=\"{}\"\n", "x".repeat(90_000))).collect();
        let (variables, script) = kept(&many);
        assert_eq!(variables.len(), 5);
        assert_eq!(script.lines().count(), 5);
    }
}
