//! Fitting head, notice and tail into a limit.

use super::CaptureLimit;

/// Rounds to find a notice whose own length agrees with the number it states. Each round can only
/// add digits, and hardly ever more than one.
const ROUNDS: usize = 4;

/// What is left of a stream of `total` characters: all of it if `head` and `tail` have that many
/// together, else its beginning and its end.
#[derive(Clone, Copy)]
pub(super) struct KeptOutput<'a> {
    pub(super) head: &'a str,
    pub(super) tail: &'a str,
    pub(super) total: u64,
}

/// The text and `suffix`, together within the limit.
pub(super) fn within(limit: CaptureLimit, kept: KeptOutput<'_>, suffix: &str) -> String {
    let suffix = last_chars(suffix, limit.max_chars);
    let room = limit.max_chars - suffix.chars().count();
    let KeptOutput { head, tail, total } = kept;
    if total <= room as u64 {
        return [head, tail, suffix].concat();
    }
    // A suffix can make a text too long that is still there in full: then both parts touch, and
    // the end to show may begin in the head.
    let joined = (total <= limit.max_chars as u64).then(|| [head, tail].concat());
    let (head, tail) = joined.as_deref().map_or((head, tail), |whole| (whole, whole));

    let (notice, budget) = notice_for(total, room);
    let head_chars = limit.head_of(budget);
    let head = &head[..offset_of(head, head_chars)];
    [head, &notice, last_chars(tail, budget - head_chars), suffix].concat()
}

/// The notice for `total` characters cut to `room`, and the characters that fit beside it.
/// In a room too small for any notice the text itself is worth more.
fn notice_for(total: u64, room: usize) -> (String, usize) {
    let mut omitted = total - room as u64;
    let mut result = (String::new(), room);
    for _ in 0..ROUNDS {
        let notice = notice(omitted, total);
        let Some(budget) = room.checked_sub(notice.chars().count()) else {
            return (String::new(), room);
        };
        result = (notice, budget);
        let now = total - budget as u64;
        if now == omitted {
            break;
        }
        omitted = now;
    }
    result
}

fn notice(omitted: u64, total: u64) -> String {
    let (omitted, total) = (grouped(omitted), grouped(total));
    format!("\n\n... [OUTPUT TRUNCATED - {omitted} chars omitted out of {total} total] ...\n\n")
}

/// Digits with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The byte offset behind the first `count` characters (the end, if there are fewer).
pub(super) fn offset_of(text: &str, count: usize) -> usize {
    let mut chars = text.chars();
    if let Some(last) = count.checked_sub(1) {
        chars.nth(last);
    }
    text.len() - chars.as_str().len()
}

fn last_chars(text: &str, count: usize) -> &str {
    let excess = text.chars().count().saturating_sub(count);
    &text[offset_of(text, excess)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, max_chars: usize, suffix: &str) -> String {
        let limit = CaptureLimit::chars(max_chars);
        let kept = KeptOutput { head: text, tail: "", total: text.chars().count() as u64 };
        // The collector never keeps more than the limit; the head alone stands for a short text.
        assert!(kept.total <= max_chars as u64);
        within(limit, kept, suffix)
    }

    #[test]
    fn groups_thousands() {
        let shown: Vec<_> = [0, 999, 1_000, 12_345, 1_234_567].map(grouped).into();
        assert_eq!(shown, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn a_suffix_follows_a_text_that_fits() {
        assert_eq!(cut("done", 100, "\n[timed out]"), "done\n[timed out]");
    }

    #[test]
    fn a_suffix_pushes_text_out_but_stays_itself() {
        let text = "a".repeat(60) + &"b".repeat(60);
        let shown = cut(&text, 120, "[timed out]");
        assert_eq!(shown.chars().count(), 120);
        assert!(shown.starts_with("aaa") && shown.ends_with("bbb[timed out]"), "{shown}");
        assert!(shown.contains("out of 120 total"), "{shown}");
    }

    #[test]
    fn a_suffix_beyond_the_limit_keeps_its_end() {
        assert_eq!(cut("text", 5, "0123456789"), "56789");
    }

    #[test]
    fn a_limit_too_small_for_the_notice_shows_text_only() {
        let kept = KeptOutput { head: "abcd", tail: "uvwxyz", total: 1_000 };
        assert_eq!(within(CaptureLimit::chars(10), kept, ""), "abcduvwxyz");
    }

    #[test]
    fn the_number_in_the_notice_is_right_where_a_digit_is_gained() {
        for total in 1_000..1_200_u64 {
            let (notice, budget) = notice_for(total, 200);
            let omitted = grouped(total - budget as u64);
            assert!(notice.contains(&format!("- {omitted} chars")), "{notice}");
        }
    }

    #[test]
    fn offsets_count_characters() {
        assert_eq!(offset_of("aß€", 0), 0);
        assert_eq!(offset_of("aß€", 2), 3);
        assert_eq!(offset_of("aß€", 9), 6);
        assert_eq!(last_chars("aß€", 1), "€");
    }
}
