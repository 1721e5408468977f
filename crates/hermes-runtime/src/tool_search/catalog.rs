//! The tools a session can find.
//!
//! A catalog is made from definitions, not from the registry: what the session was not offered is
//! not in it, and so cannot be found, described or called. It answers the three bridges with plain
//! values and error texts; wrapping those into results and running the real call is the pipeline's
//! business. Building one is cheap (a few hundred short texts), so nobody needs to keep it.

use std::fmt;

use hermes_tool::{Args, Origin, Tool};
use serde_json::{Value, json};

use super::assemble::{deferrable, function_of, name_of};
use super::bridges::{TOOL_DESCRIBE, TOOL_SEARCH};
use super::call::{required_text, unwrap_call};
use super::config::SearchConfig;
use super::rank::{Document, rank, words};

/// Most characters of a description that a match shows.
pub const MAX_DESCRIPTION_CHARS: usize = 400;

/// What kind of owner a tool has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// An MCP server.
    Mcp,
    /// A plugin.
    Plugin,
    /// Anything else, such as a built-in tool outside the core.
    Other,
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mcp => "mcp",
            Self::Plugin => "plugin",
            Self::Other => "other",
        })
    }
}

/// Where a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The kind of its owner.
    pub kind: SourceKind,
    /// The server, the plugin or the toolset.
    pub name: String,
}

impl Source {
    /// The source of a registered tool.
    #[must_use]
    pub fn of(tool: &Tool) -> Self {
        let (kind, name) = match tool.origin() {
            Origin::Mcp(server) => (SourceKind::Mcp, server),
            Origin::Plugin(plugin) => (SourceKind::Plugin, plugin),
            Origin::Linked => (SourceKind::Other, tool.toolset()),
        };
        Self { kind, name: name.to_string() }
    }
}

/// A tool in the catalog.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What the model calls once it has found it.
    pub name: String,
    /// Its whole description.
    pub description: String,
    /// The schema of its arguments.
    pub parameters: Value,
    /// Where it comes from.
    pub source: Source,
    document: Document,
}

/// The deferred tools of a session, ready to be searched.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    entries: Vec<Entry>,
}

impl Catalog {
    /// The catalog of a session: of all definitions in its scope, those that can be deferred. It
    /// must be given the definitions as they are *before* [`assemble`](super::assemble).
    #[must_use]
    pub fn of_scope(
        definitions: &[Value],
        is_core: &dyn Fn(&str) -> bool,
        config: &SearchConfig,
        source: &dyn Fn(&str) -> Source,
    ) -> Self {
        let deferred = definitions.iter().filter(|definition| {
            name_of(definition).is_some_and(|name| deferrable(name, is_core, config))
        });
        Self::new(deferred, source)
    }

    /// A catalog of exactly these definitions, in their order. One without a name is left out.
    #[must_use]
    pub fn new<'a>(
        definitions: impl IntoIterator<Item = &'a Value>,
        source: &dyn Fn(&str) -> Source,
    ) -> Self {
        let entries = definitions
            .into_iter()
            .filter_map(|definition| Entry::new(definition, source))
            .collect();
        Self { entries }
    }

    /// The tools, in the order of their definitions.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The best matches for a query. Where no word matches, tools whose name contains the query;
    /// a query without any word matches nothing.
    #[must_use]
    pub fn find(&self, query: &str, limit: usize) -> Vec<&Entry> {
        let query_words: Vec<String> = words(query).collect();
        if query_words.is_empty() {
            return Vec::new();
        }
        let documents: Vec<&Document> = self.entries.iter().map(|entry| &entry.document).collect();
        let ranked = rank(&documents, &query_words);
        if !ranked.is_empty() {
            let best = ranked.into_iter().take(limit);
            return best.map(|place| &self.entries[place]).collect();
        }
        let part = query.to_lowercase();
        self.entries
            .iter()
            .filter(|entry| entry.name.to_lowercase().contains(&part))
            .take(limit)
            .collect()
    }

    /// Answers a call of `tool_search`.
    ///
    /// # Errors
    /// When the query is blank; the text is for the model.
    pub fn search(&self, args: &Args, config: &SearchConfig) -> Result<Value, String> {
        let query = required_text(args, "query", TOOL_SEARCH)?;
        let found = self.find(query, config.limit(args.get("limit")));
        let matches: Vec<Value> = found.into_iter().map(Entry::as_match).collect();
        Ok(json!({
            "query": query,
            "total_available": self.entries.len(),
            "matches": matches,
        }))
    }

    /// Answers a call of `tool_describe`.
    ///
    /// # Errors
    /// When there is no such tool; the text is for the model.
    pub fn describe(&self, args: &Args) -> Result<Value, String> {
        let name = required_text(args, "name", TOOL_DESCRIBE)?;
        let entry = self.get(name).ok_or_else(|| not_here(name))?;
        Ok(json!({
            "name": entry.name,
            "description": entry.description,
            "parameters": entry.parameters,
        }))
    }

    /// The real call behind a call of `tool_call`: a tool of this catalog and its arguments.
    ///
    /// # Errors
    /// When the call is malformed or the session has no such tool; the text is for the model.
    pub fn resolve_call(&self, args: Args) -> Result<(String, Args), String> {
        let (name, arguments) = unwrap_call(args)?;
        match self.get(&name) {
            Some(_) => Ok((name, arguments)),
            None => Err(not_here(&name)),
        }
    }
}

fn not_here(name: &str) -> String {
    format!(
        "There is no deferred tool '{name}' in this session. If it is in your tool list, call it \
         directly; otherwise look for the right name with {TOOL_SEARCH}."
    )
}

impl Entry {
    fn new(definition: &Value, source: &dyn Fn(&str) -> Source) -> Option<Self> {
        let name = name_of(definition)?.to_owned();
        let function = function_of(definition);
        let description =
            function.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        let parameters =
            function.get("parameters").cloned().unwrap_or_else(hermes_tool::no_parameters);
        let properties = parameters.get("properties").and_then(Value::as_object);
        let arguments = properties.into_iter().flat_map(Args::keys);
        let document = Document::new(
            words(&name)
                .chain(words(&description))
                .chain(arguments.flat_map(|argument| words(argument))),
        );
        Some(Self { source: source(&name), name, description, parameters, document })
    }

    fn as_match(&self) -> Value {
        let description: String = self.description.chars().take(MAX_DESCRIPTION_CHARS).collect();
        json!({
            "name": self.name,
            "source": self.source.kind.to_string(),
            "source_name": self.source.name,
            "description": description,
        })
    }
}

#[cfg(test)]
mod tests;
