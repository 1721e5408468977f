//! What a surface may ask of the conversation, answered.

use std::sync::Arc;

use anyhow::Context as _;
use hermes_agent::conversation::{Conversation as Messages, message_of};
use hermes_agent::{Agent, ExitReason, TurnResult};
use hermes_approval::SessionYolo;
use hermes_llm::discover::ModelInfo;
use hermes_llm::model::{BoxFuture, Effort};
use hermes_llm::{EndpointChoice, Message, MessageContent};
use hermes_protocol::text::nearest;
use hermes_protocol::{
    ChatSession, ChoiceScope, CompactRequest, GoalRequest, GoalUpdate, ModelChoice, ModelEntry,
    PersonalitySummary, Planning, PluginCommand, ReloadedSettings, Reply, ReviewTarget,
    SessionEntry, SessionStatus, StopTarget, TaskSummary, TurnEnd, TurnMode, TurnStatus, UserInput,
    Yolo,
};
use hermes_sessions::{ListFilter, SessionDatabase, new_session_id};
use hermes_store::clock::local_time;
use hermes_tools::web::{page_call, page_text};
use tokio_util::sync::CancellationToken;

use super::background::{Job, TaskPrompt};
use super::content::content;
use super::{AgentConversation, LEFT, lock, personality, review, side_work};
use crate::models::SessionModels;
use crate::planning::PLAN_NOTE;
use crate::session::{find_session, resume_session, session_finalized, session_reset};

impl AgentConversation {
    /// Takes what a person says, pictures and all, to an answer, and tells how that ended. Ended by `stop`.
    pub async fn ask(&self, said: MessageContent, stop: &CancellationToken) -> TurnResult {
        let reminder = self.side_work.goals.reminder(&said.text());
        let said = match said {
            // A skill that is called but cannot be used is for the model to see: it says what it lacks.
            MessageContent::Text(text) => match self.with_skills(text.clone().into(), stop).await {
                Ok(ask) => MessageContent::Text(ask.text),
                Err(_) => MessageContent::Text(text),
            },
            parts => parts,
        };
        let mut agent = self.agent.lock().await;
        self.prepare(&mut agent, reminder.as_deref(), stop).await;
        let result = agent.turn(said, stop).await;
        self.spent(&result);
        self.note(&agent);
        self.name_it(&agent);
        result
    }

    /// The tools the agent has.
    pub async fn tool_names(&self) -> Vec<String> {
        let agent = self.agent.lock().await;
        agent.tool_names().iter().map(ToString::to_string).collect()
    }

    /// Lets servers arrive and tells the agent what it should know before a turn.
    async fn prepare(&self, agent: &mut Agent, reminder: Option<&str>, stop: &CancellationToken) {
        self.wait_for_servers(agent, stop).await;
        let session = agent.conversation().id().to_owned();
        let mut notes = self.side_work.processes.take(&session);
        notes.extend(self.side_work.background.take_unheard(&session));
        for text in notes.iter().map(String::as_str).chain(reminder) {
            agent.attach_note(text);
        }
        if self.gate.is_engaged() {
            agent.attach_note(PLAN_NOTE);
        }
    }
}

