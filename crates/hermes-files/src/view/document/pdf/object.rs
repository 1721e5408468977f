//! The values a PDF is made of.

use std::collections::HashMap;
use std::ops::Range;

/// A value, or in page content an operator.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    /// `null`, and everything that is not there.
    Null,
    /// A number or a truth value.
    Number(f64),
    /// `/Name`, one character a byte.
    Name(String),
    /// A string of bytes in some encoding.
    Text(Vec<u8>),
    /// `[ ... ]`.
    Array(Vec<Object>),
    /// `<< ... >>`.
    Dict(Box<Dict>),
    /// A dictionary with data.
    Stream(Box<Stream>),
    /// The number of an object that stands elsewhere.
    Reference(u32),
    /// A word that is no value.
    Operator(String),
}

/// Named values.
pub(super) type Dict = HashMap<String, Object>;

/// Data in the file, still packed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stream {
    /// What is said about the data.
    pub(super) dict: Dict,
    /// Where in the file the data is.
    pub(super) place: Range<usize>,
}

impl Object {
    pub(super) const fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A number that can count or name something.
    pub(super) fn integer(&self) -> Option<u32> {
        let number = self.number()?;
        (number >= 0.0 && number <= f64::from(u32::MAX)).then_some(number as u32)
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn array(&self) -> Option<&[Object]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The dictionary, also of a stream.
    pub(super) fn dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(dict) => Some(dict),
            Self::Stream(stream) => Some(&stream.dict),
            _ => None,
        }
    }

    pub(super) fn stream(&self) -> Option<&Stream> {
        match self {
            Self::Stream(stream) => Some(stream),
            _ => None,
        }
    }
}
