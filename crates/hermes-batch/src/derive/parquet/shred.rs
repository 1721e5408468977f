//! Takes rows of JSON apart into columns: each value with how much of its path is there, and where a list goes on.

use serde_json::Value;

use super::thrift::varint;
use super::{ColumnKind, ParquetColumn};

/// The values of one column that nothing is below of.
#[derive(Clone, Debug)]
pub(super) struct LeafColumn {
    path: Vec<String>,
    kind: ColumnKind,
    most_defined: u8,
    most_repeated: u8,
    defined: Vec<u8>,
    repeated: Vec<u8>,
    values: Vec<u8>,
    bits: usize,
}

impl LeafColumn {
    /// How many places there are, those without a value included.
    pub(super) fn len(&self) -> usize {
        self.defined.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.values.len() + 2 * self.defined.len()
    }

    pub(super) fn path(&self) -> &[String] {
        &self.path
    }

    pub(super) fn physical(&self) -> i64 {
        match self.kind {
            ColumnKind::Bool => 0,
            ColumnKind::Int => 2,
            ColumnKind::Float => 5,
            _ => 6,
        }
    }

    fn put(&mut self, value: &Value, repeated: u8, defined: u8) {
        let is_there = match (&self.kind, value) {
            (_, Value::Null) => false,
            (ColumnKind::Int, value) => self.number(value.as_i64().map(i64::to_le_bytes)),
            (ColumnKind::Float, value) => self.number(value.as_f64().map(f64::to_le_bytes)),
            (ColumnKind::Bool, Value::Bool(is_so)) => {
                if self.bits.is_multiple_of(8) {
                    self.values.push(0);
                }
                if let Some(last) = self.values.last_mut() {
                    *last |= u8::from(*is_so) << (self.bits % 8);
                }
                self.bits += 1;
                true
            }
            (ColumnKind::Bool, _) => false,
            (_, Value::String(text)) => self.text(text),
            (_, other) => self.text(&other.to_string()),
        };
        self.missing(repeated, if is_there { self.most_defined } else { defined });
    }

    fn number(&mut self, bytes: Option<[u8; 8]>) -> bool {
        self.values.extend(bytes.into_iter().flatten());
        bytes.is_some()
    }

    fn text(&mut self, text: &str) -> bool {
        self.values.extend((text.len() as u32).to_le_bytes());
        self.values.extend(text.as_bytes());
        true
    }

    fn missing(&mut self, repeated: u8, defined: u8) {
        self.repeated.push(repeated);
        self.defined.push(defined);
    }

    /// Everything so far as the bytes of a page; begins anew.
    pub(super) fn take_page(&mut self) -> Vec<u8> {
        let mut page = Vec::with_capacity(self.values.len() + self.defined.len());
        if self.most_repeated > 0 {
            levels(&mut page, &self.repeated, self.most_repeated);
        }
        levels(&mut page, &self.defined, self.most_defined);
        page.append(&mut self.values);
        self.defined.clear();
        self.repeated.clear();
        self.bits = 0;
        page
    }
}

/// Levels as runs of equal ones, with their length before them.
fn levels(page: &mut Vec<u8>, levels: &[u8], most: u8) {
    debug_assert!(most > 0, "a level that is always the same is not written");
    let mut runs = Vec::new();
    for run in levels.chunk_by(|one, two| one == two) {
        varint(&mut runs, (run.len() as u64) << 1);
        runs.push(run[0]);
    }
    page.extend((runs.len() as u32).to_le_bytes());
    page.extend(runs);
}

