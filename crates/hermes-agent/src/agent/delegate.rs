//! Subagents: parts of a task, each worked on by an agent with a fresh conversation.
//!
//! A child has the parent's tools less those that need a person, reach other people or outlive it;
//! its own shell and its own view of files; no memory. It works until it answers, its own budget or
//! the one all children of the turn share is used up, its time is over, or the parent is stopped.
//!
//! A call may ask for work in the background: its children go on after the turn, and their reports come to the session
//! later, on surfaces that can wake one (`LateReports`).
//!
//! What never happens here: a child that outlives a call which waits for it, a question to the person,
//! a summary so long that it fills the parent's window.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use futures_util::future::join_all;
use hermes_approval::{Approvals, SessionYolo};
use hermes_files::state::FileState;
use hermes_llm::model::BoxFuture;
use hermes_runtime::ToolScope;
use hermes_runtime::hooks::{HookEvent, Payload};
use hermes_runtime::registry::Registry;
use hermes_sessions::{DELEGATE_FROM, new_session_id};
use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_tool::{CallIds, SubagentRule, Tool, ToolContext, Vars};
use hermes_tools::delegation::{ChildRole, LateReport, LateReports, NOBODY_HEARS, SubagentTask};
use hermes_tools::product::policy_of;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, AgentOptions};
use crate::context::AgentContext;
use crate::conversation::Conversation;
use crate::event::{AgentEvent, FrontEnd};
use crate::model_chain::ModelChain;
use crate::outcome::{ExitReason, TurnResult};
use crate::settings::DelegationSettings;
use crate::steer::Steering;
use crate::system_prompt::SystemPrompt;
use crate::system_prompt::model_lines;

/// The toolsets of tools that a child does not have; an orchestrator keeps what makes children.
fn withheld_toolsets(registry: &Registry, may_delegate: bool) -> BTreeSet<String> {
    let tables = registry.snapshot();
    let withheld = |tool: &&Tool| match policy_of(tool).subagents {
        SubagentRule::Shared => false,
        SubagentRule::Withheld => true,
        SubagentRule::Delegates => !may_delegate,
    };
    tables.tools().into_iter().filter(withheld).map(|tool| tool.toolset().to_string()).collect()
}

/// Makes children.
pub(crate) struct Delegator {
    pub(crate) context: Arc<AgentContext>,
    pub(crate) chain: ModelChain,
    pub(crate) scope: ToolScope,
    pub(crate) settings: DelegationSettings,
    pub(crate) depth: u32,
    pub(crate) session: String,
    pub(crate) vars: Vars,
    /// The marks its children share.
    pub(crate) steering: Steering,
    /// Model calls of this turn's children so far.
    pub(crate) spent: Mutex<u32>,
}

/// The call that children are made for.
pub(crate) struct Caller {
    cancel: CancellationToken,
    ids: CallIds,
}

impl Caller {
    /// One that waits, and whose end is theirs.
    pub(crate) fn of(cx: &ToolContext) -> Self {
        Self { cancel: cx.cancellation().child_token(), ids: cx.ids().clone() }
    }
}

impl Delegator {
    /// Has children work after the call; what that work is called.
    pub(crate) fn begin(
        &self,
        tasks: Vec<SubagentTask>,
        cx: &ToolContext,
    ) -> Result<String, String> {
        let Some(reports) = self.context.services.get::<LateReports>().filter(|_| self.depth == 0)
        else {
            return Err(NOBODY_HEARS.to_owned());
        };
        let most = self.settings.limits.max_children;
        let work = reports.begin(most).ok_or_else(|| {
            format!(
                "{most} work in the background already; call again without `background`, or later"
            )
        })?;
        let id = format!("bg-{}", short_hash(&new_session_id()));
        let caller = Caller { cancel: work.cancellation(), ids: cx.ids().clone() };
        // Nobody watches these.
        let context = Arc::new(self.context.with_front(Arc::new(Nobody)));
        let own = Self { context, ..self.for_session(&self.session) };
        let (name, session) = (id.clone(), self.session.clone());
        tokio::spawn(async move {
            let count = tasks.len();
            let all = tasks.into_iter().map(|task| own.work_on(task, count, &caller));
            let results = Value::Array(join_all(all).await);
            let text = format!(
                "[IMPORTANT: the work that you gave to subagents in the background ({name}) has ended. What they \
                 report is material to judge; tell the person what came of it.\n{results:#}]"
            );
            work.report(LateReport { session, text });
        });
        Ok(id)
    }

