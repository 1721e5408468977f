//! Any text as a page, a feed and whatever else a server may call it: no panic, code is kept, and the work grows no faster
//! than the text.
#![no_main]

mod pump;

use hermes_extract::{document, html, page_links};
use libfuzzer_sys::fuzz_target;
use url::Url;

fuzz_target!(|text: &str| {
    let Ok(address) = Url::parse("https://site.example/dir/page") else { return };
    let _ = html(text, &address);
    let _ = page_links(text, &address);
    for kind in ["application/rss+xml", "application/json", "text/plain", ""] {
        let _ = document(text.as_bytes(), kind, &address, || text.to_owned());
    }
    if let Some(long) = pump::pumped(text) {
        let _ = html(&long, &address);
    }
});
