//! The toolsets that ship with the program, as data.
//!
//! `groups` names the lists of tools, `rows` and `presets` say which toolset is made of
//! which groups, `names` holds the remaining fixed lists (old names, what people may choose,
//! platforms). A toolset that is "the core without …" is written down as exactly that, so that a
//! tool added to the core reaches every preset by itself.
//!
//! Nothing here checks that a tool exists: a row may name tools that this build does not have.

mod groups;
mod names;
mod presets;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use groups::Group;
pub use names::{
    CONFIGURABLE, DEFAULT_OFF, LEGACY, PLATFORMS, legacy_tools, native_platform, preset_of,
};

use super::{Toolset, ToolsetKind};

/// From what a row's list of tools starts.
#[derive(Clone, Copy)]
enum Base {
    Nothing,
    Core,
    /// The finished list of a row further up.
    Row(&'static str),
}

/// One toolset as it is written down.
#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    description: &'static str,
    base: Base,
    plus: &'static [Group],
    minus: &'static [Group],
    includes: &'static [&'static str],
    kind: ToolsetKind,
}

impl Row {
    const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            base: Base::Nothing,
            plus: &[],
            minus: &[],
            includes: &[],
            kind: ToolsetKind::Ordinary,
        }
    }

    const fn from(self, base: Base) -> Self {
        Self { base, ..self }
    }

    const fn plus(self, plus: &'static [Group]) -> Self {
        Self { plus, ..self }
    }

    const fn minus(self, minus: &'static [Group]) -> Self {
        Self { minus, ..self }
    }

    const fn including(self, includes: &'static [&'static str]) -> Self {
        Self { includes, ..self }
    }

    const fn kind(self, kind: ToolsetKind) -> Self {
        Self { kind, ..self }
    }
}

/// Names of the core tools: what a session on an ordinary platform starts from.
pub fn core_tools() -> &'static BTreeSet<Arc<str>> {
    static CORE: LazyLock<BTreeSet<Arc<str>>> =
        LazyLock::new(|| groups::CORE.iter().copied().flatten().copied().map(Arc::from).collect());
    &CORE
}

/// All built-in toolsets by name, made once per process and shared by every table.
pub fn toolsets() -> &'static BTreeMap<Arc<str>, Arc<Toolset>> {
    static TOOLSETS: LazyLock<BTreeMap<Arc<str>, Arc<Toolset>>> = LazyLock::new(build);
    &TOOLSETS
}

fn build() -> BTreeMap<Arc<str>, Arc<Toolset>> {
    let mut built = BTreeMap::<Arc<str>, Arc<Toolset>>::new();
    let mut known = core_tools().clone();
    for row in rows::ROWS.iter().chain(presets::ROWS) {
        let mut tools: BTreeSet<Arc<str>> = match row.base {
            Base::Nothing => BTreeSet::new(),
            Base::Core => core_tools().clone(),
            Base::Row(name) => {
                built.get(name).into_iter().flat_map(|set| set.tools.iter().cloned()).collect()
            }
        };
        for name in row.plus.iter().copied().flatten() {
            tools.insert(shared(&mut known, name));
        }
        for name in row.minus.iter().copied().flatten() {
            tools.remove(*name);
        }
        let toolset = Toolset::new(row.description)
            .with_tools(tools)
            .including(row.includes.iter().copied())
            .with_kind(row.kind);
        built.insert(row.name.into(), Arc::new(toolset));
    }
    built
}

/// One allocation per tool name, however many toolsets list it.
fn shared(known: &mut BTreeSet<Arc<str>>, name: &str) -> Arc<str> {
    if let Some(found) = known.get(name) {
        return found.clone();
    }
    let fresh: Arc<str> = name.into();
    known.insert(fresh.clone());
    fresh
}

#[cfg(test)]
mod tests;
