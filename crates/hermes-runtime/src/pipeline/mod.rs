//! The way of one tool call, top to bottom.
//!
//! Every entry point — the agent loop, `hermes tools call`, the MCP server, scripts, batches, cron,
//! plugins — comes through [`Runtime::call`] or its blocking twin. The steps:
//!
//! 1. arguments become an object and are coerced to the tool's schema;
//! 2. a tool-search bridge is answered, or unwrapped into the call it stands for;
//! 3. request middleware may change the arguments, which are then coerced again;
//! 4. a tool whose state the call does not bring ([`State`](hermes_tool::State)) says so;
//! 5. the gate: allow-list, `pre_tool_call` hooks, a person's approval, an editor's consent;
//! 6. the handler, inside execution middleware, under deadline, cancellation and panic barrier;
//! 7. `post_tool_call` hooks watch;
//! 8. `transform_tool_result` hooks may replace the result;
//! 9. a result too long for the model is saved to a file and replaced by a preview.
//!
//! What comes out is always a [`CallOutcome`] with well-formed text. Nothing a tool, a hook or a
//! middleware does makes these functions panic or return an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes_tool::{
    Args, CalledAs, ObservedCall, SessionVars, SpillRule, Tool, ToolContext, ToolError, ToolOutput,
    tell_observers,
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::bridge::{BRIDGE_LIMIT, block_on};
use crate::coerce::{Coercions, coerce};
use crate::hooks::HookEvent;
use crate::limits::{LimitAction, Threshold, limit_result};
use crate::runtime::Runtime;

mod deferred;
mod dispatch;
mod gate;
mod inner;
mod payload;
mod rehearse;
#[cfg(test)]
mod tests;

pub use crate::call::{CallOutcome, Dispatched, Disposition, Status, ToolCall, TurnState, Verdict};
pub use crate::error_text::{
    MAX_CHARS as MAX_ERROR_CHARS, PREFIX as ERROR_PREFIX, sanitise as sanitise_error,
};
pub use crate::middleware::{CallView, MIDDLEWARE_VERSION, Middleware, MiddlewareError, Next};
pub use gate::{EditGate, ReadOnlyGate};
pub use rehearse::{Rehearsal, RehearsedGate};

use deferred::Crossing;
use dispatch::{Attempt, dispatch};
pub(crate) use dispatch::{Lane, timeout_text};
pub(crate) use gate::Block;

/// A call that passed the gate. Only [`Runtime::admit`] makes one, so a handler cannot be reached
/// around the gate, and the gate is never passed twice for one call.
#[derive(Debug)]
pub(crate) struct Admitted {
    call: ToolCall,
    tool: Option<Tool>,
    args: Args,
}

impl Admitted {
    /// The tool that will run.
    pub(crate) fn name(&self) -> &str {
        &self.call.name
    }

    /// The arguments it will get.
    pub(crate) fn args(&self) -> &Args {
        &self.args
    }

    /// Puts the call under another cancellation.
    pub(crate) fn cancelled_by(&mut self, token: CancellationToken) {
        self.call.context.cancellation = token;
    }
}

impl Runtime {
    /// Makes a call from async code.
    pub async fn call(&self, call: ToolCall) -> CallOutcome {
        self.run(call, Lane::Async).await
    }

    /// Makes a call from sync code; also safe inside an async context.
    pub fn call_blocking(&self, call: ToolCall) -> CallOutcome {
        let name = call.name.clone();
        let runtime = self.clone();
        let lane = match tokio::runtime::Handle::try_current() {
            Ok(_) => Lane::Async,
            Err(_) => Lane::Blocking,
        };
        block_on(async move { runtime.run(call, lane).await }).unwrap_or_else(|| {
            let message = timeout_text(&name, BRIDGE_LIMIT);
            CallOutcome::ended(name, Status::Timeout, "tool_timeout", message, Map::new())
        })
    }

    async fn run(&self, call: ToolCall, lane: Lane) -> CallOutcome {
        match self.admit(call).await {
            Ok(admitted) => self.complete(admitted, lane).await,
            Err(refused) => *refused,
        }
    }

