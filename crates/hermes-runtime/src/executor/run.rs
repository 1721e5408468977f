//! Following a plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hermes_tool::{Tool, ToolOutput};
use serde_json::Map;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{
    CallUpdate, Disposition, HEARTBEAT, INTERRUPT_GRACE, MAX_WORKERS, Segment, TurnOptions,
    TurnState, place, plan,
};
use crate::bridge::shared_runtime;
use crate::guardrails::{
    Guardrails, Observation, Signature, append_advice, classify_output, is_idempotent,
};
use crate::limits::{TurnText, enforce_turn_budget};
use crate::pipeline::{Admitted, CallOutcome, Lane, Status, ToolCall, Verdict, timeout_text};
use crate::runtime::Runtime;

/// The sort of error of a call whose task ended without an outcome.
const MISSING_RESULT: &str = "thread_missing_result";

/// A call on its way through a turn.
enum Stage {
    Waiting(Box<ToolCall>),
    Starting,
    Running { signature: Signature },
    Finished(CallOutcome),
}

impl Runtime {
    /// Runs the calls of one turn and gives their results in the same order.
    pub async fn run_turn(
        &self,
        calls: Vec<ToolCall>,
        guardrails: &mut Guardrails,
        options: &TurnOptions,
    ) -> Vec<CallOutcome> {
        let segments = plan(&self.placements(&calls));
        let ids: Vec<String> =
            calls.iter().map(|call| call.context.ids.tool_call_id.clone()).collect();
        let mut turn = Turn {
            runtime: self,
            guardrails,
            options,
            stages: calls.into_iter().map(|call| Stage::Waiting(Box::new(call))).collect(),
            ids,
        };
        for segment in segments {
            match segment {
                Segment::Sequential(calls) => turn.run_in_sequence(&calls).await,
                Segment::Parallel(calls) => turn.run_together(&calls).await,
            }
        }
        let mut outcomes = turn.finish();
        let settings = self.settings();
        let limits = options.limits.as_deref().unwrap_or(&settings.limits);
        self.apply_turn_budget(&mut outcomes, limits.per_turn).await;
        outcomes
    }

    fn placements(&self, calls: &[ToolCall]) -> Vec<super::Placement> {
        let tables = self.registry().snapshot();
        let settings = self.settings();
        let home = settings.vars.non_blank("HOME").map(PathBuf::from);
        calls
            .iter()
            .map(|call| {
                let cwd = call.context.cwd.as_deref().unwrap_or(Path::new("."));
                place(tables.get(&call.name), call.args.as_object(), cwd, home.as_deref())
            })
            .collect()
    }

    async fn apply_turn_budget(&self, outcomes: &mut [CallOutcome], budget: usize) {
        let mut results: Vec<TurnText> = Vec::new();
        let mut places = Vec::new();
        for (place, outcome) in outcomes.iter_mut().enumerate() {
            if let ToolOutput::Text(text) = &mut outcome.output {
                results.push(TurnText {
                    id: outcome.tool_call_id.clone(),
                    text: std::mem::take(text),
                });
                places.push(place);
            }
        }
        enforce_turn_budget(&mut results, budget, self.spill()).await;
        for (place, result) in places.into_iter().zip(results) {
            outcomes[place].output = ToolOutput::Text(result.text);
        }
    }
}

struct Turn<'a> {
    runtime: &'a Runtime,
    guardrails: &'a mut Guardrails,
    options: &'a TurnOptions,
    stages: Vec<Stage>,
    ids: Vec<String>,
}

