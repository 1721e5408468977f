//! What can be done on a page: one file for each kind of action.
//!
//! Scripts of ours run in a world of their own, where what the page did to its own objects does not reach. Mouse and
//! keys go through the browser's input, so a page cannot tell them from a person's.

mod click;
mod evaluate;
mod frames;
mod images;
mod keys;
mod navigate;
mod press;
mod raw;
mod screenshot;
mod scripts;
mod scroll;
mod settle;
mod typing;

pub use click::Clicked;
pub use evaluate::Evaluated;
pub use frames::{FrameInfo, FrameTree};
pub use images::PageImage;
pub use navigate::{Navigated, PageState};
pub use raw::{RawAnswer, RawTarget};
pub use screenshot::{Annotation, Screenshot};
pub use scroll::ScrollDirection;
pub use typing::Typed;