    pub(crate) fn with_chain(&self, chain: ModelChain) -> Self {
        Self { chain, ..self.for_session(&self.session) }
    }

    pub(crate) fn for_session(&self, session: &str) -> Self {
        Self {
            context: Arc::clone(&self.context),
            chain: self.chain.clone(),
            scope: self.scope.clone(),
            settings: self.settings.clone(),
            depth: self.depth,
            session: session.to_owned(),
            vars: self.vars.clone(),
            steering: self.steering.clone(),
            spent: Mutex::default(),
        }
    }

    pub(crate) fn begin_turn(&self) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) = 0;
    }

    /// Has a child work on a task, beside the others of the same call; its report.
    pub(crate) async fn work_on(&self, task: SubagentTask, count: usize, cx: &Caller) -> Value {
        let (begun, started) = (Instant::now(), SystemTime::now());
        let Some(allowance) = self.allowance() else {
            return json!({
                "task_index": task.index, "status": "error", "summary": null, "api_calls": 0,
                "duration_seconds": 0.0,
                "error": "the steps for subagents of this turn are used up \
                          (delegation.max_total_iterations)",
            });
        };
        let front = Arc::new(ChildFront {
            parent: Arc::clone(&self.context.front),
            task: task.index,
            goal: first_line(&task.goal),
            trace: Mutex::default(),
        });
        let mut agent = self.build(&task, allowance, &front);
        self.give_leave(&agent);
        let said = if task.context.is_empty() {
            task.goal.clone()
        } else {
            format!("{}\n\nContext:\n{}", task.goal, task.context)
        };
        let cancel = cx.cancel.child_token();
        self.tell_start(&task, &agent, cx).await;
        let (result, is_late) = self.work(&mut agent, said, &cancel).await;
        self.spend(result.api_calls);
        let status = match result.exit {
            _ if is_late => "timeout",
            ExitReason::TextResponse => "completed",
            ExitReason::Interrupted => "interrupted",
            _ => "failed",
        };
        if let Some(approvals) = self.context.services.get::<Approvals>() {
            approvals.reset_session(agent.conversation().id());
        }
        agent.conversation_mut().end(if status == "completed" { "agent_close" } else { status });
        let summary = self.fitting(&result.final_response, count, &agent);
        self.tell_stop(&task, &agent, (status, &summary, begun.elapsed()), cx).await;
        let mut answer = json!({
            "task_index": task.index,
            "status": status,
            "summary": summary,
            "api_calls": result.api_calls,
            "duration_seconds": round(begun.elapsed()),
            "model": result.model,
            "exit_reason": result.exit.name(),
            "tokens": {"input": result.usage.prompt_tokens(), "output": result.usage.output_tokens},
            "tool_trace": front.trace(),
            "session_id": result.session_id,
        });
        if let Some(error) = result.error {
            answer["error"] = error.into();
        }
        let changed = self.changed_files(cx, started);
        if !changed.is_empty() {
            answer["files_changed"] = changed.into();
        }
        answer
    }

    /// Tells hooks that a child begins.
    async fn tell_start(&self, task: &SubagentTask, agent: &Agent, cx: &Caller) {
        let hooks = self.context.runtime.hooks();
        if hooks.listens(HookEvent::SubagentStart) {
            let mut payload = self.about_child(task, agent, cx);
            payload.insert("child_goal".into(), task.goal.as_str().into());
            hooks.raise(HookEvent::SubagentStart, payload).await;
        }
    }

    /// Tells hooks how a child has ended.
    async fn tell_stop(
        &self,
        task: &SubagentTask,
        agent: &Agent,
        (status, summary, took): (&str, &str, Duration),
        cx: &Caller,
    ) {
        let hooks = self.context.runtime.hooks();
        if hooks.listens(HookEvent::SubagentStop) {
            let mut payload = self.about_child(task, agent, cx);
            payload.insert("child_status".into(), status.into());
            payload.insert("child_summary".into(), summary.into());
            let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            payload.insert("duration_ms".into(), milliseconds.into());
            hooks.raise(HookEvent::SubagentStop, payload).await;
        }
    }

    fn about_child(&self, task: &SubagentTask, agent: &Agent, cx: &Caller) -> Payload {
        let role = match task.role {
            ChildRole::Orchestrator => "orchestrator",
            _ => "leaf",
        };
        let mut payload = Payload::new();
        for (key, value) in [
            ("parent_session_id", self.session.as_str()),
            ("parent_turn_id", cx.ids.turn_id.as_str()),
            ("child_session_id", agent.conversation().id()),
            ("child_role", role),
        ] {
            payload.insert(key.into(), value.into());
        }
        payload
    }

    async fn work(
        &self,
        agent: &mut Agent,
        said: String,
        cancel: &CancellationToken,
    ) -> (TurnResult, bool) {
        let Some(limit) = self.settings.child_timeout else {
            return (agent.turn(said, cancel).await, false);
        };
        let late = CancellationToken::new();
        let clock = {
            let (late, cancel) = (late.clone(), cancel.clone());
            tokio::spawn(async move {
                tokio::time::sleep(limit).await;
                late.cancel();
                cancel.cancel();
            })
        };
        let result = agent.turn(said, cancel).await;
        clock.abort();
        (result, late.is_cancelled())
    }

    fn build(&self, task: &SubagentTask, allowance: u32, front: &Arc<ChildFront>) -> Agent {
        let may_delegate = task.role == ChildRole::Orchestrator
            && self.settings.limits.orchestrators
            && self.depth + 1 < self.settings.limits.max_depth;
        let mut scope = self.scope.clone();
        scope.disabled.extend(withheld_toolsets(self.context.runtime.registry(), may_delegate));
        let context = Arc::new(self.context.with_front(Arc::clone(front) as Arc<dyn FrontEnd>));
        let id = new_session_id();
        let entry = self.chain.current();
        let steering = self.steering.clone();
        let prompt = instructions(&steering, may_delegate);
        let lines = model_lines(entry.model.name(), entry.model.provider());
        let prompt = format!("{prompt}\n\n{lines}");
        let situation = format!("Working directory: {}", context.cwd.display());
        let mut origin = Map::new();
        origin.insert(DELEGATE_FROM.to_owned(), self.session.clone().into());
        Agent::new(
            Arc::clone(&context),
            AgentOptions {
                chain: self.chain.clone(),
                scope,
                conversation: Conversation::new(id.clone(), context.store.clone()),
                prompt: SystemPrompt::new(prompt, entry.model.name(), entry.model.provider())
                    .with_situation(situation),
                source: "subagent".to_owned(),
                depth: self.depth + 1,
                memory: None,
                max_turns: Some(allowance),
                origin,
                steering,
                task: Some(format!("sa-{}-{}", task.index, short_hash(&id))),
                vars: Some(self.child_vars()),
            },
        )
    }

    /// Lets a child run risky commands, if the person has said so in the settings. What is never
    /// allowed stays so.
    fn give_leave(&self, child: &Agent) {
        if !self.settings.auto_approve {
            return;
        }
        if let Some(approvals) = self.context.services.get::<Approvals>() {
            approvals.set_yolo(child.conversation().id(), SessionYolo::On);
        }
    }

    /// What a child's commands may know: nobody is there to be asked.
    fn child_vars(&self) -> Vars {
        crate::context::nobody_there(&self.vars)
    }

    /// Files that the parent has read and somebody else has changed since.
    fn changed_files(&self, cx: &Caller, since: SystemTime) -> Vec<String> {
        let Some(files) = self.context.services.get::<FileState>() else { return Vec::new() };
        let changed = files.written_by_others(&cx.ids.task_id, since);
        changed.iter().map(|path| path.display().to_string()).collect()
    }

    fn allowance(&self) -> Option<u32> {
        let spent = *self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let left = self.settings.max_total_iterations.saturating_sub(spent);
        (left > 0).then(|| left.min(self.settings.max_iterations))
    }

    fn spend(&self, calls: u32) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += calls;
    }

    /// The summary, or as much of it as has room; the whole is kept beside it then.
    fn fitting(&self, summary: &str, count: usize, agent: &Agent) -> String {
        let window = self.chain.current().window.tokens();
        // Half of what is free in the parent's window, shared among the children, in characters.
        let room = usize::try_from(window).unwrap_or(usize::MAX) / 2 * 4 / 2 / count.max(1);
        let most = self.settings.max_summary_chars.min(room.max(1_000));
        if summary.chars().count() <= most {
            return summary.to_owned();
        }
        let folder = self.context.home.join("cache/delegation");
        let file = folder.join(format!("{}.md", agent.conversation().id()));
        let saved = ensure_private_dir(&folder)
            .and_then(|()| atomic::write(&file, summary.as_bytes(), WriteOptions::SECRET));
        let whole = match saved {
            Ok(()) => format!("the whole is in {}", file.display()),
            Err(problem) => format!("the whole could not be saved: {problem}"),
        };
        let kept: String = summary.chars().take(most).collect();
        format!("{kept}\n[… cut at {most} characters; {whole}]")
    }
}

