//! A name that names nothing.

use std::io;

/// Somebody named something that is not there. Of its own type, so that a program can tell it from work that failed:
/// the same words again will not help, and every command ends with the same code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownName(
    /// What is not there, and what is.
    pub String,
);

impl UnknownName {
    /// The same where errors of the disk are told.
    #[must_use]
    pub fn io(text: impl Into<String>) -> io::Error {
        io::Error::new(io::ErrorKind::NotFound, Self(text.into()))
    }

    /// Whether an error is one of these, also inside one of the disk.
    #[must_use]
    pub fn is_in(error: &(dyn std::error::Error + 'static)) -> bool {
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        error.is::<Self>() || inside.is_some_and(|inside| inside.is::<Self>())
    }
}
