//! The pictures of a page.

use serde::{Deserialize, Serialize};

use crate::browser::Browser;
use crate::error::BrowserError;

/// Most pictures that are listed.
const MOST: usize = 500;

/// Every picture with an address, in the order of the document.
const LIST: &str = "(most) => { const seen = []; const walk = (root) => { for (const one of root.querySelectorAll('*')) { \
    if (seen.length >= most) return; \
    if (one.localName === 'img') { const src = one.currentSrc || one.src; \
    if (src && !src.startsWith('data:')) seen.push({ src: src.slice(0, 2000), alt: (one.alt || '').slice(0, 300), width: one.naturalWidth || one.width, height: one.naturalHeight || one.height }); } \
    if (one.shadowRoot) walk(one.shadowRoot); } }; walk(document); return seen; }";

/// A picture on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageImage {
    /// Its address.
    pub src: String,
    /// What the page says it shows.
    pub alt: String,
    /// Its own width.
    pub width: u32,
    /// Its own height.
    pub height: u32,
}

impl Browser {
    /// The pictures of the page in front, without those that are written into the page itself.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn images(&self) -> Result<Vec<PageImage>, BrowserError> {
        let page = self.page()?;
        self.call_in_page(&page, LIST, &[serde_json::json!(MOST)]).await
    }
}
