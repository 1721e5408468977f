//! Filling in what a document leaves open: its own folder, the session, and what commands say.
//!
//! The text of a support file is never filled in. Commands are run by whoever has a shell and a gate in front of it;
//! here they are only found, and what they said is put in their place.

use std::ops::Range;
use std::path::Path;

use crate::library::SkillStore;
use crate::lookup::LocatedSkill;
use crate::provenance::{Origins, SkillProvenance};

/// What the settings call the source of plugins' skills.
const PLUGIN_SOURCE: &str = "plugin";

/// Most characters of a command's output that go into a text.
pub const MAX_OUTPUT_CHARS: usize = 4000;

/// Most commands run for one document.
pub const MAX_COMMANDS: usize = 32;

/// Puts in the skill's folder and the session's id. Without a session its mark stays, and so does everything else that
/// looks like a variable.
#[must_use]
pub fn fill_in(text: &str, root: &Path, session: Option<&str>) -> String {
    let text = text.replace("${HERMES_SKILL_DIR}", &root.to_string_lossy());
    match session.filter(|session| !session.is_empty()) {
        Some(session) => text.replace("${HERMES_SESSION_ID}", session),
        None => text,
    }
}

impl SkillStore<'_> {
    /// Whether the commands in a skill's text are run: only where the user turned that on, and for skills that were
    /// installed or come with plugins only where their source is named too.
    #[must_use]
    pub fn runs_commands_of(&self, skill: &LocatedSkill) -> bool {
        let settings = self.settings();
        let is_named = |wanted: &str| settings.inline_shell_sources.iter().any(|one| one == wanted);
        settings.inline_shell
            && match skill.entry.as_ref().map(|entry| Origins::read(self.home()).of(entry)) {
                Some(SkillProvenance::Hub { source, .. }) => is_named(&source),
                Some(SkillProvenance::Plugin) => is_named(PLUGIN_SOURCE),
                _ => true,
            }
    }
}

/// A command in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineCommand {
    /// Where it stands, marks included.
    pub span: Range<usize>,
    /// What is to be run; blank for nothing.
    pub command: String,
}

/// The commands of a text: what stands between `` !` `` and `` ` `` on one line, at most [`MAX_COMMANDS`].
#[must_use]
pub fn commands(text: &str) -> Vec<InlineCommand> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("!`").map(|at| from + at) {
        let begin = at + 2;
        let end = text[begin..].find(['`', '\n']).map(|end| begin + end);
        match end {
            Some(end) if text.as_bytes()[end] == b'`' => {
                found.push(InlineCommand {
                    span: at..end + 1,
                    command: text[begin..end].trim().to_owned(),
                });
                from = end + 1;
            }
            _ => from = begin,
        }
        if found.len() == MAX_COMMANDS {
            break;
        }
    }
    found
}

/// What a command came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InlineOutcome {
    /// It ended; what it wrote.
    Done {
        /// To its output.
        stdout: String,
        /// Beside it; counts when there is no output.
        stderr: String,
    },
    /// It took longer than it may.
    TimedOut {
        /// The limit in seconds.
        seconds: u64,
    },
    /// It could not be run, or may not.
    Failed(String),
}

/// The text that stands for a command.
#[must_use]
pub fn rendered(command: &str, outcome: &InlineOutcome) -> String {
    match outcome {
        InlineOutcome::Done { stdout, stderr } => {
            let out = stdout.trim_end_matches('\n');
            let said = if out.is_empty() { stderr.trim_end_matches('\n') } else { out };
            match said.char_indices().nth(MAX_OUTPUT_CHARS) {
                Some((end, _)) => format!("{}...[truncated]", &said[..end]),
                None => said.to_owned(),
            }
        }
        InlineOutcome::TimedOut { seconds } => {
            format!("[inline-shell timeout after {seconds}s: {command}]")
        }
        InlineOutcome::Failed(problem) => format!("[inline-shell error: {problem}]"),
    }
}

/// The text with replacements in place of its commands, in their order.
#[must_use]
pub fn put_in(text: &str, commands: &[InlineCommand], replacements: &[String]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut from = 0;
    for (command, replacement) in commands.iter().zip(replacements) {
        filled.push_str(&text[from..command.span.start]);
        filled.push_str(replacement);
        from = command.span.end;
    }
    filled.push_str(&text[from..]);
    filled
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_our_two_marks_are_filled_in() {
        let text = "${HERMES_SKILL_DIR}/x ${HERMES_SESSION_ID} ${HOME} $HERMES_SKILL_DIR ${OTHER}";
        assert_eq!(
            fill_in(text, Path::new("/s/a"), Some("s1")),
            "/s/a/x s1 ${HOME} $HERMES_SKILL_DIR ${OTHER}"
        );
        assert!(fill_in(text, Path::new("/s"), None).contains("${HERMES_SESSION_ID}"));
    }

    #[test]
    fn commands_stand_on_one_line() {
        let text = "a !`date -u` b !`` c !`  ` d !`two\nlines` e ! `no` f !`open";
        let found: Vec<String> = commands(text).into_iter().map(|one| one.command).collect();
        assert_eq!(found, ["date -u", "", ""]);
    }

    #[test]
    fn outputs_are_trimmed_capped_and_errors_said() {
        let done = |stdout: &str, stderr: &str| {
            rendered("c", &InlineOutcome::Done { stdout: stdout.into(), stderr: stderr.into() })
        };
        assert_eq!(done("a\nb\n\n", "e"), "a\nb");
        assert_eq!(done("", "wrong\n"), "wrong");
        let long = done(&"é".repeat(5000), "");
        assert!(long.ends_with("...[truncated]") && long.chars().count() == 4014);
        assert_eq!(
            rendered("c x", &InlineOutcome::TimedOut { seconds: 3 }),
            "[inline-shell timeout after 3s: c x]"
        );
        assert_eq!(rendered("c", &InlineOutcome::Failed("no".into())), "[inline-shell error: no]");
    }

    proptest! {
        #[test]
        fn putting_the_same_text_back_changes_nothing(text in "(!|`|a|\n|é){0,40}") {
            let found = commands(&text);
            let same: Vec<String> = found.iter().map(|one| text[one.span.clone()].to_owned()).collect();
            prop_assert_eq!(put_in(&text, &found, &same), text);
        }
    }
}
