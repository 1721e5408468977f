//! Writes Parquet files: the few parts of the format that rows of JSON need.
//!
//! Columns are text, numbers and truth values within lists and structs, plain and uncompressed, in one page for each
//! column of a group of rows. That every reader understands; a crate of its own would bring ten times the code for
//! codecs, statistics and encodings that nobody would turn on.

mod shred;
mod thrift;

use std::io::{self, Write};

use serde_json::Value;

use shred::{LeafColumn, shred};
use thrift::{Thrift, ThriftType};

/// Bytes of values after which a group of rows is written.
const GROUP_BYTES: usize = 16 * 1024 * 1024;
const MAGIC: &[u8] = b"PAR1";

/// What a column holds. Everything may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text; a value of another kind is written as JSON.
    Text,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// True or false.
    Bool,
    /// Any number of the same.
    List(Box<ColumnKind>),
    /// Named parts.
    Struct(Vec<ParquetColumn>),
}

/// A named column, or a named part of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParquetColumn {
    /// As readers see it.
    pub name: &'static str,
    /// Decides how its values are stored.
    pub kind: ColumnKind,
}

impl ParquetColumn {
    /// A column of this name and kind.
    #[must_use]
    pub fn new(name: &'static str, kind: ColumnKind) -> Self {
        Self { name, kind }
    }
}

struct GroupColumn {
    offset: i64,
    bytes: i64,
    values: i64,
}

/// Writes rows, group by group, with memory for one group.
pub struct ParquetWriter<W> {
    to: W,
    offset: i64,
    columns: Vec<ParquetColumn>,
    leaves: Vec<LeafColumn>,
    rows: i64,
    groups: Vec<(i64, Vec<GroupColumn>)>,
}

impl<W: Write> ParquetWriter<W> {
    /// Begins a file with these columns.
    ///
    /// # Errors
    /// What the writer says.
    pub fn new(mut to: W, columns: Vec<ParquetColumn>) -> io::Result<Self> {
        to.write_all(MAGIC)?;
        let leaves = shred::leaves(&columns);
        Ok(Self { to, offset: MAGIC.len() as i64, columns, leaves, rows: 0, groups: Vec::new() })
    }

    /// Adds a row: an object with a field for each column; what is missing or of the wrong kind is null.
    ///
    /// # Errors
    /// What the writer says.
    pub fn row(&mut self, row: &Value) -> io::Result<()> {
        shred(&self.columns, row, &mut self.leaves);
        self.rows += 1;
        let held: usize = self.leaves.iter().map(LeafColumn::bytes).sum();
        if held >= GROUP_BYTES { self.group() } else { Ok(()) }
    }