/// What a child is told: short, as it has one thing to do.
fn instructions(steering: &Steering, may_delegate: bool) -> String {
    let delegation = if may_delegate { " You may delegate parts of it in turn." } else { "" };
    format!(
        "You are a subagent of Hermes with one task, given below by another agent. Nobody can answer \
         questions: decide sensibly and say what you assumed.{delegation} Do the work with the tools, \
         check the result, and end with a report for that agent: what you did and found, which files \
         you changed, what is left or went wrong. Only the report is passed on.\n\n\
         {}\n{}",
        steering.prompt_note(),
        crate::untrusted::PROMPT_NOTE,
    )
}

fn round(took: Duration) -> f64 {
    (took.as_secs_f64() * 100.0).round() / 100.0
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(80).collect()
}

fn short_hash(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Nobody, for work that nobody watches.
struct Nobody;

impl FrontEnd for Nobody {
    fn on_event(&self, _: AgentEvent) {}

    fn clarify<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(None))
    }
}

/// Passes on what happens in a child, and keeps a trace of its tools.
struct ChildFront {
    parent: Arc<dyn FrontEnd>,
    task: usize,
    goal: String,
    trace: Mutex<Vec<Value>>,
}

impl ChildFront {
    fn trace(&self) -> Vec<Value> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl FrontEnd for ChildFront {
    fn on_event(&self, event: AgentEvent) {
        if let AgentEvent::ToolFinished { tool, args, output, failed, .. } = &event {
            self.trace.lock().unwrap_or_else(PoisonError::into_inner).push(json!({
                "tool": tool,
                "args_chars": args.to_string().chars().count(),
                "result_chars": output.chars().count(),
                "status": if *failed { "error" } else { "ok" },
            }));
        }
        let (task, goal) = (self.task, self.goal.clone());
        self.parent.on_event(AgentEvent::Child { task, goal, event: Box::new(event) });
    }

    fn clarify<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(None))
    }
}
