use std::io::Cursor;

use proptest::prelude::*;

use super::*;

fn window(content: impl AsRef<[u8]>, request: &WindowRequest) -> LineWindow {
    read_window(&mut Cursor::new(content.as_ref()), request).unwrap()
}

fn all(content: impl AsRef<[u8]>) -> LineWindow {
    window(content, &WindowRequest::default())
}

#[test]
fn numbers_lines_without_padding_or_a_phantom_line() {
    let shown = all("one\ntwo\nthree\n");
    assert_eq!(shown.content, "1|one\n2|two\n3|three");
    assert_eq!((shown.total_lines, shown.file_size, shown.truncated), (3, 14, false));
    assert_eq!((shown.hint, shown.next_offset, shown.encoding), (None, None, None));
}

#[test]
fn a_window_in_the_middle_says_where_to_read_on() {
    let shown = window("one\ntwo\nthree\n", &WindowRequest::lines(2, 1));
    assert_eq!((shown.content.as_str(), shown.truncated), ("2|two", true));
    assert_eq!(shown.hint.unwrap(), "Showing line 2 of 3. Read on with offset=3.");
    assert_eq!(shown.next_offset, None, "only the budget sets it");
    let shown = window("1\n2\n3\n4\n", &WindowRequest::lines(2, 2));
    assert_eq!(shown.hint.unwrap(), "Showing lines 2-3 of 4. Read on with offset=4.");
}

#[test]
fn counts_a_last_line_without_newline() {
    assert_eq!((all("x").total_lines, all("x").content.as_str()), (1, "1|x"));
    let shown = window("a\nb", &WindowRequest::lines(1, 1));
    assert_eq!((shown.total_lines, shown.truncated), (2, true));
}

#[test]
fn an_empty_file_has_no_lines() {
    let shown = all("");
    assert_eq!((shown.content.as_str(), shown.total_lines, shown.file_size), ("", 0, 0));
    assert_eq!((shown.truncated, shown.hint), (false, None));
    assert_eq!(all("\n").content, "1|");
}

#[test]
fn an_offset_past_the_end_is_not_an_error() {
    let shown = window("a\nb\n", &WindowRequest::lines(9, 5));
    assert_eq!((shown.content.as_str(), shown.total_lines, shown.truncated), ("", 2, false));
    assert_eq!(shown.hint.unwrap(), "The file has 2 lines; offset=9 is past its end.");
}

#[test]
fn offset_and_limit_zero_count_as_one() {
    assert_eq!(window("a\nb\n", &WindowRequest::lines(0, 0)).content, "1|a");
}

#[test]
fn only_line_feeds_end_lines_and_control_characters_stay() {
    let text = "a\r\nb\u{2028}c\u{85}d\x0Ce\x07\x1b]0;title\x07\rf\0\n";
    let shown = all(text);
    assert_eq!(shown.total_lines, 2);
    assert_eq!(shown.content, "1|a\r\n2|b\u{2028}c\u{85}d\x0Ce\x07\x1b]0;title\x07\rf\0");
}

#[test]
fn long_lines_are_cut_by_characters_and_the_rest_can_be_reached() {
    let text = format!("short\n{}\n", "ä€".repeat(6));
    let request = WindowRequest { max_line_chars: 5, ..WindowRequest::default() };
    let shown = window(&text, &request);
    assert_eq!(shown.content, "1|short\n2|ä€ä€ä... [truncated]");
    assert!(!shown.truncated);
    assert_eq!(
        shown.long_lines.unwrap(),
        "Cut to columns 1-5: line 2 (12 characters). See the rest with column=6, for example \
         offset=2 limit=1 column=6."
    );
    let rest = window(&text, &WindowRequest { offset: 2, column: Some(6), ..request });
    assert_eq!(rest.content, "2|€ä€ä€... [truncated]");
    let last = window(&text, &WindowRequest { offset: 1, column: Some(11), ..request });
    assert_eq!((last.content.as_str(), last.long_lines), ("1|\n2|ä€", None));
}

#[test]
fn many_long_lines_are_counted_not_listed() {
    let request = WindowRequest { max_line_chars: 1, ..WindowRequest::default() };
    let note = window("ab\n".repeat(9), &request).long_lines.unwrap();
    assert!(note.contains("5 (2 characters) and 4 more."), "{note}");
}

