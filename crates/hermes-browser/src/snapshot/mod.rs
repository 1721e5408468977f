//! A page as text: what it holds, and a reference for everything that can be used.
//!
//! One line for each thing, two blanks for each level:
//!
//! ```text
//! - heading "Sign in" [level=1, ref=e1]
//! - form
//!   - textbox "E-mail" [required, ref=e2]
//!   - checkbox "Keep me signed in" [checked=true, ref=e4]
//! ```
//!
//! The browser's own accessibility tree says what things are ([`ax`]); its snapshot of the document says what the tree
//! leaves out ([`dom`]): what can be clicked without being a button, which fields hold passwords, which frame belongs
//! to which element. Frames are fetched in as few rounds as there are levels of processes ([`gather`]), then everything
//! becomes one tree ([`build`]), is numbered in the order of the document, and written ([`render`]).
//!
//! Nothing in here recurses: how deep a page nests is the page's choice.

mod ax;
mod build;
mod dom;
mod gather;
mod render;
mod roles;
mod text;
mod tree;

use crate::browser::Browser;
use crate::error::BrowserError;
use crate::references::ElementInfo;

/// How much of a page is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What can be used, and the short texts needed to understand it.
    Compact,
    /// Everything.
    Full,
}

/// A page as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageSnapshot {
    /// The lines.
    pub text: String,
    /// How many references they hold.
    pub elements: usize,
}

impl Browser {
    /// The page in front as text. Waits for a document that is on its way.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn snapshot(&self, detail: Detail) -> Result<PageSnapshot, BrowserError> {
        self.loaded().await?;
        let page = self.page()?;
        let gathered = self.gather(&page).await?;
        let mut tree = build::build(&gathered, &page);
        {
            let mut state = self.watcher.state();
            let Some(tab) = state.tab_mut(&page.target) else { return Err(BrowserError::Crashed) };
            tree.number(|element: ElementInfo| tab.references.number(element));
        }
        Ok(render::render(&tree, detail))
    }
}
