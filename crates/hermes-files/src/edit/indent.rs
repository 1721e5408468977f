//! Indentation of a replacement, translated from the caller's into the file's.
//!
//! A caller who quotes a block with the wrong indentation writes the replacement with the same
//! wrong one. The pairs of matched lines (as quoted, as in the file) show what each quoted
//! indent stands for. Indents that were not quoted build on the deepest quoted one they begin
//! with; what they add is converted by the ratio of steps the pairs show, so that four spaces
//! may become a tab.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::blank::{indent, is_blank};

/// The depth of a step that nothing shows: the common ones, tried in turn.
const LIKELY_STEPS: [usize; 2] = [4, 2];
/// The most spaces that one tab is believed to stand for.
const MAX_TAB_WIDTH: usize = 8;

/// What the file has where a quoted indent stands: line of the quotation, indent in the file.
type Seen<'a> = Vec<(usize, &'a [u8])>;

/// What quoted indents are in the file.
#[derive(Debug)]
pub(super) struct IndentMap<'a> {
    levels: BTreeMap<&'a [u8], Seen<'a>>,
    /// The indent of the first line that is not blank, in the file.
    base: &'a [u8],
    step: Option<Step>,
}

/// So many of one blank in the quotation are so many of another in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    quoted: Run,
    actual: Run,
}

/// A blank and how often it is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    blank: u8,
    length: usize,
}

impl Run {
    /// The bytes as a run of spaces or of tabs.
    fn of(bytes: &[u8]) -> Option<Self> {
        let blank = *bytes.first()?;
        let uniform = matches!(blank, b' ' | b'\t') && bytes.iter().all(|byte| *byte == blank);
        uniform.then_some(Self { blank, length: bytes.len() })
    }
}

impl<'a> IndentMap<'a> {
    /// Learns from numbered pairs of lines, as quoted and as in the file. `None` if the
    /// indentation agrees everywhere.
    pub(super) fn learn(pairs: impl Iterator<Item = (usize, &'a [u8], &'a [u8])>) -> Option<Self> {
        let mut levels: BTreeMap<&[u8], Seen<'a>> = BTreeMap::new();
        let (mut base, mut differs, mut same_unit) = (None, false, false);
        for (number, quoted, actual) in pairs {
            if is_blank(quoted) || is_blank(actual) {
                continue;
            }
            let (quoted, actual) = (indent(quoted), indent(actual));
            base = base.or(Some(actual));
            differs |= quoted != actual;
            same_unit |= quoted == actual && !quoted.is_empty();
            let seen = levels.entry(quoted).or_default();
            if seen.last().is_none_or(|(_, last)| *last != actual) {
                seen.push((number, actual));
            }
        }
        let step = if same_unit { None } else { learn_step(&levels) };
        differs.then_some(Self { levels, base: base?, step })
    }

    /// The indent in the file for one in the replacement, written near a line of the quotation.
    pub(super) fn translate(&self, indent: &[u8], near: usize) -> Vec<u8> {
        match self.deepest_known(indent) {
            Some((level, seen)) => {
                let mut translated = nearest(seen, near).to_vec();
                translated.extend(self.convert(&indent[level.len()..], &translated));
                translated
            }
            None => self.base.to_vec(),
        }
    }

    /// The longest quoted indent that this one begins with.
    fn deepest_known(&self, indent: &[u8]) -> Option<(&'a [u8], &Seen<'a>)> {
        let mut upper = indent;
        loop {
            let range = (Bound::Unbounded, Bound::Included(upper));
            let (level, seen) = self.levels.range::<[u8], _>(range).next_back()?;
            if upper.starts_with(level) {
                return Some((level, seen));
            }
            let common = level.iter().zip(upper).take_while(|(a, b)| a == b).count();
            upper = &upper[..common];
        }
    }

    /// What a deeper step of the replacement is in the file, below the given indent.
    fn convert(&self, deeper: &[u8], below: &[u8]) -> Vec<u8> {
        let (Some(run), Some(step)) = (Run::of(deeper), self.step_for(deeper, below)) else {
            return deeper.to_vec();
        };
        let steps = run.length * step.actual.length / step.quoted.length;
        let rest = run.length * step.actual.length % step.quoted.length;
        let mut converted = vec![step.actual.blank; steps];
        if step.actual.blank != step.quoted.blank {
            converted.extend(vec![step.quoted.blank; rest / step.actual.length]);
        }
        converted
    }

    fn step_for(&self, deeper: &[u8], below: &[u8]) -> Option<Step> {
        let quoted = Run::of(deeper)?;
        if let Some(step) = self.step {
            return (step.quoted.blank == quoted.blank).then_some(step);
        }
        // No ratio was seen. Still, a tab must not end up among spaces nor the reverse.
        let actual = Run::of(below).filter(|run| run.blank != quoted.blank)?;
        let spaces = if quoted.blank == b' ' { quoted.length } else { actual.length };
        let width = LIKELY_STEPS.into_iter().find(|width| spaces.is_multiple_of(*width))?;
        let length = |blank| if blank == b' ' { width } else { 1 };
        let run = |blank| Run { blank, length: length(blank) };
        Some(Step { quoted: run(quoted.blank), actual: run(actual.blank) })
    }
}

