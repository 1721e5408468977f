//! What the strings of a font say and how wide they are.

use std::collections::HashMap;

use super::cmap::CMap;
use super::glyphs::{Base, text_of_name};
use super::object::{Dict, Object};
use super::store::ObjectStore;

/// Most widths kept of one font; there are 65,536 codes.
const MAX_WIDTHS: usize = 70_000;

/// One character as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Glyph {
    /// What it says; empty when nobody knows.
    pub(super) text: String,
    /// How far it moves the pen, in units of the font size.
    pub(super) width: f64,
    /// Whether the extra space between words applies.
    pub(super) is_space: bool,
}

/// How codes become text.
#[derive(Debug)]
enum Decoding {
    /// One byte a code, through a base encoding and names that differ from it.
    Bytes { base: Base, names: HashMap<u8, String> },
    /// Two bytes a code, which are UTF-16.
    Wide,
    /// Two bytes a code, which say nothing by themselves.
    Opaque,
}

/// A font of a page.
#[derive(Debug)]
pub(super) struct Font {
    decoding: Decoding,
    unicode: Option<CMap>,
    widths: HashMap<u32, f64>,
    /// Of codes without a width of their own; `None` leaves it to a guess.
    default_width: Option<f64>,
    /// Size of a unit of the widths.
    unit: f64,
}

impl Font {
    /// Reads a font dictionary; every part of it may be missing.
    pub(super) fn new(store: &ObjectStore<'_>, dict: &Dict) -> Self {
        let unicode = store.get(dict, "ToUnicode").stream();
        let unicode = unicode.and_then(|stream| store.unpack(stream));
        let unicode = unicode.map(|data| CMap::parse(&data));
        match store.get(dict, "Subtype").name() {
            Some("Type0") => Self::composite(store, dict, unicode),
            kind => Self::simple(store, dict, unicode, kind.unwrap_or_default()),
        }
    }

    fn simple(store: &ObjectStore<'_>, dict: &Dict, unicode: Option<CMap>, kind: &str) -> Self {
        let encoding = store.get(dict, "Encoding");
        let named = |object: &Object| match object.name() {
            Some("WinAnsiEncoding") => Some(Base::Windows),
            Some("MacRomanEncoding") => Some(Base::Macintosh),
            Some("StandardEncoding") => Some(Base::Standard),
            _ => None,
        };
        let base = match encoding.dict() {
            Some(dict) => named(store.get(dict, "BaseEncoding")),
            None => named(encoding),
        };
        let default = if kind == "TrueType" { Base::Windows } else { Base::Standard };
        let differences = encoding.dict().map(|dict| store.get(dict, "Differences"));
        let names = differences.and_then(Object::array).map(|list| differing_names(store, list));

        let is_typewriter =
            store.get(dict, "BaseFont").name().is_some_and(|n| n.contains("Courier"));
        let first = store.get(dict, "FirstChar").integer().unwrap_or(0);
        let widths = store.get(dict, "Widths").array().unwrap_or_default();
        let widths = widths.iter().take(256).map(|width| store.resolve(width).number());
        let widths = (first..).zip(widths.map(Option::unwrap_or_default)).collect();
        let matrix = store.get(dict, "FontMatrix").array().unwrap_or_default();
        let unit = matrix.first().and_then(|number| store.resolve(number).number());
        Self {
            decoding: Decoding::Bytes {
                base: base.unwrap_or(default),
                names: names.unwrap_or_default(),
            },
            unicode,
            widths,
            // The fonts every reader knows may leave out their widths.
            default_width: is_typewriter.then_some(600.0),
            unit: if kind == "Type3" { unit.unwrap_or(0.001) } else { 0.001 },
        }
    }

    fn composite(store: &ObjectStore<'_>, dict: &Dict, unicode: Option<CMap>) -> Self {
        let encoding = store.get(dict, "Encoding").name().unwrap_or_default();
        let is_wide = encoding.contains("UCS2") || encoding.contains("UTF16");
        let parts = store.get(dict, "DescendantFonts").array().unwrap_or_default();
        let part = parts.first().and_then(|part| store.resolve(part).dict());
        let widths = part.and_then(|part| store.get(part, "W").array());
        let default_width = part.and_then(|part| store.get(part, "DW").number());
        Self {
            decoding: if is_wide { Decoding::Wide } else { Decoding::Opaque },
            unicode,
            widths: widths.map(|list| composite_widths(store, list)).unwrap_or_default(),
            default_width: Some(default_width.unwrap_or(1000.0)),
            unit: 0.001,
        }
    }

