//! Places skills come from, each behind [`HubSource`], one file each, listed once in [`all`].

mod browse_sh;
mod clawhub;
mod github;
mod index;
mod lobehub;
mod marketplace;
mod official;
mod skills_sh;
mod url;
mod well_known;

use futures_util::future::BoxFuture;

pub use index::ID as INDEX;

use super::HubContext;
use super::bundle::HubBundle;
use super::error::HubError;
use super::record::HubRecord;

/// What a source answers with, in the end.
pub type SourceAnswer<'a, T> = BoxFuture<'a, Result<T, HubError>>;

/// When a source is asked for a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchReach {
    /// Always: it is on this machine, or the user added it.
    Always,
    /// Only if the central index does not speak for it.
    Registry,
    /// Never: it has no list.
    Never,
}

/// A place skills come from.
pub trait HubSource: Send + Sync {
    /// Its name in tables, files and `--source`.
    fn id(&self) -> &'static str;

    /// When it takes part in a search.
    fn reach(&self) -> SearchReach;

    /// Whether an identifier is one of its own.
    fn claims(&self, identifier: &str) -> bool;

    /// Skills that fit, the best first.
    fn search<'a>(
        &'a self,
        hub: &'a HubContext,
        query: &'a str,
        limit: usize,
    ) -> SourceAnswer<'a, Vec<HubRecord>>;

    /// The whole skill.
    fn fetch<'a>(&'a self, hub: &'a HubContext, identifier: &'a str)
    -> SourceAnswer<'a, HubBundle>;
}

/// All sources, in the order in which an identifier is offered to them.
#[must_use]
pub fn all() -> Vec<Box<dyn HubSource>> {
    vec![
        Box::new(official::OfficialSource),
        Box::new(index::IndexSource),
        Box::new(skills_sh::SkillsShSource),
        Box::new(well_known::WellKnownSource),
        Box::new(url::UrlSource),
        Box::new(github::GitHubSource),
        Box::new(clawhub::ClawHubSource),
        Box::new(marketplace::MarketplaceSource),
        Box::new(lobehub::LobeHubSource),
        Box::new(browse_sh::BrowseShSource),
    ]
}

/// How identifiers begin that say which source they are for.
pub(crate) const NAMED: [&str; 5] =
    ["official/", "well-known:", "lobehub/", "browse-sh/", "clawhub/"];

/// A text of an answer, or nothing.
pub(crate) fn text(value: &serde_json::Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().trim().to_owned()
}

/// The texts of a list in an answer.
pub(crate) fn texts(value: &serde_json::Value, key: &str) -> Vec<String> {
    let list = value[key].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|item| item.as_str()).map(str::to_owned).collect()
}

/// Whether a text is an address of the web.
pub(crate) fn is_web(text: &str) -> bool {
    let head = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    head.starts_with("http://") || head.starts_with("https://")
}

/// A parameter of a query, escaped.
pub(crate) fn parameter(text: &str) -> String {
    super::github::escaped(text).replace('/', "%2F")
}
