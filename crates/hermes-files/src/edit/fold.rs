//! Look-alike folding: typographic characters become the ASCII people type for them, and
//! canonically equal spellings become one (NFC).
//!
//! Folding goes cluster by cluster, a cluster being a character and the marks that may combine
//! with it. A cluster that changes becomes one piece of the [`NormalizedView`], which is what keeps a match
//! from beginning or ending in the middle of it. Bytes that are not UTF-8 stay as they are.

use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::view::{Copyist, NormalizedView};

/// No character below this one combines or has another spelling.
const FIRST_MARK: char = '\u{300}';

/// What is typed for a typographic character.
fn typed(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{201c}' | '\u{201d}' => "\"",
        '\u{2018}' | '\u{2019}' => "'",
        '\u{2014}' => "--",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{2026}' => "...",
        '\u{a0}' => " ",
        _ => return None,
    })
}

/// Whether the character is one that folding replaces by what is typed for it.
pub(super) fn is_typographic(c: char) -> bool {
    typed(c).is_some()
}

/// The folded text with its way back.
pub(super) fn fold(text: &[u8]) -> NormalizedView<'_> {
    if text.is_ascii() {
        return NormalizedView::same(text);
    }
    let mut copyist = Copyist::new(text);
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        fold_str(chunk.valid(), at, &mut copyist);
        at += chunk.valid().len() + chunk.invalid().len();
    }
    copyist.finish()
}

fn fold_str(text: &str, offset: usize, copyist: &mut Copyist<'_>) {
    let mut pending = Cluster { start: 0, may_change: false };
    let mut flush = |cluster: Cluster, end: usize| {
        if cluster.may_change
            && let Some(folded) = fold_cluster(&text[cluster.start..end])
        {
            copyist.replace(offset + cluster.start..offset + end, folded.as_bytes());
        }
    };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_ascii() {
            // Only the last of a run can be changed, by a mark that follows.
            flush(pending, at);
            let run = text.as_bytes()[at..].iter().position(|byte| !byte.is_ascii());
            at = run.map_or(text.len(), |run| at + run);
            pending = Cluster { start: at - 1, may_change: false };
            continue;
        }
        if is_plain(c) || begins_cluster(c) {
            flush(pending, at);
            pending = Cluster { start: at, may_change: !is_plain(c) };
        } else {
            pending.may_change = true;
        }
        at += c.len_utf8();
    }
    flush(pending, text.len());
}

/// A cluster whose end is not known yet.
#[derive(Clone, Copy)]
struct Cluster {
    start: usize,
    may_change: bool,
}

/// Letters of common scripts that need no closer look: they begin a cluster and do not change.
fn is_plain(c: char) -> bool {
    c < FIRST_MARK && c != '\u{a0}'
        || matches!(c, '\u{400}'..='\u{482}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// What the cluster becomes, if it changes.
fn fold_cluster(cluster: &str) -> Option<String> {
    let mut chars = cluster.chars();
    if let (Some(only), None) = (chars.next(), chars.next())
        && (only < FIRST_MARK || is_nfc_quick(std::iter::once(only)) == IsNormalized::Yes)
    {
        return typed(only).map(str::to_owned);
    }
    let mut folded = String::new();
    for c in cluster.nfc() {
        match typed(c) {
            Some(typed) => folded.push_str(typed),
            None => folded.push(c),
        }
    }
    (folded != cluster).then_some(folded)
}

/// Whether nothing before the character can combine with it.
fn begins_cluster(c: char) -> bool {
    if c < FIRST_MARK {
        return true;
    }
    if canonical_combining_class(c) != 0 {
        return false;
    }
    match is_nfc_quick(std::iter::once(c)) {
        IsNormalized::Yes => true,
        IsNormalized::Maybe => false,
        // The character is always spelled otherwise; what counts is how that spelling begins.
        IsNormalized::No => {
            let mut first = None;
            decompose_canonical(c, |part| first = first.or(Some(part)));
            first.is_none_or(|first| first == c || begins_cluster(first))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folded(text: &str) -> String {
        String::from_utf8(fold(text.as_bytes()).bytes().to_vec()).unwrap()
    }

    #[test]
    fn types_what_looks_alike() {
        assert_eq!(folded("“a” ‘b’ c—d–e−f‐g―h… i"), "\"a\" 'b' c--d-e-f-g-h... i");
        assert_eq!(folded("x\u{a0}y"), "x y");
        assert_eq!(folded("plain"), "plain");
    }

    #[test]
    fn composes_across_all_kinds_of_clusters() {
        for text in [
            "cafe\u{301}s",
            "\u{1112}\u{1161}\u{11ab}",
            "5\u{212b}",
            "\n\u{301}\u{316}",
            "q\u{307}\u{323}",
        ] {
            assert_eq!(folded(text), text.nfc().collect::<String>(), "{text:?}");
        }
    }

    #[test]
    fn leaves_broken_bytes_alone() {
        let view = fold(b"\xff\xe2\x80\x94\xe2\x80");
        assert_eq!(view.bytes(), b"\xff--\xe2\x80");
        assert_eq!(view.source(1..3), Some(1..4));
    }

    #[test]
    fn a_letter_and_its_mark_are_one_piece() {
        let view = fold("ae\u{301}b".as_bytes());
        assert_eq!(view.bytes(), "aéb".as_bytes());
        assert_eq!(view.source(1..3), Some(1..4));
        assert_eq!(view.source(1..2), None);
    }

    proptest! {
        #[test]
        fn agrees_with_composing_the_whole(text in "[a-zéжд水\u{301}\u{323}\u{1100}-\u{11ff}\u{ac00}\u{212a}\u{212b}\u{9be}\u{9c7}\u{344}\u{958}]{0,12}") {
            prop_assert_eq!(folded(&text), text.nfc().collect::<String>());
        }
    }
}
