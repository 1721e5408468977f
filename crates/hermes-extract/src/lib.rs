//! What a page says, as Markdown.
//!
//! A page of the web is mostly not what it says: menus, consent boxes, teasers, share buttons, text for machines only. This
//! crate turns an answer of a web server into the content for a reader who has no eyes for the rest. It reads bytes and
//! writes text: nothing is fetched, no script is run, no model is asked.
//!
//! The way of a page ([`html`]):
//!
//! 1. it is parsed as browsers parse, into a tree of our own (`dom`);
//! 2. what nobody sees is marked: hidden elements, what styles put out of sight (`style`, `clean`);
//! 3. what surrounds the content is marked: by element, role, names (`words`), headings and rows of buttons (`phrases`, `clean`);
//! 4. the content is chosen: where the page declares it, else everything that is no menu (`select`);
//! 5. it is written as Markdown: headings, lists, tables, code byte for byte, complete links (`markdown`);
//! 6. it gets its title (`title`).
//!
//! [`document`] does the same for whatever a server sends: feeds become lists, JSON is set out, PDF files give their text.
//!
//! # What never happens here
//!
//! Nothing is dropped from inside code. A block that holds a good part of the page's text is not dropped because of its
//! name. Time grows with the length of the page, whatever it holds: the tree is not deeper than browsers make it, and
//! every pass goes over it once.

mod clean;
mod document;
mod dom;
mod error;
mod feed;
mod frames;
mod listing;
mod markdown;
mod measure;
mod page;
mod pdf;
mod phrases;
mod select;
mod style;
mod title;
mod words;

pub use document::document;
pub use error::ExtractError;
pub use listing::{ListedLink, PageLink, listed_links, page_links};
pub use page::{Extract, NeedsBrowser, html};
