//! Which part of a history is summarised.

use std::ops::Range;

use hermes_llm::message::{Message, Role};
use hermes_llm::metadata::estimate_message;

/// Messages that stay at the end however long they are.
const MIN_TAIL: usize = 4;

/// A history taken apart: head, middle, tail. The person's newest message, if it is in the middle,
/// stays as well.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HistoryCut {
    /// What is summarised, without `asked`.
    pub(super) middle: Range<usize>,
    /// The person's newest message, where it stands in the middle.
    pub(super) asked: Option<usize>,
}

impl HistoryCut {
    /// The messages to summarise.
    pub(super) fn summarised<'h>(&self, history: &'h [Message]) -> Vec<&'h Message> {
        self.middle.clone().filter(|at| Some(*at) != self.asked).map(|at| &history[at]).collect()
    }
}

/// Takes a history apart: `head` messages stay at the beginning, and at the end what fits into
/// `tail_tokens`. A call and its results always stay together. Nothing if no middle is left.
pub(super) fn cut(history: &[Message], head: usize, tail_tokens: u64) -> Option<HistoryCut> {
    let tail = back_to_boundary(history, tail_start(history, tail_tokens));
    let head = back_to_boundary(history, head.min(tail));
    let asked = history.iter().rposition(|message| message.role == Role::User);
    let asked = asked.filter(|at| (head..tail).contains(at));
    let cut = HistoryCut { middle: head..tail, asked };
    (!cut.summarised(history).is_empty()).then_some(cut)
}

/// The first of the newest messages that fit; never fewer than [`MIN_TAIL`] messages from the end.
fn tail_start(history: &[Message], tail_tokens: u64) -> usize {
    let mut room = tail_tokens;
    let mut start = history.len();
    for (at, message) in history.iter().enumerate().rev() {
        let tokens = estimate_message(message);
        if tokens > room && history.len() - at > MIN_TAIL {
            break;
        }
        room = room.saturating_sub(tokens);
        start = at;
    }
    start
}

/// The nearest place at or before this one where no call is parted from its results.
fn back_to_boundary(history: &[Message], mut at: usize) -> usize {
    while at > 0 && at < history.len() && !is_boundary(history, at) {
        at -= 1;
    }
    at
}

/// Results belong to what is before them, and so does a message of the model right behind another.
fn is_boundary(history: &[Message], at: usize) -> bool {
    match history[at].role {
        Role::User | Role::System => true,
        Role::Tool => false,
        Role::Assistant => history[at - 1].role != Role::Assistant,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> Vec<Message> {
        let mut messages = vec![Message::user("task")];
        for step in 0..6 {
            messages.push(Message::assistant(format!("step {step}")));
            messages.push(Message::tool("a", "t", "result"));
            messages.push(Message::tool("b", "t", "result"));
        }
        messages
    }

    #[test]
    fn calls_stay_with_their_results_on_both_sides() {
        let history = history();
        // Four messages from the end would begin with a result.
        assert_eq!(cut(&history, 3, 0).unwrap(), HistoryCut { middle: 1..13, asked: None });
        assert_eq!(cut(&history, 0, 0).unwrap(), HistoryCut { middle: 0..13, asked: Some(0) });
    }

    #[test]
    fn a_history_without_a_middle_is_left_alone() {
        let history = history();
        assert_eq!(cut(&history, 0, 1_000_000), None);
        assert_eq!(cut(&history[..4], 3, 0), None);
        assert_eq!(cut(&[], 3, 0), None);
    }

    #[test]
    fn the_newest_wish_stays_and_is_not_summarised() {
        let mut history = history();
        history.splice(4..4, [Message::assistant("done"), Message::user("next")]);
        let cut = cut(&history, 1, 0).unwrap();
        assert_eq!(cut.asked, Some(5));
        assert!(cut.summarised(&history).iter().all(|message| message.text() != "next"));
    }
}
