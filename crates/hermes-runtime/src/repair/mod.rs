//! Mending what a model wrote wrong in a tool call: the tool's name, the argument text, or the call as plain
//! words.
//!
//! A slip should cost nothing when its meaning is certain, and one cheap error result when it is
//! not. So [`arguments`] reads much more than JSON but refuses whatever could be read two ways,
//! and [`name`] finds the meant tool through changes of spelling, but guesses by likeness only
//! among tools that change nothing; [`written`] reads calls out of an answer that is nothing else. None of them ever runs the wrong thing for the sake of running
//! something.

pub mod arguments;
pub mod name;
pub mod written;
