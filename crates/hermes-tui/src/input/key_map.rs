//! Which keys do what: the section `keys` of the settings.
//!
//! ```yaml
//! keys:
//!   expand: f2, ctrl-e
//!   suspend: none
//! ```
//!
//! The line editor knows the usual keys only. A key of the person's choice is turned into the usual one of what it shall
//! do, and a usual key that was given away does nothing. So there is one place where keys mean something, and this is a
//! table in front of it. Ctrl-C is not in the table: there is always a way to stop.

use crossterm::event::KeyEvent;
use hermes_tool::settings::{KeyInfo, Kind, SettingOrigin, SettingProblem, SettingValue};
use serde_json::Value;

use super::key_name::KeyName;

/// Something a key can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyAction {
    Send,
    NewLine,
    Complete,
    Previous,
    Next,
    SearchHistory,
    Editor,
    Expand,
    Stop,
    NextMode,
    Leave,
    Clear,
    Suspend,
    Help,
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    DeleteLeft,
    DeleteRight,
    DeleteWordLeft,
    DeleteWordRight,
    DeleteToStart,
    DeleteToEnd,
    PutBack,
    Transpose,
}

/// An action, as it stands in the settings, the reference and the list of keys.
struct ActionInfo {
    action: KeyAction,
    /// Its name below `keys`.
    name: &'static str,
    /// The usual keys. The first is the one that others are turned into.
    usual: &'static str,
    about: &'static str,
}

macro_rules! actions {
    ($($action:ident $name:literal $usual:literal $about:literal;)*) => {
        &[$(ActionInfo { action: KeyAction::$action, name: $name, usual: $usual, about: $about }),*]
    };
}

const ACTIONS: &[ActionInfo] = actions! {
    Send "send" "enter" "Sends";
    NewLine "new_line" "alt-enter, ctrl-j, shift-enter, ctrl-enter" "Begins a new line";
    Complete "complete" "tab" "Completes";
    Previous "previous" "up, ctrl-p" "The line above, then what was typed before";
    Next "next" "down, ctrl-n" "The line below, then what was typed after";
    SearchHistory "search_history" "ctrl-r" "Searches what was typed before";
    Editor "editor" "ctrl-g" "Edits the line in $EDITOR";
    Expand "expand" "ctrl-o" "Shows the last tool call whole; ← → the others";
    Stop "stop" "esc" "Stops the turn; twice: edits your last message";
    NextMode "next_mode" "shift-tab" "Next mode: plan first, yolo, as usual";
    Leave "leave" "ctrl-d" "Leaves, if the line is empty";
    Clear "clear" "ctrl-l" "Clears the screen";
    Suspend "suspend" "ctrl-z" "Back to the shell; fg returns";
    Help "help" "f1" "Shows the keys; so does ? in an empty line";
    Left "left" "left, ctrl-b" "A character to the left";
    Right "right" "right, ctrl-f" "A character to the right; at the end it takes the hint";
    WordLeft "word_left" "ctrl-left, alt-left, alt-b" "A word to the left";
    WordRight "word_right" "ctrl-right, alt-right, alt-f" "A word to the right";
    LineStart "line_start" "home, ctrl-a" "To the beginning of the line";
    LineEnd "line_end" "end, ctrl-e" "To the end of the line";
    TextStart "text_start" "pageup" "To the beginning of all lines";
    TextEnd "text_end" "pagedown" "To the end of all lines";
    DeleteLeft "delete_left" "backspace, ctrl-h" "Deletes the character on the left";
    DeleteRight "delete_right" "delete" "Deletes the character on the right";
    DeleteWordLeft "delete_word_left" "ctrl-w, alt-backspace" "Cuts the word on the left";
    DeleteWordRight "delete_word_right" "alt-d" "Cuts the word on the right";
    DeleteToStart "delete_to_start" "ctrl-u" "Cuts to the beginning of the line";
    DeleteToEnd "delete_to_end" "ctrl-k" "Cuts to the end of the line";
    PutBack "put_back" "ctrl-y" "Puts back what was cut";
    Transpose "transpose" "ctrl-t" "Swaps two characters";
};