impl ChatSession for AgentConversation {
    fn turn(&self, ask: UserInput) -> BoxFuture<'_, TurnEnd> {
        Box::pin(async move {
            let stop = self.begin_wait();
            let (way, reminder) = (ask.way, self.side_work.goals.reminder(&ask.text));
            let mut ask = match self.with_skills(ask, &stop).await {
                Ok(ask) => ask,
                Err(problem) => return failed(problem),
            };
            let attached = std::mem::take(&mut ask.attached);
            let content = match content(ask) {
                Ok(content) => content,
                Err(problem) => return failed(problem.to_string()),
            };
            let mut agent = self.agent.lock().await;
            self.prepare(&mut agent, reminder.as_deref(), &stop).await;
            attached.iter().for_each(|text| agent.attach_text(text));
            let result = match way {
                TurnMode::Alone => agent.turn(content, &stop).await,
                TurnMode::MixtureOfAgents => match agent.turn_with_moa(content, &stop).await {
                    Ok(result) => result,
                    Err(problem) => return failed(problem),
                },
            };
            self.spent(&result);
            self.note(&agent);
            self.name_it(&agent);
            end_of(result)
        })
    }

    fn interrupt(&self) {
        lock(&self.stop).cancel();
    }

    fn steer(&self, text: &str) {
        lock(&self.steer).leave(text);
    }

    fn status(&self) -> SessionStatus {
        let goal = self.side_work.goals.name();
        SessionStatus { goal, ..lock(&self.status).clone() }
    }

    fn new_session(&self, title: Option<String>) -> Reply<'_, ()> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            let id = new_session_id();
            let prompt = self.fresh_prompt(&id).await.ok();
            let conversation = Messages::new(id, Some(self.parts.store.clone()));
            let old = agent.conversation().id().to_owned();
            session_finalized(&agent, "session_reset").await;
            agent.turn_to("session_reset", conversation, prompt);
            session_reset(&agent, &old, "new_session").await;
            self.turn_to(&agent, None).await;
            drop(agent);
            match title {
                Some(title) => self.set_title(title).await,
                None => Ok(()),
            }
        })
    }

    fn history(&self) -> Reply<'_, Vec<Message>> {
        Box::pin(async move {
            // In the middle of a turn the record has all that was said so far.
            match self.agent.try_lock() {
                Ok(agent) => Ok(agent.conversation().messages().to_vec()),
                Err(_) => {
                    let session = self.session();
                    let read = self.parts.store.read(move |database| database.messages(&session));
                    let rows = read.await?;
                    Ok(rows.into_iter().map(message_of).collect())
                }
            }
        })
    }

    fn undo(&self, turns: usize) -> Reply<'_, Option<String>> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            let taken_back = agent.undo(turns);
            self.note(&agent);
            Ok(taken_back)
        })
    }

    fn set_title(&self, title: String) -> Reply<'_, ()> {
        Box::pin(async move {
            // A turn has begun its session already.
            if let Ok(mut agent) = self.agent.try_lock() {
                agent.begin_session();
            }
            let session = self.session();
            let name = move |database: &SessionDatabase| database.set_title(&session, &title);
            let kept = self.parts.store.write(name).await?;
            lock(&self.status).title = Some(kept);
            Ok(())
        })
    }

    fn sessions(&self, most: usize) -> Reply<'_, Vec<SessionEntry>> {
        Box::pin(async move {
            let filter = ListFilter { limit: Some(most), ..ListFilter::default() };
            let found = self.parts.store.read(move |database| database.list(&filter)).await?;
            Ok(found
                .into_iter()
                .map(|session| SessionEntry {
                    id: session.id,
                    title: session.title,
                    when: local_time(session.last_active),
                    messages: usize::try_from(session.message_count).unwrap_or(0),
                    preview: session.preview,
                })
                .collect())
        })
    }

    fn resume(&self, which: String) -> Reply<'_, Vec<Message>> {
        Box::pin(async move {
            let row = find_session(&self.parts.store, &which).await?;
            let title = row.title.clone();
            let chosen = resume_session(&self.parts.store, row).await?;
            let mut agent = self.agent.lock().await;
            let prompt = chosen.prompt.and_then(|text| agent.stored_prompt(text));
            agent.turn_to(LEFT, chosen.conversation, prompt);
            self.turn_to(&agent, title).await;
            Ok(agent.conversation().messages().to_vec())
        })
    }

    fn branch(&self, title: Option<String>) -> Reply<'_, String> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            agent.begin_session();
            let from = agent.conversation().id().to_owned();
            let id = new_session_id();
            let new = id.clone();
            let branch =
                move |database: &SessionDatabase| database.branch(&from, &new, title.as_deref());
            let row = self.parts.store.write(branch).await?;
            let title = row.title.clone();
            let chosen = resume_session(&self.parts.store, row).await?;
            let prompt = chosen.prompt.and_then(|text| agent.stored_prompt(text));
            agent.turn_to("branched", chosen.conversation, prompt);
            self.turn_to(&agent, title).await;
            Ok(id)
        })
    }

    fn compress(&self, how: CompactRequest) -> Reply<'_, String> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            let stop = self.begin_wait();
            let done = match how {
                CompactRequest::Preview => Ok(agent.preview_compaction()),
                CompactRequest::All(focus) => {
                    agent.compact_now(focus.as_deref(), None, &stop).await
                }
                CompactRequest::KeepLast(kept) => agent.compact_now(None, Some(kept), &stop).await,
            };
            self.note(&agent);
            done.map_err(anyhow::Error::msg)
        })
    }

    fn models(&self) -> Reply<'_, Vec<ModelEntry>> {
        Box::pin(async move {
            let (sources, choice) = (lock(&self.sources).clone(), lock(&self.choice).clone());
            let offered = sources.offered(&choice).await?;
            let entry =
                |model: ModelInfo| ModelEntry { name: model.id, window: model.context_length };
            Ok(offered.into_iter().map(entry).collect())
        })
    }

    fn set_model(&self, choice: ModelChoice) -> Reply<'_, String> {
        Box::pin(async move {
            let asked = EndpointChoice {
                provider: choice.provider.clone(),
                model: Some(choice.model.clone()),
                ..EndpointChoice::default()
            };
            let sources = lock(&self.sources).clone();
            // Looked for before an engine is started for it.
            require_offered(&choice.model, &sources.offered(&asked).await?)?;
            let models = SessionModels::of(&sources, &asked).await?;
            *lock(&self.choice) = asked;
            let warning = models.learn_window().await;
            let (model, provider) = models.names();
            let mut line = format!("{model} ({provider}) answers from now on");
            let mut agent = self.agent.lock().await;
            agent.change_model(models.chain());
            self.note(&agent);
            if choice.reach == ChoiceScope::Global {
                sources.remember(models.endpoint())?;
                line.push_str(", in all later sessions too");
            }
            Ok(warning.map_or(line.clone(), |warning| format!("{line}\n{warning}")))
        })
    }

    fn set_effort(&self, effort: Option<Effort>) -> Reply<'_, ()> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            agent.set_effort(effort);
            self.note(&agent);
            Ok(())
        })
    }

    fn set_yolo(&self, yolo: Yolo) -> Reply<'_, ()> {
        Box::pin(async move {
            let wanted = match yolo {
                Yolo::On => SessionYolo::On,
                Yolo::Off => SessionYolo::Off,
            };
            self.parts.tools.approvals().set_yolo(&self.session(), wanted);
            lock(&self.status).yolo = yolo;
            Ok(())
        })
    }

    fn set_planning(&self, planning: Planning) -> Reply<'_, ()> {
        match planning {
            Planning::On => self.gate.engage(),
            Planning::Off => self.gate.lift(),
        }
        lock(&self.status).planning = planning;
        Box::pin(std::future::ready(Ok(())))
    }

    fn review(&self, what: ReviewTarget) -> Reply<'_, String> {
        Box::pin(async move {
            let template = lock(&self.template).clone().read_only();
            let prompt = review::prompt(&what, template.context()).await?;
            let prompt = TaskPrompt { asked_in: Some(self.session()), ..prompt };
            self.side_work.background.start(&template, prompt, Job::Review)
        })
    }

    fn plugin_commands(&self) -> Vec<PluginCommand> {
        let commands = self.parts.tools.plugins().commands().into_iter();
        commands
            .map(|command| PluginCommand {
                name: command.name,
                takes: command.args_hint,
                help: command.description,
            })
            .collect()
    }

    fn skill_commands(&self) -> Vec<PluginCommand> {
        self.known_skill_commands()
    }

    fn reload_skills(&self) -> Reply<'_, String> {
        Box::pin(self.skills_anew())
    }

    fn run_plugin_command(&self, name: String, args: String) -> Reply<'_, Option<String>> {
        Box::pin(async move {
            let session = lock(&self.status).session_id.clone();
            let plugins = self.parts.tools.plugins();
            let said = plugins.run_command(&name, &args, &session).await;
            Ok(said.with_context(|| format!("no plugin has the command /{name} any more"))??)
        })
    }

    fn delete(&self) -> Reply<'_, ()> {
        Box::pin(async move {
            let agent = self.agent.lock().await;
            let session = agent.conversation().id().to_owned();
            self.parts.store.write(move |database| database.delete(&session)).await?;
            Ok(())
        })
    }

    fn background(&self, prompt: String) -> Reply<'_, String> {
        Box::pin(async move {
            let (template, yolo) = (lock(&self.template).clone(), lock(&self.status).yolo);
            let prompt = TaskPrompt::from(prompt);
            self.side_work.background.start(&template, prompt, Job::Task(yolo))
        })
    }

    fn tasks(&self) -> Vec<TaskSummary> {
        self.side_work.lines()
    }

    fn stop_task(&self, which: StopTarget) -> Reply<'_, String> {
        Box::pin(self.side_work.stop(which))
    }

    fn goal(&self, order: GoalRequest) -> Reply<'_, GoalUpdate> {
        Box::pin(async move { self.side_work.goals.order(order) })
    }

    fn judge(&self) -> Reply<'_, Option<GoalUpdate>> {
        Box::pin(async move {
            let stop = self.begin_wait();
            let own = Arc::clone(&lock(&self.template).chain().current().model);
            let judge = lock(&self.sources).clone().on_the_side(JUDGE, &*own);
            let messages = self.history().await?;
            self.side_work.goals.judge(judge.unwrap_or(own), &messages, &stop).await
        })
    }

    fn personalities(&self) -> Reply<'_, Vec<PersonalitySummary>> {
        Box::pin(async move { Ok(personality::lines(&self.host.reread())) })
    }

    fn choose_personality(&self, name: String) -> Reply<'_, String> {
        Box::pin(async move { personality::choose(&self.host.reread(), &name) })
    }

    fn reload(&self) -> Reply<'_, ReloadedSettings> {
        Box::pin(self.read_anew())
    }

    fn reload_servers(&self) -> Reply<'_, String> {
        Box::pin(self.connect_anew())
    }

    fn read_page(&self, address: String) -> Reply<'_, String> {
        Box::pin(async move {
            let stop = lock(&self.stop).clone();
            let template = lock(&self.template).clone();
            let (tool, args) = page_call(&address);
            page_text(&template.call(tool, args, &stop).await).map_err(anyhow::Error::msg)
        })
    }

    fn run_quick(&self, command: String) -> Reply<'_, String> {
        Box::pin(async move {
            let stop = self.begin_wait();
            let template = lock(&self.template).clone();
            Ok(side_work::run_command(&template, &command, &stop).await)
        })
    }
}

