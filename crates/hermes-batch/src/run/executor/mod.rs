//! One attempt at a task: a fresh agent in a place of its own.
//!
//! Place made → files put there → set-up → the agent's turn → check → place removed. Commands of the row (`setup`,
//! `verify`) pass the gate like those of a model: data sets come from strangers, and nobody is there to be asked.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_agent::{AgentEvent, ChainModel, ExitReason, FrontEnd, ModelChain, TurnResult};
use hermes_guard::redact::RedactMode;
use hermes_host::{NOBODY_ANSWERS, SessionModels, TaskAgentOptions, TaskAgents};
use hermes_llm::model::{BoxFuture, Effort};
use hermes_llm::provider::EndpointChoice;
use hermes_llm::{Message, Secret};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

mod place;

use place::still_there;

use super::companion::{PlaceTools, TaskCompanion};
use super::limiter::{MeteredModel, TaskMeter};
use super::permits::Permits;
use super::progress::Running;
use super::task::{AttemptOutcome, BatchTask, TaskExecutor, class_of, is_policy};
use super::toolsets::{ToolsetDraw, unknown};
use crate::BatchError;
use crate::dataset::hex;
use crate::filter::FilterSet;
use crate::options::RunOptions;
use crate::record::{TaskRecord, TaskStatus, Verified};
use crate::store::RunFolder;
use crate::trajectory;

/// Characters kept of what a check wrote.
const VERIFY_CHARS: usize = 4_000;
/// The section of the settings that says whom an aggregator may ask.
const ROUTING: &str = "provider_routing";
/// Messages kept of an attempt that failed.
const FAILED_MESSAGES: usize = 6;

/// What an executor is made with.
pub struct ExecutorOptions {
    /// The folder of the run.
    pub folder: RunFolder,
    /// How tasks are run.
    pub options: RunOptions,
    /// The id of the run, which its containers carry.
    pub run: String,
    /// Which of the configurations of the run this is.
    pub generation: u32,
    /// Which start of the run this is.
    pub epoch: u64,
    /// A key that is not looked up.
    pub api_key: Option<String>,
    /// Says when a request may go.
    pub permits: Arc<dyn Permits>,
    /// What runs at the moment, for whoever looks.
    pub running: Arc<Running>,
    /// Brings the model of each attempt and judges what came of it; without one it is as configured.
    pub companion: Option<Arc<dyn TaskCompanion>>,
}

/// Tries tasks with agents of this process.
pub struct AgentExecutor {
    agents: TaskAgents,
    setup: ExecutorOptions,
    draw: ToolsetDraw,
    effort: Option<Effort>,
    filters: FilterSet,
    prefill: Vec<Message>,
    models: Mutex<HashMap<Option<String>, ModelChain>>,
    /// Images that are known to be here.
    images: Mutex<HashSet<Option<String>>>,
    tools_written: Mutex<HashMap<String, ()>>,
    model: String,
}

/// What went wrong before or beside the model.
struct Trouble {
    class: &'static str,
    reason: String,
}

impl Trouble {
    #[expect(clippy::needless_pass_by_value, reason = "errors are handed over where they come up")]
    fn new(class: &'static str, reason: impl ToString) -> Self {
        Self { class, reason: reason.to_string() }
    }
}

