//! Keys by their names.

/// A key as the browser's input knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) key: String,
    pub(super) code: String,
    pub(super) number: u32,
    /// What it writes, if it writes something.
    pub(super) text: Option<String>,
}

/// A key together with those that are held down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyStroke {
    pub(super) key: Key,
    /// Alt 1, Control 2, Meta 4, Shift 8.
    pub(super) modifiers: u8,
}

/// Name, code, number, what it writes.
const NAMED: &[(&str, &str, u32, &str)] = &[
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Insert", "Insert", 45, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("Shift", "ShiftLeft", 16, ""),
    ("Control", "ControlLeft", 17, ""),
    ("Alt", "AltLeft", 18, ""),
    ("Meta", "MetaLeft", 91, ""),
    ("CapsLock", "CapsLock", 20, ""),
    ("ContextMenu", "ContextMenu", 93, ""),
    ("F1", "F1", 112, ""),
    ("F2", "F2", 113, ""),
    ("F3", "F3", 114, ""),
    ("F4", "F4", 115, ""),
    ("F5", "F5", 116, ""),
    ("F6", "F6", 117, ""),
    ("F7", "F7", 118, ""),
    ("F8", "F8", 119, ""),
    ("F9", "F9", 120, ""),
    ("F10", "F10", 121, ""),
    ("F11", "F11", 122, ""),
    ("F12", "F12", 123, ""),
];

/// Other words for the same keys.
const ALIASES: &[(&str, &str)] = &[
    ("return", "Enter"),
    ("esc", "Escape"),
    ("del", "Delete"),
    ("ins", "Insert"),
    ("up", "ArrowUp"),
    ("down", "ArrowDown"),
    ("left", "ArrowLeft"),
    ("right", "ArrowRight"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
    ("space", " "),
    ("spacebar", " "),
    ("plus", "+"),
    ("ctrl", "Control"),
    ("cmd", "Meta"),
    ("command", "Meta"),
    ("win", "Meta"),
    ("super", "Meta"),
    ("option", "Alt"),
];

/// Characters with a key of another name, and that key's code and number.
const PUNCTUATION: &[(&str, &str, u32)] = &[
    (" ", "Space", 32),
    (";:", "Semicolon", 186),
    ("=+", "Equal", 187),
    (",<", "Comma", 188),
    ("-_", "Minus", 189),
    (".>", "Period", 190),
    ("/?", "Slash", 191),
    ("`~", "Backquote", 192),
    ("[{", "BracketLeft", 219),
    ("\\|", "Backslash", 220),
    ("]}", "BracketRight", 221),
    ("'\"", "Quote", 222),
];

/// Reads a key as people write it: `Enter`, `a`, `Ctrl+Shift+K`.
pub(super) fn key_stroke(text: &str) -> Result<KeyStroke, String> {
    let text = if text.chars().all(char::is_whitespace) { text } else { text.trim() };
    // The last plus may be the key itself.
    let (held, name) = match text.strip_suffix('+') {
        Some(before) => (before.trim_end_matches('+'), "+"),
        None => text.rsplit_once('+').unwrap_or(("", text)),
    };
    let mut modifiers = 0;
    for word in held.split('+').filter(|word| !word.is_empty()) {
        modifiers |= match unaliased(word) {
            name if name.eq_ignore_ascii_case("alt") => 1,
            name if name.eq_ignore_ascii_case("control") => 2,
            name if name.eq_ignore_ascii_case("meta") => 4,
            name if name.eq_ignore_ascii_case("shift") => 8,
            _ => {
                return Err(format!("{word} cannot be held down: use Control, Shift, Alt or Meta"));
            }
        };
    }
    let key = key(unaliased(name)).ok_or_else(|| {
        format!("there is no key {text:?}: use one character or a name such as Enter, Tab, Escape, ArrowDown, Control+a")
    })?;
    Ok(KeyStroke { key, modifiers })
}

fn unaliased(name: &str) -> &str {
    let name = if name.chars().count() > 1 { name.trim() } else { name };
    ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map_or(name, |(_, key)| key)
}

fn key(name: &str) -> Option<Key> {
    if let Some((key, code, number, text)) =
        NAMED.iter().find(|(key, ..)| key.eq_ignore_ascii_case(name))
    {
        let text = (!text.is_empty()).then(|| (*text).to_owned());
        return Some(Key {
            key: (*key).to_owned(),
            code: (*code).to_owned(),
            number: *number,
            text,
        });
    }
    let mut characters = name.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else { return None };
    let upper = character.to_ascii_uppercase();
    let (code, number) = match upper {
        'A'..='Z' => (format!("Key{upper}"), u32::from(upper)),
        '0'..='9' => (format!("Digit{upper}"), u32::from(upper)),
        _ => PUNCTUATION
            .iter()
            .find(|(written, ..)| written.contains(character))
            .map_or((String::new(), 0), |(_, code, number)| ((*code).to_owned(), *number)),
    };
    Some(Key { key: character.to_string(), code, number, text: Some(character.to_string()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, u8) {
        let stroke = key_stroke(text).unwrap();
        (stroke.key.key, stroke.modifiers)
    }

    #[test]
    fn keys_are_read_as_people_write_them() {
        assert_eq!(read("Enter"), ("Enter".to_owned(), 0));
        assert_eq!(read("return"), ("Enter".to_owned(), 0));
        assert_eq!(read("Ctrl+a"), ("a".to_owned(), 2));
        assert_eq!(read("Control + Shift + ArrowDown"), ("ArrowDown".to_owned(), 10));
        assert_eq!(read("cmd+Alt+F5"), ("F5".to_owned(), 5));
        assert_eq!(read("+"), ("+".to_owned(), 0));
        assert_eq!(read("Ctrl++"), ("+".to_owned(), 2));
        assert_eq!(read(" "), (" ".to_owned(), 0));
        assert_eq!(read("Space"), (" ".to_owned(), 0));
        assert_eq!(read("ü"), ("ü".to_owned(), 0));
        for wrong in ["", "Entre", "a+b", "Enter+a", "ab"] {
            assert!(key_stroke(wrong).is_err(), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_upsets_it(text in "\\PC{0,12}") {
            let _ = key_stroke(&text);
        }
    }
}