/// The side task of judging goals: `auxiliary.goal_judge`.
const JUDGE: &str = "goal_judge";

fn failed(why: String) -> TurnEnd {
    TurnEnd { outcome: TurnStatus::Failed(why), ..TurnEnd::default() }
}

fn end_of(result: TurnResult) -> TurnEnd {
    let explained = |result: &TurnResult| {
        let what = result.error.clone().unwrap_or_else(|| result.exit.name().to_owned());
        match &result.advice {
            Some(advice) => format!("{what}\n{advice}"),
            None => what,
        }
    };
    let outcome = match result.exit {
        ExitReason::TextResponse => TurnStatus::Done,
        ExitReason::Interrupted => TurnStatus::Interrupted,
        exit if exit.is_partial() => TurnStatus::Partial(explained(&result)),
        _ => TurnStatus::Failed(explained(&result)),
    };
    TurnEnd { outcome, pending_steer: result.pending_steer, dollars: result.cost_usd }
}

/// Refuses a model that its provider does not have, where that tells what it has.
fn require_offered(wanted: &str, offered: &[ModelInfo]) -> anyhow::Result<()> {
    // Some servers list `name:tag` and answer to the name alone.
    let is_it = |model: &ModelInfo| {
        model.id.eq_ignore_ascii_case(wanted)
            || model.id.split_once(':').is_some_and(|(name, _)| name.eq_ignore_ascii_case(wanted))
    };
    if offered.is_empty() || offered.iter().any(is_it) {
        return Ok(());
    }
    let near = nearest(wanted, offered.iter().map(|model| model.id.as_str()));
    let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    anyhow::bail!("the provider has no model `{wanted}`: {near}/model lists what it has")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_the_provider_does_not_have_is_refused_with_the_nearest() {
        let offered = ["gpt-small", "qwen3:8b"]
            .map(|id| ModelInfo { id: id.to_owned(), context_length: None });
        assert!(require_offered("GPT-small", &offered).is_ok());
        assert!(require_offered("qwen3", &offered).is_ok());
        assert!(require_offered("anything", &[]).is_ok());
        let refusal = require_offered("gpt-smal", &offered).unwrap_err().to_string();
        assert!(refusal.contains("did you mean `gpt-small`?"), "{refusal}");
    }
}
