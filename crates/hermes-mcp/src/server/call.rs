//! One call of a tool, and one look at a ready question: whatever may ask something before it answers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hermes_runtime::ToolCall;
use hermes_tool::{CallIds, ContextParts};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    GetPromptRequestParams, GetPromptResponse, InputRequiredResult, InputResponses,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::ServerContext;
use super::caller::Caller;
use super::client_state::ClientState;
use super::handles::{self, LeaseRefusal, SessionLease};
use super::open_call::{CallParts, Carrier, Finished, OpenCall, Subject};
use super::{content, declared, revision};

/// Makes the call and answers it.
pub(super) async fn serve(
    client: &ClientState,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let subject = Subject {
        method: "tools/call",
        name: request.name.to_string(),
        arguments: request.arguments,
    };
    let rounds = Rounds {
        client,
        context: &context,
        state: request.request_state,
        answers: request.input_responses,
    };
    let begun = rounds.resume(&subject).unwrap_or_else(|| begin_call(client, subject, &context));
    let call = match begun {
        Ok(call) => call,
        Err(LeaseRefusal::Refused(why)) => {
            return Ok(CallToolResult::error(vec![ContentBlock::text(why)]).into());
        }
        Err(LeaseRefusal::Failed(error)) => return Err(error),
    };
    match rounds.carry(call).await? {
        Answer::Finished(Finished::Call(outcome), place) => {
            let mut result = content::result(&outcome);
            let notice = place.as_ref().and_then(SessionLease::notice);
            result.content.extend(notice.map(ContentBlock::text));
            Ok(result.into())
        }
        Answer::Finished(..) => Err(ErrorData::internal_error("this was no call of a tool", None)),
        Answer::Asks(questions) => Ok(questions.into()),
    }
}

/// Gives a ready question.
pub(super) async fn prompt(
    client: &ClientState,
    request: GetPromptRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let subject =
        Subject { method: "prompts/get", name: request.name, arguments: request.arguments };
    let rounds = Rounds {
        client,
        context: &context,
        state: request.request_state,
        answers: request.input_responses,
    };
    let begun = rounds.resume(&subject).unwrap_or_else(|| begin_prompt(client, subject, &context));
    let call = match begun {
        Ok(call) => call,
        Err(LeaseRefusal::Refused(why)) => return Err(ErrorData::invalid_params(why, None)),
        Err(LeaseRefusal::Failed(error)) => return Err(error),
    };
    match rounds.carry(call).await? {
        Answer::Finished(Finished::Prompt(found), _) => Ok(found?.into()),
        Answer::Finished(..) => Err(ErrorData::internal_error("this was no prompt", None)),
        Answer::Asks(questions) => Ok(questions.into()),
    }
}

/// What a request is answered with.
enum Answer {
    Finished(Finished, Option<SessionLease>),
    Asks(InputRequiredResult),
}

/// One of the requests that bring some work to its end.
struct Rounds<'a> {
    client: &'a ClientState,
    context: &'a RequestContext<RoleServer>,
    /// Which waiting call the request goes on with.
    state: Option<String>,
    answers: Option<InputResponses>,
}

impl Rounds<'_> {
    /// The call this request goes on with, if it says that it does.
    fn resume(&self, subject: &Subject) -> Option<Result<OpenCall, LeaseRefusal>> {
        let state = self.state.as_deref().filter(|_| revision::is_stateless(self.context))?;
        Some(self.client.server.waiting.resume(state, subject).map_err(LeaseRefusal::Failed))
    }

    async fn carry(self, mut call: OpenCall) -> Result<Answer, ErrorData> {
        let stateless = revision::is_stateless(self.context);
        let level = match stateless {
            true => revision::log_level(self.context),
            false => Some(self.client.log_level()),
        };
        let mut carrier = Carrier::new(self.context, level, !stateless);
        let answers = self.answers.unwrap_or_default();
        loop {
            call.questions.answer(&answers);
            if let Some(needed) = call.questions.turn_away(&declared::of(self.context)) {
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            if !call.questions.is_empty() {
                return self.client.server.waiting.suspend(call).map(Answer::Asks);
            }
            if let Some(finished) = call.carry(&mut carrier).await? {
                return Ok(Answer::Finished(finished, call.place.take()));
            }
        }
    }
}

