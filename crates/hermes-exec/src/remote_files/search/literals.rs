//! Texts that a file must hold to have a match.
//!
//! They are found in the parsed expression: what it begins with, what it ends with, and, of parts
//! that follow each other, whatever any of them needs. The longer the shortest text of a set, the
//! fewer files have one of them.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::{ExtractKind, Extractor};
use regex_syntax::hir::{Hir, HirKind};

use super::super::script::word;

/// Most bytes of all texts together; they are passed on as arguments.
const MOST_BYTES: usize = 4 << 10;

const WIDE: &str = include_str!("../scripts/wide.sh");

/// A script that says which of the files given to it can have a match, if there is one.
pub(super) fn sieve(pattern: &str, sifts: bool) -> Option<String> {
    let texts = required(pattern).filter(|_| sifts)?;
    let options: String = texts.iter().map(|text| format!(" -e {}", word(text))).collect();
    Some(format!("grep -IlZsF{options} -- \"$@\"\n{WIDE}"))
}

/// The texts of which every match holds one; `None` when there are no such.
fn required(pattern: &str) -> Option<Vec<Vec<u8>>> {
    let hir = ParserBuilder::new().utf8(false).multi_line(true).build().parse(pattern).ok()?;
    best(&hir)
}

fn best(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    let ends = [ExtractKind::Prefix, ExtractKind::Suffix].map(|kind| texts_at(hir, kind));
    let inside = match hir.kind() {
        HirKind::Capture(group) => vec![best(&group.sub)],
        HirKind::Repetition(part) if part.min > 0 => vec![best(&part.sub)],
        HirKind::Concat(parts) => parts.iter().map(best).collect(),
        _ => Vec::new(),
    };
    let shortest = |texts: &Vec<Vec<u8>>| texts.iter().map(Vec::len).min().unwrap_or(0);
    ends.into_iter().chain(inside).flatten().max_by_key(shortest)
}

fn texts_at(hir: &Hir, kind: ExtractKind) -> Option<Vec<Vec<u8>>> {
    let sequence = Extractor::new().kind(kind).extract(hir);
    let texts: Vec<Vec<u8>> =
        sequence.literals()?.iter().map(|literal| literal.as_bytes().to_vec()).collect();
    // An empty text is in every file; the others cannot be asked for.
    let is_usable =
        |text: &Vec<u8>| !text.is_empty() && !text.contains(&0) && !text.contains(&b'\n');
    let bytes: usize = texts.iter().map(Vec::len).sum();
    (!texts.is_empty() && bytes <= MOST_BYTES && texts.iter().all(is_usable)).then_some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pattern: &str) -> Option<Vec<String>> {
        let mut texts: Vec<String> = required(pattern)?
            .iter()
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .collect();
        texts.sort();
        Some(texts)
    }

    #[test]
    fn the_longest_text_every_match_needs_is_found_wherever_it_is() {
        for (pattern, expected) in [
            ("needle", vec!["needle"]),
            ("^fn main", vec!["fn main"]),
            (r"\w+needle\d*", vec!["needle"]),
            ("a.*(needle)+.*b", vec!["needle"]),
            ("(foo|barn)x", vec!["barnx", "foox"]),
            (r"x?needle$", vec!["needle"]),
        ] {
            let found = texts(pattern);
            assert!(
                found.as_ref().is_some_and(|found| expected.iter().all(|text| found
                    .iter()
                    .any(|f| text.contains(f.as_str()) || f.contains(text)))),
                "{pattern}: {found:?}"
            );
        }
        assert_eq!(texts("(?i)ab").unwrap(), ["AB", "Ab", "aB", "ab"]);
    }

    #[test]
    fn where_nothing_is_needed_nothing_is_said() {
        for pattern in [".*", r"\w+", "a*", "a|", "(", "[^x]"] {
            assert_eq!(texts(pattern), None, "{pattern}");
        }
    }
}