    /// Steps 1 to 5: everything before the handler. The answer is a call that may run, or the
    /// outcome of one that may not.
    pub(crate) async fn admit(&self, mut call: ToolCall) -> Result<Admitted, Box<CallOutcome>> {
        let mut tool = self.named(&mut call);
        let mut args = self.read_args(tool.as_ref(), std::mem::take(&mut call.args)).0;

        match self.cross_bridge(&call, &args) {
            None => {}
            Some(Crossing::Answered(answer)) => return Err(refused(call, answer)),
            Some(Crossing::Unwrapped { name, args: inner }) => {
                call.name = name;
                tool = self.named(&mut call);
                args = self.read_args(tool.as_ref(), Value::Object(inner)).0;
            }
        }
        args = self.request_middleware(tool.as_ref(), &mut call, args).await;
        if let Some(stub) = without_state(tool.as_ref(), &call) {
            return Err(refused(call, stub));
        }
        if let Err(block) = self.gate(tool.as_ref(), &call, &args).await {
            let Block { message, error_type } = block;
            let answer = Dispatched::ended(Status::Blocked, error_type, message, Map::new());
            self.observe(&call, &args, &answer.output, &answer.verdict(), Duration::ZERO).await;
            return Err(refused(call, answer));
        }
        Ok(Admitted { call, tool, args })
    }

    /// Steps 6 to 9: the handler and what comes after it.
    pub(crate) async fn complete(&self, admitted: Admitted, lane: Lane) -> CallOutcome {
        let Admitted { call, tool, args } = admitted;
        let started = Instant::now();
        // Hooks after the call show the arguments; nobody listening, nothing to keep.
        let shown = (self.hooks().listens(HookEvent::PostToolCall)
            || self.hooks().listens(HookEvent::TransformToolResult))
        .then(|| args.clone());
        let declared = tool.as_ref().map(Tool::result_limit).unwrap_or_default();
        let spill = tool.as_ref().map(|tool| tool.policy().spill).unwrap_or_default();
        let mut result = self.execute(tool, &call, args, lane).await;
        let duration = started.elapsed();

        if let Some(args) = shown {
            let verdict = result.verdict();
            self.observe(&call, &args, &result.output, &verdict, duration).await;
            self.transform(&call, &args, &mut result, &verdict, duration).await;
        }
        let (id, limits) = (call.context.ids.tool_call_id, call.limits);
        let mut outcome =
            CallOutcome { duration, trace: call.trace, ..CallOutcome::of(call.name, result) };
        let threshold = match &limits {
            _ if spill == SpillRule::Never => Threshold::Unlimited,
            Some(limits) => limits.threshold(&outcome.tool, declared),
            None => self.settings().limits.threshold(&outcome.tool, declared),
        };
        self.limit(&mut outcome, &id, threshold).await;
        outcome
    }

    /// The tool of a call; one that used to have the name is called by its present one from here on,
    /// so that hooks, rules and results know one name.
    pub(crate) fn named(&self, call: &mut ToolCall) -> Option<Tool> {
        let tool = self.registry().find(&call.name)?;
        if **tool.name() != *call.name {
            let older = std::mem::replace(&mut call.name, tool.name().to_string());
            call.context.services = call.context.services.with(Arc::new(CalledAs(older)));
        }
        Some(tool)
    }

    /// Step 1: an object, coerced.
    fn read_args(&self, tool: Option<&Tool>, args: Value) -> (Args, Coercions) {
        let mut args = match args {
            Value::Object(args) => args,
            _ => Map::new(),
        };
        let changes = self.coerce_for(tool, &mut args);
        (args, changes)
    }

    fn coerce_for(&self, tool: Option<&Tool>, args: &mut Args) -> Coercions {
        match tool {
            Some(tool) if !args.is_empty() => {
                coerce(args, tool.parameters(), self.settings().coercion)
            }
            _ => Coercions::default(),
        }
    }

    /// Step 3.
    async fn request_middleware(
        &self,
        tool: Option<&Tool>,
        call: &mut ToolCall,
        args: Args,
    ) -> Args {
        if !self.middleware().has_requests() {
            return args;
        }
        let view = view(call, args);
        let (args, trace) = self
            .middleware()
            .request(view, |args| {
                self.coerce_for(tool, args);
            })
            .await;
        call.trace.extend(trace);
        args
    }

    /// Step 6.
    async fn execute(
        &self,
        tool: Option<Tool>,
        call: &ToolCall,
        args: Args,
        lane: Lane,
    ) -> Dispatched {
        let Some(tool) = tool else {
            return Dispatched::error(format!("Unknown tool: {}", call.name));
        };
        let (ids, services) = (&call.context.ids, &call.context.services);
        tell_observers(ObservedCall { tool: &call.name, ids, services });
        let time_limit = call.time_limit.or(tool.policy().deadline);
        let cx = self.context(call, time_limit);
        if !self.middleware().has_executions() {
            return dispatch(&tool, args, Attempt { cx, lane, time_limit }).await;
        }
        let core = move |args| -> hermes_tool::BoxFuture<Dispatched> {
            let (tool, cx) = (tool.clone(), cx.clone());
            Box::pin(async move { dispatch(&tool, args, Attempt { cx, lane, time_limit }).await })
        };
        self.middleware().execute(view(call, args), Arc::new(core)).await
    }

