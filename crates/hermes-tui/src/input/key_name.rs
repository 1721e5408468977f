//! Keys by the names that people write: `ctrl-o`, `alt-enter`, `f2`.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hermes_protocol::text::nearest;

/// Names of keys that are no characters, as they are written and as they are shown.
const NAMED: &[(&str, &str, KeyCode)] = &[
    ("enter", "Enter", KeyCode::Enter),
    ("esc", "Esc", KeyCode::Esc),
    ("tab", "Tab", KeyCode::Tab),
    ("backspace", "Backspace", KeyCode::Backspace),
    ("delete", "Delete", KeyCode::Delete),
    ("insert", "Insert", KeyCode::Insert),
    ("home", "Home", KeyCode::Home),
    ("end", "End", KeyCode::End),
    ("pageup", "PageUp", KeyCode::PageUp),
    ("pagedown", "PageDown", KeyCode::PageDown),
    ("up", "↑", KeyCode::Up),
    ("down", "↓", KeyCode::Down),
    ("left", "←", KeyCode::Left),
    ("right", "→", KeyCode::Right),
    ("space", "Space", KeyCode::Char(' ')),
];

/// The highest function key that keyboards have.
const MAX_FUNCTION: u8 = 12;

/// Modifiers in the order in which they are written.
const MODIFIERS: &[(&str, &str, KeyModifiers)] = &[
    ("ctrl", "Ctrl", KeyModifiers::CONTROL),
    ("alt", "Alt", KeyModifiers::ALT),
    ("shift", "Shift", KeyModifiers::SHIFT),
];

/// What terminals send for these is the same as for another key, so that nobody could tell them apart.
const INDISTINCT: &[(&str, &str)] = &[("ctrl-i", "tab"), ("ctrl-m", "enter"), ("ctrl-[", "esc")];

/// A key together with what is held down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyName {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl KeyName {
    /// Reads a name, in any letter case and with `-` or `+` between its parts.
    ///
    /// # Errors
    ///
    /// What is the matter with it, to follow "expected keys such as …".
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        let name = name.to_lowercase().replace('+', "-");
        if let Some((_, same)) = INDISTINCT.iter().find(|(indistinct, _)| *indistinct == name) {
            return Err(format!("terminals send the same for {name} as for {same}"));
        }
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = name.as_str();
        while let Some((modifier, after)) = MODIFIERS.iter().find_map(|(word, _, modifier)| {
            let after = rest.strip_prefix(word)?.strip_prefix('-')?;
            Some((*modifier, after)).filter(|_| !after.is_empty())
        }) {
            modifiers |= modifier;
            rest = after;
        }
        let Some(code) = code_of(rest) else { return Err(unknown(&name)) };
        let is_letter = matches!(code, KeyCode::Char(_));
        if is_letter && !modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Err(format!("{name} alone is typed; hold ctrl or alt with it"));
        }
        if is_letter && modifiers.contains(KeyModifiers::SHIFT) {
            return Err(format!("many terminals do not tell {name} from the same without shift"));
        }
        Ok(Self { code, modifiers })
    }

    /// The key that was pressed, in the one form that names have.
    pub(crate) fn of(key: KeyEvent) -> Self {
        let held = key.modifiers;
        let of_three = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        match key.code {
            KeyCode::Char(letter) => Self {
                code: KeyCode::Char(letter.to_ascii_lowercase()),
                modifiers: held & (KeyModifiers::CONTROL | KeyModifiers::ALT),
            },
            KeyCode::BackTab => {
                Self { code: KeyCode::Tab, modifiers: (held & of_three) | KeyModifiers::SHIFT }
            }
            code => Self { code, modifiers: held & of_three },
        }
    }

    /// The key as a terminal would send it.
    pub(crate) fn event(self) -> KeyEvent {
        match (self.code, self.modifiers) {
            (KeyCode::Tab, KeyModifiers::SHIFT) => {
                KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT)
            }
            (code, modifiers) => KeyEvent::new(code, modifiers),
        }
    }
}