impl Turn<'_> {
    async fn run_in_sequence(&mut self, calls: &[usize]) {
        for (position, &index) in calls.iter().enumerate() {
            if position > 0 && !self.options.tool_delay.is_zero() {
                let pause = tokio::time::sleep(self.options.tool_delay);
                self.options.interrupt.run_until_cancelled(pause).await;
            }
            if self.options.interrupt.is_cancelled() {
                self.skip(index);
                continue;
            }
            if let Some(mut admitted) = self.start(index).await {
                let token = self.options.interrupt.child_token();
                admitted.cancelled_by(token);
                let outcome = self.runtime.complete(admitted, Lane::Async).await;
                self.settle(index, outcome);
            }
        }
    }

    async fn run_together(&mut self, calls: &[usize]) {
        let workers = Arc::new(Semaphore::new(MAX_WORKERS));
        let abandon = CancellationToken::new();
        let mut running = JoinSet::new();
        let mut names = BTreeMap::new();
        for &index in calls {
            if self.options.interrupt.is_cancelled() {
                self.skip(index);
                continue;
            }
            let Some(mut admitted) = self.start(index).await else { continue };
            names.insert(index, admitted.name().to_owned());
            admitted.cancelled_by(abandon.child_token());
            let (runtime, workers, abandon) =
                (self.runtime.clone(), Arc::clone(&workers), abandon.clone());
            running.spawn_on(
                async move {
                    // A call still queued when the run is abandoned never starts.
                    let permit = tokio::select! {
                        biased;
                        () = abandon.cancelled() => return (index, None),
                        permit = workers.acquire() => permit,
                    };
                    let outcome = runtime.complete(admitted, Lane::Async).await;
                    drop(permit);
                    (index, Some(outcome))
                },
                shared_runtime(),
            );
        }
        self.collect(&mut running, &mut names, &abandon).await;
    }

    /// Waits for a run's results until all are there, time is up or the user interrupts.
    async fn collect(
        &mut self,
        running: &mut JoinSet<(usize, Option<CallOutcome>)>,
        names: &mut BTreeMap<usize, String>,
        abandon: &CancellationToken,
    ) {
        let started = Instant::now();
        let limit = self.options.run_limit;
        // Far enough away to stand for "never" without overflowing the clock.
        let never = started + Duration::from_secs(365 * 24 * 3600);
        let mut give_up = limit.map_or(never, |limit| started + limit);
        let mut interrupted = false;
        let mut heartbeat = started + HEARTBEAT;
        while !names.is_empty() {
            tokio::select! {
                biased;
                joined = running.join_next() => match joined {
                    Some(Ok((index, Some(outcome)))) => {
                        names.remove(&index);
                        self.settle(index, outcome);
                    }
                    Some(Ok((index, None))) => {
                        names.remove(&index);
                        self.skip(index);
                    }
                    Some(Err(_)) => {}
                    None => break,
                },
                () = self.options.interrupt.cancelled(), if !interrupted => {
                    interrupted = true;
                    abandon.cancel();
                    give_up = give_up.min(Instant::now() + INTERRUPT_GRACE);
                }
                () = sleep_until(give_up) => break,
                () = sleep_until(heartbeat) => {
                    heartbeat = Instant::now() + HEARTBEAT;
                    if let Some(tell) = &self.options.heartbeat {
                        tell(&names.values().cloned().collect::<Vec<_>>());
                    }
                }
            }
        }
        abandon.cancel();
        running.abort_all();
        for (index, name) in std::mem::take(names) {
            let (status, kind, message) = if interrupted {
                (Status::Cancelled, "keyboard_interrupt", cancelled_text(&name))
            } else if limit.is_some_and(|limit| started.elapsed() >= limit) {
                let message = timeout_text(&name, limit.unwrap_or_default());
                (Status::Timeout, "tool_timeout", message)
            } else {
                let message = format!("Tool '{name}' ended without a result");
                (Status::Error, MISSING_RESULT, message)
            };
            let outcome = CallOutcome::ended(name, status, kind, message, Map::new());
            self.settle(index, outcome);
        }
    }

    /// Gate and guardrails. Gives the call if it may run; otherwise its result is settled here.
    async fn start(&mut self, index: usize) -> Option<Admitted> {
        let Stage::Waiting(call) = std::mem::replace(&mut self.stages[index], Stage::Starting)
        else {
            return None;
        };
        let mut call = *call;
        if call.limits.is_none() {
            call.limits.clone_from(&self.options.limits);
        }
        match self.runtime.admit(call).await {
            Err(refused) => {
                self.record(index, *refused, Disposition::None, TurnState::GoesOn);
                None
            }
            Ok(admitted) => {
                let signature = Signature::new(admitted.name(), admitted.args());
                if let Some(block) = self.guardrails.before_call(&signature) {
                    let outcome = CallOutcome::stopped_by_guardrail(admitted.name(), &block);
                    self.record(index, outcome, Disposition::None, TurnState::ShouldEnd);
                    return None;
                }
                self.stages[index] = Stage::Running { signature };
                let (tool, args) = (admitted.name(), admitted.args());
                self.tell(CallUpdate::Started { index, tool, args });
                Some(admitted)
            }
        }
    }

    /// Takes a result, shows it to the guardrails and files it.
    fn settle(&mut self, index: usize, mut outcome: CallOutcome) {
        let disposition = match outcome.verdict() {
            Verdict { status: Status::Cancelled | Status::Timeout, .. }
            | Verdict { error_type: Some(MISSING_RESULT), .. } => Disposition::Unknown,
            _ => Disposition::Done,
        };
        let Stage::Running { signature } = &self.stages[index] else { return };
        let name = signature.tool();
        let tool = self.runtime.registry().get(name);
        let effects = tool.as_ref().map(Tool::effects);
        let rule = tool.as_ref().map(|tool| tool.policy().failure).unwrap_or_default();
        let result = match &outcome.output {
            ToolOutput::Text(text) => Some(text.as_str()),
            _ => None,
        };
        let seen = Observation {
            result,
            failed: classify_output(rule, &outcome.output).is_failure(),
            idempotent: is_idempotent(name, effects),
        };
        let advice = self.guardrails.after_call(signature, seen);
        let mut state = TurnState::GoesOn;
        if let Some(advice) = advice {
            append_advice(&mut outcome.output, &advice.to_string());
            if advice.ends_turn() {
                state = TurnState::ShouldEnd;
            }
        }
        self.record(index, outcome, disposition, state);
    }

    fn skip(&mut self, index: usize) {
        let name = match &self.stages[index] {
            Stage::Waiting(call) => call.name.clone(),
            Stage::Running { signature } => signature.tool().to_owned(),
            Stage::Starting => return,
            Stage::Finished(_) => return,
        };
        let message = cancelled_text(&name);
        let outcome =
            CallOutcome::ended(name, Status::Cancelled, "keyboard_interrupt", message, Map::new());
        self.record(index, outcome, Disposition::None, TurnState::GoesOn);
    }

    fn record(
        &mut self,
        index: usize,
        outcome: CallOutcome,
        disposition: Disposition,
        state: TurnState,
    ) {
        let tool_call_id = self.ids[index].clone();
        let outcome = CallOutcome { tool_call_id, disposition, state, ..outcome };
        self.tell(CallUpdate::Settled { index, outcome: &outcome });
        self.stages[index] = Stage::Finished(outcome);
    }

    fn tell(&self, news: CallUpdate<'_>) {
        if let Some(watch) = &self.options.watch {
            watch(news);
        }
    }

    fn finish(self) -> Vec<CallOutcome> {
        let Self { stages, ids, .. } = self;
        stages
            .into_iter()
            .zip(ids)
            .map(|(stage, tool_call_id)| match stage {
                Stage::Finished(outcome) => outcome,
                // Every stage is settled above; a hole here would lose a result the model waits for.
                Stage::Waiting(_) | Stage::Starting | Stage::Running { .. } => CallOutcome {
                    tool_call_id,
                    disposition: Disposition::Unknown,
                    ..CallOutcome::ended(
                        String::new(),
                        Status::Error,
                        MISSING_RESULT,
                        "the call ended without a result".to_owned(),
                        Map::new(),
                    )
                },
            })
            .collect()
    }
}

fn cancelled_text(name: &str) -> String {
    format!("[{name} was cancelled by the user before it finished]")
}
