//! How alike two lines are: twice the characters they share over all their characters, shared
//! characters being those of the longest common block and, recursively, of what lies left and
//! right of it.

/// Lines are compared up to this many characters; finding common blocks is quadratic.
pub(super) const MAX_COMPARED_CHARS: usize = 200;

/// A line made ready for comparing.
#[derive(Debug, Clone)]
pub(super) struct ComparedLine {
    chars: Vec<char>,
    /// How many characters the line has in all.
    length: usize,
}

impl ComparedLine {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut rest = text.chars();
        let chars: Vec<_> = rest.by_ref().take(MAX_COMPARED_CHARS).collect();
        let length = chars.len() + rest.count();
        Self { chars, length }
    }

    /// Only as much of the line as is compared.
    pub(super) fn beginning(bytes: &[u8]) -> Self {
        let line = Self::new(&bytes[..bytes.len().min(4 * MAX_COMPARED_CHARS)]);
        Self { length: line.chars.len(), ..line }
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }
}

/// Shared characters of two lines. Beyond [`MAX_COMPARED_CHARS`] nothing counts as shared, so
/// the answer for long lines errs towards "different".
pub(super) fn shared(a: &ComparedLine, b: &ComparedLine) -> usize {
    if a.length == b.length && a.length == a.chars.len() && a.chars == b.chars {
        return a.length;
    }
    blocks(&a.chars, &b.chars)
}

/// Likeness from 0 to 1; two empty lines are alike.
pub(super) fn ratio(a: &ComparedLine, b: &ComparedLine) -> f64 {
    ratio_of(shared(a, b), a.length + b.length)
}

/// Likeness of texts with so many shared characters among so many in all.
pub(super) fn ratio_of(shared: usize, total: usize) -> f64 {
    if total == 0 { 1.0 } else { 2.0 * shared as f64 / total as f64 }
}

/// The most two lines of these lengths could be alike.
pub(super) fn ratio_bound(a: usize, b: usize) -> f64 {
    ratio_of(a.min(b), a + b)
}

fn blocks(a: &[char], b: &[char]) -> usize {
    let mut total = 0;
    let mut pending = vec![(a, b)];
    let (mut previous, mut current) = (Vec::new(), Vec::new());
    while let Some((a, b)) = pending.pop() {
        let (at_a, at_b, length) = longest_block(a, b, &mut previous, &mut current);
        if length > 0 {
            total += length;
            pending.push((&a[..at_a], &b[..at_b]));
            pending.push((&a[at_a + length..], &b[at_b + length..]));
        }
    }
    total
}

/// The longest common block, the leftmost in `a` and then in `b` of several.
fn longest_block(
    a: &[char],
    b: &[char],
    previous: &mut Vec<usize>,
    current: &mut Vec<usize>,
) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    if a.is_empty() || b.is_empty() {
        return best;
    }
    // Lengths of the common blocks that end at each character of `b` and the last one of `a`.
    previous.clear();
    previous.resize(b.len() + 1, 0);
    current.clear();
    current.resize(b.len() + 1, 0);
    for (i, from_a) in a.iter().enumerate() {
        for (j, from_b) in b.iter().enumerate() {
            current[j + 1] = if from_a == from_b { previous[j] + 1 } else { 0 };
            if current[j + 1] > best.2 {
                let length = current[j + 1];
                best = (i + 1 - length, j + 1 - length, length);
            }
        }
        std::mem::swap(previous, current);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(a: &str, b: &str) -> f64 {
        ratio(&ComparedLine::new(a.as_bytes()), &ComparedLine::new(b.as_bytes()))
    }

    #[test]
    fn counts_blocks_not_scattered_letters() {
        assert!((alike("abcd", "bcde") - 0.75).abs() < 1e-9);
        assert!((alike("abxcd", "abcd") - 8.0 / 9.0).abs() < 1e-9);
        assert!((alike("", "") - 1.0).abs() < 1e-9);
        assert!(alike("abc", "") < 1e-9);
        // "tide" and "diet": the block "t", or "i" between "d" and "e"?  The leftmost longest.
        assert!((alike("tide", "diet") - 0.25).abs() < 1e-9);
        assert!((alike("diet", "tide") - 0.5).abs() < 1e-9);
    }

    #[test]
    fn long_lines_count_as_alike_only_as_far_as_compared() {
        let long = "x".repeat(2 * MAX_COMPARED_CHARS);
        assert!((alike(&long, &long) - 0.5).abs() < 1e-9);
        let fits = "x".repeat(MAX_COMPARED_CHARS);
        assert!((alike(&fits, &fits) - 1.0).abs() < 1e-9);
    }
}