/// As it is shown: `Ctrl-O`, `↑`.
impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (_, shown, modifier) in MODIFIERS {
            if self.modifiers.contains(*modifier) {
                write!(f, "{shown}-")?;
            }
        }
        match (NAMED.iter().find(|(_, _, code)| *code == self.code), self.code) {
            (Some((_, shown, _)), _) => f.write_str(shown),
            (None, KeyCode::Char(letter)) => write!(f, "{}", letter.to_uppercase()),
            (None, KeyCode::F(number)) => write!(f, "F{number}"),
            (None, _) => Ok(()),
        }
    }
}

fn code_of(name: &str) -> Option<KeyCode> {
    if let Some((_, _, code)) = NAMED.iter().find(|(known, _, _)| *known == name) {
        return Some(*code);
    }
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return (letter.is_ascii_graphic()).then_some(KeyCode::Char(letter));
    }
    let number = name.strip_prefix('f')?.parse().ok()?;
    (1..=MAX_FUNCTION).contains(&number).then_some(KeyCode::F(number))
}

/// What is said of a name that means nothing, with the nearest that does.
fn unknown(name: &str) -> String {
    let functions = (1..=MAX_FUNCTION).map(|number| format!("f{number}"));
    let named = NAMED.iter().map(|(name, _, _)| (*name).to_owned()).chain(functions);
    let letters = ('a'..='z').chain('0'..='9').map(String::from);
    let mut all: Vec<String> = named.collect();
    let held = ["ctrl-", "alt-"];
    let with_held =
        all.iter().cloned().chain(letters).flat_map(|key| held.map(|held| format!("{held}{key}")));
    let with_held: Vec<String> = with_held.collect();
    all.push("shift-tab".to_owned());
    all.extend(with_held);
    let short: String = name.chars().take(24).collect();
    match nearest(name, all.iter().map(String::as_str)) {
        Some(near) => format!("there is no key {short:?}; did you mean {near}?"),
        None => format!("there is no key {short:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> String {
        match KeyName::parse(name) {
            Ok(key) => {
                assert_eq!(KeyName::of(key.event()), key, "{name}");
                key.to_string()
            }
            Err(problem) => problem,
        }
    }

    #[test]
    fn names_are_read_in_any_spelling_and_come_back_from_a_terminal() {
        for (name, expected) in [
            ("ctrl-o", "Ctrl-O"),
            ("Ctrl+O", "Ctrl-O"),
            ("alt-enter", "Alt-Enter"),
            ("shift-tab", "Shift-Tab"),
            ("ctrl-alt-left", "Ctrl-Alt-←"),
            ("F5", "F5"),
            ("ctrl--", "Ctrl--"),
            ("ctrl-space", "Ctrl-Space"),
        ] {
            assert_eq!(shown(name), expected, "{name}");
        }
    }

    #[test]
    fn what_is_no_key_is_told_with_the_nearest() {
        assert_eq!(shown("ctl-o"), "there is no key \"ctl-o\"; did you mean ctrl-o?");
        assert_eq!(shown("pgup"), "there is no key \"pgup\"; did you mean pageup?");
        assert_eq!(shown("f13"), "there is no key \"f13\"; did you mean f1?");
        assert_eq!(shown("日本"), "there is no key \"日本\"");
        assert_eq!(shown("x"), "x alone is typed; hold ctrl or alt with it");
        assert_eq!(shown("ctrl-m"), "terminals send the same for ctrl-m as for enter");
        assert!(shown("ctrl-shift-x").starts_with("many terminals"));
    }

    #[test]
    fn capitals_and_shift_do_not_make_another_key_of_a_letter() {
        let held = KeyModifiers::CONTROL | KeyModifiers::SHIFT;
        let pressed = KeyName::of(KeyEvent::new(KeyCode::Char('O'), held));
        assert_eq!(Ok(pressed), KeyName::parse("ctrl-o"));
        let back = KeyName::of(KeyEvent::new(KeyCode::BackTab, KeyModifiers::NONE));
        assert_eq!(Ok(back), KeyName::parse("shift-tab"));
    }
}
