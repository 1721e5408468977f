//! What a shell remembers.

use std::collections::HashMap;
use std::rc::Rc;

use crate::command::EarlierCommands;
use crate::command::call::Taint;
use crate::command::earlier::EarlierText;

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
pub(super) struct ShellState<'e> {
    /// What earlier commands left.
    earlier: Option<&'e EarlierCommands>,
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
    /// Folders that were cloned.
    cloned: Vec<String>,
    /// Those of them that came from no place where people keep their source.
    pub(super) strange_clones: Vec<String>,
    /// Remotes of git that were given another address, or were added beside the usual one.
    pub(super) remotes: Vec<String>,
    /// A file with keys was read into variables.
    pub(super) keys_are_loaded: bool,
    /// `chmod +x` was given something whose name is unknown.
    pub(super) anything_executable: bool,
}

/// What to return to.
pub(super) struct StateMark {
    undo: usize,
    positional: Positional,
}

impl<'e> ShellState<'e> {
    /// A shell that begins where earlier commands ended.
    pub(super) fn after(earlier: Option<&'e EarlierCommands>) -> Self {
        let earlier = earlier.filter(|earlier| !earlier.is_empty());
        let given = earlier.map(|earlier| &earlier.positional).filter(|all| !all.is_empty());
        let positional = match given {
            Some(all) => {
                Positional::Known(all.iter().map(|text| Rc::from(text.as_str())).collect())
            }
            None => Positional::Empty,
        };
        let remotes = earlier.map(|earlier| earlier.remotes.clone()).unwrap_or_default();
        let cloned = earlier.map(|earlier| earlier.cloned.clone()).unwrap_or_default();
        let keys_are_loaded = earlier.is_some_and(|earlier| earlier.keys_are_loaded);
        let strange_clones =
            earlier.map(|earlier| earlier.strange_clones.clone()).unwrap_or_default();
        Self {
            earlier,
            positional,
            remotes,
            cloned,
            strange_clones,
            keys_are_loaded,
            ..Self::default()
        }
    }

    /// What it leaves to later commands.
    pub(super) fn left(self) -> EarlierCommands {
        let value = |(name, variable): (String, Variable)| {
            let text = match variable.value {
                HeldValue::Text(text) => Some(text.to_string()),
                HeldValue::List(_) | HeldValue::Unknown => None,
            };
            let taint = variable.taint;
            (text.is_some() || taint != Taint::NONE)
                .then_some((name, EarlierText { text, taint, age: 0 }))
        };
        let defined = |wanted: Definition| {
            let of_kind = self.definitions.iter().filter(|((kind, _), _)| *kind == wanted);
            of_kind.map(|((_, name), body)| (name.clone(), body.to_string())).collect()
        };
        let (aliases, functions) = (defined(Definition::Alias), defined(Definition::Function));
        let file = |origin: FileOrigin| EarlierText {
            text: origin.text.map(|text| text.to_string()),
            taint: origin.taint,
            age: 0,
        };
        let positional = match &self.positional {
            Positional::Known(all) => all.iter().map(|text| text.to_string()).collect(),
            Positional::Empty | Positional::Unknown => Vec::new(),
        };
        EarlierCommands {
            files: self
                .files
                .into_iter()
                .filter(|(path, origin)| {
                    !path.starts_with("/dev/")
                        && (origin.text.is_some() || origin.taint != Taint::NONE)
                })
                .map(|(path, origin)| (path, file(origin)))
                .collect(),
            variables: self.variables.into_iter().filter_map(value).collect(),
            aliases,
            functions,
            from_network: self.from_network,
            cloned: self.cloned,
            strange_clones: self.strange_clones,
            remotes: self.remotes,
            keys_are_loaded: self.keys_are_loaded,
            links: Vec::new(),
            positional,
            ..EarlierCommands::default()
        }
    }

