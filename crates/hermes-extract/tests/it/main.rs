//! Whole pages: each folder below `tests/pages` has a `page.html` and what must come of it, `expected.md`, whose first line
//! is the title. A page that must be refused has the one line `needs a browser`.
//!
//! Every page is as if it came from `https://site.example/dir/page.html`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod hostile;

use std::fmt::Write as _;
use std::path::Path;

use url::Url;

fn extracted(page: &str) -> String {
    let address = Url::parse("https://site.example/dir/page.html").unwrap();
    match hermes_extract::html(page, &address) {
        Ok(extract) => format!("Title: {}\n\n{}\n", extract.title, extract.markdown),
        Err(_) => "needs a browser\n".to_owned(),
    }
}

#[test]
fn every_page_comes_out_whole_and_clean() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let mut folders: Vec<_> =
        std::fs::read_dir(pages).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() >= 10, "{} pages", folders.len());
    let mut wrong = String::new();
    for folder in &folders {
        let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
        let expected = std::fs::read_to_string(folder.join("expected.md")).unwrap();
        let got = extracted(&page);
        if got != expected {
            let name = folder.file_name().unwrap().to_string_lossy();
            writeln!(wrong, "=== {name}\n--- expected\n{expected}\n--- got\n{got}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