#[test]
fn the_budget_keeps_whole_lines_from_the_top() {
    // "1|aaaa" and "2|bbbb" are six characters each, and one joins them.
    let text = "aaaa\nbbbb\ncccc\n";
    let request = |max_chars| WindowRequest { max_chars, ..WindowRequest::default() };
    let shown = window(text, &request(13));
    assert_eq!(shown.content, "1|aaaa\n2|bbbb");
    assert_eq!((shown.truncated, shown.next_offset), (true, Some(3)));
    assert_eq!(
        shown.hint.unwrap(),
        "Showing lines 1-2 of 3: the limit of 13 characters was reached. Read on with offset=3."
    );
    assert_eq!(window(text, &request(12)).content, "1|aaaa");
    assert_eq!(window(text, &request(20)).next_offset, None);
    assert_eq!(shown.total_lines, 3);
}

#[test]
fn a_first_line_beyond_the_budget_is_clamped_between_characters() {
    let request = WindowRequest { max_chars: 5, ..WindowRequest::default() };
    let shown = window("€€€€€€\nnext\n", &request);
    assert_eq!(shown.content, "1|€€€");
    assert_eq!((shown.truncated, shown.next_offset), (true, Some(2)));
    assert!(shown.long_lines.unwrap().contains("offset=1 limit=1 column=4"));
    let only = window("abcdef", &request);
    assert_eq!((only.truncated, only.hint.unwrap().contains("offset")), (true, false));
}

#[test]
fn wide_windows_of_large_files_get_advice() {
    let text = format!("{}\n", "x".repeat(1_000)).repeat(600);
    assert!(window(&text, &WindowRequest::lines(1, 500)).advice.is_some());
    assert!(window(&text, &WindowRequest::lines(1, 200)).advice.is_none(), "narrow");
    assert!(window(&text, &WindowRequest::lines(550, 500)).advice.is_none(), "not truncated");
    assert!(window("x\n".repeat(600), &WindowRequest::lines(1, 500)).advice.is_none(), "small");
}

#[test]
fn a_utf8_mark_is_not_shown_but_reported() {
    let shown = all(b"\xEF\xBB\xBFone\n");
    assert_eq!((shown.content.as_str(), shown.byte_order_mark), ("1|one", true));
    assert_eq!((shown.file_size, shown.encoding), (7, None));
    assert_eq!(all(b"one\n\xEF\xBB\xBFtwo").content, "1|one\n2|\u{FEFF}two");
}

#[test]
fn other_encodings_show_replacement_characters_and_say_so() {
    let shown = all(b"ok\ncaf\xE9 \xFF\xFE\n");
    assert_eq!(shown.content, "1|ok\n2|caf\u{FFFD} \u{FFFD}\u{FFFD}");
    assert_eq!(shown.encoding.map(Encoding::name), Some("unknown"));
    let sound = window(b"ok\ncaf\xE9\n", &WindowRequest::lines(1, 1));
    assert_eq!(sound.encoding, None, "nothing undecodable is shown");
}

#[test]
fn wide_encodings_are_decoded() {
    let text = "één\n😀 zwei\r\nthree";
    let wide = text.encode_utf16();
    let files = [
        (
            "utf-16le",
            [&b"\xFF\xFE"[..], &wide.clone().flat_map(u16::to_le_bytes).collect::<Vec<_>>()]
                .concat(),
        ),
        (
            "utf-16be",
            [&b"\xFE\xFF"[..], &wide.flat_map(u16::to_be_bytes).collect::<Vec<_>>()].concat(),
        ),
        (
            "utf-32le",
            "\u{FEFF}"
                .chars()
                .chain(text.chars())
                .flat_map(|c| u32::from(c).to_le_bytes())
                .collect(),
        ),
        (
            "utf-32be",
            "\u{FEFF}"
                .chars()
                .chain(text.chars())
                .flat_map(|c| u32::from(c).to_be_bytes())
                .collect(),
        ),
    ];
    for (name, bytes) in files {
        let shown = all(&bytes);
        assert_eq!(shown.content, "1|één\n2|😀 zwei\r\n3|three", "{name}");
        assert_eq!(shown.encoding.map(Encoding::name), Some(name));
        assert_eq!((shown.total_lines, shown.file_size), (3, bytes.len() as u64));
        assert!(shown.byte_order_mark);
    }
}

