//! A session read, a message's neighbourhood, the newest sessions.

use rusqlite::{Connection, OptionalExtension, params};

use super::super::database::SessionDatabase;
use super::super::error::Result;
use super::super::error::SessionsError;
use super::super::find::{ListFilter, resolve};
use super::super::lineage;
use super::super::message::{ACTIVE, VISIBLE};
use super::super::session::{self, missing};
use super::super::tables::in_message_order;
use super::Request;
use super::answer::{Browse, Read, Recent, SHOWN, SPOKEN, Scroll, SessionMeta, Shown};

/// A session up to this long is read whole.
const WHOLE: usize = 30;
/// Of a longer one, so many from its beginning and its end.
const ENDS: (usize, usize) = (20, 10);

pub(super) fn scroll(
    store: &SessionDatabase,
    request: &Request,
    session: &str,
    message: i64,
) -> Result<Scroll> {
    let found = store.read(|connection| around(connection, request, session, message).map(Some))?;
    found.ok_or_else(|| missing(session))
}

fn around(
    connection: &Connection,
    request: &Request,
    session: &str,
    message: i64,
) -> Result<Scroll> {
    let asked = resolve(connection, session)?;
    if let Some(current) = &request.current_session
        && lineage::share_lineage(connection, current, &asked)?
    {
        return Err(SessionsError::OwnConversation { session: asked });
    }
    let home: Option<String> = connection
        .query_row(
            &format!("SELECT session_id FROM messages WHERE id = ?1 AND {VISIBLE}"),
            [message],
            |row| row.get(0),
        )
        .optional()?;
    let warning = match &home {
        Some(home) if *home == asked => None,
        Some(home) if lineage::share_lineage(connection, home, &asked)? => Some(format!(
            "message {message} is in session {home}, which belongs to the same conversation as {asked}"
        )),
        _ => return Err(SessionsError::NoMessage { session: asked, message }),
    };
    let row = session::require(connection, home.as_deref().unwrap_or(&asked))?;
    let window = request.window();
    let in_order = in_message_order(connection)?;
    let select = |condition: &str, order: &str, limit: usize| {
        format!(
            "SELECT * FROM (SELECT {SHOWN} FROM messages {in_order} WHERE session_id = ?1 \
             AND {condition} AND {VISIBLE} ORDER BY id {order} LIMIT {limit})"
        )
    };
    let statement = format!(
        "{} UNION ALL {} ORDER BY id",
        select(&format!("id < ?2 AND {SPOKEN}"), "DESC", window),
        select(&format!("(id > ?2 AND {SPOKEN} OR id = ?2)"), "ASC", window + 1)
    );
    let mut messages = connection
        .prepare_cached(&statement)?
        .query_map(params![row.id, message], |row| Shown::from_row(row, 0))?
        .collect::<rusqlite::Result<Vec<Shown>>>()?;
    let before = messages.iter().take_while(|shown| shown.id < message).count();
    if let Some(shown) = messages.get_mut(before) {
        shown.anchor = true;
    }
    let after = messages.len().saturating_sub(before + 1);
    Ok(Scroll {
        success: true,
        mode: "scroll",
        session_meta: SessionMeta::from(&row),
        session_id: row.id,
        around_message_id: message,
        window,
        messages,
        messages_before: before,
        messages_after: after,
        warning,
    })
}

pub(super) fn read(store: &SessionDatabase, session: &str) -> Result<Read> {
    let found = store.read(|connection| whole(connection, session).map(Some))?;
    found.ok_or_else(|| missing(session))
}

fn whole(connection: &Connection, session: &str) -> Result<Read> {
    let row = session::require(connection, &resolve(connection, session)?)?;
    let of = format!("FROM messages WHERE session_id = ?1 AND {ACTIVE}");
    let count: i64 =
        connection.query_row(&format!("SELECT count(*) {of}"), [&row.id], |row| row.get(0))?;
    let count = usize::try_from(count).unwrap_or_default();
    let truncated = count > WHOLE;
    let select = |order: &str, limit: usize| -> rusqlite::Result<Vec<Shown>> {
        connection
            .prepare_cached(&format!("SELECT {SHOWN} {of} ORDER BY id {order} LIMIT {limit}"))?
            .query_map([&row.id], |row| Shown::from_row(row, 0))?
            .collect()
    };
    let (mut messages, message) = match truncated {
        false => (select("ASC", WHOLE)?, None),
        true => {
            let (first, last) = ENDS;
            let mut messages = select("ASC", first)?;
            messages.extend(select("DESC", last)?.into_iter().rev());
            let note = format!(
                "{} messages between these are left out; scroll with around_message_id to see them.",
                count - first - last
            );
            (messages, Some(note))
        }
    };
    messages.shrink_to_fit();
    Ok(Read {
        success: true,
        mode: "read",
        session_meta: SessionMeta::from(&row),
        session_id: row.id,
        message_count: count,
        truncated,
        messages,
        message,
    })
}

pub(super) fn browse(store: &SessionDatabase, request: &Request) -> Result<Browse> {
    let limit = request.limit();
    // Some room for those that are left out.
    let filter = ListFilter { limit: Some(limit * 4), ..ListFilter::default() };
    let listed = store.list(&filter)?;
    let mut results = Vec::new();
    for summary in listed {
        let is_own = match &request.current_session {
            Some(current) => store
                .read(|connection| Ok(lineage::share_lineage(connection, current, &summary.id)?))?,
            None => false,
        };
        if !is_own && results.len() < limit {
            results.push(Recent {
                session_id: summary.id,
                title: summary.title,
                source: summary.source,
                started_at: summary.started_at,
                last_active: summary.last_active,
                message_count: summary.message_count,
                preview: summary.preview,
            });
        }
    }
    let count = results.len();
    let message = match count {
        0 => "There are no earlier sessions.".to_owned(),
        _ => "The newest sessions. Give a query to search what was said in all of them.".to_owned(),
    };
    Ok(Browse { success: true, mode: "browse", results, count, message })
}
