//! How text may look: with or without colour, and how wide.

use std::fmt::Write as _;

/// Whether colour is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Escape sequences colour the text.
    On,
    /// The text stands as it is: `NO_COLOR`, a pipe, a dumb terminal.
    Off,
}

/// What everything that draws has to know about the place it draws in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether colour is shown.
    pub colour: Colour,
    /// Columns; no line is wider.
    pub width: usize,
}

/// Less room than this is treated as this much.
const MIN_WIDTH: usize = 20;

impl Style {
    /// A style for a place of this width.
    pub fn new(colour: Colour, width: usize) -> Self {
        Self { colour, width: width.max(MIN_WIDTH) }
    }

    /// The text in this ink, or as it is where there is no colour.
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        if self.colour == Colour::Off || ink == Ink::PLAIN || text.is_empty() {
            return text.to_owned();
        }
        let mut codes = String::new();
        for (on, code) in [
            (ink.bold, 1),
            (ink.dim, 2),
            (ink.italic, 3),
            (ink.underline, 4),
            (ink.strike, 9),
            (ink.hue.is_some(), ink.hue.map_or(0, |hue| hue as u8)),
        ] {
            if on {
                let _ = write!(codes, "{}{code}", if codes.is_empty() { "" } else { ";" });
            }
        }
        format!("\x1b[{codes}m{text}\x1b[0m")
    }
}

/// A colour, by its number in the terminal's own palette, so that it fits the user's theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Hue {
    /// Failures and what was removed.
    Red = 31,
    /// What was added or went well.
    Green = 32,
    /// Warnings and questions.
    Yellow = 33,
    /// Headings.
    Magenta = 35,
    /// Code and names.
    Cyan = 36,
}

/// How a piece of text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ink {
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    strike: bool,
    hue: Option<Hue>,
}

impl Ink {
    /// Nothing special.
    pub const PLAIN: Self =
        Self { bold: false, dim: false, italic: false, underline: false, strike: false, hue: None };
    /// What matters most.
    pub const BOLD: Self = Self { bold: true, ..Self::PLAIN };
    /// What matters less.
    pub const DIM: Self = Self { dim: true, ..Self::PLAIN };
    /// Stressed.
    pub const ITALIC: Self = Self { italic: true, ..Self::PLAIN };
    /// An address.
    pub const UNDERLINE: Self = Self { underline: true, ..Self::PLAIN };
    /// Taken back.
    pub const STRIKE: Self = Self { strike: true, ..Self::PLAIN };
    /// Failures.
    pub const RED: Self = Self::of(Hue::Red);
    /// What was added or went well.
    pub const GREEN: Self = Self::of(Hue::Green);
    /// Warnings and questions.
    pub const YELLOW: Self = Self::of(Hue::Yellow);
    /// Code and names.
    pub const CYAN: Self = Self::of(Hue::Cyan);

    /// Stressed as well.
    pub const fn with_italic(self) -> Self {
        Self { italic: true, ..self }
    }

    /// A colour.
    pub const fn of(hue: Hue) -> Self {
        Self { hue: Some(hue), ..Self::PLAIN }
    }

    /// Both at once; the other's colour wins.
    pub fn and(self, other: Self) -> Self {
        Self {
            bold: self.bold || other.bold,
            dim: self.dim || other.dim,
            italic: self.italic || other.italic,
            underline: self.underline || other.underline,
            strike: self.strike || other.strike,
            hue: other.hue.or(self.hue),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ink_is_left_out_where_there_is_no_colour() {
        let ink = Ink::BOLD.and(Ink::RED);
        assert_eq!(Style::new(Colour::Off, 80).paint(ink, "x"), "x");
        assert_eq!(Style::new(Colour::On, 80).paint(ink, "x"), "\x1b[1;31mx\x1b[0m");
        assert_eq!(Style::new(Colour::On, 80).paint(ink, ""), "");
    }
}
