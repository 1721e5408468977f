//! The table of toolsets: built-in ones, with people's own laid over them.
//!
//! There are three layers. The built-in toolsets lie at the bottom and never change; above them
//! lie those from the configuration, replaced as a whole whenever it is read again; on top lie
//! those created while the program runs. A name in a higher layer hides the same name below, and
//! taking it away shows the lower one again, so no mistake of a person can lose a built-in one.
//!
//! Readers get an immutable [`Toolsets`] and never wait; writers take turns and publish a new one.
//! The revision grows with every real change and with nothing else: loading an unchanged
//! configuration leaves it alone, so whatever is remembered under it stays good.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use serde_json::Value;

use super::config::{self, ConfigProblem};
use super::name::{ReservedName, check_name};
use super::{Toolset, ToolsetCatalog};

type Definitions = BTreeMap<Arc<str>, Arc<Toolset>>;

/// All definitions at one moment. Never changes; ask the [`ToolsetTable`] for a newer one.
#[derive(Debug)]
pub struct Toolsets {
    catalog: Arc<ToolsetCatalog>,
    revision: u64,
    configured: Definitions,
    created: Definitions,
    /// The three layers as one: built-in, configured, created; a later layer hides an earlier one.
    merged: Definitions,
}

impl Toolsets {
    fn new(
        catalog: Arc<ToolsetCatalog>,
        revision: u64,
        configured: Definitions,
        created: Definitions,
    ) -> Self {
        let mut merged = catalog.toolsets.clone();
        for layer in [&configured, &created] {
            merged.extend(layer.iter().map(|(name, set)| (name.clone(), set.clone())));
        }
        Self { catalog, revision, configured, created, merged }
    }

    /// What the product ships.
    pub fn catalog(&self) -> &ToolsetCatalog {
        &self.catalog
    }

    /// How often the table had changed when this was taken.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// A toolset's definition. Toolsets that only the registry knows have none.
    pub fn definition(&self, name: &str) -> Option<&Arc<Toolset>> {
        self.merged.get(name)
    }

    /// All definitions, by name.
    pub fn definitions(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<Toolset>)> {
        self.merged.iter()
    }

    /// Whether the definition in force is the one that ships with the program.
    pub fn is_builtin(&self, name: &str) -> bool {
        self.catalog.toolsets.contains_key(name)
            && !self.configured.contains_key(name)
            && !self.created.contains_key(name)
    }
}

/// The changeable table behind the snapshots.
///
/// Reading never waits: [`snapshot`](Self::snapshot) hands out the current [`Toolsets`]. Changes
/// take turns, and each publishes a new snapshot with a higher revision, so whatever was derived
/// from an older one can be recognised as stale.
#[derive(Debug)]
pub struct ToolsetTable {
    current: ArcSwap<Toolsets>,
    writing: Mutex<()>,
}

impl Default for ToolsetTable {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl ToolsetTable {
    /// A table with the toolsets of a product.
    pub fn new(catalog: Arc<ToolsetCatalog>) -> Self {
        let first = Toolsets::new(catalog, 0, Definitions::new(), Definitions::new());
        Self { current: ArcSwap::from_pointee(first), writing: Mutex::new(()) }
    }

    /// The definitions as they are now.
    pub fn snapshot(&self) -> Arc<Toolsets> {
        self.current.load_full()
    }

    /// How often the table has changed so far.
    pub fn revision(&self) -> u64 {
        self.current.load().revision
    }

    /// Adds a toolset, or replaces the one of that name.
    pub fn create(&self, name: &str, toolset: Toolset) -> Result<(), ReservedName> {
        check_name(name)?;
        self.change(|_, created| {
            created.insert(name.into(), Arc::new(toolset));
            true
        });
        Ok(())
    }

    /// Takes back what was created or configured under a name; a built-in toolset that it hid
    /// shows again. Built-in toolsets themselves stay. Tells whether anything changed.
    pub fn remove(&self, name: &str) -> bool {
        self.change(|configured, created| {
            let gone = (configured.remove(name), created.remove(name));
            gone != (None, None)
        })
    }

    /// Takes over the definitions under the configuration's `toolsets` key, in place of those
    /// from an earlier call. Pass the value of the key, or null when it is absent.
    ///
    /// What cannot be understood is left out and reported; the rest is used. The same key may
    /// also hold a plain list, which selects toolsets and defines none.
    pub fn load_config(&self, toolsets: &Value) -> Vec<ConfigProblem> {
        let (definitions, problems) = config::definitions(toolsets);
        self.change(|configured, _| {
            let differs = *configured != definitions;
            *configured = definitions;
            differs
        });
        problems
    }

