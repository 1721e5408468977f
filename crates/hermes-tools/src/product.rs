//! The product's tables: the toolsets and distributions that ship with the program, as data.
//!
//! The runtime is a neutral engine; what is offered where is a decision of the product and stands here. Hosts hand
//! [`toolset_catalog`] to the runtime they build, and draw from [`distributions`].
//!
//! `groups` names the lists of tools, `rows` and `presets` say which toolset is made of
//! which groups, `names` holds the remaining fixed lists (old names, what people may choose,
//! platforms). A toolset that is "the core without …" is written down as exactly that, so that a
//! tool added to the core reaches every preset by itself.
//!
//! Nothing here checks that a tool exists: a row may name tools that this build does not have.

mod distributions;
mod groups;
mod names;
mod not_built;
mod presets;
mod rows;
mod set_up;
mod stand_ins;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

pub use distributions::distributions;
use groups::Group;
use hermes_runtime::toolsets::{Toolset, ToolsetCatalog, ToolsetKind};
pub use names::{PLATFORMS, SCHEDULING_TOOLSETS, WITHHELD_FROM_GUESTS, WITHHELD_FROM_JOBS};
pub use not_built::NOT_BUILT;
pub use set_up::set_up_toolsets;
pub use stand_ins::policy_of;

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

/// The toolsets with all that goes with them, made once per process and shared by every runtime.
#[must_use]
pub fn toolset_catalog() -> Arc<ToolsetCatalog> {
    static CATALOG: LazyLock<Arc<ToolsetCatalog>> = LazyLock::new(|| {
        let core = groups::CORE.iter().copied().flatten().copied().map(Arc::from).collect();
        Arc::new(ToolsetCatalog {
            toolsets: toolsets(&core),
            core,
            legacy: names::LEGACY,
            choices: names::CHOICES,
            default_off: names::DEFAULT_OFF,
            joining: names::JOINING,
            platforms: PLATFORMS,
            preset_prefix: names::PRESET_PREFIX,
            odd_presets: names::ODD_PRESETS,
            native: names::NATIVE,
            board: Some("kanban"),
            context_engine: Some("context_engine"),
        })
    });
    Arc::clone(&CATALOG)
}

fn toolsets(core: &BTreeSet<Arc<str>>) -> BTreeMap<Arc<str>, Arc<Toolset>> {
    let mut built = BTreeMap::<Arc<str>, Arc<Toolset>>::new();
    let mut known = core.clone();
    for row in rows::ROWS.iter().chain(presets::ROWS) {
        let mut tools: BTreeSet<Arc<str>> = match row.base {
            Base::Nothing => BTreeSet::new(),
            Base::Core => core.clone(),
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
