//! An agent that follows a script, for tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_approval::{ApprovalPrompter, Concern, ConcernSource, GrantScope, Purpose};
use hermes_llm::Message;
use hermes_llm::model::{BoxFuture, Effort};
use hermes_mcp::client::elicitation::{Form, Person};
use hermes_protocol::{AgentEvent, FrontEnd};
use hermes_protocol::{
    ChatSession, CompactRequest, GoalRequest, GoalUpdate, ModelChoice, ModelEntry,
    PersonalitySummary, Planning, PluginCommand, ReloadedSettings, Reply, ReviewTarget,
    SessionEntry, SessionStatus, StopTarget, TaskSummary, TurnEnd, TurnMode, TurnStatus, UserInput,
    Yolo,
};
use hermes_store::config::Config;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::channel::ChatSender;

/// Something the agent does in a turn.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Tell(AgentEvent),
    Wait(Duration),
    /// Asks the person and says what came back.
    Clarify(&'static str, &'static [&'static str]),
    /// Wants to run a command and says what came back.
    Approve(&'static str, Duration),
    /// Has a server's form filled in and says what came back.
    Form(Form),
    End(TurnEnd),
}

/// Says what to do when something is said.
pub(crate) type Script = fn(&str) -> Vec<Step>;

pub(crate) struct ScriptedSession {
    front: Arc<dyn FrontEnd>,
    asker: Arc<dyn ApprovalPrompter>,
    person: Arc<dyn Person>,
    script: Script,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    status: SessionStatus,
    /// What was done, in a word or two each.
    log: Vec<String>,
    messages: Vec<Message>,
    running: CancellationToken,
    tasks: Vec<String>,
    rounds: usize,
}

impl ScriptedSession {
    pub(crate) fn new(sender: &ChatSender, script: Script) -> Self {
        let status = SessionStatus {
            model: "scripted".into(),
            provider: "test".into(),
            session_id: "s1".into(),
            window: Some(200_000),
            ..SessionStatus::default()
        };
        let state = State { status, ..State::default() };
        Self {
            front: sender.front(),
            asker: sender.asker(),
            person: sender.person(),
            script,
            state: Mutex::new(state),
        }
    }

    /// What was done so far.
    pub(crate) fn log(&self) -> Vec<String> {
        self.state.lock().unwrap().log.clone()
    }

    fn note(&self, what: impl Into<String>) {
        self.state.lock().unwrap().log.push(what.into());
    }

    fn say(&self, text: String) {
        self.front.on_event(AgentEvent::Text(text.clone()));
        self.front.on_event(AgentEvent::Said { text });
    }

    async fn play(&self, steps: Vec<Step>) -> TurnEnd {
        for step in steps {
            match step {
                Step::Tell(event) => self.front.on_event(event),
                Step::Wait(time) => tokio::time::sleep(time).await,
                Step::Clarify(question, choices) => {
                    let choices: Vec<String> = choices.iter().map(|c| (*c).to_owned()).collect();
                    let answer = self.front.clarify(question, &choices).await;
                    self.say(format!("heard {answer:?}\n"));
                }
                Step::Approve(command, wait) => {
                    let answer = self.asker.ask(question(command, wait)).await;
                    self.say(format!("may run: {answer:?}\n"));
                }
                Step::Form(form) => {
                    let reply = self.person.fill(form).await;
                    self.say(format!("heard {reply:?}\n"));
                }
                Step::End(end) => return end,
            }
        }
        TurnEnd::default()
    }
}

fn question(command: &str, wait: Duration) -> hermes_approval::ApprovalQuestion {
    hermes_approval::ApprovalQuestion {
        session: "s1".into(),
        purpose: Purpose::Foreground,
        command: command.into(),
        concerns: vec![Concern {
            key: "recursive delete".into(),
            words: command.into(),
            why: "It deletes a folder.".into(),
            source: ConcernSource::Category,
        }],
        widest: GrantScope::Always,
        reviewer_said_no: false,
        call: hermes_tool::CallIds::default(),
        wait,
        cancellation: CancellationToken::new(),
    }
}

/// An answer that is there already.
fn done<'a, T: Send + 'a>(value: T) -> Reply<'a, T> {
    Box::pin(async move { Ok(value) })
}

impl ChatSession for ScriptedSession {
    fn turn(&self, ask: UserInput) -> BoxFuture<'_, TurnEnd> {
        Box::pin(async move {
            let running = CancellationToken::new();
            {
                let mut state = self.state.lock().unwrap();
                let way = if ask.way == TurnMode::MixtureOfAgents { "mixture" } else { "turn" };
                let told = std::iter::once(&ask.text).chain(&ask.attached);
                let told = told.map(String::as_str).collect::<Vec<_>>().join("\n\n");
                state.log.push(format!("{way} {told}"));
                state.running = running.clone();
                state.status.messages += 2;
                state.messages.push(Message::user(ask.text.as_str()));
                state.messages.push(Message::assistant("the **answer**"));
            }
            let steps = (self.script)(&ask.text);
            match running.run_until_cancelled(self.play(steps)).await {
                Some(end) => end,
                None => TurnEnd { outcome: TurnStatus::Interrupted, ..TurnEnd::default() },
            }
        })
    }

    fn interrupt(&self) {
        let mut state = self.state.lock().unwrap();
        state.log.push("interrupt".into());
        state.running.cancel();
    }

    fn steer(&self, text: &str) {
        self.note(format!("steer {text}"));
    }

    fn status(&self) -> SessionStatus {
        self.state.lock().unwrap().status.clone()
    }

    fn new_session(&self, title: Option<String>) -> Reply<'_, ()> {
        let mut state = self.state.lock().unwrap();
        state.log.push(format!("new {title:?}"));
        state.messages.clear();
        done(())
    }

    fn history(&self) -> Reply<'_, Vec<Message>> {
        done(self.state.lock().unwrap().messages.clone())
    }

    fn undo(&self, turns: usize) -> Reply<'_, Option<String>> {
        self.note(format!("undo {turns}"));
        let mut state = self.state.lock().unwrap();
        let from = state.messages.len().saturating_sub(2 * turns);
        let said = state.messages.get(from).map(|message| message.text().into_owned());
        state.messages.truncate(from);
        done(said)
    }

    fn set_title(&self, title: String) -> Reply<'_, ()> {
        self.state.lock().unwrap().status.title = Some(title);
        done(())
    }

    fn sessions(&self, _most: usize) -> Reply<'_, Vec<SessionEntry>> {
        let line = SessionEntry {
            id: "s0".into(),
            when: "yesterday".into(),
            messages: 4,
            preview: "what was asked".into(),
            title: None,
        };
        done(vec![line])
    }

    fn resume(&self, which: String) -> Reply<'_, Vec<Message>> {
        Box::pin(async move {
            match which.as_str() {
                "s0" => Ok(vec![Message::user("what was asked"), Message::assistant("this")]),
                other => anyhow::bail!("there is no session `{other}`"),
            }
        })
    }

    fn branch(&self, _title: Option<String>) -> Reply<'_, String> {
        done("s2".to_owned())
    }

    fn compress(&self, how: CompactRequest) -> Reply<'_, String> {
        let stop = self.state.lock().unwrap().running.clone();
        Box::pin(async move {
            match how {
                // For ever, unless it is stopped.
                CompactRequest::KeepLast(_) => stop.cancelled().await,
                CompactRequest::All(_) | CompactRequest::Preview => {}
            }
            Ok(format!("compressed {how:?}"))
        })
    }

    fn models(&self) -> Reply<'_, Vec<ModelEntry>> {
        let entry = |name: &str| ModelEntry { name: name.into(), window: Some(200_000) };
        done(vec![entry("small"), entry("medium"), entry("large")])
    }

    fn set_model(&self, choice: ModelChoice) -> Reply<'_, String> {
        self.state.lock().unwrap().status.model = choice.model.clone();
        done(format!("{} answers from now on.", choice.model))
    }

    fn read_page(&self, address: String) -> Reply<'_, String> {
        Box::pin(async move {
            anyhow::ensure!(!address.contains("10.0.0.1"), "a private address");
            Ok(format!("page of {address}"))
        })
    }

    fn set_planning(&self, planning: Planning) -> Reply<'_, ()> {
        self.note(format!("planning {planning:?}"));
        self.state.lock().unwrap().status.planning = planning;
        Box::pin(async { Ok(()) })
    }

    fn review(&self, what: ReviewTarget) -> Reply<'_, String> {
        self.note(format!("review {what:?}"));
        Box::pin(async { Ok("review1 works on it".to_owned()) })
    }

    fn set_effort(&self, effort: Option<Effort>) -> Reply<'_, ()> {
        self.state.lock().unwrap().status.effort = effort;
        done(())
    }

    fn set_yolo(&self, yolo: Yolo) -> Reply<'_, ()> {
        self.state.lock().unwrap().status.yolo = yolo;
        done(())
    }

    fn delete(&self) -> Reply<'_, ()> {
        self.note("delete");
        done(())
    }

    fn plugin_commands(&self) -> Vec<PluginCommand> {
        let (takes, help) = ("PLACE".to_owned(), "plan a trip".to_owned());
        vec![PluginCommand { name: "trip".to_owned(), takes, help }]
    }

    fn skill_commands(&self) -> Vec<PluginCommand> {
        let (takes, help) = ("".to_owned(), "bake bread".to_owned());
        vec![PluginCommand { name: "sour-dough".to_owned(), takes, help }]
    }

    fn reload_skills(&self) -> Reply<'_, String> {
        done("1 skill: nothing changed.".to_owned())
    }

    fn run_plugin_command(&self, name: String, args: String) -> Reply<'_, Option<String>> {
        done(Some(format!("{name} to {args}")))
    }

    fn background(&self, prompt: String) -> Reply<'_, String> {
        self.note(format!("background {prompt}"));
        self.state.lock().unwrap().tasks.push(prompt);
        done("bg1 works on it.".to_owned())
    }

    fn tasks(&self) -> Vec<TaskSummary> {
        let tasks = self.state.lock().unwrap().tasks.clone();
        let line = |(at, about): (usize, String)| TaskSummary {
            id: format!("bg{}", at + 1),
            about,
            state: "running".into(),
            doing: Some("terminal".into()),
            took: Duration::from_secs(65),
        };
        tasks.into_iter().enumerate().map(line).collect()
    }

    fn stop_task(&self, which: StopTarget) -> Reply<'_, String> {
        self.state.lock().unwrap().tasks.clear();
        done(format!("ended {which:?}"))
    }

    /// Two rounds, then it is reached.
    fn goal(&self, order: GoalRequest) -> Reply<'_, GoalUpdate> {
        let mut state = self.state.lock().unwrap();
        state.log.push(format!("goal {order:?}"));
        let mut step = GoalUpdate { line: format!("{order:?}"), say: None };
        match order {
            GoalRequest::Set(text) => {
                (state.rounds, state.status.goal) = (0, Some(text.clone()));
                step.say = Some(text);
            }
            GoalRequest::Pause | GoalRequest::Clear => state.status.goal = None,
            GoalRequest::Show | GoalRequest::AddStep(_) | GoalRequest::Resume => {}
        }
        done(step)
    }

    fn judge(&self) -> Reply<'_, Option<GoalUpdate>> {
        let mut state = self.state.lock().unwrap();
        state.rounds += 1;
        let round = state.rounds;
        if round > 2 {
            state.status.goal = None;
            return done(Some(GoalUpdate { line: "The goal is reached.".into(), say: None }));
        }
        let say = Some(hermes_protocol::notes::note(&format!("round {round}")));
        done(Some(GoalUpdate { line: format!("Going on ({round} of 2)."), say }))
    }

    fn personalities(&self) -> Reply<'_, Vec<PersonalitySummary>> {
        let line = |name: &str, is_chosen| PersonalitySummary {
            name: name.into(),
            about: "a way to speak".into(),
            is_chosen,
        };
        done(vec![line("concise", true), line("teacher", false)])
    }

    fn choose_personality(&self, name: String) -> Reply<'_, String> {
        done(format!("{name} from the next session on"))
    }

    fn reload(&self) -> Reply<'_, ReloadedSettings> {
        let settings = json!({
            "display": {"show_cost": true},
            "quick_commands": {"fresh": {"type": "exec", "command": "date"}},
        });
        done(ReloadedSettings {
            lines: vec!["display.show_cost: in force now".into()],
            config: Config::from_value(settings),
        })
    }

    fn reload_servers(&self) -> Reply<'_, String> {
        done("desk: connected, 3 tools".to_owned())
    }

    fn run_quick(&self, command: String) -> Reply<'_, String> {
        done(format!("ran {command}\nwell"))
    }
}
