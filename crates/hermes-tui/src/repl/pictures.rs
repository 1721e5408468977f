//! Pictures that tools made or looked at, below the line of their call.

use std::path::Path;

use hermes_protocol::AgentEvent;

use super::outcome::Completion;
use super::{ChatTerminal, Repl};
use crate::display::pictures::{PictureProtocol, PictureView, pictures_in};
use crate::display::{Colour, Ink, Style};
use crate::terminal::Size;

/// Rows that are left for everything else where a picture is drawn.
const OTHER_ROWS: usize = 8;

impl<S: ChatTerminal> Repl<S> {
    /// Has the pictures of a finished call drawn. Reading them takes a while, so it happens beside the loop.
    pub(super) fn show_pictures(&self, event: &AgentEvent) {
        let AgentEvent::ToolFinished { output, args, failed: false, .. } = event else { return };
        let made = Some(output.clone()).filter(|output| output.starts_with('{'));
        let (made, looked_at) = (made.unwrap_or_default(), args.to_string());
        let (folder, protocol) = (self.place.folder.clone(), self.pictures);
        let (style, size, results) = (self.style(), self.size, self.results.clone());
        tokio::task::spawn_blocking(move || {
            let mut pictures = pictures_in(&looked_at, &folder);
            pictures.extend(pictures_in(&made, &folder));
            pictures.dedup();
            for path in pictures {
                let rows = picture_rows(&path, protocol, size, &style);
                let _ = results.send(Completion::Picture(rows));
            }
        });
    }
}

/// The rows of a picture: drawn where the terminal can, else its path.
fn picture_rows(
    path: &Path,
    protocol: Option<PictureProtocol>,
    size: Size,
    style: &Style,
) -> Vec<String> {
    if style.colour == Colour::Off {
        return vec![format!("  {}", crate::display::fit::shown(&path.to_string_lossy()))];
    }
    let columns = u16::try_from(size.columns.saturating_sub(4)).unwrap_or(u16::MAX);
    match PictureView::of(path, protocol, columns) {
        PictureView::Drawn { sequence, rows } if usize::from(rows) + OTHER_ROWS <= size.rows => {
            // Room is made first, so that drawing never scrolls; whatever the terminal does with its cursor while it
            // draws is taken back. So one way serves all protocols.
            let mut all = vec![String::new(); usize::from(rows)];
            all.push(format!("\x1b[{rows}A\x1b7{sequence}\x1b8\x1b[{rows}B"));
            all
        }
        PictureView::Drawn { .. } => picture_rows(path, None, size, style),
        PictureView::Link(link) => vec![format!("  {}", style.paint(Ink::UNDERLINE, &link))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_gets_its_room_before_it_is_drawn_and_small_screens_get_the_path() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("p.png");
        image::RgbaImage::from_pixel(40, 40, image::Rgba([1, 2, 3, 255])).save(&path).unwrap();
        let style = Style::new(Colour::On, 80);
        let size = Size { columns: 80, rows: 24 };
        let rows = picture_rows(&path, Some(PictureProtocol::Kitty), size, &style);
        assert_eq!(rows.len(), 3);
        assert!(rows[0].is_empty() && rows[1].is_empty());
        assert!(rows[2].starts_with("\x1b[2A\x1b7\x1b_G") && rows[2].ends_with("\x1b8\x1b[2B"));
        let small = Size { columns: 80, rows: 9 };
        let rows = picture_rows(&path, Some(PictureProtocol::Kitty), small, &style);
        assert!(rows[0].contains("\x1b]8;;file://"), "{rows:?}");
        let plain = Style::new(Colour::Off, 80);
        let rows = picture_rows(&path, Some(PictureProtocol::Sixel), size, &plain);
        assert_eq!(rows, [format!("  {}", path.display())]);
    }
}
