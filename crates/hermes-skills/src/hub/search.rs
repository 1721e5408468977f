//! Asking all sources at once.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;

use super::HubContext;
use super::error::HubError;
use super::record::{HubRecord, TrustLevel, ranked};
use super::sources::{self, HubSource, SearchReach};

/// How long a search takes at most, whatever the sources do.
pub const SEARCH_TIME: Duration = Duration::from_secs(30);
/// Sources asked at a time.
const AT_ONCE: usize = 8;
/// Owners that `--source` understands as "from their repositories".
const PROVIDERS: [(&str, &str); 5] = [
    ("nvidia", "nvidia/"),
    ("openai", "openai/"),
    ("anthropic", "anthropics/"),
    ("huggingface", "huggingface/"),
    ("gstack", "garrytan/"),
];

/// What a search found, and who did not answer.
#[derive(Clone, Debug, Default)]
pub struct SearchOutcome {
    /// The best first.
    pub records: Vec<HubRecord>,
    /// Sources that took too long.
    pub slow: Vec<&'static str>,
    /// Sources that failed, with the reason.
    pub failed: Vec<(&'static str, String)>,
}

impl SearchOutcome {
    /// Who is missing, in words; empty if nobody is.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let slow =
            self.slow.iter().map(|id| format!("{id} did not answer in time and was left out"));
        let failed = self.failed.iter().map(|(id, why)| format!("{id} was left out: {why}"));
        slow.chain(failed).collect()
    }
}

/// Which sources are asked.
enum Asked<'a> {
    All,
    One(&'a str),
    Provider(&'a str),
}

fn asked<'a>(hub: &HubContext, source: Option<&'a str>) -> Result<Asked<'a>, HubError> {
    match source.unwrap_or("all") {
        "all" => Ok(Asked::All),
        id if hub.source(id).is_some() => Ok(Asked::One(id)),
        word => match PROVIDERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)) {
            Some((_, owner)) => Ok(Asked::Provider(owner)),
            None => {
                let ids: Vec<&str> = hub.sources().iter().map(|source| source.id()).collect();
                let names: Vec<&str> = PROVIDERS.iter().map(|(name, _)| *name).collect();
                Err(HubError::Usage(format!(
                    "unknown source `{word}`\n  sources: all, {}\n  providers: {}",
                    ids.join(", "),
                    names.join(", ")
                )))
            }
        },
    }
}

/// Searches.
///
/// # Errors
/// The source is unknown, or not one of them answered.
pub async fn search(
    hub: &HubContext,
    query: &str,
    source: Option<&str>,
    limit: usize,
    time: Duration,
) -> Result<SearchOutcome, HubError> {
    let asked = asked(hub, source)?;
    let deadline = tokio::time::Instant::now() + time;
    let mut outcome = SearchOutcome::default();
    let mut found: Vec<HubRecord> = Vec::new();
    let fetched = if matches!(asked, Asked::Provider(_)) { limit.max(200) } else { limit };
    // The index speaks for the registries, so that these need not be asked if it answers.
    let (first, second): (Vec<&dyn HubSource>, Vec<&dyn HubSource>) = match asked {
        Asked::One(id) => (hub.source(id).into_iter().collect(), Vec::new()),
        Asked::All | Asked::Provider(_) => {
            let with = |reach| {
                hub.sources()
                    .iter()
                    .map(AsRef::as_ref)
                    .filter(move |source| source.reach() == reach)
                    .collect()
            };
            (with(SearchReach::Always), with(SearchReach::Registry))
        }
    };
    let answered = ask(hub, &first, query, fetched, deadline, &mut found, &mut outcome).await;
    if !second.is_empty() && !answered.contains(&sources::INDEX) {
        ask(hub, &second, query, fetched, deadline, &mut found, &mut outcome).await;
    }
    if let Asked::Provider(owner) = asked {
        found.retain(|record| {
            let place = record.repo.as_deref().unwrap_or(&record.identifier).to_lowercase();
            place.starts_with(owner)
        });
    }
    let everybody_failed = found.is_empty() && outcome.failed.len() + outcome.slow.len() > 0;
    outcome.records = merged(found, query, limit);
    if everybody_failed && matches!(asked, Asked::One(_)) {
        return Err(HubError::Usage(outcome.notes().join("\n")));
    }
    Ok(outcome)
}

