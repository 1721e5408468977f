//! Excel workbooks: the cells of the visible sheets, one row a line, tabs between.
//!
//! A workbook is a zip archive of XML parts: the list of sheets, a list of where their parts are,
//! one part a sheet, and one with the strings that cells refer to by number. Each part is read as a
//! stream, so a sheet is never in memory as a whole; the rows that are left out are not even read.
//!
//! Values are shown as they are stored: a formula as its last result, a date as the number Excel
//! keeps for it. Empty rows between others are kept, so that the rows below stay in their place;
//! empty ones at the end are not. Line breaks and tabs inside a cell are shown as `\n` and `\t`, so
//! that a row stays a line. Anything that contradicts the format makes the whole file unreadable
//! here, rather than showing half of it as if it were all.

use std::collections::HashMap;
use std::io::BufRead;

use memchr::memchr3;

use super::rendering::Rendering;
use super::xml::{Element, Xml, XmlNode};
use super::zipped::Zipped;

/// Rows shown of one sheet.
const MAX_ROWS: usize = 5_000;
/// Columns shown of one sheet.
const MAX_COLUMNS: usize = 256;
/// Characters of one cell; the format itself allows no more.
const MAX_CELL_CHARS: usize = 32_767;

/// The visible sheets under headlines.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let mut zipped = Zipped::open(bytes)?;
    let sheets = visible_sheets(Xml::new(zipped.part("xl/workbook.xml")?))?;
    let relations = relations(Xml::new(zipped.part("xl/_rels/workbook.xml.rels")?))?;
    let strings = match zipped.part("xl/sharedStrings.xml") {
        Some(part) => shared_strings(Xml::new(part))?,
        None => Vec::new(),
    };
    let mut rendering = Rendering::default();
    for sheet in sheets {
        let part = zipped.part(relations.get(&sheet.relation)?)?;
        rendering.headline(&format!("Sheet: {}", one_line(&sheet.name)));
        let mut rows = Rows::new(&mut rendering, &strings);
        rows.read(Xml::new(part))?;
        rows.finish();
    }
    Some(rendering.finish())
}

struct Sheet {
    name: String,
    relation: String,
}

fn visible_sheets(mut xml: Xml<impl BufRead>) -> Option<Vec<Sheet>> {
    let mut sheets = Vec::new();
    loop {
        match xml.next()? {
            XmlNode::Open(element) if is_visible_sheet(&element) => {
                let name = element.attribute("name")?;
                sheets.push(Sheet { name, relation: element.attribute("id")? });
            }
            XmlNode::End => return Some(sheets),
            _ => {}
        }
    }
}

fn is_visible_sheet(element: &Element<'_>) -> bool {
    let is_visible = |state: String| state == "visible";
    element.name() == "sheet" && element.attribute("state").is_none_or(is_visible)
}

/// Where the part of each relation is in the archive.
fn relations(mut xml: Xml<impl BufRead>) -> Option<HashMap<String, String>> {
    let mut targets = HashMap::new();
    loop {
        match xml.next()? {
            XmlNode::Open(element) if element.name() == "Relationship" => {
                let target = element.attribute("Target")?;
                let path = match target.strip_prefix('/') {
                    Some(absolute) => absolute.to_owned(),
                    None => format!("xl/{target}"),
                };
                targets.insert(element.attribute("Id")?, path);
            }
            XmlNode::End => return Some(targets),
            _ => {}
        }
    }
}

fn shared_strings(mut xml: Xml<impl BufRead>) -> Option<Vec<String>> {
    let mut strings = Vec::new();
    loop {
        match xml.next()? {
            XmlNode::Open(element) if element.name() == "si" => {
                strings.push(rich_text(&mut xml, "si")?);
            }
            XmlNode::End => return Some(strings),
            _ => {}
        }
    }
}

/// The text up to the end of an element, reading aids for East Asian names left out.
fn rich_text(xml: &mut Xml<impl BufRead>, until: &str) -> Option<String> {
    let mut text = String::new();
    let (mut in_text, mut phonetic) = (false, false);
    loop {
        match xml.next()? {
            XmlNode::Open(element) => match element.name() {
                "t" => in_text = true,
                "rPh" => phonetic = true,
                _ => {}
            },
            XmlNode::Close(name) if name == until => return Some(text),
            XmlNode::Close(name) => match name.as_str() {
                "t" => in_text = false,
                "rPh" => phonetic = false,
                _ => {}
            },
            XmlNode::Text(piece) if in_text && !phonetic => text.push_str(&piece),
            XmlNode::Text(_) => {}
            XmlNode::End => return None,
        }
    }
}