    /// What the handler may know. The handler gets a cancellation of its own below the caller's, so
    /// that a deadline stops this call and no other.
    fn context(&self, call: &ToolCall, time_limit: Option<Duration>) -> ToolContext {
        let mut parts = call.context.clone();
        let settings = self.settings();
        parts.vars = match parts.services.get::<SessionVars>() {
            Some(own) => settings.vars.overlaid(own.0.iter().cloned()),
            None => settings.vars.clone(),
        };
        parts.config = Arc::clone(&settings.config);
        if parts.enabled_tools.is_empty() {
            parts.enabled_tools = self.visible_tools();
        }
        if let Some(allowed) = &call.allowed {
            let tables = self.registry().snapshot();
            let may = |name: &&Arc<str>| gate::is_listed(allowed, name, tables.get(name));
            parts.enabled_tools = parts.enabled_tools.iter().filter(may).cloned().collect();
        }
        parts.tools = Some(self.caller());
        // Only a tool can raise this one, so it needs the hooks; others never look.
        if self.hooks().listens(HookEvent::TransformTerminalOutput) {
            parts.services = parts.services.with(Arc::clone(self.hooks()));
        }
        if let Some(limit) = time_limit {
            parts.deadline = Some(Instant::now() + limit);
            parts.cancellation = call.context.cancellation.child_token();
        }
        parts.into()
    }

    /// Step 7.
    async fn observe(
        &self,
        call: &ToolCall,
        args: &Args,
        output: &ToolOutput,
        verdict: &Verdict,
        duration: Duration,
    ) {
        if self.hooks().listens(HookEvent::PostToolCall) {
            let payload = payload::result_payload(call, args, output, verdict, duration);
            self.hooks().raise(HookEvent::PostToolCall, payload).await;
        }
    }

    /// Step 8: the first text a hook returns, even an empty one, becomes the result.
    async fn transform(
        &self,
        call: &ToolCall,
        args: &Args,
        result: &mut Dispatched,
        verdict: &Verdict,
        duration: Duration,
    ) {
        if !self.hooks().listens(HookEvent::TransformToolResult) {
            return;
        }
        let mut payload = payload::result_payload(call, args, &result.output, verdict, duration);
        payload.shift_remove("middleware_trace");
        let returned = self.hooks().raise(HookEvent::TransformToolResult, payload).await;
        let text = returned.into_iter().find_map(|value| match value {
            Value::String(text) => Some(text),
            _ => None,
        });
        if let Some(text) = text {
            result.output = ToolOutput::Text(text);
        }
    }

    /// Step 9.
    async fn limit(&self, outcome: &mut CallOutcome, id: &str, threshold: Threshold) {
        let ToolOutput::Text(text) = &mut outcome.output else { return };
        if !threshold.is_exceeded_by(text) {
            return;
        }
        // The verdict is read from the whole result, not from its preview.
        outcome.verdict = Some(
            outcome.verdict.take().unwrap_or_else(|| Verdict::of(&ToolOutput::Text(text.clone()))),
        );
        let id = if id.is_empty() { fresh_id(&outcome.tool) } else { id.to_owned() };
        let limited = limit_result(std::mem::take(text), &id, threshold, self.spill()).await;
        if let LimitAction::Spilled { path, .. } = &limited.action {
            outcome.spilled_to = Some(path.clone());
        }
        *text = limited.text;
    }
}

/// Step 4.
fn without_state(tool: Option<&Tool>, call: &ToolCall) -> Option<Dispatched> {
    let states = tool.map_or(&[][..], Tool::states);
    let is_missing = states.iter().any(|state| !state.is_in(&call.context.services));
    is_missing.then(|| Dispatched::failed(&ToolError::needs_agent(&call.name)))
}

fn view(call: &ToolCall, args: Args) -> CallView {
    CallView {
        tool_name: call.name.as_str().into(),
        original_args: args.clone(),
        args,
        ids: call.context.ids.clone(),
    }
}

fn refused(call: ToolCall, answer: Dispatched) -> Box<CallOutcome> {
    Box::new(CallOutcome { trace: call.trace, ..CallOutcome::of(call.name, answer) })
}

/// An id for a result whose call has none.
fn fresh_id(tool: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{tool}_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