impl AgentExecutor {
    /// Checks what can be checked before the first token is spent.
    ///
    /// # Errors
    /// If no model can be asked, or the options name what is not there.
    pub async fn new(agents: TaskAgents, setup: ExecutorOptions) -> Result<Self, BatchError> {
        let runtime = agents.tools().runtime();
        let options = &setup.options;
        let draw = ToolsetDraw::of(options, agents.host().config().value(), runtime)?;
        let effort = options.reasoning_effort.as_deref();
        let effort = effort
            .map(|word| {
                Effort::ALL
                    .into_iter()
                    .find(|effort| effort.as_str() == word)
                    .ok_or_else(|| BatchError::usage(format!("`{word}` is no reasoning effort")))
            })
            .transpose()?;
        let prefill = options.prefill.iter().map(|message| {
            serde_json::from_value(message.clone())
                .map_err(|error| BatchError::usage(format!("the prefill messages: {error}")))
        });
        let prefill = prefill.collect::<Result<_, _>>()?;
        let mut models = HashMap::new();
        let model = match &setup.companion {
            Some(companion) => companion.model().to_owned(),
            None => {
                let chain = chain(&agents, &setup, None).await?;
                let name = chain.primary().model.name().to_owned();
                models.insert(None, chain);
                name
            }
        };
        let models = Mutex::new(models);
        let tables = runtime.registry().snapshot();
        let known: Vec<&str> = tables.tools().into_iter().map(|tool| &**tool.name()).collect();
        let (file, text) = ("tools/known.json", json!(known).to_string());
        // A start that finds it there needs no room on the disk for it.
        if std::fs::read(setup.folder.path(file)).ok().as_deref() != Some(text.as_bytes()) {
            setup.folder.write(file, text.as_bytes())?;
        }
        let known = known.iter().map(|name| (*name).to_owned());
        let filters = FilterSet::new(&options.filters, known)?;
        let tools_written = Mutex::default();
        let images = Mutex::default();
        Ok(Self {
            agents,
            setup,
            draw,
            effort,
            filters,
            prefill,
            models,
            images,
            tools_written,
            model,
        })
    }

