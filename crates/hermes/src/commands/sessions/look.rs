//! Looking: lists, single sessions, searches.

use hermes_sessions::search::{Answer, Request, Sort};
use hermes_sessions::{Archived, ListFilter, SessionDatabase, SessionSummary};
use hermes_store::clock::local_time;
use owo_colors::OwoColorize;
use serde_json::json;

use super::args::{List, Search, SortBy};
use super::filter::folder;
use crate::exit::Exit;
use crate::ui::{Cell, Table, Ui, count};

pub(super) fn list(store: &SessionDatabase, args: &List, ui: &mut Ui) -> anyhow::Result<Exit> {
    let filter = ListFilter {
        source: args.source.clone(),
        workspace: args.workspace.as_deref().map(folder).transpose()?,
        archived: if args.all { Archived::Include } else { Archived::LeaveOut },
        limit: (args.limit > 0).then_some(args.limit),
    };
    let sessions = store.list(&filter)?;
    if args.json {
        ui.json(&sessions)?;
        return Ok(Exit::Done);
    }
    if sessions.is_empty() {
        ui.note("there are no sessions here yet; `hermes` begins one")?;
        return Ok(Exit::Done);
    }
    table(&sessions, ui)?;
    if sessions.len() == args.limit {
        ui.note(format_args!(
            "the newest {}; `--limit 0` lists all",
            count(sessions.len(), "session")
        ))?;
    }
    Ok(Exit::Done)
}

/// Sessions for people.
pub(super) fn table(sessions: &[SessionSummary], ui: &mut Ui) -> anyhow::Result<()> {
    let mut table =
        Table::new(["session", "last active", "source", "messages", "title"]).right(&[3]);
    for session in sessions {
        let title = match &session.title {
            Some(title) => title.as_str().into(),
            None => Cell::dim(session.preview.as_str()),
        };
        table.row([
            session.id.as_str().into(),
            Cell::dim(local_time(session.last_active)),
            session.source.as_str().into(),
            session.message_count.to_string().into(),
            title,
        ]);
    }
    Ok(ui.table(&table)?)
}

pub(super) fn show(
    store: &SessionDatabase,
    wanted: &str,
    as_json: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let session = store.find(wanted)?;
    if as_json {
        ui.json(&store.export_value(&session.id)?)?;
        return Ok(Exit::Done);
    }
    let mut fact = |name: &str, value: Option<String>| match value {
        Some(value) if !value.is_empty() => ui.line(format_args!("{:<10}{value}", name.dimmed())),
        _ => Ok(()),
    };
    fact("session", Some(session.id.clone()))?;
    fact("title", session.title.clone())?;
    fact("source", Some(session.source.clone()))?;
    fact("model", session.model.clone())?;
    fact("folder", session.cwd.clone())?;
    fact("began", Some(local_time(session.started_at)))?;
    let ended = session.ended_at.map(|time| {
        format!("{} ({})", local_time(time), session.end_reason.as_deref().unwrap_or("unknown"))
    });
    fact("ended", ended)?;
    let tip = store.tip(&session.id)?;
    fact("goes on in", (tip != session.id).then_some(tip))?;
    fact("tokens", Some(format!("{} in, {} out", session.input_tokens, session.output_tokens)))?;
    let cost = session.actual_cost_usd.or(session.estimated_cost_usd);
    fact("cost", cost.map(|cost| format!("${cost:.4}")))?;
    for message in store.messages(&session.id)? {
        let who = match &message.tool_name {
            Some(tool) => format!("{} ({tool})", message.role),
            None => message.role.clone(),
        };
        let at = local_time(message.timestamp);
        ui.line(format_args!(
            "\n{} {} {}",
            who.bold(),
            at.dimmed(),
            format!("#{}", message.id).dimmed()
        ))?;
        if let Some(content) = &message.content {
            ui.prose(&content.text())?;
        }
        for call in
            message.tool_calls.as_ref().and_then(|calls| calls.as_array()).into_iter().flatten()
        {
            let function = &call["function"];
            let arguments = function["arguments"].as_str().unwrap_or_default();
            ui.prose(&format!("→ {} {arguments}", function["name"].as_str().unwrap_or_default()))?;
        }
    }
    Ok(Exit::Done)
}

pub(super) fn search(store: &SessionDatabase, args: &Search, ui: &mut Ui) -> anyhow::Result<Exit> {
    let sort = args.sort.map(|sort| match sort {
        SortBy::Newest => Sort::Newest,
        SortBy::Oldest => Sort::Oldest,
    });
    let query = args.query.join(" ");
    let request = Request {
        limit: Some(args.limit),
        sort,
        roles: args.role.clone(),
        ..Request::discover(query)
    };
    let answer = store.search(&request)?;
    if args.json {
        ui.json(&answer)?;
        return Ok(Exit::Done);
    }
    let Answer::Discover(found) = answer else {
        ui.json(&json!({"results": []}))?;
        return Ok(Exit::Done);
    };
    for result in &found.results {
        let name = result.title.as_deref().unwrap_or("(untitled)");
        let id = result.session_id.as_str();
        ui.line(format_args!("{} {} {}", id.bold(), result.when.dimmed(), name))?;
        let place = result.match_message_id.map(|id| format!(" #{id}")).unwrap_or_default();
        let who = format!("  {}{place}: ", result.matched_role);
        ui.line(format_args!("{}{}", who.dimmed(), marked(&result.snippet)))?;
    }
    if let Some(message) = &found.message {
        ui.note(message)?;
    }
    Ok(Exit::Done)
}

/// An excerpt on one line, what was looked for in bold. The marks stay where there is no colour.
fn marked(snippet: &str) -> String {
    let line = snippet.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown = String::new();
    for (index, piece) in line.split(">>>").enumerate() {
        match piece.split_once("<<<") {
            Some((hit, rest)) if index > 0 => {
                shown += &format!("{}{rest}", format!("[{hit}]").bold());
            }
            _ => shown += piece,
        }
    }
    shown
}