/// The file's indent for the line nearest to the given one.
fn nearest<'a>(seen: &Seen<'a>, near: usize) -> &'a [u8] {
    // Of a run of equal indents only the first line is recorded, so the last record at or
    // before the line is the nearest, if there is one.
    let after = seen.partition_point(|(number, _)| *number <= near);
    seen.get(after.saturating_sub(1)).map_or(&[], |(_, actual)| actual)
}

/// The smallest step between two quoted levels that is also a step in the file.
fn learn_step(levels: &BTreeMap<&[u8], Seen<'_>>) -> Option<Step> {
    let first = |seen: &Seen<'_>| seen.first().map(|(_, actual)| actual.to_vec());
    let known: Vec<_> =
        levels.iter().filter_map(|(level, seen)| Some((*level, first(seen)?))).collect();
    let between = known.windows(2).filter_map(|pair| {
        let [(outer, outer_actual), (inner, inner_actual)] = pair else { return None };
        Some(Step {
            quoted: Run::of(inner.strip_prefix(*outer)?)?,
            actual: Run::of(inner_actual.strip_prefix(outer_actual.as_slice())?)?,
        })
    });
    // A single level says something only if tabs stand for spaces or the reverse.
    let from_margin = known.iter().filter_map(|(quoted, actual)| {
        let (quoted, actual) = (Run::of(quoted)?, Run::of(actual)?);
        let (tabs, spaces) = match (quoted.blank, actual.blank) {
            (b'\t', b' ') => (quoted.length, actual.length),
            (b' ', b'\t') => (actual.length, quoted.length),
            _ => return None,
        };
        let width = spaces / tabs;
        (spaces % tabs == 0 && width <= MAX_TAB_WIDTH).then_some(Step { quoted, actual })
    });
    between
        .min_by_key(|step| step.quoted.length)
        .or_else(|| from_margin.min_by_key(|step| step.quoted.length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&'static str, &'static str)]) -> Option<IndentMap<'static>> {
        let pairs = pairs.iter().enumerate();
        IndentMap::learn(pairs.map(|(at, (old, file))| (at, old.as_bytes(), file.as_bytes())))
    }

    fn translated(pairs: &[(&'static str, &'static str)], indent: &str, near: usize) -> String {
        String::from_utf8(map(pairs).unwrap().translate(indent.as_bytes(), near)).unwrap()
    }

    #[test]
    fn nothing_to_do_where_indents_agree() {
        assert!(map(&[("  a", "  a"), ("", "   "), ("b", "b")]).is_none());
    }

    #[test]
    fn known_levels_go_where_the_file_has_them() {
        let pairs = [("      a", "\t\ta"), ("  }", "\t}"), ("}", "}")];
        assert_eq!(translated(&pairs, "  ", 0), "\t");
        assert_eq!(translated(&pairs, "", 0), "");
        assert_eq!(translated(&pairs, "      ", 2), "\t\t");
    }

    #[test]
    fn deeper_levels_follow_the_ratio() {
        assert_eq!(translated(&[("a", "a"), ("  b", "\tb")], "    ", 0), "\t\t");
        assert_eq!(translated(&[("a", "  a"), ("  b", "      b")], "      ", 0), " ".repeat(14));
        assert_eq!(translated(&[("    a", "\ta")], "        ", 0), "\t\t");
        assert_eq!(translated(&[("\ta", "  a")], "\t\t\t", 0), "      ");
        // An alignment that is no whole number of steps keeps its remainder.
        assert_eq!(translated(&[("    a", "\ta")], "          ", 0), "\t\t  ");
    }

    #[test]
    fn without_a_ratio_the_shift_is_kept_in_the_files_blanks() {
        assert_eq!(translated(&[("  a", "      a")], "    ", 0), "        ");
        assert_eq!(translated(&[("a", "\ta")], "    ", 0), "\t\t");
        assert_eq!(translated(&[("a", "        a")], "\t", 0), " ".repeat(12));
    }

    #[test]
    fn a_first_line_quoted_without_its_indent_does_not_change_the_unit() {
        let pairs = [("def f():", "    def f():"), ("        a", "        a")];
        assert_eq!(translated(&pairs, "            ", 1), " ".repeat(12));
    }

    #[test]
    fn one_indent_with_several_meanings_follows_the_nearest_line() {
        let pairs = [("  a", "    a"), ("  b", "    b"), ("  c", "        c")];
        assert_eq!(translated(&pairs, "  ", 1), "    ");
        assert_eq!(translated(&pairs, "  ", 2), "        ");
    }

    #[test]
    fn a_shallower_indent_never_quoted_goes_to_the_base() {
        assert_eq!(translated(&[("    a", "  a")], "  ", 0), "  ");
        assert_eq!(translated(&[("    a", "  a")], "", 0), "  ");
    }
}
