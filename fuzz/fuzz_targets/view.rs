//! Files of any content under any name: no panic, and a window within its caps. The first byte picks
//! the name, the next two the window.
#![no_main]

use std::io::Cursor;
use std::path::Path;

use hermes_files::view::{FileView, WindowRequest, show};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 6] = ["a.txt", "a.ipynb", "a.docx", "a.xlsx", "a.pdf", "a.png"];

fuzz_target!(|data: &[u8]| {
    let [name, offset, budget, content @ ..] = data else { return };
    let name = NAMES[usize::from(*name) % NAMES.len()];
    let max_chars = usize::from(*budget) * 8;
    let request = WindowRequest {
        offset: usize::from(*offset % 16),
        limit: 50,
        max_line_chars: 40,
        max_chars,
        column: offset.checked_sub(200).map(usize::from),
    };
    match show(Path::new(name), &mut Cursor::new(content), &request) {
        Ok(FileView::Text(window) | FileView::Document(window)) => {
            assert!(window.content.chars().count() <= max_chars);
            assert!(window.content.split('\n').count() <= 50);
        }
        Ok(FileView::Image { .. } | FileView::Binary(_)) => {}
        Err(error) => panic!("{error}"),
    }
});
