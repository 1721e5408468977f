//! What holds for every edit.

use proptest::prelude::*;

use super::super::{Edited, ReplaceScope, replace};

/// Pieces that files are made of, among them everything that has ever confused an editor.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known: Vec<&'static [u8]> = vec![
        b"\n",
        b"\n",
        b"\r\n",
        b"\r",
        b"\r\r\n",
        b" ",
        b"    ",
        b"\t",
        b"a",
        b"b",
        b"foo",
        b"(",
        b")",
        b" = ",
        b"\\n",
        b"\\t",
        b"\\\"",
        b"\"",
        b"'",
        b"--",
        b"...",
        b"\xff",
        b"\xc3",
        b"\xe2\x80",
        b"\xef\xbb\xbf",
        b"\xe2\x80\x94",
        b"\xe2\x80\x9c",
        b"\xe2\x80\x9d",
        b"\xc2\xa0",
        b"\xe2\x80\xa6",
        b"e\xcc\x81",
        b"\xc3\xa9",
        b"\xe3\x80\x80",
        b"\x1c",
        b"\0",
    ];
    prop_oneof![
        9 => proptest::sample::select(known).prop_map(<[u8]>::to_vec),
        1 => any::<Vec<u8>>().prop_map(|mut bytes| { bytes.truncate(4); bytes }),
    ]
}

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(piece(), 0..most).prop_map(|pieces| pieces.concat())
}

fn text(most: usize) -> impl Strategy<Value = String> {
    bytes(most).prop_map(|bytes| String::from_utf8_lossy(&bytes).replace('\u{fffd}', "?"))
}

fn scope() -> impl Strategy<Value = ReplaceScope> {
    prop_oneof![Just(ReplaceScope::One), Just(ReplaceScope::All)]
}

/// A quotation cut out of the content, so that most edits succeed.
fn cut(content: &[u8], from: prop::sample::Index, length: usize) -> String {
    let from = from.index(content.len() + 1).min(content.len());
    let end = (from + length).min(content.len());
    String::from_utf8_lossy(&content[from..end]).replace('\u{fffd}', "")
}

fn as_crlf(bytes: &[u8]) -> Vec<u8> {
    String::from_utf8(bytes.to_vec()).unwrap().replace('\n', "\r\n").into_bytes()
}

/// Where line `number` (from 1) begins.
fn line_start(bytes: &[u8], number: usize) -> usize {
    if number == 1 {
        return 0;
    }
    memchr::memchr_iter(b'\n', bytes).nth(number - 2).map_or(bytes.len(), |lf| lf + 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn lines_outside_the_place_keep_every_byte(
        content in bytes(40),
        from in any::<prop::sample::Index>(),
        length in 1_usize..12,
        new in text(6),
    ) {
        let old = cut(&content, from, length);
        let Ok(edited) = replace(&content, &old, &new, ReplaceScope::One) else { return Ok(()) };
        let place = edited.replacements[0];
        let start = line_start(&content, place.before.first);
        prop_assert_eq!(&edited.bytes[..start], &content[..start]);
        // A quotation that ends with a line break may have joined the line after it.
        let end = line_start(&content, place.before.last + 2);
        prop_assert!(edited.bytes.ends_with(&content[end..]));
        prop_assert_ne!(edited.bytes, content);
    }

    #[test]
    fn an_exact_edit_is_a_plain_replacement(
        content in text(40),
        from in any::<prop::sample::Index>(),
        length in 1_usize..8,
        new in "[a-z \n]{0,8}",
    ) {
        let content = content.replace(['\r', '\u{feff}'], "");
        let old = cut(content.as_bytes(), from, length);
        let Ok(edited) = replace(content.as_bytes(), &old, &new, ReplaceScope::All) else { return Ok(()) };
        if edited.strategy == super::super::MatchStrategy::Exact {
            prop_assert_eq!(String::from_utf8(edited.bytes).unwrap(), content.replace(&old, &new));
            prop_assert_eq!(edited.count, content.matches(&old).count());
        }
    }

    #[test]
    fn a_crlf_file_behaves_as_its_lf_twin(
        content in text(30),
        from in any::<prop::sample::Index>(),
        length in 1_usize..12,
        new in text(6),
        scope in scope(),
    ) {
        // Without a line break a file would have no say.
        let content = content.replace('\r', "") + "\n";
        let new = new.replace('\r', "");
        let old = cut(content.as_bytes(), from, length);
        let lf = replace(content.as_bytes(), &old, &new, scope);
        let crlf = replace(&as_crlf(content.as_bytes()), &old, &new, scope);
        let given = String::from_utf8(as_crlf(old.as_bytes())).unwrap();
        let both = replace(&as_crlf(content.as_bytes()), &given, &new, scope);
        prop_assert_eq!(&crlf, &both);
        let lf = lf.map(|edited| Edited { bytes: as_crlf(&edited.bytes), ..edited });
        prop_assert_eq!(lf, crlf);
    }

    #[test]
    fn nothing_panics_and_success_means_change(
        content in bytes(40), old in text(10), new in text(10), scope in scope(),
    ) {
        match replace(&content, &old, &new, scope) {
            Ok(edited) => prop_assert_ne!(edited.bytes, content),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    /// However a block is misquoted, taking one line out of it takes that line out of the file
    /// and changes nothing else.
    #[test]
    fn a_misquoted_block_loses_exactly_the_line_taken_out(
        lines in proptest::collection::vec(("[ ]{0,6}|\t{0,2}", "[a-z“”—é(),= ]{0,12}", "[ ]{0,2}", "\n|\r\n"), 4..20),
        first in any::<prop::sample::Index>(),
        taken in 0_usize..3,
        quoted_indent in proptest::collection::vec("[ ]{0,6}|\t{0,2}", 3),
        typed in any::<bool>(),
        spacing in any::<bool>(),
    ) {
        let file: Vec<String> = lines
            .iter()
            .enumerate()
            .map(|(n, (indent, body, tail, end))| format!("{indent}x{n} {body};{tail}{end}"))
            .collect();
        let first = first.index(file.len() - 2);
        let quoted: Vec<String> = (0..3)
            .map(|n| {
                let (_, body, _, _) = &lines[first + n];
                let mut line = format!("{}x{} {body};", quoted_indent[n], first + n);
                if typed {
                    line = line.replace(['“', '”'], "\"").replace('—', "--").replace('é', "e\u{301}");
                } else if spacing {
                    line = line.replace('(', " ( ").replace(',', " ,  ").replace('=', " = ");
                }
                line + "\n"
            })
            .collect();
        let mut kept = quoted.clone();
        kept.remove(taken);
        let edited = replace(file.concat().as_bytes(), &quoted.concat(), &kept.concat(), ReplaceScope::One);
        let mut expected = file.clone();
        expected.remove(first + taken);
        let edited = edited.unwrap();
        // An exact match may begin after the indent, and then leaves that.
        prop_assume!(edited.strategy.name() != "exact");
        prop_assert_eq!(String::from_utf8(edited.bytes).unwrap(), expected.concat());
    }
}