    /// The model that tasks are worked on with, unless their row names another.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    async fn chain(&self, row_model: Option<&str>) -> Result<ModelChain, Trouble> {
        let key = row_model.map(str::to_owned);
        let known = self.models.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let made = chain(&self.agents, &self.setup, row_model).await;
        let made = made.map_err(|error| Trouble::new("config", error))?;
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(models.entry(key).or_insert(made).clone())
    }

    async fn run(&self, task: &BatchTask, stop: &CancellationToken) -> AttemptOutcome {
        let place = self.place_of(task);
        let meter = Arc::new(TaskMeter::default());
        let started = jiff::Timestamp::now();
        let mut record = task.begun(&self.model, self.setup.epoch, started);
        record.generation = self.setup.generation;
        if let Some(restarts) = self.agents.host().vars().get("SLURM_RESTART_COUNT") {
            record.metadata["slurm_restart_count"] = json!(restarts.parse::<u64>().unwrap_or(0));
        }
        let ended = self.work(task, &place, &meter, &mut record, stop).await;
        let environments = self.agents.tools().environments();
        environments.close(&place.key).await;
        environments.forget(&place.key);
        if let Err(error) = std::fs::remove_dir_all(&place.folder)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, folder = %place.folder.display(), "a task's folder stays");
        }
        record.usage = meter.usage();
        record.timing.model_ms = millis(meter.asked());
        record.timing.wait_ms = millis(meter.waited());
        record.timing.end = jiff::Timestamp::now().to_string();
        match ended {
            _ if stop.is_cancelled() => AttemptOutcome::Cancelled { usage: record.usage },
            Ok(()) => AttemptOutcome::Recorded(Box::new(record)),
            Err(trouble) => {
                record.status = TaskStatus::Failed;
                record.class = Some(trouble.class.to_owned());
                record.reason = Some(self.masked(&trouble.reason, &mut record.redactions));
                record.completed = false;
                record.conversations = None;
                if let Value::Array(messages) = &mut record.messages {
                    let kept = messages.len().saturating_sub(FAILED_MESSAGES);
                    messages.drain(..kept);
                }
                AttemptOutcome::Failed(Box::new(record))
            }
        }
    }

    async fn work(
        &self,
        task: &BatchTask,
        place: &place::TaskWorkspace,
        meter: &Arc<TaskMeter>,
        record: &mut TaskRecord,
        stop: &CancellationToken,
    ) -> Result<(), Trouble> {
        let options = &self.setup.options;
        let runtime = self.agents.tools().runtime();
        if let Some(own) = &task.row.toolsets
            && let Some(name) = unknown(runtime, own.iter().map(String::as_str))
        {
            return Err(Trouble::new(
                "config",
                format!("the row names the unknown toolset `{name}`"),
            ));
        }
        let cwd = self.prepare(task, place)?;
        let mut variables: Vec<(String, String)> =
            task.row.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        variables.push(("HERMES_TASK_SEED".to_owned(), task.seed.to_string()));
        let environments = self.agents.tools().environments();
        environments.grant(&place.key, variables.clone());
        // Held to the end: a model that thinks for long, or waits for leave, must find everything as it left it.
        let held = match self.is_contained(place)? {
            true => Some(self.started(task, place).await?),
            false => None,
        };
        if held.is_some() {
            self.put_files(task, place, stop).await?;
        }
        if let Some(setup) = task.row.setup.as_ref().or(options.setup.as_ref()) {
            let ran = self.command(setup, place, &variables, stop).await?;
            if ran.code != 0 {
                let said = tail(&ran.output, 500);
                return Err(Trouble::new(
                    "infra.sandbox",
                    format!("set-up ended with {}: {said}", ran.code),
                ));
            }
        }
        let toolsets = self.draw.of_task(task, runtime);
        record.toolsets_used.clone_from(&toolsets);
        let side = self.setup.companion.as_ref().map(|companion| companion.begin(task));
        let chain = match &side {
            Some(side) => side.chain(),
            None => self.chain(task.row.model.as_deref()).await?,
        };
        let model = chain.primary().model.name().to_owned();
        let cancel = stop.child_token();
        let out_of_tokens = CancellationToken::new();
        let chain = chain.map(|entry| self.metered(entry, task, meter, &out_of_tokens));
        let front = Arc::new(TaskFront {
            running: Arc::clone(&self.setup.running),
            task: task.number,
            tools: Mutex::default(),
        });
        let mut agent = self.agents.agent(TaskAgentOptions {
            task: place.key.clone(),
            toolsets,
            cwd,
            chain,
            system: task.row.system.clone().or_else(|| options.ephemeral_system_prompt.clone()),
            prefill: self.prefill.clone(),
            max_turns: task.row.max_turns.unwrap_or(options.max_turns).max(1),
            variables: Vec::new(),
            platform: "batch".to_owned(),
            front: Arc::clone(&front) as Arc<dyn FrontEnd>,
        });
        let limit = task.row.timeout_s.unwrap_or(options.row_timeout_s);
        let limit = Duration::try_from_secs_f64(limit).unwrap_or(Duration::from_secs(1800));
        let mut is_late = false;
        let result = {
            let mut turn = std::pin::pin!(agent.turn(task.row.prompt.clone(), &cancel));
            let began = Instant::now();
            loop {
                // The clock of a task stands still while it waits for permission to ask.
                let left = (limit + meter.waited()).saturating_sub(began.elapsed());
                tokio::select! {
                    result = &mut turn => break result,
                    () = out_of_tokens.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
                    () = tokio::time::sleep(left), if !cancel.is_cancelled() => {
                        is_late = (limit + meter.waited()) <= began.elapsed();
                        if is_late {
                            cancel.cancel();
                        }
                    }
                }
            }
        };
        record.timing.tools_ms =
            millis(*front.tools.lock().unwrap_or_else(PoisonError::into_inner));
        let functions = Value::Array(agent.tool_functions().to_vec());
        let skipped = self.prefill.len();
        let messages: Vec<Value> = agent
            .conversation()
            .messages()
            .iter()
            .skip(skipped)
            .map(|message| serde_json::to_value(message).unwrap_or_default())
            .collect();
        drop(agent);
        still_there(held.as_deref())?;
        record.metadata["model"] =
            json!(if result.model.is_empty() { &model } else { &result.model });
        self.fill(record, task, messages, &functions)?;
        let early = side.as_ref().and_then(|side| side.ended_early());
        judge(record, &result, is_late, out_of_tokens.is_cancelled(), early)?;
        if let Some(verify) = task.row.verify.as_ref().or(options.verify.as_ref())
            && record.status.has_trajectory()
        {
            let ran = self.command(verify, place, &variables, stop).await;
            let ran = ran.map_err(|trouble| Trouble::new("infra.verify", trouble.reason))?;
            still_there(held.as_deref())?;
            let output = self.masked(&tail(&ran.output, VERIFY_CHARS), &mut record.redactions);
            record.verify = Some(Verified { exit_code: ran.code, passed: ran.code == 0, output });
        }
        if let Some(side) = &side {
            let tools =
                Arc::new(PlaceTools::of(&self.agents, &place.key, &record.toolsets_used, stop));
            let judged = side.finished(task, record, tools).await;
            judged.map_err(|reason| Trouble::new("infra.verify", reason))?;
        }
        self.filter(record);
        Ok(())
    }

    fn metered(
        &self,
        entry: ChainModel,
        task: &BatchTask,
        meter: &Arc<TaskMeter>,
        out_of_tokens: &CancellationToken,
    ) -> ChainModel {
        let options = &self.setup.options;
        let ChainModel { model, window, pricing } = entry;
        let temperature = task.row.temperature.or(options.temperature);
        let model = Arc::new(MeteredModel {
            inner: model,
            pricing: pricing.clone(),
            permits: Arc::clone(&self.setup.permits),
            meter: Arc::clone(meter),
            temperature: temperature.map(|temperature| temperature as f32),
            max_tokens: options.max_tokens,
            effort: self.effort,
            max_task_tokens: options.max_task_tokens,
            out_of_tokens: out_of_tokens.clone(),
        });
        ChainModel { model, window, pricing }
    }

    /// Puts what was said into the record, without secrets.
    fn fill(
        &self,
        record: &mut TaskRecord,
        task: &BatchTask,
        mut messages: Vec<Value>,
        functions: &Value,
    ) -> Result<(), Trouble> {
        for message in &mut messages {
            self.mask_within(message, &mut record.redactions);
        }
        let text = trajectory::spaced(functions);
        let digest = hex(&Sha256::digest(&text));
        let is_new = self
            .tools_written
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(digest.clone(), ())
            .is_none();
        let name = format!("tools/{digest}.json");
        if is_new && !self.setup.folder.path(&name).exists() {
            let written = self.setup.folder.write(&name, text.as_bytes());
            written.map_err(|error| Trouble::new("infra.disk", error))?;
        }
        record.tools = format!("sha256:{digest}");
        record.tool_stats = trajectory::tool_counts(&messages);
        record.reasoning = trajectory::reasoning(&messages);
        let reference = trajectory::tools_reference(&record.tools);
        let prompt = self.masked(&task.row.prompt, &mut record.redactions);
        record.conversations = Some(trajectory::conversations(&messages, &prompt, &reference));
        record.messages = Value::Array(messages);
        Ok(())
    }

    fn mask_within(&self, value: &mut Value, count: &mut u64) {
        match value {
            Value::String(text) => {
                let masked = self.masked(text, count);
                *text = masked;
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_within(item, count)),
            Value::Object(fields) => fields
                .iter_mut()
                .filter(|(name, _)| {
                    !matches!(name.as_str(), "role" | "id" | "tool_call_id" | "type" | "name")
                })
                .for_each(|(_, item)| self.mask_within(item, count)),
            _ => {}
        }
    }

    fn masked(&self, text: &str, count: &mut u64) -> String {
        let masked = self.agents.host().redactor().redact(text, RedactMode::CodeFile);
        *count += u64::from(masked != text);
        masked.into_owned()
    }

    /// Drops what a filter does not let pass.
    fn filter(&self, record: &mut TaskRecord) {
        if !record.status.has_trajectory() {
            return;
        }
        if let Some(word) = self.filters.drops(record) {
            record.status = TaskStatus::Discarded;
            record.class = Some(word.to_owned());
        }
    }
}