/// Says that nothing has a key for it.
const NO_KEY: &str = "none";
/// Not to be given away.
const STOP_KEY: &str = "ctrl-c";
const EXPECTED: &str = "keys such as `ctrl-o` or `f2, alt-x`, or `none`";

/// The keys of every action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyMap {
    /// In the order of [`ACTIONS`].
    keys: Vec<Vec<KeyName>>,
}

impl Default for KeyMap {
    fn default() -> Self {
        Self { keys: ACTIONS.iter().map(usual).collect() }
    }
}

impl KeyMap {
    /// What the line editor is to be told of a key; nothing if the key does nothing any more.
    pub(crate) fn translate(&self, key: KeyEvent) -> Option<KeyEvent> {
        let pressed = KeyName::of(key);
        let owner = self.keys.iter().position(|keys| keys.contains(&pressed));
        let by_habit = ACTIONS.iter().position(|info| usual(info).contains(&pressed));
        match (owner, by_habit) {
            (Some(at), habit) if habit != Some(at) => {
                usual(&ACTIONS[at]).first().map(|k| k.event())
            }
            (None, Some(_)) => None,
            _ => Some(key),
        }
    }

    /// The keys of an action, for people; empty if there are none.
    #[cfg(test)]
    pub(crate) fn shown(&self, action: KeyAction) -> String {
        let at = ACTIONS.iter().position(|info| info.action == action).unwrap_or(0);
        joined(&self.keys[at])
    }

    /// The first key of an action, for people.
    pub(crate) fn first(&self, action: KeyAction) -> String {
        let at = ACTIONS.iter().position(|info| info.action == action).unwrap_or(0);
        self.keys[at].first().map(ToString::to_string).unwrap_or_default()
    }

    /// Every action that has a key: the keys, and what they do.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (String, &'static str)> {
        let pairs = ACTIONS.iter().zip(&self.keys);
        pairs.filter(|(_, keys)| !keys.is_empty()).map(|(info, keys)| (joined(keys), info.about))
    }

    /// Gives an action these keys instead of its own, and takes them from the actions that have them by habit.
    fn give(&mut self, at: usize, given: Vec<KeyName>) {
        for keys in &mut self.keys {
            keys.retain(|key| !given.contains(key));
        }
        self.keys[at] = given;
    }
}

fn joined(keys: &[KeyName]) -> String {
    keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The keys that an action has if nothing is set. That they can be read is what a test is for.
fn usual(info: &ActionInfo) -> Vec<KeyName> {
    names(info.usual).filter_map(|name| KeyName::parse(name).ok()).collect()
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty())
}

/// Reads what is written for one action.
fn read(written: &Value) -> Result<Vec<KeyName>, String> {
    let text = written.as_str().ok_or("a list has no place here")?;
    if text.trim().eq_ignore_ascii_case(NO_KEY) {
        return Ok(Vec::new());
    }
    let stop = KeyName::parse(STOP_KEY);
    names(text)
        .map(|name| match KeyName::parse(name) {
            Ok(key) if stop.as_ref() == Ok(&key) => Err(format!("{key} always stops")),
            read => read,
        })
        .collect()
}

impl SettingValue for KeyMap {
    const KIND: Kind = Kind::Section;

    fn from_config(value: &Value) -> Option<Self> {
        Self::from_written(value, &mut Vec::new())
    }

