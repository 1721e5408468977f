//! An agent that follows a script, for tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_agent::{Event, FrontEnd};
use hermes_approval::{Asker, Concern, Purpose, Scope, Source};
use hermes_llm::Message;
use hermes_llm::model::{BoxFuture, Effort};
use hermes_mcp::client::elicitation::{Form, Person};
use tokio_util::sync::CancellationToken;

use super::conversation::{
    Answered, Ask, Compress, Conversation, GoalOrder, GoalStep, ModelChoice, PersonalityLine,
    PluginCommand, Reloaded, SessionLine, Status, Stopped, TaskLine, TurnEnd, TurnOutcome, Way,
    Yolo,
};
use super::quick::{Does, QuickCommand};
use super::wire::Wire;

/// Something the agent does in a turn.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Tell(Event),
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

pub(crate) struct Scripted {
    front: Arc<dyn FrontEnd>,
    asker: Arc<dyn Asker>,
    person: Arc<dyn Person>,
    script: Script,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    status: Status,
    /// What was done, in a word or two each.
    log: Vec<String>,
    messages: Vec<Message>,
    running: CancellationToken,
    tasks: Vec<String>,
    rounds: usize,
}

impl Scripted {
    pub(crate) fn new(wire: &Wire, script: Script) -> Self {
        let status = Status {
            model: "scripted".into(),
            provider: "test".into(),
            session_id: "s1".into(),
            window: Some(200_000),
            ..Status::default()
        };
        let state = State { status, ..State::default() };
        Self {
            front: wire.front(),
            asker: wire.asker(),
            person: wire.person(),
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
        self.front.on_event(Event::Text(text.clone()));
        self.front.on_event(Event::Said { text });
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

fn question(command: &str, wait: Duration) -> hermes_approval::Question {
    hermes_approval::Question {
        session: "s1".into(),
        purpose: Purpose::Foreground,
        command: command.into(),
        concerns: vec![Concern {
            key: "recursive delete".into(),
            words: command.into(),
            why: "It deletes a folder.".into(),
            source: Source::Category,
        }],
        widest: Scope::Always,
        reviewer_said_no: false,
        call: hermes_tool::CallIds::default(),
        wait,
        cancellation: CancellationToken::new(),
    }
}

/// An answer that is there already.
fn done<'a, T: Send + 'a>(value: T) -> Answered<'a, T> {
    Box::pin(async move { Ok(value) })
}

impl Conversation for Scripted {
    fn turn(&self, ask: Ask) -> BoxFuture<'_, TurnEnd> {
        Box::pin(async move {
            let running = CancellationToken::new();
            {
                let mut state = self.state.lock().unwrap();
                let way = if ask.way == Way::Mixture { "mixture" } else { "turn" };
                state.log.push(format!("{way} {}", ask.text));
                state.running = running.clone();
                state.status.messages += 2;
                state.messages.push(Message::user(ask.text.as_str()));
                state.messages.push(Message::assistant("the **answer**"));
            }
            let steps = (self.script)(&ask.text);
            match running.run_until_cancelled(self.play(steps)).await {
                Some(end) => end,
                None => TurnEnd { outcome: TurnOutcome::Interrupted, ..TurnEnd::default() },
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

    fn status(&self) -> Status {
        self.state.lock().unwrap().status.clone()
    }

    fn new_session(&self, title: Option<String>) -> Answered<'_, ()> {
        let mut state = self.state.lock().unwrap();
        state.log.push(format!("new {title:?}"));
        state.messages.clear();
        done(())
    }

    fn history(&self) -> Answered<'_, Vec<Message>> {
        done(self.state.lock().unwrap().messages.clone())
    }

    fn undo(&self, turns: usize) -> Answered<'_, Option<String>> {
        self.note(format!("undo {turns}"));
        let mut state = self.state.lock().unwrap();
        let from = state.messages.len().saturating_sub(2 * turns);
        let said = state.messages.get(from).map(|message| message.text().into_owned());
        state.messages.truncate(from);
        done(said)
    }

    fn set_title(&self, title: String) -> Answered<'_, ()> {
        self.state.lock().unwrap().status.title = Some(title);
        done(())
    }

    fn sessions(&self, _most: usize) -> Answered<'_, Vec<SessionLine>> {
        let line = SessionLine {
            id: "s0".into(),
            when: "yesterday".into(),
            messages: 4,
            preview: "what was asked".into(),
            title: None,
        };
        done(vec![line])
    }