/// The columns that nothing is below of, in the order of the schema.
pub(super) fn leaves(columns: &[ParquetColumn]) -> Vec<LeafColumn> {
    fn below(
        out: &mut Vec<LeafColumn>,
        path: &[String],
        kind: &ColumnKind,
        defined: u8,
        repeated: u8,
    ) {
        let deeper = |words: &[&str]| {
            let mut path = path.to_vec();
            path.extend(words.iter().map(|word| (*word).to_owned()));
            path
        };
        match kind {
            ColumnKind::List(inner) => {
                below(out, &deeper(&["list", "element"]), inner, defined + 2, repeated + 1);
            }
            ColumnKind::Struct(parts) => {
                parts.iter().for_each(|part| {
                    below(out, &deeper(&[part.name]), &part.kind, defined + 1, repeated);
                });
            }
            kind => out.push(LeafColumn {
                path: path.to_vec(),
                kind: kind.clone(),
                most_defined: defined,
                most_repeated: repeated,
                defined: Vec::new(),
                repeated: Vec::new(),
                values: Vec::new(),
                bits: 0,
            }),
        }
    }
    let mut out = Vec::new();
    for column in columns {
        below(&mut out, &[column.name.to_owned()], &column.kind, 1, 0);
    }
    out
}

/// Adds a row to the columns.
pub(super) fn shred(columns: &[ParquetColumn], row: &Value, leaves: &mut [LeafColumn]) {
    let mut rest = leaves;
    for column in columns {
        let (own, others) = rest.split_at_mut(count(&column.kind));
        place(&column.kind, &row[column.name], own, Level { repeated: 0, defined: 0, lists: 0 });
        rest = others;
    }
}

fn count(kind: &ColumnKind) -> usize {
    match kind {
        ColumnKind::List(inner) => count(inner),
        ColumnKind::Struct(parts) => parts.iter().map(|part| count(&part.kind)).sum(),
        _ => 1,
    }
}

/// Where a value stands: which list goes on with it, how much of its path is there, how many lists it is in.
#[derive(Clone, Copy)]
struct Level {
    repeated: u8,
    defined: u8,
    lists: u8,
}

fn place(kind: &ColumnKind, value: &Value, leaves: &mut [LeafColumn], at: Level) {
    let absent = |leaves: &mut [LeafColumn], defined| {
        leaves.iter_mut().for_each(|leaf| leaf.missing(at.repeated, defined));
    };
    match (kind, value) {
        (ColumnKind::List(inner), Value::Array(items)) => {
            if items.is_empty() {
                return absent(leaves, at.defined + 1);
            }
            for (number, item) in items.iter().enumerate() {
                let repeated = if number == 0 { at.repeated } else { at.lists + 1 };
                let level = Level { repeated, defined: at.defined + 2, lists: at.lists + 1 };
                place(inner, item, leaves, level);
            }
        }
        (ColumnKind::Struct(parts), Value::Object(fields)) => {
            let mut rest = leaves;
            for part in parts {
                let (own, others) = rest.split_at_mut(count(&part.kind));
                let value = fields.get(part.name).unwrap_or(&Value::Null);
                place(&part.kind, value, own, Level { defined: at.defined + 1, ..at });
                rest = others;
            }
        }
        (ColumnKind::List(_) | ColumnKind::Struct(_), _) => absent(leaves, at.defined),
        (_, value) => leaves.iter_mut().for_each(|leaf| leaf.put(value, at.repeated, at.defined)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_of_structs_keep_where_they_begin_and_what_is_missing() {
        let kind = ColumnKind::List(Box::new(ColumnKind::Struct(vec![ParquetColumn::new(
            "a",
            ColumnKind::Int,
        )])));
        let columns = [ParquetColumn::new("x", kind)];
        let mut all = leaves(&columns);
        for row in [
            json!({"x": [{"a": 1}, {}, {"a": 2}]}),
            json!({"x": []}),
            json!({}),
            json!({"x": [null]}),
        ] {
            shred(&columns, &row, &mut all);
        }
        assert_eq!(all[0].path(), ["x", "list", "element", "a"]);
        assert_eq!(all[0].repeated, [0, 1, 1, 0, 0, 0]);
        assert_eq!(all[0].defined, [4, 3, 4, 1, 0, 2]);
        assert_eq!(all[0].values.len(), 16);
    }
}