/// The rows of one sheet on their way into the text.
struct Rows<'a> {
    rendering: &'a mut Rendering,
    strings: &'a [String],
    /// The row being read, counted from 1.
    number: usize,
    cells: Vec<String>,
    /// Empty rows that are shown only when something follows.
    pending_empty: usize,
    shown: usize,
    cut: bool,
}

impl<'a> Rows<'a> {
    fn new(rendering: &'a mut Rendering, strings: &'a [String]) -> Self {
        let cells = Vec::new();
        Self { rendering, strings, number: 0, cells, pending_empty: 0, shown: 0, cut: false }
    }

    fn read(&mut self, mut xml: Xml<impl BufRead>) -> Option<()> {
        loop {
            match xml.next()? {
                XmlNode::Open(element) if element.name() == "row" => {
                    let next = self.number + 1;
                    let number = element.attribute("r").and_then(|text| text.parse().ok());
                    let number = number.filter(|number| *number >= next).unwrap_or(next);
                    if number > MAX_ROWS || self.rendering.is_full() {
                        self.cut = true;
                        return Some(());
                    }
                    self.pending_empty += number - next;
                    self.number = number;
                }
                XmlNode::Open(element) if element.name() == "c" => {
                    let cell = Cell::new(&element, self.cells.len());
                    self.read_cell(&mut xml, &cell)?;
                }
                XmlNode::Close(name) if name == "row" => self.end_row(),
                XmlNode::End => return Some(()),
                _ => {}
            }
        }
    }

    fn read_cell(&mut self, xml: &mut Xml<impl BufRead>, cell: &Cell) -> Option<()> {
        let (mut value, mut in_value) = (String::new(), false);
        loop {
            match xml.next()? {
                XmlNode::Open(element) if element.name() == "v" => in_value = true,
                XmlNode::Open(element) if element.name() == "is" => value = rich_text(xml, "is")?,
                XmlNode::Close(name) if name == "v" => in_value = false,
                XmlNode::Close(name) if name == "c" => break,
                XmlNode::Text(text) if in_value => value.push_str(&text),
                XmlNode::End => return None,
                _ => {}
            }
        }
        let text = match cell.kind.as_deref() {
            Some("s") => self.strings.get(value.trim().parse::<usize>().ok()?)?,
            Some("b") if value.trim() == "1" => "TRUE",
            Some("b") => "FALSE",
            _ => &value,
        };
        if cell.column < MAX_COLUMNS {
            let width = self.cells.len().max(cell.column + 1);
            self.cells.resize(width, String::new());
            self.cells[cell.column] = one_line(text);
        }
        Some(())
    }

    fn end_row(&mut self) {
        while self.cells.last().is_some_and(String::is_empty) {
            self.cells.pop();
        }
        if self.cells.is_empty() {
            self.pending_empty += 1;
            return;
        }
        for _ in 0..std::mem::take(&mut self.pending_empty) {
            self.rendering.line("");
            self.shown += 1;
        }
        self.rendering.line(&self.cells.join("\t"));
        self.shown += 1;
        self.cells.clear();
    }

    fn finish(self) {
        if self.shown == 0 {
            self.rendering.line("(empty)");
        }
        if self.cut {
            self.rendering.headline(&format!("Only the first {MAX_ROWS} rows are shown"));
        }
    }
}

/// Where a cell is and how its value is written.
struct Cell {
    column: usize,
    kind: Option<String>,
}

impl Cell {
    /// A cell without a reference stands right of the one before.
    fn new(element: &Element<'_>, next_column: usize) -> Self {
        let column = element.attribute("r").and_then(|reference| column_of(&reference));
        Self { column: column.unwrap_or(next_column), kind: element.attribute("t") }
    }
}

/// The number, counted from 0, of a column named by letters in front of a row number.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic);
    let number = letters.take(4).fold(0, |number, letter| {
        number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1
    });
    number.checked_sub(1)
}

/// Keeps a row on its line and a cell between its tabs, and a cell at the length Excel allows.
fn one_line(text: &str) -> String {
    let text = match text.len() {
        0..=MAX_CELL_CHARS => text,
        _ => text.char_indices().nth(MAX_CELL_CHARS).map_or(text, |(end, _)| &text[..end]),
    };
    if memchr3(b'\n', b'\r', b'\t', text.as_bytes()).is_none() {
        return text.to_owned();
    }
    text.replace("\r\n", "\\n").replace(['\n', '\r'], "\\n").replace('\t', "\\t")
}
