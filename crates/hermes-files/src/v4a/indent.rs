//! Giving added lines the indentation of the file when the patch quotes it with another one.
//!
//! Each quoted line that was found tells how one indentation of the patch is spelled in the file.
//! Added lines with a known indentation take the file's spelling; deeper and shallower ones are
//! reckoned from the nearest known level, with tabs and blanks exchanged at the rate seen.

use super::patch::Marker;
use super::strategy::is_blank;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What the matched lines tell about indentation.
pub(super) struct Indents<'a> {
    /// Spellings in the file by indentation in the patch, each with its position in the hunk.
    known: BTreeMap<&'a [u8], Vec<(usize, &'a [u8])>>,
    /// `(from, count)` in the patch is worth `(to, count)` in the file.
    rate: Option<(Unit, Unit)>,
    /// Whether patch and file differ at all.
    differs: bool,
}

/// A line found: how its indentation is written in the patch and in the file.
pub(super) struct IndentLevel<'a> {
    /// Position in the hunk.
    at: usize,
    patch: &'a [u8],
    file: &'a [u8],
}

impl<'a> IndentLevel<'a> {
    /// Line `at` of the hunk stands in the file as `file`; a blank line tells nothing.
    pub(super) fn new(at: usize, marker: Marker, patch: &'a str, file: &'a [u8]) -> Option<Self> {
        if is_blank(file) {
            return None;
        }
        let file_indent = indent(file);
        // A context line written without its leading blank marker lost one blank of its own.
        let unmarked =
            marker == Marker::Context && file.strip_prefix(b" ") == Some(patch.as_bytes());
        let patch = if unmarked { file_indent } else { indent(patch.as_bytes()) };
        Some(Self { at, patch, file: file_indent })
    }
}

type Unit = (u8, usize);

impl<'a> Indents<'a> {
    /// Learns from the lines found, in the order of the hunk.
    pub(super) fn new(levels: &[IndentLevel<'a>]) -> Self {
        let mut known: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for level in levels {
            known.entry(level.patch).or_default().push((level.at, level.file));
        }
        let differs = levels.iter().any(|level| level.patch != level.file);
        Self { known, rate: rate(levels), differs }
    }

    /// Line `at` of the hunk, indented as the file would.
    pub(super) fn translate<'t>(&self, at: usize, text: &'t str) -> Cow<'t, [u8]> {
        let bytes = text.as_bytes();
        if !self.differs || is_blank(bytes) {
            return Cow::Borrowed(bytes);
        }
        let written = indent(bytes);
        let mut line = self.spelling(at, written).unwrap_or_else(|| written.to_vec());
        line.extend_from_slice(&bytes[written.len()..]);
        Cow::Owned(line)
    }

    fn spelling(&self, at: usize, written: &[u8]) -> Option<Vec<u8>> {
        // The longest known beginning: the indentation itself, or an outer level.
        let outer = (0..=written.len()).rev().find_map(|cut| {
            let (outer, deeper) = written.split_at(cut);
            Some((self.known.get(outer)?, deeper))
        });
        if let Some((places, deeper)) = outer {
            let mut spelled = nearest(places, at)?.to_vec();
            spelled.extend(self.exchange(deeper));
            return Some(spelled);
        }
        let inner = self.known.iter().filter(|(patch, _)| patch.starts_with(written));
        let (patch, places) = inner.min_by_key(|(patch, _)| patch.len())?;
        let surplus = self.exchange(&patch[written.len()..]);
        nearest(places, at)?.strip_suffix(&*surplus).map(<[u8]>::to_vec)
    }

    /// A piece of indentation in the file's units.
    fn exchange(&self, piece: &[u8]) -> Vec<u8> {
        if let Some(((from, worth), (to, gives))) = self.rate
            && piece.iter().all(|&byte| byte == from)
            && (piece.len() * gives).is_multiple_of(worth)
        {
            return vec![to; piece.len() * gives / worth];
        }
        piece.to_vec()
    }
}

/// The rate between the shallowest and the deepest level. A single level tells one only if the
/// kinds of blanks differ, otherwise it is a mere shift.
fn rate(levels: &[IndentLevel<'_>]) -> Option<(Unit, Unit)> {
    let plain = || levels.iter().filter(|level| uniform(level.patch) && uniform(level.file));
    let deep = plain().max_by_key(|level| level.patch.len())?;
    let flat = plain().min_by_key(|level| level.patch.len())?;
    let (from, to) = (*deep.patch.first()?, *deep.file.first()?);
    let single = flat.patch.len() == deep.patch.len();
    if single && from == to {
        return None;
    }
    let (patch, file) = if single { (0, 0) } else { (flat.patch.len(), flat.file.len()) };
    let gives = deep.file.len().checked_sub(file).filter(|&gives| gives > 0)?;
    Some(((from, deep.patch.len() - patch), (to, gives)))
}

/// The spelling seen nearest to a line of the hunk; `places` are in order.
fn nearest<'a>(places: &[(usize, &'a [u8])], at: usize) -> Option<&'a [u8]> {
    let next = places.partition_point(|&(place, _)| place < at);
    let around = &places[next.saturating_sub(1)..places.len().min(next + 1)];
    around.iter().min_by_key(|&&(place, _)| place.abs_diff(at)).map(|&(_, file)| file)
}

/// Leading blanks and tabs.
fn indent(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
    &line[..end]
}

fn uniform(indent: &[u8]) -> bool {
    indent.windows(2).all(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(pairs: &[(&str, &str)], added: &str) -> String {
        let levels = pairs.iter().enumerate();
        let levels = levels.filter_map(|(at, (patch, file))| {
            IndentLevel::new(at, Marker::Remove, patch, file.as_bytes())
        });
        let indents = Indents::new(&levels.collect::<Vec<_>>());
        String::from_utf8(indents.translate(pairs.len(), added).into_owned()).unwrap()
    }

    #[test]
    fn a_shifted_quotation_shifts_what_it_adds() {
        let pairs = [("if a:", "    if a:"), ("    b", "        b")];
        assert_eq!(translated(&pairs, "if c:"), "    if c:");
        assert_eq!(translated(&pairs, "        d"), "            d");
        assert_eq!(translated(&pairs, ""), "");
    }

    #[test]
    fn blanks_become_tabs_at_the_rate_seen() {
        assert_eq!(translated(&[("    a", "\ta")], "        b"), "\t\tb");
        assert_eq!(translated(&[("a", "\ta"), ("    b", "\t\tb")], "        c"), "\t\t\tc");
        assert_eq!(translated(&[("\t\ta", "    a")], "\tb"), "  b");
    }

    #[test]
    fn wider_units_are_scaled() {
        let pairs = [("  a", "    a"), ("    b", "        b")];
        assert_eq!(translated(&pairs, "      c"), "            c");
        assert_eq!(translated(&pairs, "d"), "d");
    }

    #[test]
    fn a_dedent_below_the_first_line_is_kept() {
        assert_eq!(translated(&[("        a", "            a")], "    b"), "        b");
    }

    #[test]
    fn a_forgotten_marker_is_no_shift() {
        let level = IndentLevel::new(0, Marker::Context, "   x = 1", b"    x = 1");
        let indents = Indents::new(level.as_slice());
        assert_eq!(&*indents.translate(1, "    y = 2"), b"    y = 2");
    }
}
