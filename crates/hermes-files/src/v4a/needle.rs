//! Finding a block of lines in time linear in the lines searched (Knuth, Morris and Pratt).

/// A block to look for, of lines in normal form or of anything else that stands for lines.
pub(super) struct Needle<T> {
    block: Vec<T>,
    /// For each prefix, the length of its longest border: where to go on after a mismatch.
    borders: Vec<usize>,
}

impl<T: PartialEq> Needle<T> {
    pub(super) fn new(block: Vec<T>) -> Self {
        let mut borders = vec![0; block.len()];
        let mut border = 0;
        for end in 1..block.len() {
            while border > 0 && block[border] != block[end] {
                border = borders[border - 1];
            }
            border += usize::from(block[border] == block[end]);
            borders[end] = border;
        }
        Self { block, borders }
    }

    /// All places where the block stands, overlapping ones included, as offsets in `hay`. An empty
    /// block stands nowhere.
    pub(super) fn find_in<H>(&self, hay: impl Iterator<Item = H>) -> Vec<usize>
    where
        T: PartialEq<H>,
    {
        let mut places = Vec::new();
        if self.block.is_empty() {
            return places;
        }
        let mut matched = 0;
        for (index, item) in hay.enumerate() {
            while matched > 0 && (matched == self.block.len() || self.block[matched] != item) {
                matched = self.borders[matched - 1];
            }
            matched += usize::from(self.block[matched] == item);
            if matched == self.block.len() {
                places.push(index + 1 - matched);
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::Needle;
    use proptest::{prop_assert_eq, proptest};

    fn find(hay: &str, needle: &str) -> Vec<usize> {
        Needle::new(needle.chars().collect()).find_in(hay.chars())
    }

    #[test]
    fn overlapping_places_count_separately() {
        assert_eq!(find("aaab", "aa"), [0, 1]);
        assert_eq!(find("ababa", "aba"), [0, 2]);
        assert_eq!(find("ab", "c"), [0; 0]);
        assert_eq!(find("a", "ab"), [0; 0]);
        assert_eq!(find("a", ""), [0; 0]);
    }

    proptest! {
        #[test]
        fn agrees_with_the_naive_search(hay in "[ab]{0,40}", needle in "[ab]{1,5}") {
            let naive: Vec<_> =
                (0..hay.len()).filter(|&at| hay[at..].starts_with(&needle)).collect();
            prop_assert_eq!(find(&hay, &needle), naive);
        }
    }
}
