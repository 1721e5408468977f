//! Names of foreign tools.
//!
//! A tool of a server is registered as `mcp__<server>__<tool>`, with every character outside
//! `[A-Za-z0-9_]` replaced by `_`. Two things can go wrong with that: two tools can come out with
//! one name, and a name can be longer than the 64 characters model APIs take. In both cases the name
//! is cut and ends in eight hexadecimal digits that depend on the exact server and tool.
//!
//! Where a name came from is looked up in the [`NameTable`], never guessed from its text: with
//! underscores in it, `mcp__a__b__c` could be tool `c` of `a__b` or tool `b__c` of `a`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

/// Longest name that every model API takes.
pub const MAX_NAME: usize = 64;
/// What every registered name begins with.
pub const PREFIX: &str = "mcp__";
/// What the toolset of a server begins with.
pub const TOOLSET_PREFIX: &str = "mcp-";
/// Hexadecimal digits at the end of a cut name.
const DIGITS: usize = 8;

/// Every character that a function name may not have becomes `_`.
#[must_use]
pub fn sanitise(component: &str) -> String {
    component.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The name a tool gets when nothing stands in the way.
#[must_use]
pub fn plain_name(server: &str, tool: &str) -> String {
    let name = format!("{PREFIX}{}__{}", sanitise(server), sanitise(tool));
    if name.len() <= MAX_NAME { name } else { marked_name(server, tool) }
}

/// The name with its digits.
#[must_use]
pub fn marked_name(server: &str, tool: &str) -> String {
    let digest = Sha256::new().chain_update(server).chain_update([0]).chain_update(tool).finalize();
    let mut name = format!("{PREFIX}{}__{}", sanitise(server), sanitise(tool));
    name.truncate(MAX_NAME - DIGITS - 1);
    name.push('_');
    for byte in digest.iter().take(DIGITS / 2) {
        name.push_str(&format!("{byte:02x}"));
    }
    name
}

/// The toolset of a server.
#[must_use]
pub fn toolset(server: &str) -> String {
    format!("{TOOLSET_PREFIX}{server}")
}

/// What a registered tool is at its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameKind {
    /// One of the server's own tools.
    Tool,
    /// One of ours, about the server's resources and prompts.
    Utility,
}

/// Where a registered name comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The server, as configured.
    pub server: Arc<str>,
    /// The tool, as the server calls it.
    pub tool: Arc<str>,
    /// Whose tool it is.
    pub kind: NameKind,
}

/// Which registered name belongs to which server and tool. Shared by all servers.
#[derive(Debug, Default)]
pub struct NameTable(Mutex<BTreeMap<String, Provenance>>);

impl NameTable {
    /// Names for all tools of a server, in the order given; none for one that cannot have any.
    /// Tools keep the names they had. The first of two that clash gets the plain name, and the
    /// server's own tools come before utilities. Names of tools no longer given are free again.
    pub fn assign(&self, server: &Arc<str>, tools: &[(NameKind, Arc<str>)]) -> Vec<Option<String>> {
        let mut table = self.lock();
        let before = take_server(&mut table, server);
        let had = |kind: NameKind, tool: &str| {
            before.iter().find(|(_, from)| from.kind == kind && from.tool.as_ref() == tool)
        };
        let mut names = vec![None; tools.len()];
        let mut order: Vec<usize> = (0..tools.len()).collect();
        order.sort_by_key(|index| {
            let (kind, tool) = &tools[*index];
            (*kind == NameKind::Utility, had(*kind, tool).is_none())
        });
        for index in order {
            let (kind, tool) = &tools[index];
            let from = Provenance { server: server.clone(), tool: tool.clone(), kind: *kind };
            let known = had(*kind, tool).map(|(name, _)| name.clone());
            let candidates =
                known.into_iter().chain([plain_name(server, tool), marked_name(server, tool)]);
            let free = candidates.into_iter().find(|name| !table.contains_key(name));
            match &free {
                Some(name) => {
                    if *name != plain_name(server, tool) {
                        tracing::warn!(%server, %tool, %name, "this tool's plain name is taken");
                    }
                    table.insert(name.clone(), from);
                }
                None => tracing::warn!(%server, %tool, "no free name; the tool is left out"),
            }
            names[index] = free;
        }
        names
    }

    /// Forgets a name that could not be used after all.
    pub fn forget(&self, name: &str) {
        self.lock().remove(name);
    }

    /// Forgets all names of a server.
    pub fn forget_server(&self, server: &str) {
        self.lock().retain(|_, from| from.server.as_ref() != server);
    }

    /// Where a registered name comes from.
    #[must_use]
    pub fn origin(&self, registered: &str) -> Option<Provenance> {
        self.lock().get(registered).cloned()
    }

    /// The registered name of a server's tool.
    #[must_use]
    pub fn name_of(&self, server: &str, tool: &str, kind: NameKind) -> Option<String> {
        let table = self.lock();
        let found = table.iter().find(|(_, from)| {
            from.kind == kind && from.server.as_ref() == server && from.tool.as_ref() == tool
        });
        found.map(|(name, _)| name.clone())
    }

