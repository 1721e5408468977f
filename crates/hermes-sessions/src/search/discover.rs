//! Where something was said.

use std::collections::HashMap;

use rusqlite::{Connection, ToSql, params_from_iter};

use super::super::database::SessionDatabase;
use super::super::error::Result;
use super::super::find::by_title;
use super::super::message::VISIBLE;
use super::super::session::{self, SessionRow};
use super::super::tables::in_message_order;
use super::super::{lineage, title};
use super::answer::{Discover, Found, SHOWN, SPOKEN, SessionMeta, Shown, TITLE_ROLE};
use super::candidates::{self, Hit, Scope};
use super::query::Query;
use super::{DEFAULT_WINDOW, Request, excerpt};

/// Messages from each end of a session.
const BOOKENDS: usize = 3;

/// A place to show: a session, a message of it, and why.
struct FoundSession {
    session: SessionRow,
    message: Option<i64>,
    role: String,
}

pub(super) fn discover(store: &SessionDatabase, request: &Request, text: &str) -> Result<Discover> {
    let found = store.read_index(|connection| look(connection, request, text).map(Some))?;
    Ok(found.unwrap_or_else(|| answer(text, Vec::new(), None)))
}

fn answer(query: &str, results: Vec<Found>, message: Option<String>) -> Discover {
    let nothing = || Some("No session holds this. Try fewer or other words.".to_owned());
    let message = if results.is_empty() { nothing() } else { message };
    let count = results.len();
    Discover {
        success: true,
        mode: "discover",
        query: query.to_owned(),
        results,
        count,
        sessions_searched: count,
        message,
    }
}

fn look(connection: &Connection, request: &Request, text: &str) -> Result<Discover> {
    let own = match &request.current_session {
        Some(id) => lineage_root(connection, id)?,
        None => "[]".to_owned(),
    };
    let roles = request.roles();
    let limit = request.limit();
    let scope = Scope { roles: &roles, excluded: &own, sort: request.sort };
    let mut query = Query::parse(text);
    let mut hits = candidates::find(connection, &query, &scope)?;
    let mut message = None;
    if hits.is_empty()
        && let Some(any) = query.any()
    {
        hits = candidates::find(connection, &any, &scope)?;
        message = Some("No message holds all of these words; these hold some of them.".to_owned());
        query = any;
    }
    let mut found_sessions = Vec::new();
    if let Some(titled) = titled(connection, text, &own)? {
        let root = lineage::root(connection, &titled.session.id)?;
        hits.retain(|hit| hit.root != root);
        found_sessions.push(titled);
    }
    for Hit { session, message, role, .. } in hits {
        if found_sessions.len() == limit {
            break;
        }
        let session = session::require(connection, &session)?;
        found_sessions.push(FoundSession { session, message: Some(message), role });
    }
    Ok(answer(text, show(connection, found_sessions, &query)?, message))
}

/// The sessions of a conversation, as a JSON list.
fn lineage_root(connection: &Connection, id: &str) -> rusqlite::Result<String> {
    let root = lineage::root(connection, id)?;
    connection
        .prepare_cached(
            "WITH RECURSIVE down(id) AS (SELECT ?1 UNION
                 SELECT s.id FROM down JOIN sessions AS s ON s.parent_session_id = down.id)
             SELECT json_group_array(id) FROM down",
        )?
        .query_row([root], |row| row.get(0))
}

/// The session whose title was typed, unless it is hidden or of the conversation that asks.
fn titled(connection: &Connection, text: &str, own: &str) -> Result<Option<FoundSession>> {
    let bare: String =
        text.chars().filter(|c| !matches!(c, '"' | '\'' | '`' | '“' | '”')).collect();
    let Ok(wanted) = title::clean_title(&bare) else { return Ok(None) };
    let Some(id) = by_title(connection, &wanted)? else { return Ok(None) };
    let session = session::require(connection, &id)?;
    let is_own: bool = connection.query_row(
        "SELECT ?1 IN (SELECT value FROM json_each(?2))",
        [&id, own],
        |row| row.get(0),
    )?;
    if is_own || super::super::find::HIDDEN_SOURCES.contains(&session.source.as_str()) {
        return Ok(None);
    }
    let first = format!("SELECT min(id) FROM messages WHERE session_id = ?1 AND {VISIBLE}");
    let message = connection.query_row(&first, [&id], |row| row.get(0))?;
    Ok(Some(FoundSession { session, message, role: TITLE_ROLE.to_owned() }))
}

/// Which part of a session a row was read for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Start,
    Window,
    End,
}

