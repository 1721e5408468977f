//! Drawings, made into dots.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree, fontdb};

use super::PictureError;

/// Longest side of what is drawn.
const LONGEST: f32 = 2_048.0;
/// Small drawings are drawn larger, so that there is something to see.
const SHORTEST: f32 = 512.0;
/// So far into a file the first element is looked for.
const PROLOGUE: usize = 64 << 10;

/// The fonts of this machine, looked for at the first drawing.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_system_fonts();
    Arc::new(fonts)
});

/// Whether a file's first element is `<svg>`: behind a mark, blanks, comments, declarations and instructions.
pub(super) fn is_svg(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(PROLOGUE)];
    let mut rest = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    loop {
        rest = rest.trim_ascii_start();
        let end = if rest.starts_with(b"<?") {
            "?>"
        } else if rest.starts_with(b"<!--") {
            "-->"
        } else if rest.get(..9).is_some_and(|word| word.eq_ignore_ascii_case(b"<!doctype")) {
            // A declaration may hold entities in brackets, each with a `>` of its own.
            let close = position(rest, b">");
            match (position(rest, b"["), close) {
                (Some(open), Some(close)) if open < close => "]>",
                _ => ">",
            }
        } else {
            let Some(name) = rest.strip_prefix(b"<svg") else { return false };
            return name.first().is_none_or(|next| !next.is_ascii_alphanumeric());
        };
        let Some(at) = position(rest, end.as_bytes()) else { return false };
        rest = &rest[at + end.len()..];
    }
}

fn position(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}

/// Draws on white, as a page would, and gives a PNG.
pub(super) fn rasterise(bytes: &[u8]) -> Result<Vec<u8>, PictureError> {
    let broken = |why: &dyn std::fmt::Display| PictureError::Broken(why.to_string());
    let options = Options {
        fontdb: Arc::clone(&FONTS),
        image_href_resolver: ImageHrefResolver {
            resolve_data: ImageHrefResolver::default_data_resolver(),
            // A drawing may name any file of this machine; it gets none.
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    let tree = Tree::from_data(bytes, &options).map_err(|error| broken(&error))?;
    let size = tree.size();
    let longest = size.width().max(size.height());
    let scale = longest.clamp(SHORTEST, LONGEST) / longest;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sides are positive and at most LONGEST"
    )]
    let side = |length: f32| ((length * scale).round() as u32).max(1);
    let mut canvas = Pixmap::new(side(size.width()), side(size.height()))
        .ok_or_else(|| broken(&"it has no size"))?;
    canvas.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut canvas.as_mut());
    canvas.encode_png().map_err(|error| broken(&error))
}
