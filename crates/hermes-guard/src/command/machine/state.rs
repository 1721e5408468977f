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
    pub(super) value: HeldValue,
    pub(super) taint: Taint,
}

/// What a variable holds.
#[derive(Clone, Debug)]
pub(super) enum HeldValue {
    Text(Rc<str>),
    List(Rc<[Rc<str>]>),
    Unknown,
}

/// A file that the text itself wrote or marked.
#[derive(Clone, Debug, Default)]
pub(super) struct FileOrigin {
    pub(super) text: Option<Rc<str>>,
    pub(super) taint: Taint,
    pub(super) executable: bool,
}

/// What a name may stand for besides a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Definition {
    Alias,
    Function,
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
pub(super) struct ShellState {
    variables: HashMap<String, Variable>,
    undo: Vec<(String, Option<Variable>)>,
    scopes: u32,
    pub(super) positional: Positional,
    /// Bodies of functions and aliases that the text defines.
    definitions: HashMap<(Definition, String), Rc<str>>,
    /// Those being walked right now.
    pub(super) running: Vec<(Definition, String)>,
    files: HashMap<String, FileOrigin>,
    /// What the paths of files from the network begin with, beyond those that are known by name.
    from_network: Vec<String>,
    /// `chmod +x` was given something whose name is unknown.
    pub(super) anything_executable: bool,
}

/// What to return to.
pub(super) struct StateMark {
    undo: usize,
    positional: Positional,
}

impl ShellState {
    pub(super) fn enter(&mut self) -> StateMark {
        self.scopes += 1;
        StateMark { undo: self.undo.len(), positional: self.positional.clone() }
    }

    pub(super) fn leave(&mut self, mark: StateMark) {
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

    pub(super) fn set(&mut self, name: &str, value: HeldValue, taint: Taint) {
        let value = match value {
            HeldValue::Text(text) if text.len() > MAX_VALUE => HeldValue::Unknown,
            value => value,
        };
        let before = self.variables.insert(name.to_owned(), Variable { value, taint });
        if self.scopes > 0 {
            self.undo.push((name.to_owned(), before));
        }
    }

    /// Whether there was room for it.
    pub(super) fn define(&mut self, kind: Definition, name: &str, body: &str) -> bool {
        let key = (kind, name.to_owned());
        let has_room = self.definitions.len() < MAX_ENTRIES || self.definitions.contains_key(&key);
        if has_room {
            self.definitions.insert(key, Rc::from(body));
        }
        has_room
    }

    pub(super) fn definition(&self, kind: Definition, name: &str) -> Option<Rc<str>> {
        if self.definitions.is_empty() {
            return None;
        }
        self.definitions.get(&(kind, name.to_owned())).cloned()
    }

    pub(super) fn file(&self, path: &str) -> Option<&FileOrigin> {
        self.files.get(path)
    }

    /// Every file whose path begins so comes from the network.
    pub(super) fn comes_from_network(&mut self, begin: String) {
        if self.from_network.len() < MAX_FOLDERS {
            self.from_network.push(begin);
        }
    }

    /// What is known of a file, by its name or by where it is.
    pub(super) fn origin(&self, path: &str) -> Option<FileOrigin> {
        let known = || self.file(path).cloned();
        let is_inside = self.from_network.iter().any(|begin| path.starts_with(begin));
        known().or_else(|| {
            is_inside.then(|| FileOrigin { taint: Taint::NETWORK, ..FileOrigin::default() })
        })
    }

    pub(super) fn file_mut(&mut self, path: &str) -> Option<&mut FileOrigin> {
        if self.files.len() >= MAX_ENTRIES && !self.files.contains_key(path) {
            return None;
        }
        Some(self.files.entry(path.to_owned()).or_default())
    }
}
