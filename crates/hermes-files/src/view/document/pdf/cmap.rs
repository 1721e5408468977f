//! Tables that say which text the codes of a font stand for.

use std::collections::HashMap;

use super::lexer::Lexer;
use super::object::Object;

/// Most entries of one table; there are 65,536 codes.
const MAX_ENTRIES: usize = 70_000;

/// Code to text.
#[derive(Debug, Default)]
pub(super) struct CMap {
    single: HashMap<u32, String>,
    /// First code, last code, and the units of the text of the first.
    ranges: Vec<(u32, u32, Vec<u16>)>,
    /// Whether every code it speaks of has one byte.
    pub(super) one_byte: bool,
}

impl CMap {
    /// Reads the table; what is not understood is left out.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut cmap = Self::default();
        let mut lexer = Lexer::new(bytes, 0);
        let mut operands: Vec<Object> = Vec::new();
        let mut longest = 0;
        while lexer.position < bytes.len() {
            let Some(object) = lexer.object() else { continue };
            let Object::Operator(operator) = object else {
                operands.push(object);
                continue;
            };
            match operator.as_str() {
                "endcodespacerange" | "endbfchar" | "endbfrange" => {
                    let codes =
                        operands.iter().step_by(if operator == "endbfrange" { 3 } else { 2 });
                    let lengths = codes.filter_map(|code| Some(code.text()?.len()));
                    longest = lengths.max().unwrap_or(0).max(longest);
                    cmap.add(&operator, &operands);
                }
                _ => {}
            }
            operands.clear();
        }
        cmap.ranges.sort_by_key(|range| range.0);
        cmap.one_byte = longest == 1;
        cmap
    }

    fn add(&mut self, operator: &str, operands: &[Object]) {
        let room = MAX_ENTRIES.saturating_sub(self.single.len() + self.ranges.len());
        if operator == "endbfchar" {
            let pairs = operands.chunks_exact(2).take(room);
            let pairs = pairs.filter_map(|pair| Some((code(&pair[0])?, units(pair[1].text()?))));
            self.single.extend(pairs.map(|(code, units)| (code, String::from_utf16_lossy(&units))));
        }
        if operator != "endbfrange" {
            return;
        }
        for row in operands.chunks_exact(3).take(room) {
            let (Some(first), Some(last)) = (code(&row[0]), code(&row[1])) else { continue };
            match &row[2] {
                Object::Text(text) => self.ranges.push((first, last, units(text))),
                Object::Array(texts) => {
                    let texts = texts.iter().filter_map(Object::text).take(room);
                    let texts = texts.map(|text| String::from_utf16_lossy(&units(text)));
                    self.single.extend((first..=last).zip(texts));
                }
                _ => {}
            }
        }
    }

    /// How many entries it holds.
    pub(super) fn entries(&self) -> usize {
        self.single.len() + self.ranges.len()
    }

    /// The text of a code.
    pub(super) fn text(&self, code: u32) -> Option<String> {
        if let Some(text) = self.single.get(&code) {
            return Some(text.clone());
        }
        let after = self.ranges.partition_point(|range| range.0 <= code);
        let (first, last, units) = &self.ranges[after.checked_sub(1)?];
        if code > *last {
            return None;
        }
        let mut units = units.clone();
        let step = u16::try_from(code - first).ok()?;
        let unit = units.last_mut()?;
        *unit = unit.wrapping_add(step);
        Some(String::from_utf16_lossy(&units))
    }
}

fn code(object: &Object) -> Option<u32> {
    let bytes = object.text()?;
    (bytes.len() <= 4).then(|| bytes.iter().fold(0, |code, byte| code << 8 | u32::from(*byte)))
}

fn units(bytes: &[u8]) -> Vec<u16> {
    match bytes {
        [byte] => vec![u16::from(*byte)],
        _ => bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_single_codes_ranges_and_lists() {
        let cmap = CMap::parse(
            b"/CIDInit /ProcSet findresource begin 1 begincodespacerange <0000> <FFFF> \
              endcodespacerange 2 beginbfchar <0003> <0020> <0010> <D83DDE00> endbfchar \
              2 beginbfrange <0024> <0026> <0041> <0030> <0031> [<00660069> <0078>] endbfrange end",
        );
        let texts: Vec<_> = [3, 0x10, 0x24, 0x26, 0x27, 0x30, 0x31, 0x32]
            .map(|code| cmap.text(code))
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect();
        assert_eq!(texts, [" ", "😀", "A", "C", "", "fi", "x", ""]);
        assert!(!cmap.one_byte);
        assert!(CMap::parse(b"1 beginbfchar <41> <0042> endbfchar").one_byte);
    }
}