fn show(
    connection: &Connection,
    found_sessions: Vec<FoundSession>,
    query: &Query,
) -> rusqlite::Result<Vec<Found>> {
    let mut parts = neighbours(connection, &found_sessions)?;
    let by_words: Vec<i64> = found_sessions
        .iter()
        .filter(|place| place.role != TITLE_ROLE)
        .filter_map(|place| place.message)
        .collect();
    let mut snippets: HashMap<i64, String> =
        excerpt::by_index(connection, query, &by_words)?.into_iter().collect();
    let wanted: Vec<&str> = query.wanted().collect();
    let found = found_sessions.into_iter().enumerate().map(|(index, place)| {
        let mut take = |part| parts.remove(&(index, part)).unwrap_or_default();
        let (mut start, mut messages, mut end) =
            (take(Part::Start), take(Part::Window), take(Part::End));
        // What the window shows is not shown twice. The window of a title is only how its session begins;
        // what the session is about shows at both ends.
        if place.role == TITLE_ROLE {
            end.retain(|shown| start.iter().all(|first| first.id != shown.id));
        } else if let (Some(first), Some(last)) = (messages.first(), messages.last()) {
            start.retain(|shown| shown.id < first.id);
            end.retain(|shown| shown.id > last.id);
        }
        let hit = messages.iter().position(|shown| Some(shown.id) == place.message);
        let text = hit.and_then(|hit| messages.get(hit)).map_or("", |shown| &shown.content);
        let snippet = match place.message.and_then(|id| snippets.remove(&id)) {
            _ if place.role == TITLE_ROLE => {
                format!("The title is {}", place.session.title.as_deref().unwrap_or_default())
            }
            Some(snippet) => snippet,
            None => excerpt::around(text, &wanted),
        };
        let before = hit.unwrap_or_default();
        let after = messages.len().saturating_sub(before + 1);
        if let Some(shown) = hit.and_then(|hit| messages.get_mut(hit)) {
            shown.anchor = true;
        }
        let SessionMeta { when, source, model, title } = SessionMeta::from(&place.session);
        Found {
            session_id: place.session.id,
            when,
            source,
            model,
            title,
            matched_role: place.role,
            match_message_id: place.message,
            snippet,
            bookend_start: start,
            messages,
            bookend_end: end,
            messages_before: before,
            messages_after: after,
            parent_session_id: place.session.parent_session_id,
        }
    });
    Ok(found.collect())
}

/// Beginning, neighbourhood and end of all of them, in one statement.
fn neighbours(
    connection: &Connection,
    found_sessions: &[FoundSession],
) -> rusqlite::Result<HashMap<(usize, Part), Vec<Shown>>> {
    let in_order = in_message_order(connection)?;
    let mut selects = Vec::new();
    let mut values: Vec<&dyn ToSql> = Vec::new();
    for (index, place) in found_sessions.iter().enumerate() {
        let Some(message) = &place.message else { continue };
        values.push(&place.session.id);
        let session = values.len();
        values.push(message);
        let at = values.len();
        let mut select = |part: u8, condition: &str, order: &str, limit: usize| {
            selects.push(format!(
                "SELECT * FROM (SELECT {index} AS place, {part} AS part, {SHOWN} FROM messages \
                 {in_order} WHERE session_id = ?{session} AND {condition} \
                 AND {VISIBLE} ORDER BY id {order} LIMIT {limit})"
            ));
        };
        let says = "role IN ('user', 'assistant') AND content <> ''";
        // A title stands at no message: all of its session is before or after it.
        let (before, after) = match place.role == TITLE_ROLE {
            true => (String::new(), String::new()),
            false => (format!("id < ?{at} AND "), format!("id > ?{at} AND ")),
        };
        select(0, &format!("{before}{says}"), "ASC", BOOKENDS);
        select(1, &format!("id < ?{at} AND {SPOKEN}"), "DESC", DEFAULT_WINDOW);
        select(1, &format!("(id > ?{at} AND {SPOKEN} OR id = ?{at})"), "ASC", DEFAULT_WINDOW + 1);
        select(2, &format!("{after}{says}"), "DESC", BOOKENDS);
    }
    let mut parts: HashMap<(usize, Part), Vec<Shown>> = HashMap::new();
    if selects.is_empty() {
        return Ok(parts);
    }
    let statement = selects.join(" UNION ALL ") + " ORDER BY place, part, id";
    let mut statement = connection.prepare_cached(&statement)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        let part = match row.get(1)? {
            0 => Part::Start,
            1 => Part::Window,
            _ => Part::End,
        };
        let place: i64 = row.get(0)?;
        Ok((usize::try_from(place).unwrap_or_default(), part, Shown::from_row(row, 2)?))
    })?;
    for row in rows {
        let (place, part, shown) = row?;
        parts.entry((place, part)).or_default().push(shown);
    }
    Ok(parts)
}
