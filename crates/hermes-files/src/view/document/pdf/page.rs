//! Runs the drawing instructions of a page and collects the text they draw.
//!
//! The content of a page is a program for a pen: values, then the instruction that takes them. Of
//! some seventy instructions only those matter here that move the pen, choose a font, draw a string,
//! or run another stream as a part of this one; lines, areas, colours and pictures are passed over.
//!
//! The program is not trusted. Instructions, drawn characters, nested drawings and table entries of
//! fonts are paid from one budget for the whole document, and the state that can be saved is limited. An
//! instruction with the wrong values is ignored, never an error.

use std::collections::HashMap;
use std::rc::Rc;

use memchr::memmem;

use super::font::Font;
use super::layout::{Matrix, PageText};
use super::lexer::{Lexer, is_space};
use super::object::{Dict, Object};
use super::store::ObjectStore;

/// Most instructions run and characters drawn for one document.
const MAX_OPERATIONS: usize = 10_000_000;
/// A drawing inside of another counts as so many instructions, besides its own.
const DRAWING_COST: usize = 100;
/// Drawings inside of drawings.
const MAX_DEPTH: usize = 12;
/// Saved graphics states.
const MAX_SAVED: usize = 256;
/// Values in front of an instruction; real ones take up to six.
const MAX_OPERANDS: usize = 64;

/// What instructions change and later ones depend on.
#[derive(Clone, Debug)]
struct TextState {
    page: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// Where the next character and the next line go.
#[derive(Clone, Copy, Debug)]
struct Pen {
    glyph: Matrix,
    line: Matrix,
}

/// Runs pages one after another; fonts are kept between them.
#[derive(Debug)]
pub(super) struct PageRunner<'s, 'b> {
    store: &'s ObjectStore<'b>,
    /// By where their dictionary is: not every font has a number.
    fonts: HashMap<*const Dict, Rc<Font>>,
    operations_left: usize,
    text: PageText,
}

impl<'s, 'b> PageRunner<'s, 'b> {
    pub(super) fn new(store: &'s ObjectStore<'b>) -> Self {
        let (fonts, text) = (HashMap::new(), PageText::default());
        Self { store, fonts, operations_left: MAX_OPERATIONS, text }
    }

    /// Whether the document asks for more than is run.
    pub(super) fn is_exhausted(&self) -> bool {
        self.operations_left == 0 || self.store.is_exhausted()
    }

    /// The text of a page.
    pub(super) fn page(&mut self, contents: &Object, resources: &Dict) -> String {
        let mut content = Vec::new();
        let parts = match self.store.resolve(contents) {
            Object::Array(parts) => parts.as_slice(),
            part => std::slice::from_ref(part),
        };
        for part in parts {
            let stream = self.store.resolve(part).stream();
            content.extend(stream.and_then(|stream| self.store.unpack(stream)).unwrap_or_default());
            content.push(b'\n');
        }
        self.run(&content, resources, Matrix::IDENTITY, 0);
        std::mem::take(&mut self.text).finish()
    }

