//! The table of all keys, put together from the structs that are linked.

use std::sync::LazyLock;

use serde_json::Value;

use super::{Kind, SettingProblem, SettingValue};
use crate::Vars;

/// One key of the configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyInfo {
    /// Dotted path; `*` stands for a name of the user's choice.
    pub path: String,
    /// What may be written there.
    pub kind: Kind,
    /// What counts when it is not set, as one would type it; empty when nothing does.
    pub default: String,
    /// The line in the reference, without a full stop.
    pub about: &'static str,
    /// The environment variable that can be used instead.
    pub variable: Option<String>,
    /// Older spellings are read but not shown.
    pub hidden: bool,
}

impl KeyInfo {
    /// The key of a field. A section has no variable: its fields have theirs.
    #[must_use]
    pub fn of_field<T: SettingValue>(
        path: String,
        default: &T,
        about: &'static str,
        variable: Option<String>,
    ) -> Self {
        let variable = variable.filter(|_| T::KIND != Kind::Section);
        Self { path, kind: T::KIND, default: default.to_config(), about, variable, hidden: false }
    }

    /// The same for an older form of something, which is read but not shown.
    #[must_use]
    pub fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    /// Whether this entry is about the setting with these names, `*` standing for any of them.
    #[must_use]
    pub fn matches<S: AsRef<str>>(&self, segments: &[S]) -> bool {
        let mut pattern = self.path.split('.');
        let fits = segments
            .iter()
            .all(|segment| pattern.next().is_some_and(|p| p == "*" || p == segment.as_ref()));
        fits && pattern.next().is_none()
    }

    fn wildcards(&self) -> usize {
        self.path.split('.').filter(|part| *part == "*").count()
    }
}

/// What the derive leaves for the linker to collect: one settings struct.
#[derive(Debug)]
pub struct DeclaredSettings {
    /// The module that declares the struct, for messages about mistakes in declarations.
    pub module: &'static str,
    /// The keys of its fields, made when somebody asks.
    pub keys: fn() -> Vec<KeyInfo>,
    /// What the struct could not use of a configuration.
    pub problems: fn(&Value, &Vars) -> Vec<SettingProblem>,
}

inventory::collect!(DeclaredSettings);

impl DeclaredSettings {
    /// What the linked structs together could not use of a configuration, without variables.
    #[must_use]
    pub fn problems_of(config: &Value) -> Vec<SettingProblem> {
        let mut problems: Vec<SettingProblem> = Vec::new();
        for declared in inventory::iter::<DeclaredSettings> {
            for problem in (declared.problems)(config, &Vars::default()) {
                // Structs that share a section find the same.
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
        }
        problems
    }
}

/// All keys, parents before their children.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyTable(Vec<KeyInfo>);

impl KeyTable {
    /// The keys of every settings struct that is linked into this program.
    #[must_use]
    pub fn linked() -> &'static KeyTable {
        static TABLE: LazyLock<KeyTable> = LazyLock::new(|| {
            let declared = inventory::iter::<DeclaredSettings>;
            KeyTable::new(declared.into_iter().flat_map(|settings| (settings.keys)()))
        });
        &TABLE
    }

    /// A table of these keys. Where several structs share a section, the one that says what it is for counts;
    /// it is closed unless one of them leaves it open.
    #[must_use]
    pub fn new(keys: impl IntoIterator<Item = KeyInfo>) -> KeyTable {
        let mut keys: Vec<KeyInfo> = keys.into_iter().collect();
        let parents: Vec<KeyInfo> = keys.iter().flat_map(parents).collect();
        keys.extend(parents);
        // By names, not by characters: `a.b` stands right below `a`, before `a_b`.
        keys.sort_by(|a, b| a.path.split('.').cmp(b.path.split('.')));
        keys.dedup_by(|later, kept| {
            let same = later.path == kept.path;
            if same {
                if kept.about.is_empty() {
                    kept.about = later.about;
                }
                // A bare section says less than any declaration of it.
                if kept.kind == Kind::Section {
                    kept.kind = later.kind;
                }
                if kept.default.is_empty() {
                    kept.default = std::mem::take(&mut later.default);
                }
                kept.hidden &= later.hidden;
            }
            same
        });
        // A section of which only one key is declared is one of many, if there are many.
        let unnamed = |key: &KeyInfo| key.about.is_empty() && key.kind == Kind::Section;
        let many: Vec<KeyInfo> = keys.iter().filter(|key| key.wildcards() > 0).cloned().collect();
        for key in keys.iter_mut().filter(|key| unnamed(key)) {
            let names: Vec<&str> = key.path.split('.').collect();
            if let Some(one) = many.iter().find(|one| one.matches(&names)) {
                (key.about, key.kind) = (one.about, one.kind);
            }
        }
        KeyTable(keys)
    }

    /// Every key, also the hidden ones.
    #[must_use]
    pub fn keys(&self) -> &[KeyInfo] {
        &self.0
    }

    /// The entry for a setting, given its names; a spelt-out path wins over one with `*`.
    #[must_use]
    pub fn find<S: AsRef<str>>(&self, segments: &[S]) -> Option<&KeyInfo> {
        self.0.iter().filter(|info| info.matches(segments)).min_by_key(|info| info.wildcards())
    }
}

/// The sections a key stands in, for those that nothing else is said about.
fn parents(key: &KeyInfo) -> impl Iterator<Item = KeyInfo> {
    key.path.match_indices('.').map(|(at, _)| KeyInfo {
        path: key.path[..at].to_owned(),
        kind: Kind::Section,
        default: String::new(),
        // An older spelling may stand where nothing else does any more.
        about: if key.hidden { key.about } else { "" },
        variable: None,
        hidden: key.hidden,
    })
}
