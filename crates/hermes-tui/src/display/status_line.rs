//! The row at the bottom: which model, how full the window is, what it cost, where we are.
//!
//! The format is the user's: pieces between ` · `, with names in braces. A piece whose names all say nothing is left out,
//! so a format can name everything and the row stays short.

use hermes_protocol::text::{amount, dollars};
use hermes_protocol::{Planning, SessionStatus, Yolo};

use super::fit::{cut, on_one_line};
use super::style::{Ink, Style};

/// The format where the settings say nothing.
pub(crate) const USUAL_FORMAT: &str =
    "{model} · {context} · {cost} · {dir} · {branch} · {mode} · {tasks} · {queue}";
/// What stands between two pieces.
const GAP: &str = " · ";

/// What the row tells besides the session.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatusFacts {
    pub(crate) dir: String,
    pub(crate) branch: String,
    /// How much works in the background.
    pub(crate) tasks: usize,
    /// How many messages wait.
    pub(crate) queue: usize,
    /// Modes beside the session's own.
    pub(crate) modes: Vec<&'static str>,
}

/// The row.
pub(crate) fn row(
    format: &str,
    status: &SessionStatus,
    facts: &StatusFacts,
    style: &Style,
) -> String {
    let pieces: Vec<String> =
        format.split(GAP).filter_map(|piece| filled(piece, status, facts)).collect();
    let text = cut(&on_one_line(&pieces.join(GAP)), style.width.saturating_sub(1));
    style.paint(Ink::DIM, &text)
}

/// A piece with its names filled in; nothing if none of them says anything.
fn filled(piece: &str, status: &SessionStatus, facts: &StatusFacts) -> Option<String> {
    let mut text = String::new();
    let (mut names, mut told) = (0, 0);
    let mut rest = piece;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, more)) = after.split_once('}') else {
            rest = &rest[before.len()..];
            break;
        };
        match value(name, status, facts) {
            Some(value) => {
                names += 1;
                told += usize::from(!value.is_empty());
                text.push_str(&value);
            }
            // What is no name stays as it is written.
            None => text.push_str(&format!("{{{name}}}")),
        }
        rest = more;
    }
    text.push_str(rest);
    (names == 0 || told > 0).then_some(text)
}

fn value(name: &str, status: &SessionStatus, facts: &StatusFacts) -> Option<String> {
    let count = |count: usize, words: &str| match count {
        0 => String::new(),
        count => format!("{count} {words}"),
    };
    Some(match name {
        "model" => status.model.clone(),
        "provider" => status.provider.clone(),
        "session" => status.session_id.clone(),
        "title" => status.title.clone().unwrap_or_default(),
        "goal" => status.goal.clone().unwrap_or_default(),
        "context" => context(status),
        "cost" => status.dollars.filter(|cost| *cost > 0.0).map(dollars).unwrap_or_default(),
        "dir" => facts.dir.clone(),
        "branch" => facts.branch.clone(),
        "mode" => {
            let yolo = (status.yolo == Yolo::On).then_some("yolo");
            let plan = (status.planning == Planning::On).then_some("plan");
            let own = plan.into_iter().chain(yolo);
            let modes: Vec<&str> = own.chain(facts.modes.iter().copied()).collect();
            modes.join(" ")
        }
        "tasks" => count(facts.tasks, "in background"),
        "queue" => count(facts.queue, "waiting"),
        _ => return None,
    })
}

fn context(status: &SessionStatus) -> String {
    let used = status.context_tokens;
    match status.window.filter(|window| *window > 0) {
        Some(window) => {
            let percent = used.saturating_mul(100) / window;
            format!("{percent}% ({} of {})", amount(used), amount(window))
        }
        None if used > 0 => amount(used),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::style::Colour;

    fn told(format: &str, status: &SessionStatus) -> String {
        let facts = StatusFacts { dir: "~/p".into(), queue: 2, ..StatusFacts::default() };
        row(format, status, &facts, &Style::new(Colour::Off, 80))
    }

    #[test]
    fn pieces_that_say_nothing_are_left_out() {
        let mut status = SessionStatus { model: "m".into(), ..SessionStatus::default() };
        assert_eq!(told(USUAL_FORMAT, &status), "m · ~/p · 2 waiting");
        status.context_tokens = 30_000;
        status.window = Some(200_000);
        status.dollars = Some(0.12);
        status.yolo = Yolo::On;
        assert_eq!(
            told(USUAL_FORMAT, &status),
            "m · 15% (30.0k of 200k) · $0.12 · ~/p · yolo · 2 waiting"
        );
    }

    #[test]
    fn a_format_may_be_anything() {
        let status = SessionStatus { model: "m".into(), ..SessionStatus::default() };
        assert_eq!(
            told("on {model}: {title} · plain · {nope} {", &status),
            "on m: · plain · {nope} {"
        );
        assert_eq!(told("", &status), "");
    }
}
