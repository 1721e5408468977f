//! Which messages hold what is looked for, best first.
//!
//! Ranking by BM25 weighs each word by how rare it is, and for that goes through every message that
//! holds it. For a word that is in every other message that is slow and says nothing: its weight is
//! next to none. So words that common are left out of the ranking (not out of the search), and where
//! so many messages match that no order among them means much, the newest come first.
//!
//! What never happens here: more than a bounded number of matches is ranked or kept in memory.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, ToSql, params_from_iter};

use super::super::fts::{self, TRIGRAMS, WORDS};
use super::super::lineage;
use super::super::message::VISIBLE;
use super::Sort;
use super::query::{Group, Plan, Query, Term};

/// Rows looked at before each conversation is reduced to its best.
const SCAN: usize = 300;
/// More matches than this are taken in the order of time.
const RANKED: usize = 2_000;
/// A word in more messages than this has no weight.
const COMMON: usize = 20_000;

/// A message that matches.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    pub(super) message: i64,
    pub(super) session: String,
    pub(super) role: String,
    pub(super) source: String,
    parent: Option<String>,
    /// The oldest session of the conversation.
    pub(super) root: String,
}

/// What a message must be, beside holding the words.
pub(super) struct Scope<'a> {
    pub(super) roles: &'a [String],
    /// Sessions that are left out, as a JSON list.
    pub(super) excluded: &'a str,
    pub(super) sort: Option<Sort>,
}

const FROM_HERE: &str = "CROSS JOIN messages AS m ON m.id = found.id \
    CROSS JOIN sessions AS s ON s.id = m.session_id";

/// The conversations that hold what is looked for, each by its best message.
pub(super) fn find(
    connection: &Connection,
    query: &Query,
    scope: &Scope<'_>,
) -> rusqlite::Result<Vec<Hit>> {
    match query.plan() {
        Plan::Nothing => Ok(Vec::new()),
        Plan::Words => by_index(connection, WORDS, query, scope),
        Plan::Trigrams => by_index(connection, TRIGRAMS, query, scope),
        Plan::Substrings => by_substrings(connection, query, scope),
    }
}

fn by_index(
    connection: &Connection,
    table: &str,
    query: &Query,
    scope: &Scope<'_>,
) -> rusqlite::Result<Vec<Hit>> {
    let whole = query.expression();
    if let Some(sort) = scope.sort {
        return best(connection, by_time(connection, table, &whole, sort, scope)?);
    }
    let mut scores: HashMap<i64, f64> = HashMap::new();
    let mut is_broad = false;
    for group in &query.groups {
        match matches(connection, table, &group.expression())? {
            Some(ids) => rank(connection, table, group, &ids, &mut scores)?,
            None => is_broad = true,
        }
    }
    let mut ranked: Vec<(i64, f64)> = scores.into_iter().collect();
    // Lower is better; of equals the oldest.
    ranked.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
    let ranked: Vec<i64> = ranked.into_iter().map(|(id, _)| id).collect();
    let mut rows = in_order(connection, &ranked, &Condition::default(), scope)?;
    if is_broad && rows.len() < SCAN {
        rows.extend(by_time(connection, table, &whole, Sort::Newest, scope)?);
    }
    best(connection, rows)
}

