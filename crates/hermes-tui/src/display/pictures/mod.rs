//! Pictures in the chat: small ones where the terminal can draw, else the path as a link.
//!
//! Terminals draw in three languages, which have nothing in common but that they are escape sequences: Kitty's, iTerm2's
//! and the old Sixel. Which one a terminal speaks is told by the variables it sets ([`PictureProtocol::of`]); asking it
//! would mean to wait for an answer that may never come. Inside tmux or screen none is used: what they do not
//! understand they print. A picture is made small first, so that what is written is small whatever the file.
//!
//! [`pictures_in`] finds the files that a result names; [`PictureView::of`] reads one and says what to write and how many
//! rows that takes.

mod kitty;
mod sixel;

use std::fmt::Write as _;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_tool::Vars;
use image::imageops::FilterType;
use image::{ImageReader, Limits, RgbaImage};
use serde_json::Value;

/// Largest file that is drawn.
const MAX_FILE: u64 = 50 << 20;
/// Longest side of a picture that is unpacked, and the memory it may take.
const MAX_SIDE: u32 = 20_000;
const MAX_MEMORY: u64 = 256 << 20;
/// Most rows and columns a picture takes.
const MAX_ROWS: u16 = 12;
const MAX_COLUMNS: u16 = 48;
/// How many dots a character is taken to be wide and high.
const CELL: (u32, u32) = (10, 20);
/// Most pictures of one result.
const MAX_PICTURES: usize = 4;
/// Endings of files that are drawn.
const ENDINGS: [&str; 6] = ["png", "jpg", "jpeg", "gif", "webp", "bmp"];
/// Fields in which results, and arguments of what looks at pictures, name a file.
const FIELDS: [&str; 5] = ["image", "screenshot_path", "image_path", "file_path", "image_url"];

/// A language in which a terminal draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureProtocol {
    /// Kitty, Ghostty, Konsole.
    Kitty,
    /// iTerm2, WezTerm and others after it.
    Iterm2,
    /// foot, mlterm, and whoever says so.
    Sixel,
}

impl PictureProtocol {
    /// The one that the terminal of these variables speaks.
    #[must_use]
    pub fn of(vars: &Vars) -> Option<Self> {
        let is = |name: &str, words: &[&str]| {
            let value = vars.get(name).unwrap_or_default().to_ascii_lowercase();
            words.iter().any(|word| value.contains(word))
        };
        let has = |name: &str| vars.non_blank(name).is_some();
        if has("TMUX") || has("STY") || is("TERM", &["screen", "tmux", "dumb"]) {
            return None;
        }
        if has("KITTY_WINDOW_ID")
            || is("TERM", &["kitty", "ghostty"])
            || is("TERM_PROGRAM", &["ghostty"])
            || has("KONSOLE_VERSION")
        {
            return Some(Self::Kitty);
        }
        if is("TERM_PROGRAM", &["iterm", "wezterm", "mintty", "tabby"])
            || is("LC_TERMINAL", &["iterm"])
        {
            return Some(Self::Iterm2);
        }
        is("TERM", &["foot", "mlterm", "sixel", "yaft"]).then_some(Self::Sixel)
    }
}

/// How a picture is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureView {
    /// Written to the terminal as it is, it draws the picture from the cursor on and takes so many rows.
    Drawn {
        /// What is written.
        sequence: String,
        /// How many rows are to be left for it.
        rows: u16,
    },
    /// One row of text: the path, as a link where the terminal knows links.
    Link(String),
}

impl PictureView {
    /// The view of a picture in a terminal that is so wide; what cannot be drawn is a link.
    #[must_use]
    pub fn of(path: &Path, protocol: Option<PictureProtocol>, columns: u16) -> Self {
        let drawn = protocol.and_then(|protocol| drawn(path, protocol, columns));
        drawn.unwrap_or_else(|| Self::Link(link(path)))
    }
}

/// The pictures that a tool's result or arguments name and that are there; a path that is not whole is one in the folder.
#[must_use]
pub fn pictures_in(result: &str, folder: &Path) -> Vec<PathBuf> {
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(result) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = Vec::new();
    for named in FIELDS.iter().filter_map(|name| fields.get(*name)?.as_str()) {
        let path = folder.join(named);
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_picture = ENDINGS.contains(&ending.to_ascii_lowercase().as_str());
        let is_there = || path.is_absolute() && path.is_file();
        if is_picture && !found.contains(&path) && found.len() < MAX_PICTURES && is_there() {
            found.push(path);
        }
    }
    found
}

fn drawn(path: &Path, protocol: PictureProtocol, columns: u16) -> Option<PictureView> {
    let picture = thumbnail(path, columns)?;
    let (wide, rows) = cells(&picture);
    let sequence = match protocol {
        PictureProtocol::Kitty => kitty::sequence(&png(&picture)?, rows),
        PictureProtocol::Iterm2 => {
            let bytes = png(&picture)?;
            let data = STANDARD.encode(&bytes);
            format!(
                "\x1b]1337;File=inline=1;size={};width={wide};height={rows};preserveAspectRatio=1:{data}\x07",
                bytes.len()
            )
        }
        PictureProtocol::Sixel => sixel::sequence(&picture),
    };
    Some(PictureView::Drawn { sequence, rows })
}

/// The picture, small enough for its place. Never larger than it is.
fn thumbnail(path: &Path, columns: u16) -> Option<RgbaImage> {
    if path.metadata().ok()?.len() > MAX_FILE {
        return None;
    }
    let mut reader = ImageReader::open(path).ok()?.with_guessed_format().ok()?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let picture = reader.decode().ok()?;
    let width = u32::from(columns.clamp(1, MAX_COLUMNS)) * CELL.0;
    let height = u32::from(MAX_ROWS) * CELL.1;
    let fits = picture.width() <= width && picture.height() <= height;
    let small = if fits { picture } else { picture.resize(width, height, FilterType::Triangle) };
    Some(small.to_rgba8())
}

/// How many columns and rows it takes.
fn cells(picture: &RgbaImage) -> (u16, u16) {
    let cells = |dots: u32, cell: u32| u16::try_from(dots.div_ceil(cell).max(1)).unwrap_or(1);
    (cells(picture.width(), CELL.0), cells(picture.height(), CELL.1))
}

fn png(picture: &RgbaImage) -> Option<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).ok()?;
    Some(bytes.into_inner())
}

/// The path as a link. A name is other people's text: nothing in it reaches the terminal as a command.
fn link(path: &Path) -> String {
    let text: String = path.to_string_lossy().chars().filter(|sign| !sign.is_control()).collect();
    let mut address = String::from("file://");
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    format!("\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\")
}

#[cfg(test)]
mod tests;