impl TaskExecutor for AgentExecutor {
    fn attempt<'a>(
        &'a self,
        task: &'a BatchTask,
        stop: &'a CancellationToken,
    ) -> BoxFuture<'a, AttemptOutcome> {
        Box::pin(self.run(task, stop))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.agents.close())
    }
}

/// Status and class by how the turn ended.
fn judge(
    record: &mut TaskRecord,
    result: &TurnResult,
    is_late: bool,
    out_of_tokens: bool,
    early: Option<&'static str>,
) -> Result<(), Trouble> {
    record.api_calls = result.api_calls;
    record.reason.clone_from(&result.error);
    if let Some(class) = early.filter(|_| !is_late) {
        record.status = TaskStatus::Incomplete;
        record.class = Some(class.to_owned());
        record.completed = false;
        return Ok(());
    }
    let (status, class) = match result.exit {
        ExitReason::Interrupted if is_late => (TaskStatus::Incomplete, Some("row_timeout")),
        ExitReason::Interrupted if out_of_tokens => (TaskStatus::Incomplete, Some("task_tokens")),
        // Somebody stops the run: what is in the record does not matter.
        ExitReason::Interrupted => (TaskStatus::Incomplete, Some("stopped")),
        ExitReason::TextResponse => (TaskStatus::Ok, None),
        ExitReason::MaxIterationsReached | ExitReason::GuardrailHalt => {
            (TaskStatus::Incomplete, Some("max_turns"))
        }
        ExitReason::Truncated => (TaskStatus::Incomplete, Some("length")),
        ExitReason::InvalidToolCalls => (TaskStatus::Partial, Some("bad_tool_calls")),
        ExitReason::Refusal => (TaskStatus::Refused, Some("refusal")),
        exit if is_policy(exit) => (TaskStatus::Refused, Some("policy")),
        ExitReason::EmptyResponse => {
            return Err(Trouble::new("infra.provider", "the model said nothing"));
        }
        ExitReason::ApiError(class) => {
            let why = result.error.clone().unwrap_or_else(|| result.final_response.clone());
            return Err(Trouble { class: class_of(class), reason: why });
        }
    };
    record.status = status;
    record.class = class.map(str::to_owned);
    record.completed = status == TaskStatus::Ok;
    record.partial = status == TaskStatus::Partial;
    if status == TaskStatus::Refused {
        record.conversations = None;
    }
    Ok(())
}

