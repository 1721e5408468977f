//! How text may look: with or without colour, and how wide.

use std::fmt::Write as _;

use hermes_tool::Vars;

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
    /// Which shades stand for what.
    pub theme: Theme,
    /// Whether something may move by itself and be drawn with signs that only eyes understand.
    pub motion: Motion,
    /// How many colours the terminal has.
    pub depth: ColourDepth,
}

/// How many colours there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourDepth {
    /// 256, which terminals have in common.
    #[default]
    Palette,
    /// All of them (`COLORTERM`): backgrounds can be faint.
    True,
}

impl ColourDepth {
    /// What the terminal says of itself.
    #[must_use]
    pub fn of(vars: &Vars) -> Self {
        match vars.non_blank("COLORTERM").map(str::trim) {
            Some("truecolor" | "24bit") => Self::True,
            _ => Self::Palette,
        }
    }
}

/// Whether the screen moves by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// Something turns while something goes on.
    #[default]
    Lively,
    /// Nothing changes unless something happened, for screen readers.
    Still,
}

/// Shades for the two kinds of background that terminals have, and for eyes that do not tell red from green.
/// Everything else is drawn in the terminal's own sixteen colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// For a dark background.
    #[default]
    Dark,
    /// For a light background.
    Light,
    /// For a dark background; changes are blue and orange.
    DarkColourblind,
    /// For a light background; changes are blue and orange.
    LightColourblind,
}

impl Theme {
    /// All of them with a line on each.
    pub(crate) const ALL: [(Self, &str, &str); 4] = [
        (Self::Dark, "dark", "for a dark background"),
        (Self::Light, "light", "for a light background"),
        (Self::DarkColourblind, "dark_colourblind", "dark; changes are blue and orange"),
        (Self::LightColourblind, "light_colourblind", "light; changes are blue and orange"),
    ];

    /// The one with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(theme, _, _)| *theme)
    }

    /// Codes of a shade: numbers of the palette of 256, which terminals have in common, but for backgrounds, which the
    /// palette has in loud colours only.
    const fn codes(self, shade: Shade, depth: ColourDepth) -> &'static str {
        if let ColourDepth::True = depth {
            match (self, shade) {
                (Self::Dark, Shade::Added) => return "48;2;22;54;34",
                (Self::Dark, Shade::Removed) => return "48;2;66;28;34",
                (Self::Light, Shade::Added) => return "48;2;218;246;224",
                (Self::Light, Shade::Removed) => return "48;2;255;226;226",
                (Self::DarkColourblind, Shade::Added) => return "48;2;18;44;88",
                (Self::DarkColourblind, Shade::Removed) => return "48;2;92;56;12",
                (Self::LightColourblind, Shade::Added) => return "48;2;210;230;255",
                (Self::LightColourblind, Shade::Removed) => return "48;2;255;232;200",
                _ => {}
            }
        }
        match (self, shade) {
            (Self::Dark, Shade::Added) => "48;5;22",
            (Self::Dark, Shade::Removed) => "48;5;52",
            (Self::Light, Shade::Added) => "48;5;194",
            (Self::Light, Shade::Removed) => "48;5;224",
            (Self::DarkColourblind, Shade::Added) => "48;5;18",
            (Self::DarkColourblind, Shade::Removed) => "48;5;94",
            (Self::LightColourblind, Shade::Added) => "48;5;153",
            (Self::LightColourblind, Shade::Removed) => "48;5;223",
            (Self::Dark | Self::DarkColourblind, Shade::Comment) => "38;5;245",
            (Self::Light | Self::LightColourblind, Shade::Comment) => "38;5;243",
            (Self::Dark | Self::DarkColourblind, Shade::Keyword) => "38;5;176",
            (Self::Light | Self::LightColourblind, Shade::Keyword) => "38;5;90",
            (Self::Dark | Self::DarkColourblind, Shade::Literal) => "38;5;114",
            (Self::Light | Self::LightColourblind, Shade::Literal) => "38;5;28",
            (Self::Dark | Self::DarkColourblind, Shade::Number) => "38;5;215",
            (Self::Light | Self::LightColourblind, Shade::Number) => "38;5;130",
            (Self::Dark | Self::DarkColourblind, Shade::Name) => "38;5;117",
            (Self::Light | Self::LightColourblind, Shade::Name) => "38;5;25",
        }
    }
}

/// What a shade stands for; the [`Theme`] says what it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// The background of a line that was added.
    Added,
    /// The background of a line that was removed.
    Removed,
    /// A comment in code.
    Comment,
    /// A word of the language.
    Keyword,
    /// A text in quotes.
    Literal,
    /// A number.
    Number,
    /// The name of a type, a function that is called, a variable of a shell.
    Name,
}

/// Less room than this is treated as this much.
const MIN_WIDTH: usize = 20;

impl Style {
    /// A style for a place of this width.
    pub const fn new(colour: Colour, width: usize) -> Self {
        let width = if width < MIN_WIDTH { MIN_WIDTH } else { width };
        let depth = ColourDepth::Palette;
        Self { colour, width, theme: Theme::Dark, motion: Motion::Lively, depth }
    }

    /// The same place in other shades.
    pub const fn with_theme(self, theme: Theme) -> Self {
        Self { theme, ..self }
    }

    /// The same place with less room.
    pub const fn narrower(self, columns: usize) -> Self {
        Self { width: Self::new(self.colour, self.width.saturating_sub(columns)).width, ..self }
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
        if let Some(shade) = ink.shade {
            let gap = if codes.is_empty() { "" } else { ";" };
            let _ = write!(codes, "{gap}{}", self.theme.codes(shade, self.depth));
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
    shade: Option<Shade>,
}

impl Ink {
    /// Nothing special.
    pub const PLAIN: Self = Self {
        bold: false,
        dim: false,
        italic: false,
        underline: false,
        strike: false,
        hue: None,
        shade: None,
    };
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

    /// A colour that depends on the theme.
    pub const fn shaded(shade: Shade) -> Self {
        Self { shade: Some(shade), ..Self::PLAIN }
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
            shade: other.shade.or(self.shade),
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

    #[test]
    fn a_terminal_with_all_colours_gets_faint_backgrounds() {
        let depth = |text: &str| {
            ColourDepth::of(&Vars::from_iter([("COLORTERM".to_owned(), text.to_owned())]))
        };
        assert_eq!((depth("truecolor"), depth("16")), (ColourDepth::True, ColourDepth::Palette));
        let style = Style { depth: ColourDepth::True, ..Style::new(Colour::On, 80) };
        assert_eq!(style.paint(Ink::shaded(Shade::Added), "x"), "\x1b[48;2;22;54;34mx\x1b[0m");
        assert_eq!(style.paint(Ink::shaded(Shade::Number), "x"), "\x1b[38;5;215mx\x1b[0m");
    }
}