    fn resume(&self, which: String) -> Answered<'_, Vec<Message>> {
        Box::pin(async move {
            match which.as_str() {
                "s0" => Ok(vec![Message::user("what was asked"), Message::assistant("this")]),
                other => anyhow::bail!("there is no session `{other}`"),
            }
        })
    }

    fn branch(&self, _title: Option<String>) -> Answered<'_, String> {
        done("s2".to_owned())
    }

    fn compress(&self, how: Compress) -> Answered<'_, String> {
        let stop = self.state.lock().unwrap().running.clone();
        Box::pin(async move {
            match how {
                // For ever, unless it is stopped.
                Compress::KeepLast(_) => stop.cancelled().await,
                Compress::All(_) | Compress::Preview => {}
            }
            Ok(format!("compressed {how:?}"))
        })
    }

    fn set_model(&self, choice: ModelChoice) -> Answered<'_, String> {
        self.state.lock().unwrap().status.model = choice.model.clone();
        done(format!("{} answers from now on.", choice.model))
    }

    fn set_effort(&self, effort: Option<Effort>) -> Answered<'_, ()> {
        self.state.lock().unwrap().status.effort = effort;
        done(())
    }

    fn set_yolo(&self, yolo: Yolo) -> Answered<'_, ()> {
        self.state.lock().unwrap().status.yolo = yolo;
        done(())
    }

    fn delete(&self) -> Answered<'_, ()> {
        self.note("delete");
        done(())
    }

    fn plugin_commands(&self) -> Vec<PluginCommand> {
        let (takes, help) = ("PLACE".to_owned(), "plan a trip".to_owned());
        vec![PluginCommand { name: "trip".to_owned(), takes, help }]
    }

    fn run_plugin_command(&self, name: String, args: String) -> Answered<'_, Option<String>> {
        done(Some(format!("{name} to {args}")))
    }

    fn background(&self, prompt: String) -> Answered<'_, String> {
        self.note(format!("background {prompt}"));
        self.state.lock().unwrap().tasks.push(prompt);
        done("bg1 works on it.".to_owned())
    }

    fn tasks(&self) -> Vec<TaskLine> {
        let tasks = self.state.lock().unwrap().tasks.clone();
        let line = |(at, about): (usize, String)| TaskLine {
            id: format!("bg{}", at + 1),
            about,
            state: "running".into(),
            doing: Some("terminal".into()),
            took: Duration::from_secs(65),
        };
        tasks.into_iter().enumerate().map(line).collect()
    }

    fn stop_task(&self, which: Stopped) -> Answered<'_, String> {
        self.state.lock().unwrap().tasks.clear();
        done(format!("ended {which:?}"))
    }

    /// Two rounds, then it is reached.
    fn goal(&self, order: GoalOrder) -> Answered<'_, GoalStep> {
        let mut state = self.state.lock().unwrap();
        state.log.push(format!("goal {order:?}"));
        let mut step = GoalStep { line: format!("{order:?}"), say: None };
        match order {
            GoalOrder::Set(text) => {
                (state.rounds, state.status.goal) = (0, Some(text.clone()));
                step.say = Some(text);
            }
            GoalOrder::Pause | GoalOrder::Clear => state.status.goal = None,
            GoalOrder::Show | GoalOrder::AddStep(_) | GoalOrder::Resume => {}
        }
        done(step)
    }

    fn judge(&self) -> Answered<'_, Option<GoalStep>> {
        let mut state = self.state.lock().unwrap();
        state.rounds += 1;
        let round = state.rounds;
        if round > 2 {
            state.status.goal = None;
            return done(Some(GoalStep { line: "The goal is reached.".into(), say: None }));
        }
        let say = Some(hermes_agent::notes::note(&format!("round {round}")));
        done(Some(GoalStep { line: format!("Going on ({round} of 2)."), say }))
    }

    fn personalities(&self) -> Answered<'_, Vec<PersonalityLine>> {
        let line = |name: &str, is_chosen| PersonalityLine {
            name: name.into(),
            about: "a way to speak".into(),
            is_chosen,
        };
        done(vec![line("concise", true), line("teacher", false)])
    }

    fn choose_personality(&self, name: String) -> Answered<'_, String> {
        done(format!("{name} from the next session on"))
    }

    fn reload(&self) -> Answered<'_, Reloaded> {
        let quick = QuickCommand { name: "fresh".into(), does: Does::Exec("date".into()) };
        done(Reloaded {
            lines: vec!["display.show_cost: in force now".into()],
            settings: super::settings::ChatSettings { cost: true, ..Default::default() },
            quick: vec![quick],
        })
    }

    fn reload_servers(&self) -> Answered<'_, String> {
        done("desk: connected, 3 tools".to_owned())
    }

    fn run_quick(&self, command: String) -> Answered<'_, String> {
        done(format!("ran {command}\nwell"))
    }
}
