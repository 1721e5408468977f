//! From the text of a command to the program and its arguments.
//!
//! Quotes, backslashes and comments work as in a shell; nothing else does. Pipes, redirections and
//! variables reach the program as they are written, since no shell is there to read them.

use crate::user_folder::expand_user_folder;

/// A command taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// What to start.
    pub program: String,
    /// What to give it.
    pub args: Vec<String>,
}

/// Why a text is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCommand {
    /// Nothing in it, or nothing but a comment.
    #[error("the command is empty")]
    Empty,
    /// A quotation mark without its partner, or a backslash at the end.
    #[error("the command has an open quotation mark or ends in a backslash")]
    Open,
}

impl Words {
    /// Splits a command. In each word a leading `~` or `~/` becomes the user's folder, if it is
    /// known. That happens after splitting, so a folder with blanks in its name stays in one piece;
    /// the price is that quotes do not protect a `~`.
    pub fn split(command: &str, user_folder: Option<&str>) -> Result<Self, BadCommand> {
        let words = shlex::split(command).ok_or(BadCommand::Open)?;
        let mut words = words.into_iter().map(|word| expand_user_folder(word, user_folder));
        let program = words.next().filter(|program| !program.is_empty());
        Ok(Self { program: program.ok_or(BadCommand::Empty)?, args: words.collect() })
    }

    /// The program and its arguments.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.program).chain(&self.args).map(String::as_str)
    }

    /// The first word that would mean something to a shell and means nothing here.
    pub(crate) fn shell_operator(&self) -> Option<&str> {
        self.iter().find(|word| {
            matches!(*word, "|" | "||" | "&" | "&&" | ";" | "<" | ">" | ">>" | "2>" | "2>&1")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(command: &str) -> Vec<String> {
        Words::split(command, Some("/home/a b")).unwrap().iter().map(str::to_owned).collect()
    }

    #[test]
    fn quotes_keep_blanks_together() {
        assert_eq!(
            split(r#"run 'one two' "three \"four\"" five\ six"#),
            ["run", "one two", r#"three "four""#, "five six"]
        );
    }

    #[test]
    fn the_users_folder_is_put_in_and_stays_one_word() {
        assert_eq!(
            split("~/hook.sh ~ a~/b ~ada/x"),
            ["/home/a b/hook.sh", "/home/a b", "a~/b", "~ada/x"]
        );
        assert_eq!(Words::split("~/x", None).unwrap().program, "~/x");
    }

    #[test]
    fn nothing_a_shell_would_do_is_done() {
        assert_eq!(split("a $HOME * `b` | c"), ["a", "$HOME", "*", "`b`", "|", "c"]);
        assert_eq!(Words::split("a | c", None).unwrap().shell_operator(), Some("|"));
        assert_eq!(Words::split("a 'x | c'", None).unwrap().shell_operator(), None);
    }

    #[test]
    fn what_is_no_command_is_told_apart() {
        assert_eq!(Words::split("  ", None), Err(BadCommand::Empty));
        assert_eq!(Words::split("# later", None), Err(BadCommand::Empty));
        assert_eq!(Words::split("''", None), Err(BadCommand::Empty));
        assert_eq!(Words::split("run 'x", None), Err(BadCommand::Open));
    }
}
