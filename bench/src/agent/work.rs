//! What the scripted model is asked, and what it makes the agent do.

use hermes_testkit::{Match, Script, Step};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::side::Side;

/// How many files are read.
pub(super) const FILES: usize = 20;
/// Lines in each of them.
const LINES: usize = 50;
/// What the model answers in the end.
pub(super) const ANSWER: &str = "All is said and done.";

/// One kind of conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Work {
    /// The model answers at once.
    Answer,
    /// It asks for one file after another, and answers when it has them all.
    Turns,
    /// It asks for all files in one message, and answers when it has them.
    Parallel,
}

impl Work {
    pub(super) const ALL: [Self; 3] = [Self::Answer, Self::Turns, Self::Parallel];

    /// How many questions it takes.
    pub(super) fn questions(self) -> usize {
        match self {
            Self::Answer => 1,
            Self::Turns => FILES + 1,
            Self::Parallel => 2,
        }
    }

    /// How many files are read.
    pub(super) fn files(self) -> usize {
        if self == Self::Answer { 0 } else { FILES }
    }

    /// The model's side of it, for an agent that reads in its own way.
    pub(super) fn script(self, side: Side) -> Script {
        let calls = (0..FILES).map(|number| side.read(&file_name(number)));
        let calls: Vec<(&str, Value)> = calls.collect();
        let messages: Vec<Vec<(&str, Value)>> = match self {
            Self::Answer => Vec::new(),
            Self::Turns => calls.into_iter().map(|call| vec![call]).collect(),
            Self::Parallel => vec![calls],
        };
        let last = side.answer(ANSWER);
        let steps = messages.iter().map(|calls| side.calls(calls)).chain([last]);
        // Whoever asks without tools wants a title or the like; that must not use up a step.
        Script::new(steps).route("aside", Match::toolless(), [Step::text("Files").times(9)])
    }
}

/// The name of a file.
pub(super) fn file_name(number: usize) -> String {
    format!("notes-{number:02}.txt")
}

/// A word that is in this file only.
pub(super) fn mark(number: usize) -> String {
    format!("mark-{number:02}-of-this-file")
}

/// What is in it.
pub(super) fn file_text(number: usize) -> String {
    let line = |line| format!("{line}: there is nothing of note in this line\n");
    mark(number) + "\n" + &(1..LINES).map(line).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_has_as_many_messages_as_there_are_questions() {
        for work in Work::ALL {
            for side in [Side::Ours, Side::Reference, Side::Codex, Side::Goose] {
                assert_eq!(work.script(side).steps.len(), work.questions(), "{work:?} {side:?}");
            }
        }
    }

    #[test]
    fn each_file_has_a_mark_of_its_own() {
        let marked = (0..FILES).filter(|number| file_text(*number).contains(&mark(3)));
        assert_eq!(marked.collect::<Vec<_>>(), [3]);
    }
}