    /// Runs one change and publishes the result if there is any.
    fn change(&self, edit: impl FnOnce(&mut Definitions, &mut Definitions) -> bool) -> bool {
        let _turn = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.current.load();
        let mut configured = before.configured.clone();
        let mut created = before.created.clone();
        let changed = edit(&mut configured, &mut created);
        if changed {
            let catalog = Arc::clone(&before.catalog);
            let next = Toolsets::new(catalog, before.revision + 1, configured, created);
            self.current.store(Arc::new(next));
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::NoRegisteredTools;
    use super::super::catalog::sample;
    use super::*;

    fn tools(table: &ToolsetTable, name: &str) -> Vec<String> {
        let tools = table.snapshot().resolve(name, &NoRegisteredTools);
        tools.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn custom_toolset_redefinition_bumps_revision() {
        let table = ToolsetTable::new(sample::catalog());
        let start = table.revision();
        table.create("mine", Toolset::new("first").with_tools(["a"])).unwrap();
        let first = table.revision();
        table.create("mine", Toolset::new("second").with_tools(["b"])).unwrap();
        assert!(start < first && first < table.revision());
        assert_eq!(tools(&table, "mine"), ["b"]);
    }

    #[test]
    fn custom_toolset_behaves_like_any_other() {
        let table = ToolsetTable::new(sample::catalog());
        let mine = Toolset::new("Mine").with_tools(["z", "a", "z"]).including(["asking"]);
        table.create("mine", mine).unwrap();
        assert_eq!(tools(&table, "mine"), ["a", "ask", "find", "z"]);
        assert!(tools(&table, "all").contains(&"z".to_owned()));
        assert!(!table.snapshot().is_builtin("mine"));
    }

    #[test]
    fn removing_a_replacement_brings_the_builtin_back() {
        let table = ToolsetTable::new(sample::catalog());
        table.create("asking", Toolset::new("Nothing left")).unwrap();
        assert_eq!(tools(&table, "asking"), Vec::<String>::new());
        assert!(table.remove("asking"));
        assert_eq!(tools(&table, "asking"), ["ask", "find"]);
        assert!(table.snapshot().is_builtin("asking"));
    }

    #[test]
    fn removing_nothing_is_no_change() {
        let table = ToolsetTable::new(sample::catalog());
        assert!(!table.remove("asking"));
        assert!(!table.remove("nobody"));
        assert_eq!(table.revision(), 0);
    }

    #[test]
    fn names_that_mean_everything_are_refused() {
        let table = ToolsetTable::new(sample::catalog());
        for name in ["all", "*", "", "  "] {
            let error = table.create(name, Toolset::default()).unwrap_err();
            assert_eq!(error.name, name);
        }
        assert_eq!(table.revision(), 0);
    }

    #[test]
    fn old_snapshots_keep_what_they_saw() {
        let table = ToolsetTable::new(sample::catalog());
        let before = table.snapshot();
        table.create("late", Toolset::default()).unwrap();
        assert!(before.definition("late").is_none());
        assert!(table.snapshot().definition("late").is_some());
        assert!(before.revision() < table.snapshot().revision());
    }

    #[test]
    fn loading_the_configuration_again_replaces_what_it_defined() {
        let table = ToolsetTable::new(sample::catalog());
        assert_eq!(table.load_config(&json!({"one": {"tools": ["a"]}})), []);
        let loaded = table.revision();
        assert_eq!(table.load_config(&json!({"one": {"tools": ["a"]}})), []);
        assert_eq!(table.revision(), loaded, "the same definitions are no change");
        table.load_config(&json!({"two": {"tools": ["b"]}}));
        assert!(table.revision() > loaded);
        assert!(table.snapshot().definition("one").is_none());
        assert_eq!(tools(&table, "two"), ["b"]);
        table.load_config(&Value::Null);
        assert!(table.snapshot().definition("two").is_none());
    }

    #[test]
    fn what_was_created_hides_what_was_configured() {
        let table = ToolsetTable::new(sample::catalog());
        table.create("mine", Toolset::new("").with_tools(["created"])).unwrap();
        table.load_config(&json!({"mine": {"tools": ["configured"]}}));
        assert_eq!(tools(&table, "mine"), ["created"]);
    }

    #[test]
    fn concurrent_changes_are_all_kept() {
        let table = ToolsetTable::new(sample::catalog());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let table = &table;
                scope.spawn(move || {
                    for turn in 0..25 {
                        table.create(&format!("t{thread}-{turn}"), Toolset::default()).unwrap();
                    }
                });
            }
        });
        assert_eq!(table.revision(), 100);
        assert_eq!(table.snapshot().definitions().count(), sample::catalog().toolsets.len() + 100);
    }
}
