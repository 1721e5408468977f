//! Shell patterns on short texts.

/// No name of a program or a system folder is nearly as long.
const MAX_PATTERN: usize = 128;

/// Whether a pattern of `*`, `?` and `[…]` matches a whole text. The work is at most the product of
/// both lengths; callers pass names and short values.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    if pattern.is_ascii() && text.is_ascii() {
        return accepts(pattern.as_bytes(), text.as_bytes());
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    accepts(&pattern, &text)
}

/// The same for bytes or characters.
fn accepts<T: Copy + PartialOrd + From<u8>>(pattern: &[T], text: &[T]) -> bool {
    let is = |at: usize, letter: u8| pattern.get(at).is_some_and(|char| *char == T::from(letter));
    let (mut at, mut of) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while of < text.len() {
        if is(at, b'*') {
            retry = Some((at, of));
            at += 1;
            continue;
        }
        let step = match pattern.get(at) {
            Some(_) if is(at, b'?') => Some(1),
            Some(_) if is(at, b'[') => bracket(&pattern[at..], text[of]),
            Some(char) if *char == text[of] => Some(1),
            _ => None,
        };
        match (step, retry) {
            (Some(len), _) => {
                at += len;
                of += 1;
            }
            (None, Some((star, from))) => {
                at = star + 1;
                of = from + 1;
                retry = Some((star, from + 1));
            }
            (None, None) => return false,
        }
    }
    (at..pattern.len()).all(|at| is(at, b'*'))
}

/// The length of a bracket expression that accepts a character.
fn bracket<T: Copy + PartialOrd + From<u8>>(pattern: &[T], char: T) -> Option<usize> {
    let is = |at: usize, letter: u8| pattern.get(at).is_some_and(|char| *char == T::from(letter));
    let negated = is(1, b'!') || is(1, b'^');
    let start = 1 + usize::from(negated);
    let close = (start + 1..pattern.len()).find(|at| is(*at, b']'))?;
    let mut found = false;
    let mut at = start;
    while at < close {
        if at + 2 < close && is(at + 1, b'-') {
            found |= pattern[at] <= char && char <= pattern[at + 2];
            at += 3;
        } else {
            found |= pattern[at] == char;
            at += 1;
        }
    }
    (found != negated).then_some(close + 1)
}

/// Whether a text has characters a shell would expand to file names, and is short enough to try.
pub(super) fn is_pattern(text: &str) -> bool {
    text.len() <= MAX_PATTERN && text.contains(['*', '?', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_as_a_shell_does() {
        for (pattern, text) in [
            ("r?", "rm"),
            ("*", ""),
            ("*m", "rm"),
            ("[qr]m", "rm"),
            ("[!a]*", "rm"),
            ("[a-z]m", "rm"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("r?", "r"), ("a*", "rm"), ("[!r]m", "rm"), ("", "x"), ("[", "x")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