/// The messages that match, the newest first; none if there are too many to rank.
fn matches(
    connection: &Connection,
    table: &str,
    expression: &str,
) -> rusqlite::Result<Option<Vec<i64>>> {
    let statement = format!(
        "SELECT rowid FROM {table} WHERE {table} MATCH ?1 ORDER BY rowid DESC LIMIT {}",
        RANKED + 1
    );
    let ids = connection
        .prepare_cached(&statement)?
        .query_map([expression], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    Ok((ids.len() <= RANKED).then_some(ids))
}

/// Adds to the scores of these messages what the words of the group that have weight give.
fn rank(
    connection: &Connection,
    table: &str,
    group: &Group,
    ids: &[i64],
    scores: &mut HashMap<i64, f64>,
) -> rusqlite::Result<()> {
    for id in ids {
        scores.entry(*id).or_default();
    }
    let Some(oldest) = ids.last() else { return Ok(()) };
    let mut weighty = Vec::new();
    for term in &group.must {
        // A single word is in no more messages than those. The beginning of a word stands for many,
        // which only counts when there is nothing else to go by.
        let has_weight = match group.must.len() {
            1 => true,
            _ if term.is_prefix() => false,
            _ => term.is_phrase() || !is_common(connection, table, term)?,
        };
        if has_weight {
            weighty.push(term.clone());
        }
    }
    if weighty.is_empty() {
        return Ok(());
    }
    let weighty = Group { must: weighty, not: Vec::new() }.expression();
    // The score is only worked out where it is asked for.
    let statement = format!(
        "SELECT rowid, CASE WHEN rowid IN (SELECT value FROM json_each(?3)) THEN rank END \
         FROM {table} WHERE {table} MATCH ?1 AND rowid >= ?2"
    );
    let mut statement = connection.prepare_cached(&statement)?;
    let mut rows = statement.query((weighty, oldest, list(ids)))?;
    while let Some(row) = rows.next()? {
        if let Some(score) = row.get::<_, Option<f64>>(1)? {
            *scores.entry(row.get(0)?).or_default() += score;
        }
    }
    Ok(())
}

/// Numbers as a JSON list.
fn list(ids: &[i64]) -> String {
    let numbers: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", numbers.join(","))
}

fn is_common(connection: &Connection, table: &str, term: &Term) -> rusqlite::Result<bool> {
    let statement = format!("SELECT 1 FROM {table} WHERE {table} MATCH ?1 LIMIT 1 OFFSET {COMMON}");
    connection.prepare_cached(&statement)?.exists([term.quoted()])
}

fn by_time(
    connection: &Connection,
    table: &str,
    expression: &str,
    sort: Sort,
    scope: &Scope<'_>,
) -> rusqlite::Result<Vec<Hit>> {
    let direction = if sort == Sort::Newest { "DESC" } else { "ASC" };
    let found = format!("(SELECT rowid AS id FROM {table} WHERE {table} MATCH ?) AS found");
    let order = format!("ORDER BY found.id {direction}");
    select(connection, &found, &order, &[&expression], &Condition::default(), scope)
}

/// Terms too short for the index, or of several scripts: the index narrows down which messages can
/// hold them, and those are looked at, the newest first.
fn by_substrings(
    connection: &Connection,
    query: &Query,
    scope: &Scope<'_>,
) -> rusqlite::Result<Vec<Hit>> {
    connection.execute_batch(&format!(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.trigram_entries \
         USING fts5vocab('{}', '{TRIGRAMS}', 'instance')",
        fts::trigrams_are_in(connection)?
    ))?;
    let text = "lower(coalesce(m.content, '') || ' ' || coalesce(m.tool_name, '') || ' ' || \
                coalesce(m.tool_calls, ''))";
    let mut ids: Vec<i64> = Vec::new();
    let mut any = Vec::new();
    let mut condition = Condition::default();
    for group in &query.groups {
        match group.must.iter().find_map(Term::trigram_start) {
            Some(start) => {
                let mut entries = connection.prepare_cached(
                    "SELECT doc FROM temp.trigram_entries WHERE term >= ?1 AND term < ?2",
                )?;
                let beyond = format!("{start}{}", char::MAX);
                for id in entries.query_map([start, beyond], |row| row.get(0))? {
                    ids.push(id?);
                }
            }
            None => {
                let mut words = connection
                    .prepare_cached(&format!("SELECT rowid FROM {WORDS} WHERE {WORDS} MATCH ?1"))?;
                for id in words.query_map([group.expression()], |row| row.get(0))? {
                    ids.push(id?);
                }
            }
        }
        let mut all = Vec::new();
        for (terms, test) in [(&group.must, "> 0"), (&group.not, "= 0")] {
            for term in terms {
                all.push(format!("instr({text}, ?) {test}"));
                condition.values.push(term.text.to_ascii_lowercase());
            }
        }
        any.push(format!("({})", all.join(" AND ")));
    }
    condition.sql = format!("AND ({})", any.join(" OR "));
    ids.sort_unstable_by(|one, other| match scope.sort {
        Some(Sort::Oldest) => one.cmp(other),
        _ => other.cmp(one),
    });
    ids.dedup();
    best(connection, in_order(connection, &ids, &condition, scope)?)
}

/// A further condition on a message, with its values.
#[derive(Default)]
struct Condition {
    sql: String,
    values: Vec<String>,
}

/// The first of these messages that are within the scope, in the order given.
fn in_order(
    connection: &Connection,
    ids: &[i64],
    condition: &Condition,
    scope: &Scope<'_>,
) -> rusqlite::Result<Vec<Hit>> {
    let mut rows = Vec::new();
    // In pieces, so that no more are looked at than are needed.
    for piece in ids.chunks(SCAN) {
        let found = "(SELECT value AS id, key AS place FROM json_each(?)) AS found";
        let ids = list(piece);
        rows.extend(select(connection, found, "ORDER BY found.place", &[&ids], condition, scope)?);
        if rows.len() >= SCAN {
            break;
        }
    }
    rows.truncate(SCAN);
    Ok(rows)
}

/// The first rows of a source that are within the scope.
fn select(
    connection: &Connection,
    found: &str,
    order: &str,
    values: &[&dyn ToSql],
    condition: &Condition,
    scope: &Scope<'_>,
) -> rusqlite::Result<Vec<Hit>> {
    let marks = vec!["?"; scope.roles.len()].join(", ");
    // Who spoke comes first: it is stored before the text, the rest behind it.
    let statement = format!(
        "SELECT m.id, m.session_id, m.role, s.source, s.parent_session_id FROM {found} {FROM_HERE} \
         WHERE m.role IN ({marks}) AND {VISIBLE} AND s.source NOT IN ('subagent', 'tool') \
         AND m.session_id NOT IN (SELECT value FROM json_each(?)) {} {order} LIMIT {SCAN}",
        condition.sql
    );
    let mut all: Vec<&dyn ToSql> = values.to_vec();
    all.extend(scope.roles.iter().map(|role| role as &dyn ToSql));
    all.push(&scope.excluded);
    all.extend(condition.values.iter().map(|value| value as &dyn ToSql));
    connection
        .prepare_cached(&statement)?
        .query_map(params_from_iter(all), |row| {
            Ok(Hit {
                message: row.get(0)?,
                session: row.get(1)?,
                role: row.get(2)?,
                source: row.get(3)?,
                parent: row.get(4)?,
                root: String::new(),
            })
        })?
        .collect()
}

/// The first hit of each conversation, scheduled jobs last.
fn best(connection: &Connection, hits: Vec<Hit>) -> rusqlite::Result<Vec<Hit>> {
    let mut roots: HashMap<String, String> = HashMap::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut best = Vec::new();
    for mut hit in hits {
        hit.root = match (roots.get(&hit.session), &hit.parent) {
            (Some(root), _) => root.clone(),
            (None, None) => hit.session.clone(),
            (None, Some(_)) => lineage::root(connection, &hit.session)?,
        };
        roots.insert(hit.session.clone(), hit.root.clone());
        if seen.insert(hit.root.clone()) {
            best.push(hit);
        }
    }
    // Stable: the order among themselves stays.
    best.sort_by_key(|hit| hit.source == "cron");
    Ok(best)
}
