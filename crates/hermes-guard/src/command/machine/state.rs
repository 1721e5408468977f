//! What a shell remembers.

use std::collections::HashMap;
use std::rc::Rc;

use crate::command::call::Taint;

/// How long a value may get; `x=$x$x` doubles quickly.
pub(super) const MAX_VALUE: usize = 16 * 1024;
/// How many files and functions are remembered.
const MAX_ENTRIES: usize = 256;

/// How many places with files from the network are remembered.
const MAX_FOLDERS: usize = 16;

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) value: Value,
    pub(super) taint: Taint,
}

/// What a variable holds.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(Rc<str>),
    List(Rc<[Rc<str>]>),
    Unknown,
}

/// A file that the text itself wrote or marked.
#[derive(Clone, Debug, Default)]
pub(super) struct Origin {
    pub(super) text: Option<Rc<str>>,
    pub(super) taint: Taint,
    pub(super) executable: bool,
}

/// The positional parameters.
#[derive(Clone, Debug, Default)]
pub(super) enum Positional {
    /// There are none.
    #[default]
    Empty,
    /// `$0` and the others.
    Known(Rc<[Rc<str>]>),
    /// Inside a function that nobody has called yet.
    Unknown,
}

#[derive(Default)]
pub(super) struct State {
    variables: HashMap<String, Variable>,
    undo: Vec<(String, Option<Variable>)>,
    scopes: u32,
    pub(super) positional: Positional,
    /// Bodies of functions and aliases.
    functions: HashMap<String, Rc<str>>,
    /// Those being walked right now.
    pub(super) running: Vec<String>,
    files: HashMap<String, Origin>,
    /// What the paths of files from the network begin with, beyond those that are known by name.
    from_network: Vec<String>,
    /// `chmod +x` was given something whose name is unknown.
    pub(super) anything_executable: bool,
}

/// What to return to.
pub(super) struct Mark {
    undo: usize,
    positional: Positional,
}

impl State {
    pub(super) fn enter(&mut self) -> Mark {
        self.scopes += 1;
        Mark { undo: self.undo.len(), positional: self.positional.clone() }
    }

    pub(super) fn leave(&mut self, mark: Mark) {
        self.scopes -= 1;
        self.positional = mark.positional;
        for (name, before) in self.undo.drain(mark.undo..).rev() {
            match before {
                Some(before) => self.variables.insert(name, before),
                None => self.variables.remove(&name),
            };
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    pub(super) fn set(&mut self, name: &str, value: Value, taint: Taint) {
        let value = match value {
            Value::Text(text) if text.len() > MAX_VALUE => Value::Unknown,
            value => value,
        };
        let before = self.variables.insert(name.to_owned(), Variable { value, taint });
        if self.scopes > 0 {
            self.undo.push((name.to_owned(), before));
        }
    }

    pub(super) fn define(&mut self, name: &str, body: &str) {
        if self.functions.len() < MAX_ENTRIES {
            self.functions.insert(name.to_owned(), Rc::from(body));
        }
    }

    pub(super) fn function(&self, name: &str) -> Option<Rc<str>> {
        if self.functions.is_empty() {
            return None;
        }
        self.functions.get(name).cloned()
    }

    pub(super) fn file(&self, path: &str) -> Option<&Origin> {
        self.files.get(path)
    }

    /// Every file whose path begins so comes from the network.
    pub(super) fn comes_from_network(&mut self, begin: String) {
        if self.from_network.len() < MAX_FOLDERS {
            self.from_network.push(begin);
        }
    }

    /// What is known of a file, by its name or by where it is.
    pub(super) fn origin(&self, path: &str) -> Option<Origin> {
        let known = || self.file(path).cloned();
        let is_inside = self.from_network.iter().any(|begin| path.starts_with(begin));
        known().or_else(|| is_inside.then(|| Origin { taint: Taint::NETWORK, ..Origin::default() }))
    }

    pub(super) fn file_mut(&mut self, path: &str) -> Option<&mut Origin> {
        if self.files.len() >= MAX_ENTRIES && !self.files.contains_key(path) {
            return None;
        }
        Some(self.files.entry(path.to_owned()).or_default())
    }
}
