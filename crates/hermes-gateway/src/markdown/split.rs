//! Long answers in several messages.
//!
//! The Markdown is cut before it is rendered, so each part stands alone: a code block that is cut is closed, and opened
//! again with its language in the next part. Nothing changes inside code: the parts' code, joined, is the code. Marks
//! such as `(1/3)` stand on a line of their own, outside of any fence.

use unicode_segmentation::UnicodeSegmentation;

use super::LengthUnit;

/// Room for the mark of a part and the line before it.
const MARK_ROOM: usize = 16;
/// Longest language that is carried over to the next part.
const MAX_LANGUAGE: usize = 32;

/// What a part must fit into.
#[derive(Clone, Copy)]
pub struct SplitLimit<'a> {
    /// The most a part may measure.
    pub length: usize,
    /// How much a part measures once it is rendered.
    pub measure: &'a dyn Fn(&str) -> usize,
    /// What the limit is counted in, to guess how much fits.
    pub unit: LengthUnit,
}

/// A fence that is open at some place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fence {
    mark: String,
    info: String,
}

/// Cuts Markdown into parts that fit. With more than one, each says which it is.
#[must_use]
pub fn split(markdown: &str, limit: &SplitLimit<'_>) -> Vec<String> {
    if (limit.measure)(markdown) <= limit.length {
        return vec![markdown.to_owned()];
    }
    let room = limit.length.saturating_sub(MARK_ROOM).max(1);
    let mut parts = Vec::new();
    let mut rest = markdown;
    let mut fence: Option<Fence> = None;
    while !rest.is_empty() {
        let opened = fence.as_ref().map(|fence| format!("{}{}\n", fence.mark, fence.info));
        let opened = opened.unwrap_or_default();
        let (taken, open_after) = take(rest, &opened, fence.as_ref(), room, limit);
        let (head, tail) = rest.split_at(taken);
        let mut part = format!("{opened}{head}");
        if let Some(fence) = &open_after {
            if !part.ends_with('\n') {
                part.push('\n');
            }
            part.push_str(&fence.mark);
        }
        rest = match open_after.is_some() {
            // Inside code every byte counts; the newline that was cut at is the end of the part's last line.
            true => tail,
            false => tail.trim_start_matches(['\n', ' ']),
        };
        let is_blank = head.trim().is_empty();
        fence = open_after;
        if !is_blank {
            parts.push(part);
        }
    }
    let count = parts.len();
    if count < 2 {
        return parts;
    }
    let numbered = |(at, part): (usize, String)| {
        let part = part.trim_end_matches('\n');
        format!("{part}\n\n({}/{count})", at + 1)
    };
    parts.into_iter().enumerate().map(numbered).collect()
}

/// How many bytes of the rest go into this part, and which fence is open after them.
fn take(
    rest: &str,
    opened: &str,
    fence: Option<&Fence>,
    room: usize,
    limit: &SplitLimit<'_>,
) -> (usize, Option<Fence>) {
    let mut budget = room;
    loop {
        let taken = cut(rest, fence, budget, limit.unit);
        let open = fence_after(rest.get(..taken).unwrap_or_default(), fence);
        let closing = open.as_ref().map(|fence| format!("\n{}", fence.mark)).unwrap_or_default();
        let part = format!("{opened}{}{closing}", rest.get(..taken).unwrap_or_default());
        let open = open.filter(|_| taken < rest.len());
        if (limit.measure)(&part) <= room || budget <= 1 {
            return (taken, open);
        }
        budget = budget * 4 / 5;
    }
}

/// The best place to cut within a budget: at least one letter.
fn cut(rest: &str, fence: Option<&Fence>, budget: usize, unit: LengthUnit) -> usize {
    let mut used = 0;
    let mut end = 0;
    for (at, letter) in rest.grapheme_indices(true) {
        used += unit.of(letter);
        if used > budget && end > 0 {
            break;
        }
        end = at + letter.len();
        if used > budget {
            break;
        }
    }
    if end >= rest.len() {
        return rest.len();
    }
    let window = rest.get(..end).unwrap_or(rest);
    let half = end / 2;
    // A newline in the second half, an empty line before any other.
    let outside = |at: &usize| fence_after(window.get(..*at).unwrap_or_default(), fence).is_none();
    let paragraph = window.rfind("\n\n").map(|at| at + 1).filter(|at| *at > half).filter(outside);
    if let Some(at) = paragraph {
        return at;
    }
    let is_code = fence_after(window, fence).is_some();
    // A line of code is only cut if it does not fit at all: nobody could put it together again.
    if let Some(at) = window.rfind('\n').map(|at| at + 1)
        && (at > half || is_code)
    {
        return at;
    }
    if !is_code
        && let Some(at) = last_space_outside_code(window)
        && at > half
    {
        return at;
    }
    end
}