    fn group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut written = Vec::new();
        for leaf in &mut self.leaves {
            let values = leaf.len() as i64;
            let page = leaf.take_page();
            let header = page_header(page.len(), values);
            self.to.write_all(&header)?;
            self.to.write_all(&page)?;
            let bytes = (header.len() + page.len()) as i64;
            written.push(GroupColumn { offset: self.offset, bytes, values });
            self.offset += bytes;
        }
        self.groups.push((std::mem::take(&mut self.rows), written));
        Ok(())
    }

    /// Ends the file and hands back what it was written to.
    ///
    /// # Errors
    /// What the writer says.
    pub fn finish(mut self) -> io::Result<W> {
        self.group()?;
        let footer = self.footer();
        self.to.write_all(&footer)?;
        self.to.write_all(&(footer.len() as u32).to_le_bytes())?;
        self.to.write_all(MAGIC)?;
        Ok(self.to)
    }

    fn footer(&self) -> Vec<u8> {
        let mut out = Thrift::default();
        out.int(1, ThriftType::I32, 2);
        let mut schema = Vec::new();
        schema_element(&mut schema, "schema", None, Some(0), Some(self.columns.len()), None);
        for column in &self.columns {
            schema_of(&mut schema, column.name, &column.kind);
        }
        out.structs(2, &schema);
        out.int(3, ThriftType::I64, self.groups.iter().map(|(rows, _)| rows).sum());
        let groups: Vec<Thrift> =
            self.groups.iter().map(|(rows, columns)| self.group_of(*rows, columns)).collect();
        out.structs(4, &groups);
        out.text(6, "hermes");
        out.end()
    }

    fn group_of(&self, rows: i64, columns: &[GroupColumn]) -> Thrift {
        let chunks: Vec<Thrift> = self
            .leaves
            .iter()
            .zip(columns)
            .map(|(leaf, column)| {
                let mut about = Thrift::default();
                about.int(1, ThriftType::I32, leaf.physical());
                about.ints(2, &[0, 3]);
                about.texts(3, leaf.path());
                about.int(4, ThriftType::I32, 0);
                about.int(5, ThriftType::I64, column.values);
                about.int(6, ThriftType::I64, column.bytes);
                about.int(7, ThriftType::I64, column.bytes);
                about.int(9, ThriftType::I64, column.offset);
                let mut chunk = Thrift::default();
                chunk.int(2, ThriftType::I64, column.offset);
                chunk.inner(3, about);
                chunk
            })
            .collect();
        let mut group = Thrift::default();
        group.structs(1, &chunks);
        group.int(2, ThriftType::I64, columns.iter().map(|column| column.bytes).sum());
        group.int(3, ThriftType::I64, rows);
        group
    }
}

fn page_header(bytes: usize, values: i64) -> Vec<u8> {
    let mut about = Thrift::default();
    about.int(1, ThriftType::I32, values);
    about.int(2, ThriftType::I32, 0);
    about.int(3, ThriftType::I32, 3);
    about.int(4, ThriftType::I32, 3);
    let mut header = Thrift::default();
    header.int(1, ThriftType::I32, 0);
    header.int(2, ThriftType::I32, bytes as i64);
    header.int(3, ThriftType::I32, bytes as i64);
    header.inner(5, about);
    header.end()
}

const OPTIONAL: i64 = 1;
const REPEATED: i64 = 2;
/// How readers are told that bytes are text.
const UTF8: i64 = 0;
/// How they are told that a group is a list.
const LIST: i64 = 3;

fn schema_of(out: &mut Vec<Thrift>, name: &str, kind: &ColumnKind) {
    match kind {
        ColumnKind::Text => schema_element(out, name, Some(6), Some(OPTIONAL), None, Some(UTF8)),
        ColumnKind::Int => schema_element(out, name, Some(2), Some(OPTIONAL), None, None),
        ColumnKind::Float => schema_element(out, name, Some(5), Some(OPTIONAL), None, None),
        ColumnKind::Bool => schema_element(out, name, Some(0), Some(OPTIONAL), None, None),
        ColumnKind::List(inner) => {
            schema_element(out, name, None, Some(OPTIONAL), Some(1), Some(LIST));
            schema_element(out, "list", None, Some(REPEATED), Some(1), None);
            schema_of(out, "element", inner);
        }
        ColumnKind::Struct(parts) => {
            schema_element(out, name, None, Some(OPTIONAL), Some(parts.len()), None);
            parts.iter().for_each(|part| schema_of(out, part.name, &part.kind));
        }
    }
}

fn schema_element(
    out: &mut Vec<Thrift>,
    name: &str,
    physical: Option<i64>,
    repetition: Option<i64>,
    children: Option<usize>,
    converted: Option<i64>,
) {
    let mut element = Thrift::default();
    let mut give = |field, value: Option<i64>| {
        value.into_iter().for_each(|value| element.int(field, ThriftType::I32, value));
    };
    give(1, physical);
    give(3, repetition);
    element.text(4, name);
    let mut give = |field, value: Option<i64>| {
        value.into_iter().for_each(|value| element.int(field, ThriftType::I32, value));
    };
    give(5, children.map(|count| count as i64));
    give(6, converted);
    out.push(element);
}
