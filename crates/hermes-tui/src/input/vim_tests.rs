use proptest::prelude::*;

use super::*;

/// Types keys into a text whose cursor stands at `|`, beginning in normal mode; `~` in the answer's front marks that
/// letters are typed afterwards.
fn after(text: &str, keys: &str) -> String {
    let (before, rest) = text.split_once('|').unwrap();
    let mut buffer = TextBuffer::default();
    buffer.set(format!("{before}{rest}"));
    buffer.jump(before.len());
    let mut vim = Vim { mode: Mode::Normal, ..Vim::default() };
    for letter in keys.chars() {
        let code = if letter == '␛' { KeyCode::Esc } else { KeyCode::Char(letter) };
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        match (vim.is_normal(), code) {
            (true, _) => drop(vim.on_key(key, &mut buffer)),
            (false, KeyCode::Esc) => drop(vim.leave_insert(&mut buffer)),
            (false, _) => buffer.insert(&letter.to_string()),
        }
    }
    let mode = if vim.is_normal() { "" } else { "~" };
    format!("{mode}{}|{}", buffer.before(), buffer.after())
}

#[test]
fn motions_lead_where_hands_expect() {
    for (text, keys, expected) in [
        ("|one two", "w", "one |two"),
        ("|one, two", "w", "one|, two"),
        ("|one, two", "W", "one, |two"),
        ("one two|", "b", "one |two"),
        ("|one two", "e", "on|e two"),
        ("|one two", "2e", "one tw|o"),
        ("one| two", "0", "|one two"),
        ("|one two", "$", "one tw|o"),
        ("|  one", "^", "  |one"),
        ("|one two three", "2w", "one two |three"),
        ("|日本語 です", "l", "日|本語 です"),
        ("|a👩‍👩‍👧b", "2l", "a👩‍👩‍👧|b"),
        ("|one two", "ft", "one |two"),
        ("|one two", "tt", "one| two"),
        ("|a.b.c", "f.;", "a.b|.c"),
        ("a\nb|c", "gg", "|a\nbc"),
        ("|a\nb\nc", "G", "a\nb\n|c"),
        ("|a\nb\nc", "2G", "a\n|b\nc"),
        ("|a\nb", "j", "a\n|b"),
        ("one|", "h", "on|e"),
        ("|one", "9h9l", "on|e"),
        ("|", "wbex$0", "|"),
    ] {
        assert_eq!(after(text, keys), expected, "{text} {keys}");
    }
}

#[test]
fn operators_take_what_the_motion_passes() {
    for (text, keys, expected) in [
        ("|one two", "dw", "|two"),
        ("|one two three", "d2w", "|three"),
        ("|one two", "cwnew␛", "ne|w two"),
        ("|one two", "cw", "~| two"),
        ("one |two", "db", "|two"),
        ("one |two", "d$", "one| "),
        ("one |two", "D", "one| "),
        ("one |two", "C", "~one |"),
        ("|one(two)", "dt(", "|(two)"),
        ("|one(two)", "df(", "|two)"),
        ("one tw|o", "dFt", "one |o"),
        ("a\n|b\nc", "dd", "a\n|c"),
        ("a\nb\n|c", "dd", "a\n|b"),
        ("|a\nb\nc", "2dd", "|c"),
        ("a\n|b\nc", "cc", "~a\n|\nc"),
        ("|a\nb\nc", "dj", "|c"),
        ("a\nb\n|c", "dgg", "|"),
        ("|one two", "ywP", "one| one two"),
        ("|a\nb", "yyp", "a\n|a\nb"),
        ("|a\nb", "yyjp", "a\nb\n|a"),
        ("|a\nb", "ddp", "b\n|a"),
        ("|abc", "xp", "b|ac"),
        ("|abc", "2x", "|c"),
        ("ab|c", "X", "a|c"),
        ("|abc", "rx", "|xbc"),
        ("|abc", "3~", "AB|C"),
        ("|one two", "dwu", "|one two"),
        ("|one", "d␛x", "|ne"),
        ("|one", "dq", "|one"),
        ("|one", "xxuu", "|one"),
    ] {
        assert_eq!(after(text, keys), expected, "{text} {keys}");
    }
}

#[test]
fn letters_are_typed_where_they_are_wanted() {
    for (text, keys, expected) in [
        ("o|ne", "ix", "~ox|ne"),
        ("o|ne", "ax", "~onx|e"),
        ("  o|ne", "Ix", "~  x|one"),
        ("o|ne", "Ax", "~onex|"),
        ("o|ne\ntwo", "ox", "~one\nx|\ntwo"),
        ("one\nt|wo", "Ox", "~one\nx|\ntwo"),
        ("o|ne", "ix␛", "o|xne"),
        ("o|ne", "sx", "~ox|e"),
        ("o|ne", "Sx", "~x|"),
        ("|", "/", "~|"),
    ] {
        assert_eq!(after(text, keys), expected, "{text} {keys}");
    }
}

proptest! {
    #[test]
    fn no_keys_break_any_text(text in "[a-z(.日👩 \n]{0,20}", keys in "[a-zA-Z0-9$^;~(.日␛]{0,30}") {
        after(&format!("|{text}"), &keys);
    }
}