    /// What an earlier command gave a variable.
    pub(super) fn earlier(&self, name: &str) -> Option<&'e EarlierText> {
        self.earlier?.variables.get(name)
    }

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

    /// Whether a file that a tool would run by itself came from the network or was decoded.
    pub(super) fn holds_foreign_code(&self, folder: &str) -> bool {
        const ENDINGS: &[&str] = &[
            ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb", ".rs", ".go", ".gradle",
            ".kts", ".mk", ".cmake", ".toml", ".yml", ".yaml", ".cfg", ".ini", ".sh", ".java",
            ".c", ".cc", ".cpp", ".h", ".lua", ".php", ".pl", ".jl", ".ex", ".exs", ".nim", ".zig",
            ".swift", ".scala", ".sbt", ".tf",
        ];
        const NAMES: &[&str] = &[
            "Makefile",
            "makefile",
            "GNUmakefile",
            "justfile",
            "Rakefile",
            "Gemfile",
            "Vagrantfile",
            "Jakefile",
            "package.json",
            "composer.json",
            ".babelrc",
            ".eslintrc",
            ".envrc",
            "BUILD",
            "WORKSPACE",
            "Podfile",
            "Dockerfile",
            "Procfile",
            "CMakeLists.txt",
            "SConstruct",
            "wscript",
            "build.xml",
            "pom.xml",
        ];
        let is_code = |path: &str| {
            let inside = path.strip_prefix(folder).map(|rest| rest.trim_start_matches('/'));
            let Some(inside) = inside.or((!path.starts_with(['/', '~'])).then_some(path)) else {
                return false;
            };
            let name = inside.rsplit('/').next().unwrap_or(inside);
            inside.matches('/').count() < 3
                && (NAMES.contains(&name) || ENDINGS.iter().any(|end| name.ends_with(end)))
        };
        let is_foreign = |taint: Taint| taint.has(Taint::NETWORK.and(Taint::DECODED));
        self.files.iter().any(|(path, origin)| is_foreign(origin.taint) && is_code(path))
            || self.earlier.is_some_and(|earlier| {
                earlier.files.iter().any(|(path, file)| is_foreign(file.taint) && is_code(path))
            })
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
        if !self.definitions.is_empty()
            && let Some(body) = self.definitions.get(&(kind, name.to_owned()))
        {
            return Some(body.clone());
        }
        let earlier = match kind {
            Definition::Alias => &self.earlier?.aliases,
            Definition::Function => &self.earlier?.functions,
        };
        earlier.get(name).map(|body| Rc::from(body.as_str()))
    }

    /// Whether anything at all is known about files.
    pub(super) fn knows_files(&self) -> bool {
        !self.files.is_empty()
            || !self.from_network.is_empty()
            || !self.cloned.is_empty()
            || self.earlier.is_some_and(|earlier| {
                !earlier.files.is_empty() || !earlier.from_network.is_empty()
            })
    }

    /// A file of this text or of an earlier one.
    pub(super) fn file(&self, path: &str) -> Option<FileOrigin> {
        if let Some(origin) = self.files.get(path) {
            return Some(origin.clone());
        }
        let file = self.earlier?.files.get(path)?;
        Some(FileOrigin {
            text: file.text.as_deref().map(Rc::from),
            taint: file.taint,
            executable: false,
        })
    }

    /// Every file whose path begins so comes from the network.
    pub(super) fn comes_from_network(&mut self, begin: String) {
        if self.from_network.len() < MAX_FOLDERS {
            self.from_network.push(begin);
        }
    }

    /// A folder was cloned from somewhere.
    pub(super) fn was_cloned(&mut self, begin: String) {
        if self.cloned.len() < MAX_FOLDERS {
            self.cloned.push(begin);
        }
    }

    /// Whether a path is in a folder that was cloned.
    pub(super) fn is_cloned(&self, path: &str) -> bool {
        self.cloned.iter().any(|begin| path.starts_with(begin))
    }

    /// What is known of a file, by its name or by where it is.
    pub(super) fn origin(&self, path: &str) -> Option<FileOrigin> {
        let earlier = self.earlier.map_or(&[][..], |earlier| &earlier.from_network);
        let is_inside =
            self.from_network.iter().chain(earlier).any(|begin| path.starts_with(begin));
        // What is built of somebody's source is as good as their name; a script is run unread.
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_script =
            name.ends_with(".sh") || matches!(name, "install" | "setup" | "bootstrap" | "build");
        let is_inside =
            is_inside || is_script && self.cloned.iter().any(|begin| path.starts_with(begin));
        self.file(path).or_else(|| {
            is_inside.then(|| FileOrigin { taint: Taint::NETWORK, ..FileOrigin::default() })
        })
    }

    pub(super) fn file_mut(&mut self, path: &str) -> Option<&mut FileOrigin> {
        if self.files.len() >= MAX_ENTRIES && !self.files.contains_key(path) {
            return None;
        }
        if !self.files.contains_key(path) {
            let known = self.file(path).unwrap_or_default();
            self.files.insert(path.to_owned(), known);
        }
        self.files.get_mut(path)
    }
}