fn tail(text: &str, chars: usize) -> String {
    let count = text.chars().count();
    text.chars().skip(count.saturating_sub(chars)).collect()
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

async fn chain(
    agents: &TaskAgents,
    setup: &ExecutorOptions,
    row_model: Option<&str>,
) -> Result<ModelChain, BatchError> {
    let options = &setup.options;
    let choice = EndpointChoice {
        provider: options.provider.clone(),
        model: row_model.map(str::to_owned).or_else(|| options.model.clone()),
        base_url: options.base_url.clone(),
        api_key: setup.api_key.clone().map(Secret::new),
    };
    let sources = agents.model_sources();
    let routed = options.routing.clone().map(|routing| sources.with_section(ROUTING, routing));
    Ok(SessionModels::of(routed.as_ref().unwrap_or(sources), &choice).await?.chain())
}

/// Sees what an agent does, and counts the time its tools take.
struct TaskFront {
    running: Arc<Running>,
    task: u32,
    tools: Mutex<Duration>,
}

impl FrontEnd for TaskFront {
    fn on_event(&self, event: AgentEvent) {
        match event {
            AgentEvent::Asking { call } => self.running.turn(self.task, call),
            AgentEvent::ToolFinished { took, .. } => {
                *self.tools.lock().unwrap_or_else(PoisonError::into_inner) += took;
            }
            _ => {}
        }
    }

    fn clarify<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(Some(NOBODY_ANSWERS.to_owned())))
    }
}
