//! Tables: those that hold data become pipe tables, those that only place things are taken apart.

use super::inline::Marks;
use super::{Block, Flow, Line, Writer, joined};
use crate::dom::NodeId;

/// Most cells of a pipe table; spans may claim any number.
const MOST_CELLS: usize = 50_000;
/// Most columns.
const MOST_COLUMNS: usize = 200;
/// Letters of a cell above which nobody would look it up in a table.
const LONG_CELL: usize = 600;
/// The same for tables that nothing else marks as data.
const LONG_UNMARKED: usize = 250;

struct Cell {
    id: NodeId,
    columns: usize,
    rows: usize,
}

impl Writer<'_> {
    pub(super) fn table(&self, id: NodeId, flow: &mut Flow) {
        let (caption, rows) = self.rows(id);
        if self.places_things(id, &rows) {
            for part in caption.iter().copied().chain(rows.iter().flatten().map(|cell| cell.id)) {
                flow.end();
                if !self.is_line_number(part) {
                    self.children(part, flow);
                }
                flow.end();
            }
            return;
        }
        if let Some(caption) = caption {
            let text = self.cell_line(caption).one_line();
            if !text.is_empty() {
                flow.blocks.push(Block::Text(text));
            }
        }
        let grid = self.grid(&rows);
        if let Some(table) = pipes(grid) {
            flow.blocks.push(Block::Other(table));
        }
    }

    fn rows(&self, id: NodeId) -> (Option<NodeId>, Vec<Vec<Cell>>) {
        let (mut caption, mut rows) = (None, Vec::new());
        let mut walk = self.dom.subtree(id);
        walk.next();
        while let Some(below) = walk.next() {
            if self.is_dropped(below) {
                walk.leave(below);
                continue;
            }
            match self.dom.tag(below) {
                Some("caption") => {
                    caption = Some(below);
                    walk.leave(below);
                }
                Some("tr") => {
                    let cells = self
                        .dom
                        .children(below)
                        .filter(|&cell| self.dom.is(cell, &["td", "th"]) && !self.is_dropped(cell));
                    rows.push(cells.map(|cell| self.cell(cell)).collect());
                    walk.leave(below);
                }
                Some("thead" | "tbody" | "tfoot") | None => {}
                Some(_) => walk.leave(below),
            }
        }
        rows.retain(|row: &Vec<Cell>| !row.is_empty());
        (caption, rows)
    }

    fn cell(&self, id: NodeId) -> Cell {
        let span = |name: &str| {
            let value =
                self.dom.attr(id, name).and_then(|value| value.trim().parse::<usize>().ok());
            value.unwrap_or(1).clamp(1, MOST_COLUMNS)
        };
        Cell { id, columns: span("colspan"), rows: span("rowspan") }
    }

    /// Whether a table is there for the sake of the layout.
    fn places_things(&self, id: NodeId, rows: &[Vec<Cell>]) -> bool {
        let dom = self.dom;
        if dom.attr(id, "role").is_some_and(|role| matches!(role, "presentation" | "none")) {
            return true;
        }
        let columns = rows
            .iter()
            .map(|row| row.iter().map(|cell| cell.columns).sum())
            .max()
            .unwrap_or(0usize);
        let heads = rows.iter().flatten().any(|cell| dom.is(cell.id, &["th"]));
        if rows.is_empty() || !heads && (columns <= 1 || rows.len() <= 1) {
            return true;
        }
        let framed =
            dom.attr(id, "border").is_some_and(|border| !matches!(border.trim(), "0" | ""));
        let captioned = dom.subtree(id).any(|below| dom.is(below, &["caption", "thead"]));
        let marked = heads || framed || captioned;
        let mut pictures_only = true;
        for cell in rows.iter().flatten() {
            let mut letters = 0;
            let mut paragraphs = 0;
            for below in dom.subtree(cell.id).skip(1).filter(|&below| !self.is_dropped(below)) {
                match dom.tag(below) {
                    None => {
                        letters += dom.text(below).map_or(0, |text| {
                            text.chars().filter(|letter| !letter.is_whitespace()).count()
                        });
                    }
                    Some(
                        "table" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "hr"
                        | "form" | "dl",
                    ) => return true,
                    Some("pre") if self.code_text(below).trim().contains('\n') => return true,
                    Some("p") => paragraphs += 1,
                    Some("ul" | "ol") if !marked => return true,
                    _ => {}
                }
            }
            pictures_only &= letters == 0;
            if letters > LONG_CELL
                || paragraphs > 3
                || !marked && (letters > LONG_UNMARKED || paragraphs > 1)
            {
                return true;
            }
        }
        pictures_only
    }

    fn cell_line(&self, id: NodeId) -> Line {
        let mut line = Line::default();
        let marks = if self.dom.is(id, &["th"]) { Marks::in_heading() } else { Marks::default() };
        self.flat(id, &mut line, marks);
        line
    }

    /// The cells as text, with spans filled: to the right with nothing, downwards with the same again.
    fn grid(&self, rows: &[Vec<Cell>]) -> Vec<Vec<String>> {
        let mut grid: Vec<Vec<String>> = Vec::new();
        // What still reaches down into the next rows, by column.
        let mut reaching: Vec<(usize, String)> = Vec::new();
        let mut made = 0;
        for row in rows {
            let mut line: Vec<String> = Vec::new();
            let mut cells = row.iter();
            loop {
                let column = line.len();
                if let Some((left, text)) = reaching.get_mut(column).filter(|(left, _)| *left > 0) {
                    *left -= 1;
                    line.push(text.clone());
                    continue;
                }
                let Some(cell) = cells.next() else {
                    // What reaches down behind the last cell.
                    if reaching.iter().skip(column).any(|(left, _)| *left > 0)
                        && column < MOST_COLUMNS
                    {
                        line.push(String::new());
                        continue;
                    }
                    break;
                };
                let lines = self.cell_line(cell.id);
                let text = lines.lines().collect::<Vec<_>>().join("<br>").replace('|', "\\|");
                for at in 0..cell.columns {
                    let text = if at == 0 { text.clone() } else { String::new() };
                    if cell.rows > 1 {
                        let column = line.len();
                        if reaching.len() <= column {
                            reaching.resize(column + 1, (0, String::new()));
                        }
                        reaching[column] = (cell.rows - 1, text.clone());
                    }
                    line.push(text);
                }
                if line.len() > MOST_COLUMNS {
                    break;
                }
            }
            made += line.len();
            if made > MOST_CELLS {
                break;
            }
            grid.push(line);
        }
        grid
    }
}

/// A grid as a pipe table; rows and columns without a word are left out.
fn pipes(mut grid: Vec<Vec<String>>) -> Option<String> {
    grid.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    let columns = grid.iter().map(Vec::len).max()?;
    let used: Vec<bool> = (0..columns)
        .map(|column| grid.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty())))
        .collect();
    let mut lines = Vec::new();
    for (at, row) in grid.iter().enumerate() {
        let mut line = String::from("|");
        for column in (0..columns).filter(|&column| used[column]) {
            let cell = row.get(column).map_or("", String::as_str);
            line.push(' ');
            line.push_str(cell);
            line.push_str(if cell.is_empty() { "|" } else { " |" });
        }
        lines.push(line);
        if at == 0 {
            let columns = used.iter().filter(|used| **used).count();
            lines.push(format!("|{}", " --- |".repeat(columns)));
        }
    }
    let text = lines.join("\n");
    (!text.is_empty()).then(|| joined(vec![Block::Other(text)]))
}