fn begin_call(
    client: &ClientState,
    subject: Subject,
    context: &RequestContext<RoleServer>,
) -> Result<OpenCall, LeaseRefusal> {
    let server = &client.server;
    let catalog = server.catalog();
    let allowed = Arc::clone(&catalog.names);
    let name = subject.name.clone();
    if !allowed.contains(&name) {
        let why = format!("Unknown tool: {name}. This server offers: {}", listed(&allowed));
        return Err(LeaseRefusal::Failed(ErrorData::invalid_params(why, None)));
    }
    let mut arguments = arguments(subject.arguments.clone());
    let place = lease_of(server, context, || {
        let wanted =
            catalog.has_session_argument(&name).then(|| arguments.remove(handles::ARGUMENT));
        wanted.flatten()
    })?;
    let session = place.as_ref().map_or_else(|| client.session(), |place| place.session.clone());
    let lasts = place.as_ref().is_none_or(SessionLease::lasts);
    let (caller, messages) = Caller::new(session.clone(), lasts, declared::of(context));
    let id = call_id(&session);
    let present = Some(server.callers.enter(id.clone(), caller.clone()));
    let sink = caller.clone();
    let cancel = CancellationToken::new();
    let parts = ContextParts {
        ids: CallIds {
            task_id: session.to_string(),
            session_id: session.to_string(),
            tool_call_id: id,
            ..CallIds::default()
        },
        cwd: server.cwd.clone(),
        cancellation: cancel.child_token(),
        progress: Some(Arc::new(move |note| sink.report(note))),
        services: (server.services)(&caller).with(Arc::new(caller)),
        ..ContextParts::default()
    };
    let call = ToolCall {
        context: parts,
        scope: server.catalog.scope().clone(),
        allowed: Some(allowed),
        ..ToolCall::new(name, Value::Object(arguments))
    };
    let runtime = server.runtime.clone();
    let work = async move { Finished::Call(runtime.call(call).await) };
    Ok(OpenCall::start(CallParts { subject, place, messages, present, cancel }, work))
}

fn begin_prompt(
    client: &ClientState,
    subject: Subject,
    context: &RequestContext<RoleServer>,
) -> Result<OpenCall, LeaseRefusal> {
    let server = &client.server;
    let place = lease_of(server, context, || None)?;
    let session = place.as_ref().map_or_else(|| client.session(), |place| place.session.clone());
    let (caller, messages) = Caller::new(session, place.is_none(), declared::of(context));
    let arguments = subject.arguments.clone().unwrap_or_default();
    let mut sources = server.prompts.iter();
    let Some(found) =
        sources.find_map(|source| source.get_asking(&subject.name, &arguments, &caller))
    else {
        let why = format!("There is no prompt `{}`", subject.name);
        return Err(LeaseRefusal::Failed(ErrorData::invalid_params(why, None)));
    };
    let cancel = CancellationToken::new();
    let stopped = cancel.clone();
    let work = async move {
        // Nobody hears the answer of a prompt that was cancelled.
        let found = stopped.run_until_cancelled(found).await;
        Finished::Prompt(
            found.unwrap_or_else(|| Err(super::SourceError::Failed("cancelled".into()))),
        )
    };
    Ok(OpenCall::start(CallParts { subject, place, messages, present: None, cancel }, work))
}

/// Where a request belongs that has no session.
fn lease_of(
    server: &Arc<ServerContext>,
    context: &RequestContext<RoleServer>,
    wanted: impl FnOnce() -> Option<Value>,
) -> Result<Option<SessionLease>, LeaseRefusal> {
    if !revision::stands_alone(context) {
        return Ok(None);
    }
    let ending = Arc::clone(server);
    let end = Arc::new(move |session: &str| ending.end_session(session));
    server.handles.enter(wanted().as_ref(), end).map(Some)
}

/// Many clients send `null` for what they do not set, and mean that it is not there.
fn arguments(given: Option<Map<String, Value>>) -> Map<String, Value> {
    let mut arguments = given.unwrap_or_default();
    arguments.retain(|_, value| !value.is_null());
    arguments
}

/// An id that is good for a file name.
fn call_id(session: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{session}_{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

fn listed(names: &BTreeSet<String>) -> String {
    match names.is_empty() {
        true => "no tools".to_owned(),
        false => names.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn null_means_not_given() {
        let given = json!({"path": "a", "limit": null, "deep": {"x": null}});
        let kept = arguments(given.as_object().cloned());
        assert_eq!(Value::Object(kept), json!({"path": "a", "deep": {"x": null}}));
        assert!(arguments(None).is_empty());
    }
}