/// The last blank of a line that stands in no `inline code`.
fn last_space_outside_code(window: &str) -> Option<usize> {
    let line = window.rfind('\n').map_or(0, |at| at + 1);
    let mut is_inside = false;
    let mut found = None;
    for (at, c) in window.char_indices().skip_while(|(at, _)| *at < line) {
        match c {
            '`' => is_inside = !is_inside,
            ' ' if !is_inside => found = Some(at + 1),
            _ => {}
        }
    }
    found.or_else(|| window.rfind(' ').map(|at| at + 1))
}

/// The fence that is open after some text, which began inside `fence` or outside of any.
fn fence_after(text: &str, fence: Option<&Fence>) -> Option<Fence> {
    let mut open = fence.cloned();
    for line in text.lines() {
        let bare = line.trim_start_matches(' ');
        if line.len() - bare.len() > 3 {
            continue;
        }
        let Some(sign @ ('`' | '~')) = bare.chars().next() else { continue };
        let length = bare.chars().take_while(|c| *c == sign).count();
        let info = bare.get(length..).unwrap_or_default().trim();
        if length < 3 {
            continue;
        }
        match &open {
            Some(fence) if fence.mark.starts_with(sign) && length >= fence.mark.len() => {
                if info.is_empty() {
                    open = None;
                }
            }
            Some(_) => {}
            None if sign == '`' && info.contains('`') => {}
            None => {
                let language = info.split_whitespace().next().unwrap_or_default();
                let language: String = language.chars().take(MAX_LANGUAGE).collect();
                open = Some(Fence { mark: sign.to_string().repeat(length), info: language });
            }
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{Document, DocumentBlock};

    fn parts(markdown: &str, length: usize) -> Vec<String> {
        let unit = LengthUnit::Utf16;
        split(markdown, &SplitLimit { length, measure: &|part| unit.of(part), unit })
    }

    fn code_of(parts: &[String]) -> String {
        let mut code = String::new();
        for part in parts {
            for block in Document::parse(part).blocks {
                if let DocumentBlock::Code { text, .. } = block {
                    code.push_str(&text);
                }
            }
        }
        code
    }

    #[test]
    fn code_that_is_cut_is_whole_again_when_joined() {
        let code: String = (0..200).map(|n| format!("    line {n} of the  code\n")).collect();
        let answer = format!(
            "{}\n\n```python\n{code}```\n\nand {}",
            "Words. ".repeat(300),
            "x ".repeat(500)
        );
        let parts = parts(&answer, 4096);
        assert!(parts.len() > 2 && parts.iter().all(|part| part.len() <= 4096));
        assert_eq!(code_of(&parts), code);
        assert!(parts.iter().filter(|part| part.contains("```python\n")).count() >= 2);
        assert!(parts[0].ends_with(&format!("\n\n(1/{})", parts.len())));
    }

    #[test]
    fn fences_of_tildes_are_fences_too() {
        let code: String = (0..50).map(|n| format!("  {n}\n")).collect();
        let parts = parts(&format!("~~~\n{code}~~~"), 100);
        assert!(parts.len() > 1);
        assert_eq!(code_of(&parts), code);
    }

    #[test]
    fn one_long_word_is_cut_between_letters() {
        let parts = parts(&"👨‍👩‍👧".repeat(30), 60);
        assert!(parts.len() > 1);
        for part in &parts {
            let words = part.split("\n\n(").next().unwrap();
            assert!(words.graphemes(true).all(|letter| letter == "👨‍👩‍👧"), "{part:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn parts_fit_and_nothing_but_blanks_is_lost(
            text in "([a-z ]{0,30}[\n ]{1,2}){0,40}", length in 40_usize..200
        ) {
            let parts = parts(&text, length);
            for part in &parts {
                proptest::prop_assert!(part.len() <= length, "{part:?}");
            }
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            let joined: String = parts.iter().map(|part| match parts.len() {
                1 => bare(part),
                _ => bare(part.rsplit_once("\n\n(").map_or(part, |(words, _)| words)),
            }).collect();
            proptest::prop_assert_eq!(joined, bare(&text));
        }

        #[test]
        fn code_survives_any_cut(lines in proptest::collection::vec("[ a-z]{0,20}[a-z]", 1..60), length in 60_usize..300) {
            let code: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let parts = parts(&format!("Look:\n\n```rust\n{code}```\n\nDone."), length);
            proptest::prop_assert!(parts.iter().all(|part| part.len() <= length));
            proptest::prop_assert_eq!(code_of(&parts), code);
        }
    }
}
