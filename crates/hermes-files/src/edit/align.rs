//! Which line of a replacement goes with which line of the quotation.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Where a line of the replacement comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineOrigin {
    /// It is this line of the quotation, unchanged.
    Same(usize),
    /// It stands where this line of the quotation was.
    Instead(usize),
    /// It was added near this line of the quotation.
    Beside(usize),
}

impl LineOrigin {
    /// The nearest line of the quotation.
    pub(super) fn near(self) -> usize {
        match self {
            Self::Same(line) | Self::Instead(line) | Self::Beside(line) => line,
        }
    }
}

/// The origin of every line of the replacement.
pub(super) fn align(old: &[&[u8]], new: &[&[u8]]) -> Vec<LineOrigin> {
    let last = old.len().saturating_sub(1);
    let mut origins = Vec::with_capacity(new.len());
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        match op {
            DiffOp::Equal { old_index, len, .. } => {
                origins.extend((old_index..old_index + len).map(LineOrigin::Same));
            }
            DiffOp::Insert { old_index, new_len, .. } => {
                let line = old_index.saturating_sub(1).min(last);
                origins.extend(std::iter::repeat_n(LineOrigin::Beside(line), new_len));
            }
            DiffOp::Replace { old_index, old_len, new_len, .. } => {
                origins.extend((0..new_len).map(|at| {
                    if at < old_len {
                        LineOrigin::Instead(old_index + at)
                    } else {
                        LineOrigin::Beside(old_index + old_len - 1)
                    }
                }));
            }
            DiffOp::Delete { .. } => {}
        }
    }
    origins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_kept_changed_and_added_lines() {
        let lines = |text: &'static str| text.split(' ').map(str::as_bytes).collect::<Vec<_>>();
        let origins = align(&lines("a b c d"), &lines("a x y c z d"));
        use LineOrigin::{Beside, Instead, Same};
        assert_eq!(origins, [Same(0), Instead(1), Beside(1), Same(2), Beside(2), Same(3)]);
    }
}