    /// An action whose keys make no sense keeps its own, and two cannot have the same.
    fn from_written(value: &Value, problems: &mut Vec<SettingProblem>) -> Option<Self> {
        let written = value.as_object()?;
        let mut map = Self::default();
        let mut taken: Vec<(KeyName, &str)> = Vec::new();
        for (at, info) in ACTIONS.iter().enumerate() {
            let Some(value) = written.get(info.name).filter(|value| !value.is_null()) else {
                continue;
            };
            let given = read(value).and_then(|keys| {
                match taken.iter().find(|(key, _)| keys.contains(key)) {
                    Some((key, other)) => Err(format!("{key} is that of keys.{other} already")),
                    None => Ok(keys),
                }
            });
            match given {
                Ok(keys) => {
                    taken.extend(keys.iter().map(|key| (*key, info.name)));
                    map.give(at, keys);
                }
                Err(why) => {
                    let origin = SettingOrigin::Key(info.name.to_owned());
                    let expected = format!("{EXPECTED}: {why}");
                    problems.push(SettingProblem::new(origin, value, expected));
                }
            }
        }
        Some(map)
    }

    fn to_config(&self) -> String {
        String::new()
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        let key = |info: &ActionInfo| KeyInfo {
            path: format!("{path}.{}", info.name),
            kind: Kind::Text,
            default: info.usual.to_owned(),
            about: info.about,
            variable: None,
            hidden: false,
        };
        ACTIONS.iter().map(key).collect()
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};
    use serde_json::json;

    use super::*;

    fn event(name: &str) -> KeyEvent {
        KeyName::parse(name).unwrap().event()
    }

    fn map(written: &Value) -> (KeyMap, Vec<String>) {
        let mut problems = Vec::new();
        let map = KeyMap::from_written(written, &mut problems).unwrap();
        (map, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_usual_keys_can_all_be_read_and_no_two_actions_share_one() {
        let mut seen = Vec::new();
        for info in ACTIONS {
            for name in names(info.usual) {
                let key = KeyName::parse(name).unwrap();
                assert!(!seen.contains(&key), "{name}");
                seen.push(key);
            }
        }
        let map = KeyMap::default();
        for key in seen {
            assert_eq!(map.translate(key.event()), Some(key.event()));
        }
    }

    #[test]
    fn a_key_of_ones_own_does_what_the_usual_one_did_and_that_does_nothing() {
        let (map, problems) = map(&json!({"expand": "f2", "suspend": "none", "editor": "ctrl-r"}));
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(map.translate(event("f2")), Some(event("ctrl-o")));
        assert_eq!(map.translate(event("ctrl-o")), None);
        assert_eq!(map.translate(event("ctrl-z")), None);
        // Taken from what had it by habit.
        assert_eq!(map.translate(event("ctrl-r")), Some(event("ctrl-g")));
        assert_eq!(map.shown(KeyAction::SearchHistory), "");
        assert_eq!(
            (map.shown(KeyAction::Expand), map.first(KeyAction::Send)),
            ("F2".into(), "Enter".into())
        );
        let letter = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE);
        assert_eq!(map.translate(letter), Some(letter));
        let stop = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(map.translate(stop), Some(stop));
    }

    #[test]
    fn keys_that_are_none_or_two_things_at_once_are_told_and_the_action_keeps_its_own() {
        let (map, problems) =
            map(&json!({"send": "ctl-o", "editor": "f3", "expand": "f4, f3", "leave": ["f5"]}));
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[0].contains("did you mean ctrl-o?"), "{problems:?}");
        assert!(problems[1].contains("F3 is that of keys.editor already"), "{problems:?}");
        assert_eq!(map.shown(KeyAction::Send), "Enter");
        assert_eq!(map.shown(KeyAction::Expand), "Ctrl-O");
        assert_eq!(map.shown(KeyAction::Leave), "Ctrl-D");
    }

    #[test]
    fn ctrl_c_cannot_be_given_away() {
        let (map, problems) = map(&json!({"send": "ctrl-c"}));
        assert!(problems[0].contains("always stops"), "{problems:?}");
        assert_eq!(map.shown(KeyAction::Send), "Enter");
    }
}
