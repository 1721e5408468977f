use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::test_clock::cpu_time_of;

#[test]
fn sequences_of_every_kind_are_removed() {
    for (text, wanted) in [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3mx\x1b[?25l\x1b[2J\x1b[1;1H", "x"),
        ("\x1b[0 qcursor", "cursor"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;two\nlines\x07text", "text"),
        ("a\x1b]1;x\x07b\x07c", "ab\x07c"),
        ("\x1bP1$r0m\x1b\\dcs", "dcs"),
        ("\x1bXsos\x1b\\\x1b^pm\x1b\\\x1b_apc\x1b\\end", "end"),
        ("\x1bPa\x07b\x1b\\c", "c"),
        ("\x1b(Bcharset\x1b)0", "charset"),
        ("\x1b #8x", "x"),
        ("\x1b=\x1b>\x1bMup\x1bc", "up"),
        ("\u{9b}31mred\u{9b}0m", "red"),
        ("\u{9d}0;title\u{9c}text", "text"),
        ("\u{9d}0;title\x07text", "text"),
        ("a\u{85}b\u{90}c\u{80}\u{9f}", "abc"),
    ] {
        assert_eq!(strip(text), wanted, "{text:?}");
    }
}

#[test]
fn what_never_ends_loses_only_its_introducer() {
    for (text, wanted) in [
        ("\x1b]0;title and more", "0;title and more"),
        ("\x1b]0;title\u{9c}x", "0;titlex"),
        ("\x1bPdata", "data"),
        ("\x1b[31", "31"),
        ("\x1b[3\u{e9}", "3\u{e9}"),
        ("\x1b[31\nm", "31\nm"),
        ("\u{9b}31", "31"),
        ("\u{9d}0;title\x1b\\x", "0;titlex"),
        ("\u{9d}0;title", "0;title"),
        ("\x1b]a\x1b]b\x1b]c", "abc"),
        ("\x1b]a\x1b]b\x07c", "c"),
    ] {
        assert_eq!(strip(text), wanted, "{text:?}");
    }
}

#[test]
fn an_escape_that_begins_nothing_stays() {
    for text in ["\x1b", "a\x1b", "\x1b\n", "\x1b\u{e9}", "\x1b  ", "\x1b\x1b"] {
        assert_eq!(strip(text), text, "{text:?}");
    }
    assert_eq!(strip("\x1b\x1b[0mx"), "\x1bx");
}

#[test]
fn text_without_sequences_is_not_copied() {
    for text in ["", "plain\r\n\ttext", "größer « » ¢", "\u{7}\u{8}"] {
        assert!(matches!(strip(text), Cow::Borrowed(_)), "{text:?}");
    }
    assert!(matches!(strip_for_display("plain\n\ttext « »"), Cow::Borrowed(_)));
}

#[test]
fn display_text_has_one_kind_of_line_end_and_no_controls() {
    for (text, wanted) in [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("a\r\r\nb", "a\n\nb"),
        ("10%\r20%\r", "10%\n20%\n"),
        ("a\x07b\x08c\x00d\x7fe\tf", "abcde\tf"),
        ("\x1b[1mbold\x1b[0m\r\n", "bold\n"),
        ("lone\x1b", "lone"),
        ("\x1b\x1b[0m[31mx", "[31mx"),
    ] {
        assert_eq!(strip_for_display(text), wanted, "{text:?}");
    }
}

#[test]
fn very_many_introducers_without_an_end_are_read_once() {
    for unit in ["\x1b]", "\x1bP", "\u{9d}", "\x1b[", "\x1b ", "\x1b]\x1bP\u{9d}"] {
        let text = unit.repeat(300_000);
        let taken = cpu_time_of(|| strip_for_display(&text));
        assert!(taken < Duration::from_secs(5), "{unit:?} {taken:?}");
    }
}

proptest! {
    #[test]
    fn plain_text_comes_through_unchanged(text in "[^\\x1b\\u{80}-\\u{9f}]{0,200}") {
        prop_assert_eq!(strip(&text), text.as_str());
    }

    #[test]
    fn text_between_sequences_is_kept(
        parts in prop::collection::vec("[^\\x00-\\x1f\\x7f-\\u{9f}]{0,20}", 1..8),
        which in prop::collection::vec(0usize..7, 8),
    ) {
        const SEQUENCES: [&str; 7] = [
            "\x1b[31m", "\x1b]0;t\x07", "\x1b]0;t\x1b\\", "\x1bPq\x1b\\", "\x1b(B", "\x1bM",
            "\u{9b}1m",
        ];
        let mut text = String::new();
        for (part, &index) in parts.iter().zip(&which) {
            text.push_str(part);
            text.push_str(SEQUENCES[index]);
        }
        prop_assert_eq!(strip(&text), parts.concat());
    }

    #[test]
    fn nothing_for_display_can_steer_a_terminal(text in "[\\x00-\\x7f\\u{80}-\\u{a5}]{0,100}") {
        let shown = strip_for_display(&text).into_owned();
        prop_assert!(!shown.chars().any(|character| {
            character.is_control() && character != '\n' && character != '\t'
        }), "{:?}", shown);
        prop_assert_eq!(strip_for_display(&shown), shown.as_str());
    }
}
