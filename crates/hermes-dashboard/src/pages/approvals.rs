//! Everything that waits for a person's word.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::IntoResponse as _;
use axum::{Extension, Json};
use hermes_approval::{ApprovalSettings, Unattended};
use hermes_host::Host;
use hermes_skills::hub::verbs::VerbFront;
use hermes_skills::verbs::{self, PendingVerb, SkillsVerb, VerbContext};
use hermes_store::pending::Pending;
use hermes_tools::memory::approval::SUBSYSTEM;
use hermes_tools::memory::{MemorySettings, MemoryStore};
use serde_json::{Value, json};

use crate::app::App;
use crate::chat::Decision;
use crate::form::Fields;
use crate::front::wants_json;
use crate::problem::{PageProblem, PageResult};
use crate::view::Page;
use crate::visitor::Visitor;

/// The notes of a home.
pub(super) fn notes(host: &Host) -> MemoryStore {
    MemoryStore::new(host.home(), MemorySettings::from_config(host.config().value()))
}

/// Changes of notes and skills that wait.
pub(super) fn kept_changes(host: &Host) -> Vec<Value> {
    let shown = |kind: &str, one: &Pending| {
        json!({"kind": kind, "id": one.id, "action": one.action, "summary": one.summary,
            "origin": one.origin, "at": one.created_at, "lines": changed_lines(one)})
    };
    let memory = notes(host).pending().list().unwrap_or_default();
    let skills =
        hermes_store::pending::PendingStore::new(host.home(), "skills").list().unwrap_or_default();
    let memory = memory.iter().map(|one| shown(SUBSYSTEM, one));
    memory.chain(skills.iter().map(|one| shown("skills", one))).collect()
}

/// What a change of the notes takes away and adds, as lines of a diff.
fn changed_lines(one: &Pending) -> Vec<Value> {
    let steps = match one.payload["operations"].as_array() {
        Some(steps) if !steps.is_empty() => steps.clone(),
        _ => vec![one.payload.clone()],
    };
    let mut lines = Vec::new();
    for step in &steps {
        let mut add = |sign: &str, field: &str| {
            for line in step[field].as_str().unwrap_or_default().lines() {
                lines.push(json!({"sign": sign, "text": line}));
            }
        };
        add("-", "old_text");
        add("+", "content");
    }
    lines
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> PageResult {
    let (changes, rules, people) = app
        .look(|host| {
            let (settings, _) = host.approval_settings();
            (kept_changes(host), rules(&settings), super::channels::people(host))
        })
        .await?;
    // Without the gateway nobody waits for their answers any more.
    let is_up = app.look(|host| hermes_gateway::running(host.home().root()).is_some()).await?;
    let elsewhere: Vec<Value> = match is_up {
        true => app.read(hermes_sessions::SessionDatabase::waiting_gateway_approvals).await?,
        false => Vec::new(),
    }
    .into_iter()
    .map(|(session, platform, at)| json!({"session": session, "platform": platform, "at": at}))
    .collect();
    let questions: Vec<Value> = app
        .questions
        .waiting()
        .into_iter()
        .map(|(block, session, at)| json!({"block": block, "session": session, "at": at}))
        .collect();
    let strangers: Vec<&Value> = people.iter().filter(|one| one["approved"] == false).collect();
    let data = json!({
        "questions": questions, "elsewhere": elsewhere, "changes": changes, "settled": app.questions.settled(), "rules": rules,
        "strangers": strangers,
    });
    Ok(Page { template: "page_approvals", title: "Approvals", here: "/approvals", data }
        .show(&visitor))
}

fn rules(settings: &ApprovalSettings) -> Value {
    let word = |mode: &Unattended| match mode {
        Unattended::Approve => "approved",
        Unattended::Deny => "refused",
    };
    json!({
        "mode": settings.mode.word(), "cron": word(&settings.cron),
        "headless": word(&settings.headless), "deny": settings.deny, "ask": settings.ask,
        "allow": settings.allow, "always": settings.allowlist,
    })
}

/// An answer to a question of a turn.
pub(crate) async fn answer(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> PageResult {
    let fields = Fields::parse(&body);
    let decision = match (fields.some("choice"), fields.some("words")) {
        (Some(choice), _) => Decision::Choice(choice),
        (None, Some(words)) => Decision::Words(words),
        (None, None) => return Err(PageProblem::refused("Choose an answer.")),
    };
    let outcome =
        app.questions.decide(&id, decision, visitor.who()).map_err(PageProblem::conflict)?;
    app.note(&visitor, "answer", &format!("{id}: {outcome}"));
    match wants_json(&headers) {
        true => Ok(Json(json!({"id": id, "outcome": outcome})).into_response()),
        false => Ok(visitor.to_saying("/approvals", outcome)),
    }
}

/// A word on a change that waits.
pub(crate) async fn decide(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path((kind, id)): Path<(String, String)>,
    body: Bytes,
) -> PageResult {
    let is_yes = match Fields::parse(&body).text("choice") {
        "yes" => true,
        "no" => false,
        _ => return Err(PageProblem::refused("Choose an answer.")),
    };
    let said = match kind.as_str() {
        SUBSYSTEM => {
            let wanted = id.clone();
            app.look(move |host| of_memory(host, &wanted, is_yes)).await?
        }
        "skills" => {
            let wanted = id.clone();
            app.look(move |host| of_skills(host, wanted, is_yes)).await?
        }
        _ => return Err(PageProblem::missing("There are changes of notes and of skills.")),
    };
    let said = said.map_err(PageProblem::refused)?;
    app.note(&visitor, if is_yes { "approve" } else { "reject" }, &format!("{kind} {id}"));
    Ok(visitor.to_saying("/approvals", said))
}

fn of_memory(host: &Host, id: &str, is_yes: bool) -> Result<String, String> {
    let store = notes(host);
    let one = store.pending().find(id).map_err(|problem| problem.to_string())?;
    if !is_yes {
        store.pending().remove(&one).map_err(|problem| problem.to_string())?;
        return Ok("Thrown away.".to_owned());
    }
    let answer = store.replay(&one).map_err(|problem| problem.to_string())?;
    let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
    if answer["success"] == true { Ok(text("message")) } else { Err(text("error")) }
}

/// A verb that asks nothing, and takes no time worth telling.
struct Unasked;

impl VerbFront for Unasked {
    fn progress(&self, _: &str) {}

    fn agree(&self, _: &str) -> bool {
        false
    }
}

fn of_skills(host: &Host, id: String, is_yes: bool) -> Result<String, String> {
    let verb = match is_yes {
        true => PendingVerb::Approve { id },
        false => PendingVerb::Reject { id },
    };
    let place = VerbContext::new(host.home(), host.config().value(), host.vars());
    // On a thread that may wait: the work is files.
    let verb = SkillsVerb::Pending(verb);
    let work = verbs::run(&place, &verb, &Unasked);
    let done = tokio::runtime::Handle::current().block_on(work);
    done.map(|_| if is_yes { "The skill was changed." } else { "Dropped." }.to_owned())
        .map_err(|problem| problem.to_string())
}
