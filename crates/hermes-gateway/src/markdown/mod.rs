//! Answers are Markdown; platforms are not.
//!
//! An answer is parsed once, by a CommonMark parser, into a [`Document`]; each platform has a renderer for it. Nothing is
//! ever replaced by patterns in the text, so `2*3*4` stays what it is and code is never touched.
//!
//! | for | renderer |
//! |---|---|
//! | platforms without formatting | [`plain`] |
//! | text with ranges (Telegram, Signal) | [`styled`], [`StyledText::utf16_spans`] |
//! | HTML (Matrix, e-mail) | [`html`] |
//! | marks of their own (Slack, WhatsApp, Discord, Mattermost) | [`markup`] with [`MarkupRules`] |
//!
//! [`split`] cuts a long answer into parts before they are rendered.

mod document;
mod html;
mod length;
mod markup;
mod plain;
mod split;
mod styled;
mod table;

pub use document::{Document, DocumentBlock, Inline, ListPoint, TableBlock};
pub use html::html;
pub use length::LengthUnit;
pub use markup::{MarkupRules, markup};
pub use plain::plain;
pub use split::{SplitLimit, split};
pub use styled::{StyleKind, StyleSpan, StyledText, styled};

/// A message in a platform's own form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// What is sent as the text.
    pub text: String,
    /// Ranges of it, in UTF-16 units, for platforms that format this way.
    pub spans: Vec<StyleSpan>,
    /// The same as HTML, for platforms that take both.
    pub html: Option<String>,
}

impl Rendered {
    /// Just text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}