async fn ask(
    hub: &HubContext,
    sources: &[&dyn HubSource],
    query: &str,
    limit: usize,
    deadline: tokio::time::Instant,
    found: &mut Vec<HubRecord>,
    outcome: &mut SearchOutcome,
) -> Vec<&'static str> {
    let asking = sources.iter().map(|source| async move {
        let answer = tokio::time::timeout_at(deadline, source.search(hub, query, limit)).await;
        (source.id(), answer)
    });
    let answers: Vec<_> = futures_util::stream::iter(asking).buffered(AT_ONCE).collect().await;
    let mut answered = Vec::new();
    for (id, answer) in answers {
        match answer {
            Ok(Ok(records)) => {
                answered.push(id);
                found.extend(records);
            }
            Ok(Err(error)) => outcome.failed.push((id, error.to_string())),
            Err(_) => outcome.slow.push(id),
        }
    }
    answered
}

/// One record for each identifier, the one from the more believed source.
fn merged(found: Vec<HubRecord>, query: &str, limit: usize) -> Vec<HubRecord> {
    let mut by_identifier: BTreeMap<String, HubRecord> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for record in found {
        match by_identifier.get_mut(&record.identifier) {
            Some(known) if record.trust_level > known.trust_level => *known = record,
            Some(_) => {}
            None => {
                order.push(record.identifier.clone());
                by_identifier.insert(record.identifier.clone(), record);
            }
        }
    }
    let all = order.into_iter().filter_map(|identifier| by_identifier.remove(&identifier));
    let (fitting, others): (Vec<HubRecord>, Vec<HubRecord>) =
        all.partition(|record| record.rank(query).is_some());
    let mut best = ranked(fitting, query, limit);
    // What a registry found by means of its own comes after what fits by our words.
    best.extend(others.into_iter().take(limit.saturating_sub(best.len())));
    best
}

/// Everything, page by page: ours first, then by trust, then by name.
///
/// # Errors
/// As [`search`].
pub async fn browse(
    hub: &HubContext,
    source: Option<&str>,
    most: usize,
    time: Duration,
) -> Result<SearchOutcome, HubError> {
    let mut outcome = search(hub, "", source, most, time).await?;
    outcome.records.sort_by(|left, right| {
        (left.source != "official", std::cmp::Reverse(left.trust_level), left.name.to_lowercase())
            .cmp(&(
                right.source != "official",
                std::cmp::Reverse(right.trust_level),
                right.name.to_lowercase(),
            ))
    });
    Ok(outcome)
}

/// What somebody means by a short name: the one skill that is called so.
///
/// # Errors
/// None is, or several are.
pub async fn resolve(hub: &HubContext, name: &str) -> Result<HubRecord, HubError> {
    let outcome = search(hub, name, None, 200, SEARCH_TIME).await?;
    let mut matches: Vec<HubRecord> = outcome
        .records
        .into_iter()
        .filter(|record| record.name.eq_ignore_ascii_case(name))
        .collect();
    // One of ours beats the others of its name: nobody else can be installed by accident.
    if matches.iter().filter(|record| record.trust_level == TrustLevel::Builtin).count() == 1 {
        matches.retain(|record| record.trust_level == TrustLevel::Builtin);
    }
    match matches.len() {
        0 => Err(HubError::NotFound(format!("a skill called {name}"))),
        1 => Ok(matches.remove(0)),
        _ => Err(HubError::Ambiguous { name: name.to_owned(), matches }),
    }
}
