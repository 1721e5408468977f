//! Jupyter notebooks: the cells, without what running them printed.

use serde::Deserialize;
use serde_json::Value;

use super::rendering::Rendering;

/// Outputs, often most of a notebook, are skipped while reading and never held.
#[derive(Deserialize)]
struct Notebook {
    cells: Option<Vec<Cell>>,
    /// Where the cells were before version 4.
    worksheets: Option<Vec<Worksheet>>,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(default)]
    cell_type: Value,
    /// `input` in code cells before version 4.
    #[serde(alias = "input", default)]
    source: Value,
}

impl Cell {
    /// The source, given at once or as a list of lines with their line ends.
    fn text(&self) -> Option<String> {
        match &self.source {
            Value::String(text) => Some(text.clone()),
            Value::Array(lines) => lines.iter().map(Value::as_str).collect(),
            _ => None,
        }
    }
}

/// The cells under headlines, or nothing when there is none to read.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let notebook: Notebook = serde_json::from_slice(bytes).ok()?;
    let older = notebook.worksheets.into_iter().flatten().flat_map(|sheet| sheet.cells);
    let (mut markdown, mut code) = (0, 0);
    let mut found = false;
    let mut rendering = Rendering::default();
    for cell in notebook.cells.into_iter().flatten().chain(older) {
        let Some(source) = cell.text() else { continue };
        let title = match cell.cell_type.as_str() {
            Some("code") => {
                code += 1;
                format!("Code cell {code}")
            }
            Some("markdown" | "heading") => {
                markdown += 1;
                format!("Markdown cell {markdown}")
            }
            Some("raw") => "Raw cell".to_owned(),
            _ => continue,
        };
        // Between cells, not behind the last: there the window would count a line that is not there.
        if found {
            rendering.line("");
        }
        found = true;
        rendering.headline(&title);
        if !source.is_empty() {
            rendering.line(source.strip_suffix('\n').unwrap_or(&source));
        }
    }
    found.then(|| rendering.finish())
}
