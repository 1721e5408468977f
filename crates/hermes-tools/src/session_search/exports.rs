//! What an agent brings for the search, and the limits of it.

pub use super::session_search::{
    DEFAULT_HITS, DEFAULT_WINDOW, HitOrder, MAX_HITS, MAX_WINDOW, SessionArchive, SessionSearch,
};