    /// How many table entries it holds.
    pub(super) fn entries(&self) -> usize {
        self.widths.len() + self.unicode.as_ref().map_or(0, CMap::entries)
    }

    /// The glyphs of a string.
    pub(super) fn glyphs<'a>(&'a self, string: &'a [u8]) -> impl Iterator<Item = Glyph> + 'a {
        let one_byte = match &self.decoding {
            Decoding::Bytes { .. } => true,
            _ => self.unicode.as_ref().is_some_and(|cmap| cmap.one_byte),
        };
        string.chunks(if one_byte { 1 } else { 2 }).map(move |bytes| {
            let code = bytes.iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
            let text = self.text(code).map(without_ligatures).unwrap_or_default();
            let width = self.widths.get(&code).copied().or(self.default_width);
            let width = width.unwrap_or_else(|| guessed_width(&text)) * self.unit;
            Glyph { text, width, is_space: one_byte && code == 32 }
        })
    }

    fn text(&self, code: u32) -> Option<String> {
        if let Some(text) = self.unicode.as_ref().and_then(|cmap| cmap.text(code)) {
            return Some(text);
        }
        match &self.decoding {
            Decoding::Bytes { base, names } => {
                let code = u8::try_from(code).ok()?;
                let named = names.get(&code).cloned();
                let named = named.or_else(|| base.character(code).map(String::from));
                named.or_else(|| tex_ligature(code).map(str::to_owned))
            }
            Decoding::Wide => char::from_u32(code).map(String::from),
            Decoding::Opaque => None,
        }
    }
}

/// Where fonts made for TeX, which seldom say so, have their ligatures.
fn tex_ligature(code: u8) -> Option<&'static str> {
    let at = code.checked_sub(0x0B)?;
    ["ff", "fi", "fl", "ffi", "ffl"].get(usize::from(at)).copied()
}

/// Letters drawn as one are letters all the same to whoever searches for a word.
fn without_ligatures(text: String) -> String {
    let letters = match text.as_str() {
        "ﬀ" => "ff",
        "ﬁ" => "fi",
        "ﬂ" => "fl",
        "ﬃ" => "ffi",
        "ﬄ" => "ffl",
        "ﬅ" | "ﬆ" => "st",
        _ => return text,
    };
    letters.to_owned()
}

/// About how wide a character is in common faces, in thousandths of the font size.
fn guessed_width(text: &str) -> f64 {
    match text.chars().next().unwrap_or('n') {
        ' ' | '!' | '\'' | ',' | '.' | ':' | ';' | '|' | 'i' | 'j' | 'l' => 265.0,
        '(' | ')' | '-' | '/' | '[' | '\\' | ']' | 'f' | 'r' | 't' => 325.0,
        'c' | 's' | 'z' => 440.0,
        '%' | '@' | 'M' | 'W' | 'm' | 'w' | '—' => 830.0,
        'A'..='Z' => 680.0,
        _ => 500.0,
    }
}

/// Numbers say where the names behind them begin to apply. A name that is not understood hides what
/// the base encoding would say.
fn differing_names(store: &ObjectStore<'_>, list: &[Object]) -> HashMap<u8, String> {
    let mut names = HashMap::new();
    let mut code = 0_u32;
    for item in list.iter().take(1024) {
        match store.resolve(item) {
            Object::Name(name) => {
                if let Ok(code) = u8::try_from(code) {
                    names.insert(code, text_of_name(name).unwrap_or_default());
                }
                code = code.saturating_add(1);
            }
            number => code = number.integer().unwrap_or(code),
        }
    }
    names
}

/// `first [width width ...]` or `first last width`, again and again.
fn composite_widths(store: &ObjectStore<'_>, list: &[Object]) -> HashMap<u32, f64> {
    let mut widths = HashMap::new();
    let mut items = list.iter().map(|item| store.resolve(item));
    while let (Some(first), Some(next)) = (items.next().and_then(Object::integer), items.next()) {
        let room = MAX_WIDTHS.saturating_sub(widths.len());
        if let Some(list) = next.array() {
            let list = list.iter().filter_map(|width| store.resolve(width).number());
            widths.extend((first..).zip(list.take(room)));
        } else {
            let last = next.integer().unwrap_or(first);
            let width = items.next().and_then(Object::number).unwrap_or_default();
            widths.extend((first..=last).take(room).map(|code| (code, width)));
        }
    }
    widths
}
