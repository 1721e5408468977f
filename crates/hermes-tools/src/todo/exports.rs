//! The list for those who show it or carry it over: the agent and whoever watches it.

pub use super::list::{
    MAX_CONTENT_CHARS, MAX_ITEMS, MAX_STORED_CHARS, NOTE_HEADING, TodoChange, TodoEntry, TodoList,
    TodoStatus,
};
pub use super::todo::{NAME, Todo, TodoItem};
