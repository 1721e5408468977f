//! The spinner: the line that shows that something goes on.

use std::time::Duration;

use hermes_protocol::text::seconds;

use super::fit::cut;
use super::style::{Ink, Motion, Style};

const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// How long a frame stays.
pub(crate) const FRAME: Duration = Duration::from_millis(120);
/// How long a face and a verb stay.
const MOOD: Duration = Duration::from_secs(4);

/// Faces, calm ones first.
const FACES: [&str; 6] = ["(•‿•)", "(•_•)", "(°ー°)", "(˘‿˘)", "(¬‿¬)", "(°o°)"];
/// What a model may be doing; nobody knows.
const VERBS: [&str; 8] = [
    "thinking",
    "weighing",
    "reading",
    "sorting",
    "wondering",
    "sketching",
    "comparing",
    "mulling",
];

/// What goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Doing<'a> {
    /// A model thinks; the number makes one wait look different from the next.
    Thinking(usize),
    /// Something that has a name.
    Named(&'a str),
}

/// The line, as it looks after this time.
pub(crate) fn row(doing: Doing<'_>, since: Duration, style: &Style) -> String {
    let frame = FRAMES[index(since, FRAME, FRAMES.len())];
    let elapsed = format!("({})", seconds(since));
    let what = match doing {
        Doing::Thinking(seed) => {
            let mood = index(since, MOOD, usize::MAX);
            let face = FACES[(seed + mood) % FACES.len()];
            let verb = VERBS[(seed * 3 + mood) % VERBS.len()];
            cut(&format!("{face} {verb}…"), style.width.saturating_sub(elapsed.len() + 3))
        }
        Doing::Named(name) => cut(name, style.width.saturating_sub(elapsed.len() + 4)),
    };
    if style.motion == Motion::Still {
        return match doing {
            Doing::Thinking(_) => "thinking".to_owned(),
            Doing::Named(name) => cut(name, style.width),
        };
    }
    format!(
        "{} {what} {}",
        style.paint(Ink::YELLOW, &frame.to_string()),
        style.paint(Ink::DIM, &elapsed)
    )
}

fn index(since: Duration, step: Duration, count: usize) -> usize {
    let steps = since.as_millis() / step.as_millis();
    usize::try_from(steps).unwrap_or(0) % count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::fit::columns;
    use crate::display::style::Colour;

    const STYLE: Style = Style::new(Colour::Off, 80);

    #[test]
    fn frames_faces_and_verbs_go_on_with_time() {
        let at = |millis| row(Doing::Thinking(0), Duration::from_millis(millis), &STYLE);
        assert_eq!(at(0), "⠋ (•‿•) thinking… (0.0s)");
        assert_eq!(at(1_200), "⠋ (•‿•) thinking… (1.2s)");
        assert_eq!(at(4_120), "⠼ (•_•) weighing… (4.1s)");
        assert_ne!(at(0), row(Doing::Thinking(1), Duration::ZERO, &STYLE));
    }

    #[test]
    fn a_tool_with_a_long_name_fits_the_row() {
        let name = format!("💻 {}", "日".repeat(100));
        assert!(columns(&row(Doing::Named(&name), Duration::from_secs(75), &STYLE)) <= 80);
    }
}