    /// The registered name for what a person wrote: that name itself, `mcp-SERVER:TOOL`, or the
    /// older `mcp_SERVER_TOOL`.
    #[must_use]
    pub fn look_up(&self, written: &str) -> Option<String> {
        let table = self.lock();
        if table.contains_key(written) {
            return Some(written.to_owned());
        }
        let spelt = |from: &Provenance| {
            let (server, tool) = (&from.server, &from.tool);
            written == format!("mcp-{server}:{tool}")
                || written == format!("mcp_{server}_{tool}")
                || written == format!("mcp_{}_{}", sanitise(server), sanitise(tool))
        };
        table.iter().find(|(_, from)| spelt(from)).map(|(name, _)| name.clone())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Provenance>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn take_server(
    table: &mut BTreeMap<String, Provenance>,
    server: &str,
) -> BTreeMap<String, Provenance> {
    let (own, others) =
        std::mem::take(table).into_iter().partition(|(_, from)| from.server.as_ref() == server);
    *table = others;
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tools(names: &[&str]) -> Vec<(NameKind, Arc<str>)> {
        names.iter().map(|name| (NameKind::Tool, Arc::from(*name))).collect()
    }

    fn assign(table: &NameTable, server: &str, names: &[&str]) -> Vec<String> {
        table.assign(&server.into(), &tools(names)).into_iter().map(Option::unwrap).collect()
    }

    #[test]
    fn nothing_is_trimmed_or_folded() {
        assert_eq!(plain_name("My Server", " a.b/ü"), "mcp__My_Server___a_b__");
    }

    #[test]
    fn clashes_inside_and_between_servers_get_digits_and_stay_stable() {
        let table = NameTable::default();
        let first = assign(&table, "a-b", &["x-y", "x_y"]);
        assert_eq!(first[0], "mcp__a_b__x_y");
        assert!(
            first[1].starts_with("mcp__a_b__x_y_") && first[1].len() == "mcp__a_b__x_y_".len() + 8
        );
        let other = assign(&table, "a_b", &["x_y"]);
        assert!(other[0].starts_with("mcp__a_b__x_y_") && other[0] != first[1]);
        // In another order the second time: names do not move.
        let again = assign(&table, "a-b", &["x_y", "x-y"]);
        assert_eq!(again, [first[1].clone(), first[0].clone()]);
        assert_eq!(&*table.origin(&other[0]).unwrap().server, "a_b");
    }

    #[test]
    fn a_servers_tool_comes_before_our_utility() {
        let table = NameTable::default();
        let both = [
            (NameKind::Utility, Arc::from("list_resources")),
            (NameKind::Tool, Arc::from("list_resources")),
        ];
        let names = table.assign(&"s".into(), &both);
        assert_eq!(names[1].as_deref(), Some("mcp__s__list_resources"));
        assert_ne!(names[0], names[1]);
        assert_eq!(table.name_of("s", "list_resources", NameKind::Utility), names[0]);
    }

    #[test]
    fn ambiguous_texts_are_told_apart_by_the_table() {
        let table = NameTable::default();
        let one = assign(&table, "a__b", &["c"]).remove(0);
        let two = assign(&table, "a", &["b__c"]).remove(0);
        assert_ne!(one, two);
        assert_eq!(table.origin(&two).unwrap().tool.as_ref(), "b__c");
    }

    #[test]
    fn older_spellings_are_found() {
        let table = NameTable::default();
        let name = assign(&table, "my-files", &["read.file"]).remove(0);
        for written in [&name, "mcp-my-files:read.file", "mcp_my_files_read_file"] {
            assert_eq!(table.look_up(written).as_ref(), Some(&name), "{written}");
        }
        assert_eq!(table.look_up("mcp-other:read.file"), None);
    }

    #[test]
    fn a_freed_name_can_be_given_again() {
        let table = NameTable::default();
        assign(&table, "s", &["a"]);
        assign(&table, "s", &["b"]);
        assert_eq!(table.look_up("mcp__s__a"), None);
        table.forget_server("s");
        assert_eq!(table.look_up("mcp__s__b"), None);
    }

    proptest! {
        #[test]
        fn names_fit_every_api_and_are_unique(
            servers in proptest::collection::vec(".{0,40}", 1..4),
            names in proptest::collection::btree_set(".{0,90}", 0..12),
        ) {
            let table = NameTable::default();
            let raw: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut seen = std::collections::BTreeSet::new();
            let mut unique = servers.clone();
            unique.sort();
            unique.dedup();
            for server in &unique {
                for name in assign(&table, server, &raw) {
                    prop_assert!(name.len() <= MAX_NAME && name.starts_with(PREFIX));
                    prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
                    prop_assert!(seen.insert(name), "given twice");
                }
            }
        }
    }
}
