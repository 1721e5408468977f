//! What earlier commands left in the shell that runs the next one.

use std::collections::{HashMap, HashSet};

use crate::shell::{
    self, CompoundKind, ParseLimits, ShellCommand, ShellScript, ShellWord, SimpleCommand,
};

/// Functions of the user's own that are longer are taken for programs: a version manager of four
/// thousand lines is no more suspicious than the same thing in a file.
const LONGEST_OWN_FUNCTION: usize = 4_096;

/// Start-up files may define far more than a command has.
const LIMITS: ParseLimits =
    ParseLimits { depth: 60, commands: 100_000, words: 500_000, parts: 500_000 };

/// The variables, functions and aliases that the next command finds in its shell.
///
/// Whoever keeps a shell's state between commands reads it once, when it changes, and hands it to
/// every judgement until it changes again.
#[derive(Clone, Debug, Default)]
pub struct KeptShell {
    variables: HashMap<String, String>,
    aliases: HashMap<String, String>,
    functions: HashMap<String, String>,
    /// Functions with the same body as at the beginning: the user's own.
    own: HashSet<String>,
    /// Names that are defined, nobody could read how.
    unread: HashSet<String>,
}

/// What a name stands for besides a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeptDefinition<'k> {
    /// A function with this body, or a long one of the user's own, which is left unread.
    Function(&'k str),
    /// Something that could not be read.
    Unread,
}

impl KeptShell {
    /// Reads a state: plain variables, and shell text in the form of bash's own listings
    /// (`declare -x`, `declare -f`, `alias -p`). What was there before the first command is the
    /// user's own.
    #[must_use]
    pub fn read(
        variables: impl IntoIterator<Item = (String, String)>,
        listing: &str,
        first: Option<&Self>,
    ) -> Self {
        let mut kept = Self { variables: variables.into_iter().collect(), ..Self::default() };
        let script = shell::parse_within(listing, LIMITS);
        kept.take_in(&script);
        if script.error.is_some() {
            kept.note_unread(listing);
        }
        let first = first.unwrap_or(&kept);
        let is_own = |(name, body): &(&String, &String)| first.functions.get(*name) == Some(*body);
        kept.own = kept.functions.iter().filter(is_own).map(|(name, _)| name.clone()).collect();
        kept
    }

    fn take_in(&mut self, script: &ShellScript<'_>) {
        for command in script.root.items.iter().flat_map(|item| &item.chain.first.commands) {
            match command {
                ShellCommand::Simple(simple) => self.take_in_listed(simple),
                ShellCommand::Compound(compound) => {
                    if let CompoundKind::Function { name, body } = &compound.kind {
                        let body = body.span.of(script.source).to_owned();
                        self.functions.insert(name.to_string(), body);
                    }
                }
            }
        }
    }

    /// `alias name='text'`, `declare -x name="text"`.
    fn take_in_listed(&mut self, simple: &SimpleCommand<'_>) {
        let Some((first, rest)) = simple.words.split_first() else { return };
        let into = match first.text {
            "alias" => &mut self.aliases,
            "declare" | "export" => &mut self.variables,
            _ => return,
        };
        for word in rest.iter().filter_map(ShellWord::literal) {
            if let Some((name, text)) = word.split_once('=').filter(|_| !word.starts_with('-')) {
                into.insert(name.to_owned(), text.to_owned());
            }
        }
    }

    /// The names that a listing defines, by how its lines begin.
    fn note_unread(&mut self, listing: &str) {
        for line in listing.lines() {
            let function = line.trim_end().strip_suffix("()").map(str::trim_end);
            let function = function.map(|name| name.strip_prefix("function ").unwrap_or(name));
            let alias = line.strip_prefix("alias ").and_then(|rest| rest.split_once('='));
            let name = function.or(alias.map(|(name, _)| name));
            let known =
                |name: &str| self.functions.contains_key(name) || self.aliases.contains_key(name);
            if let Some(name) = name.filter(|name| !name.contains(char::is_whitespace))
                && !known(name)
            {
                self.unread.insert(name.to_owned());
            }
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    pub(super) fn alias(&self, name: &str) -> Option<&str> {
        self.aliases.get(name).map(String::as_str)
    }

    pub(super) fn function(&self, name: &str) -> Option<KeptDefinition<'_>> {
        if self.unread.contains(name) {
            return Some(KeptDefinition::Unread);
        }
        let body = self.functions.get(name)?;
        let is_program = body.len() > LONGEST_OWN_FUNCTION && self.own.contains(name);
        (!is_program).then_some(KeptDefinition::Function(body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(listing: &str) -> KeptShell {
        KeptShell::read([("A".to_owned(), "1".to_owned())], listing, None)
    }

    #[test]
    fn reads_what_bash_lists() {
        let kept = read(
            "declare -x B=$'two\\nlines'\ndeclare -ax L=([0]=\"x\")\nf () \n{ \n    \"$@\"\n}\n\
             alias z='rm -r'\nalias q='it'\\''s'\n",
        );
        assert_eq!(kept.variable("A"), Some("1"));
        assert_eq!(kept.variable("B"), Some("two\nlines"));
        assert_eq!(kept.variable("L"), None);
        assert_eq!(kept.alias("z"), Some("rm -r"));
        assert_eq!(kept.alias("q"), Some("it's"));
        assert_eq!(kept.function("f"), Some(KeptDefinition::Function("{ \n    \"$@\"\n}")));
        assert_eq!(kept.function("g"), None);
    }

    #[test]
    fn what_cannot_be_read_is_known_to_be_defined() {
        let kept = read("f () \n{ \n    ls\n}\ng () \n{ \n    echo 'open\n}\nalias z='x'\n");
        assert_eq!(kept.function("g"), Some(KeptDefinition::Unread));
        assert_eq!(kept.function("z"), Some(KeptDefinition::Unread));
    }

    #[test]
    fn a_long_function_of_the_users_own_is_a_program_until_it_changes() {
        let listing = |word: &str| format!("f () \n{{ \n    {}\n}}\n", word.repeat(2_000));
        let first = read(&listing(": ;"));
        assert_eq!(first.function("f"), None);
        let same = KeptShell::read([], &listing(": ;"), Some(&first));
        assert_eq!(same.function("f"), None);
        let changed = KeptShell::read([], &listing("ls;"), Some(&first));
        assert!(matches!(changed.function("f"), Some(KeptDefinition::Function(_))));
    }
}