    fn run(&mut self, content: &[u8], resources: &Dict, page: Matrix, depth: usize) {
        let mut lexer = Lexer::new(content, 0);
        let mut operands = Vec::new();
        let mut state = TextState {
            page,
            font: None,
            size: 1.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let mut saved = Vec::new();
        let mut pen = Pen { glyph: Matrix::IDENTITY, line: Matrix::IDENTITY };
        while lexer.position < content.len() && self.operations_left > 0 {
            self.operations_left -= 1;
            let Some(object) = lexer.object() else { continue };
            let Object::Operator(operator) = object else {
                if operands.len() < MAX_OPERANDS {
                    operands.push(object);
                }
                continue;
            };
            match operator.as_str() {
                "q" if saved.len() < MAX_SAVED => saved.push(state.clone()),
                "Q" => state = saved.pop().unwrap_or(state),
                "ID" => lexer.position = after_image(content, lexer.position),
                "Do" if depth < MAX_DEPTH => {
                    let name = operands.first().and_then(Object::name).unwrap_or_default();
                    self.run_drawing(name, resources, state.page, depth);
                }
                "Tf" => state.set_font(&operands, |name| self.font(name, resources)),
                _ => self.step(&operator, &operands, &mut state, &mut pen),
            }
            operands.clear();
        }
    }

    /// Runs another stream as part of this one, unless it is a picture.
    fn run_drawing(&mut self, name: &str, resources: &Dict, page: Matrix, depth: usize) {
        let store = self.store;
        let drawing = store.get(resources, "XObject").dict().map(|all| store.get(all, name));
        let Some(stream) = drawing.and_then(Object::stream) else { return };
        if store.get(&stream.dict, "Subtype").name() != Some("Form") {
            return;
        }
        self.operations_left = self.operations_left.saturating_sub(DRAWING_COST);
        let Some(content) = store.unpack(stream) else { return };
        let own = store.get(&stream.dict, "Resources").dict().unwrap_or(resources);
        let matrix =
            store.get(&stream.dict, "Matrix").array().and_then(|list| matrix_of(store, list));
        let page = matrix.map_or(page, |matrix| matrix.then(page));
        self.run(&content, own, page, depth + 1);
    }

    fn font(&mut self, name: &str, resources: &Dict) -> Option<Rc<Font>> {
        let store = self.store;
        let dict = store.get(store.get(resources, "Font").dict()?, name).dict()?;
        if let Some(font) = self.fonts.get(&std::ptr::from_ref(dict)) {
            return Some(Rc::clone(font));
        }
        let font = Rc::new(Font::new(store, dict));
        // Many fonts can share one large table, of which each gets a copy.
        self.operations_left = self.operations_left.saturating_sub(font.entries());
        self.fonts.insert(dict, Rc::clone(&font));
        Some(font)
    }

    /// Instructions about text and where it goes.
    fn step(&mut self, operator: &str, operands: &[Object], state: &mut TextState, pen: &mut Pen) {
        let number = |at: usize| operands.get(at).and_then(Object::number).unwrap_or_default();
        match operator {
            "cm" => {
                if let Some(matrix) = matrix_of(self.store, operands) {
                    state.page = matrix.then(state.page);
                }
            }
            "BT" => *pen = Pen { glyph: Matrix::IDENTITY, line: Matrix::IDENTITY },
            "Tc" => state.char_space = number(0),
            "Tw" => state.word_space = number(0),
            "Tz" => state.stretch = number(0) / 100.0,
            "TL" => state.leading = number(0),
            "Ts" => state.rise = number(0),
            "Tm" => {
                if let Some(matrix) = matrix_of(self.store, operands) {
                    *pen = Pen { glyph: matrix, line: matrix };
                }
            }
            "Td" => pen.move_line(number(0), number(1)),
            "TD" => {
                state.leading = -number(1);
                pen.move_line(number(0), number(1));
            }
            "T*" => pen.move_line(0.0, -state.leading),
            "Tj" => self.show(operands.first(), state, pen),
            "'" => {
                pen.move_line(0.0, -state.leading);
                self.show(operands.first(), state, pen);
            }
            "\"" => {
                (state.word_space, state.char_space) = (number(0), number(1));
                pen.move_line(0.0, -state.leading);
                self.show(operands.get(2), state, pen);
            }
            "TJ" => {
                for item in operands.first().and_then(Object::array).unwrap_or_default() {
                    match item.number() {
                        Some(back) => pen.advance(-back / 1000.0 * state.size * state.stretch),
                        None => self.show(Some(item), state, pen),
                    }
                }
            }
            _ => {}
        }
    }

    fn show(&mut self, string: Option<&Object>, state: &TextState, pen: &mut Pen) {
        let (Some(string), Some(font)) = (string.and_then(Object::text), &state.font) else {
            return;
        };
        let square = Matrix([state.size * state.stretch, 0.0, 0.0, state.size, 0.0, state.rise]);
        let drawn = string.len().min(self.operations_left);
        self.operations_left -= drawn;
        for glyph in font.glyphs(&string[..drawn]) {
            let place = square.then(pen.glyph).then(state.page);
            self.text.draw(place, glyph.width, &glyph.text);
            let extra = state.char_space + if glyph.is_space { state.word_space } else { 0.0 };
            pen.advance((glyph.width * state.size + extra) * state.stretch);
        }
    }
}

impl TextState {
    fn set_font(&mut self, operands: &[Object], find: impl FnOnce(&str) -> Option<Rc<Font>>) {
        self.font = operands.first().and_then(Object::name).and_then(find);
        self.size = operands.get(1).and_then(Object::number).unwrap_or_default();
    }
}

impl Pen {
    fn advance(&mut self, distance: f64) {
        self.glyph = Matrix::shift(distance, 0.0).then(self.glyph);
    }

    fn move_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::shift(x, y).then(self.line);
        self.glyph = self.line;
    }
}

fn matrix_of(store: &ObjectStore<'_>, list: &[Object]) -> Option<Matrix> {
    let numbers: Option<Vec<f64>> = list.iter().map(|item| store.resolve(item).number()).collect();
    numbers?.try_into().ok().map(Matrix)
}

/// Where the instructions go on after the data of a picture: behind `EI` between white space.
fn after_image(content: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(found) = memmem::find(&content[at..], b"EI") {
        let start = at + found;
        at = start + 2;
        let before = start.checked_sub(1).and_then(|before| content.get(before));
        if before.is_some_and(|byte| is_space(*byte))
            && content.get(at).is_none_or(|byte| is_space(*byte))
        {
            return at;
        }
    }
    content.len()
}
