//! What becomes of a call that a script makes.
//!
//! It is a call like any other, of the same task and session, with the same person to ask: hooks,
//! approval, redaction and limits are where they always are. Three things are particular: only the
//! functions the script was given can be called, only so many times, and a command cannot be left
//! running, since nobody would look after it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use hermes_approval::Purpose;
use hermes_exec::code::AnswerCalls;
use hermes_files::state::ReaderKind;
use hermes_tool::{CallTools, ContextParts, InnerCall, Tool, ToolContext, ToolOutput};
use serde_json::{Map, Value, json};

use super::functions::Function;

/// What a script cannot ask of a command.
const NOT_FOR_SCRIPTS: [&str; 4] = ["background", "pty", "notify_on_complete", "watch_patterns"];
/// The tool they belong to.
const TERMINAL: &str = "terminal";

/// The calls of one script.
pub(super) struct Calls {
    tools: Option<Arc<dyn CallTools>>,
    context: ContextParts,
    cx: ToolContext,
    allowed: Vec<&'static str>,
    most: u64,
    asked: AtomicU64,
}

impl Calls {
    pub(super) fn new(
        cx: &ToolContext,
        functions: &[(&'static Function, Tool)],
        cwd: &str,
        most: u64,
    ) -> Self {
        let mut context = cx.to_parts();
        context.services =
            context.services.with(Arc::new(ReaderKind::Script)).with(Arc::new(Purpose::ScriptRpc));
        // A path means the same to a function as to the script itself.
        context.cwd = Some(PathBuf::from(cwd));
        context.deadline = None;
        context.progress = None;
        context.output = None;
        context.cancellation = cx.cancellation().child_token();
        Self {
            tools: cx.tools().cloned(),
            context,
            cx: cx.clone(),
            allowed: functions.iter().map(|(function, _)| function.name).collect(),
            most,
            asked: AtomicU64::new(0),
        }
    }

    /// How many were made.
    pub(super) fn made(&self) -> u64 {
        self.asked.load(Ordering::Relaxed).min(self.most)
    }

    /// The call, or why it is not made.
    fn admit(&self, tool: String, args: Map<String, Value>) -> Result<InnerCall, String> {
        if !self.allowed.contains(&tool.as_str()) {
            let known = match self.allowed.as_slice() {
                [] => "none can".to_owned(),
                names => format!("those that can: {}", names.join(", ")),
            };
            return Err(format!("'{tool}' cannot be called from a script; {known}"));
        }
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        if number > self.most {
            return Err(format!(
                "a script may make {} tool calls, and this one has made them all \
                 (code_execution.max_tool_calls)",
                self.most
            ));
        }
        self.cx.report(format!("{tool} (call {number})"), None);
        let mut context = self.context.clone();
        if !context.ids.tool_call_id.is_empty() {
            context.ids.tool_call_id = format!("{}_{number}", context.ids.tool_call_id);
        }
        let mut args = args;
        if tool == TERMINAL {
            args.retain(|name, _| !NOT_FOR_SCRIPTS.contains(&name.as_str()));
        }
        Ok(InnerCall { name: tool, args: Value::Object(args), context, time_limit: None })
    }
}

impl AnswerCalls for Calls {
    fn call(&self, tool: String, args: Map<String, Value>) -> BoxFuture<'static, String> {
        let admitted = self.admit(tool, args).map(|call| (call, self.tools.clone()));
        Box::pin(async move {
            match admitted {
                Ok((call, Some(tools))) => match tools.call(call).await {
                    ToolOutput::Text(text) => text,
                    other => other.to_value().to_string(),
                },
                Ok((_, None)) => json!({"error": "no tools can be called here"}).to_string(),
                Err(why) => json!({"error": why}).to_string(),
            }
        })
    }
}

impl Drop for Calls {
    /// Whatever is still under way when the script has ended is not wanted any more.
    fn drop(&mut self) {
        self.context.cancellation.cancel();
    }
}
