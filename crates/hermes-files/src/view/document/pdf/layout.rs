//! Drawn characters into lines of text.
//!
//! A page says where each character stands, not which ones make a word or a line. Text is taken in
//! the order it is drawn, which is the reading order in nearly all files; a step away from the
//! baseline begins a line, a gap along it is a space.

/// A step away from the baseline, in font sizes, that begins a new line. Raised and lowered
/// characters step less.
const NEW_LINE: f64 = 0.6;
/// A gap along the baseline that is a space.
const NEW_WORD: f64 = 0.17;
/// A step back along the baseline that begins a new line; less is kerning.
const STEP_BACK: f64 = 1.0;
/// Most bytes of text of one page.
const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;

/// Scale, rotation and shift: `[a b c d e f]` as in the format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// Moves by a distance.
    pub(super) const fn shift(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// First this, then another.
    pub(super) fn then(self, other: Self) -> Self {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, other.0);
        Self([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }
}

/// The text of a page while it is drawn.
#[derive(Debug, Default)]
pub(super) struct PageText {
    text: String,
    /// Where the last character ended.
    end: Option<(f64, f64)>,
}

impl PageText {
    /// Draws a character: `place` takes the font's square onto the page.
    pub(super) fn draw(&mut self, place: Matrix, width: f64, text: &str) {
        let [a, b, c, d, x, y] = place.0;
        let (length, size) = (a.hypot(b), c.hypot(d));
        if text.is_empty() || self.text.len() > MAX_PAGE_BYTES {
            return;
        }
        if let Some((end_x, end_y)) = self.end
            && length > 0.0
        {
            let (step_x, step_y) = (x - end_x, y - end_y);
            let along = (step_x * a + step_y * b) / length;
            let across = (step_x * b - step_y * a) / length;
            if across.abs() > NEW_LINE * size || along < -STEP_BACK * size {
                self.text.push('\n');
            } else if along > NEW_WORD * size
                && !text.starts_with(' ')
                && !self.text.ends_with([' ', '\n'])
            {
                self.text.push(' ');
            }
        }
        self.text.push_str(text);
        self.end = Some((x + a * width, y + b * width));
    }

    /// The lines, without spaces at their ends and empty ones at the page's.
    pub(super) fn finish(self) -> String {
        let lines: Vec<&str> = self.text.lines().map(str::trim_end).collect();
        lines.join("\n").trim_matches('\n').to_owned()
    }
}