#[test]
fn damaged_wide_text_is_shown_as_far_as_it_goes() {
    assert_eq!(all(b"\xFF\xFEa\0\x00\xD8b\0c").content, "1|a\u{FFFD}b\u{FFFD}");
    assert_eq!(all(b"\xFF\xFE\x3D\xD8").content, "1|\u{FFFD}");
    assert_eq!(all(b"\xFF\xFE").total_lines, 0);
}

#[test]
fn windows_beyond_one_buffer_are_found() {
    let lines: Vec<String> = (1..=80_000).map(|n| format!("line number {n}")).collect();
    let text = lines.join("\n");
    assert!(text.len() > 4 * 256 * 1024);
    for offset in [1, 14_000, 41_234, 79_999] {
        let shown = window(&text, &WindowRequest::lines(offset, 2));
        let expected = format!("{offset}|line number {offset}\n{0}|line number {0}", offset + 1);
        assert_eq!((shown.content, shown.total_lines), (expected, 80_000));
    }
    let wide: Vec<u8> =
        "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let shown = window(&wide, &WindowRequest::lines(41_234, 1));
    assert_eq!((shown.content.as_str(), shown.total_lines), ("41234|line number 41234", 80_000));
}

#[test]
fn a_line_of_many_buffers_is_not_kept() {
    let text = format!("{}\nlast\n", "€".repeat(1_000_000));
    let shown = window(&text, &WindowRequest { column: Some(999_999), ..WindowRequest::default() });
    assert_eq!(shown.content, "1|€€\n2|");
}

proptest! {
    /// What is shown is exactly the lines of the file, nothing more and nothing less.
    #[test]
    fn rows_reassemble_to_the_lines_of_the_file(
        bytes in proptest::collection::vec(
            prop_oneof![3 => Just(b'\n'), 6 => 0x20..0x7F_u8, 2 => any::<u8>()], 0..300),
        offset in 1..30_usize,
        limit in 1..30_usize,
    ) {
        prop_assume!(Bom::of(&bytes).is_none());
        let shown = window(&bytes, &WindowRequest::lines(offset, limit));
        let mut lines: Vec<_> = bytes.split(|byte| *byte == b'\n').collect();
        if lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        prop_assert_eq!(shown.total_lines, lines.len());
        let expected: Vec<String> = (1..)
            .zip(&lines)
            .skip(offset - 1)
            .take(limit)
            .map(|(number, line)| format!("{number}|{}", String::from_utf8_lossy(line)))
            .collect();
        prop_assert_eq!(shown.truncated, offset - 1 + expected.len() < lines.len() && !expected.is_empty());
        prop_assert_eq!(shown.content, expected.join("\n"));
    }

    #[test]
    fn no_cap_is_ever_exceeded(
        bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..300),
        offset in 0..9_usize,
        limit in 0..20_usize,
        max_line_chars in 0..20_usize,
        max_chars in 0..80_usize,
        column in proptest::option::of(0..10_usize),
        mark in prop::sample::select(vec![&b""[..], b"\xFF\xFE", b"\xFE\xFF", b"\0\0\xFE\xFF"]),
    ) {
        let request = WindowRequest { offset, limit, max_line_chars, max_chars, column };
        let shown = window([mark, &bytes].concat(), &request);
        prop_assert!(shown.content.chars().count() <= max_chars);
        prop_assert!(shown.content.split('\n').count() <= limit.max(1));
        let longest = shown.content.split('\n').map(|row| row.chars().count()).max();
        prop_assert!(longest <= Some("300|".len() + max_line_chars + CUT_MARKER.len()));
        if let Some(next) = shown.next_offset {
            prop_assert!(shown.truncated && next > offset);
        }
    }

    /// Reading on where each window ends gives the whole file.
    #[test]
    fn following_the_budget_reads_every_line(
        lines in proptest::collection::vec("[a-z]{0,12}", 1..40), max_chars in 20..60_usize,
    ) {
        let text = lines.join("\n") + "\n";
        let mut rows = Vec::new();
        let mut next = Some(1);
        while let Some(offset) = next {
            let request = WindowRequest { offset, max_chars, ..WindowRequest::default() };
            let shown = window(&text, &request);
            rows.extend(shown.content.split('\n').map(str::to_owned));
            next = shown.next_offset;
        }
        let expected: Vec<_> = (1..).zip(&lines).map(|(n, line)| format!("{n}|{line}")).collect();
        prop_assert_eq!(rows, expected);
    }
}
