//! The goal of a chat's session: kept with it, and judged after each turn.

use std::sync::{Arc, Mutex};

use hermes_agent::goal::{Goal, GoalProgress, GoalState, GoalVerdict, MAX_STEPS, USUAL_ROUNDS};
use hermes_agent::notes::is_note;
use hermes_llm::{Message, Model};
use hermes_protocol::text::{cut, on_one_line};
use hermes_protocol::{GoalRequest, GoalUpdate};
use hermes_sessions::{SessionRecorder, SessionStore};
use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::lock;

/// Columns of a goal where it is named.
const MAX_NAMED: usize = 60;

/// How far goals go.
#[derive(Settings)]
#[settings(path = "goals", about = "Standing goals", open)]
struct GoalSettings {
    /// Most turns a goal goes on by itself.
    #[setting(default = USUAL_ROUNDS)]
    max_turns: u32,
}

/// The goal of the session at hand.
pub(super) struct Goals {
    store: SessionStore,
    max_rounds: u32,
    /// The session, and what it works towards.
    held: Mutex<(String, Option<Goal>)>,
}

impl Goals {
    pub(super) fn new(store: SessionStore, config: &Value) -> Self {
        let settings = GoalSettings::read(config, &Vars::default());
        Self { store, max_rounds: settings.max_turns, held: Mutex::default() }
    }

    /// Another session from now on.
    pub(super) async fn turn_to(&self, session: &str) {
        let id = session.to_owned();
        let kept = self.store.read(move |database| database.goal(&id)).await.ok().flatten();
        let goal = kept.and_then(|text| serde_json::from_str(&text).ok());
        *lock(&self.held) = (session.to_owned(), goal);
    }

    /// The goal while the agent works towards it.
    pub(super) fn active(&self) -> Option<Goal> {
        lock(&self.held).1.clone().filter(|goal| goal.state == GoalState::Active)
    }

    /// Its name in a line, while the agent works towards it.
    pub(super) fn name(&self) -> Option<String> {
        let goal = self.active()?;
        let text = cut(&on_one_line(&goal.text), MAX_NAMED);
        Some(format!("{text} ({} of {} rounds)", goal.rounds, goal.max_rounds))
    }

    /// What goes with a message of the person.
    pub(super) fn reminder(&self, said: &str) -> Option<String> {
        let goal = self.active()?;
        (!is_note(said) && said.trim() != goal.text).then(|| goal.reminder())
    }

    /// Does what the person wants with the goal.
    pub(super) fn order(&self, order: GoalRequest) -> anyhow::Result<GoalUpdate> {
        let mut held = lock(&self.held);
        let (session, goal) = &mut *held;
        let step = match (order, goal.as_mut()) {
            (GoalRequest::Set(text), _) => {
                let fresh = Goal::new(&text, self.max_rounds);
                let (line, say) = (
                    format!(
                        "The agent works towards this for up to {} rounds. What you type comes \
                         first; Ctrl-C lets the goal rest.",
                        fresh.max_rounds
                    ),
                    Some(fresh.text.clone()),
                );
                *goal = Some(fresh);
                GoalUpdate { line, say }
            }
            (GoalRequest::Show, None) => said("There is no goal. /goal TEXT sets one."),
            (_, None) => anyhow::bail!("There is no goal. /goal TEXT sets one."),
            (GoalRequest::Show, Some(goal)) => said(&shown(goal)),
            (GoalRequest::AddStep(text), Some(goal)) => {
                anyhow::ensure!(goal.add_step(&text), "A goal has at most {MAX_STEPS} steps.");
                said(&format!("Step {} of the goal.", goal.steps.len()))
            }
            (GoalRequest::Pause, Some(goal)) => {
                goal.state = GoalState::Paused;
                said("The goal rests. /goal resume goes on with it, /goal clear forgets it.")
            }
            (GoalRequest::Resume, Some(goal)) => {
                goal.resume();
                let say = Some(goal.go_on());
                GoalUpdate { line: "Going on towards the goal.".to_owned(), say }
            }
            (GoalRequest::Clear, Some(_)) => {
                *goal = None;
                said("The goal is forgotten.")
            }
        };
        self.keep(session, goal.as_ref())?;
        Ok(step)
    }

    /// Asks whether the goal is reached, and takes in what is said.
    pub(super) async fn judge(
        &self,
        model: Arc<dyn Model>,
        messages: &[Message],
        stop: &CancellationToken,
    ) -> anyhow::Result<Option<GoalUpdate>> {
        let Some(asked) = self.active() else { return Ok(None) };
        let answer = model.answer(&asked.question(messages), &mut |_| {}, stop).await;
        let mut held = lock(&self.held);
        let (session, goal) = &mut *held;
        let Some(goal) = goal.as_mut().filter(|goal| goal.state == GoalState::Active) else {
            return Ok(None);
        };
        let step = match answer {
            Err(problem) => {
                goal.state = GoalState::Paused;
                said(&format!(
                    "Nobody could say whether the goal is reached ({}), so it rests. /goal resume \
                     goes on.",
                    problem.message
                ))
            }
            Ok(answer) => told(goal, GoalVerdict::read(&answer.content)),
        };
        let goal = goal.clone();
        self.keep(session, Some(&goal))?;
        Ok(Some(step))
    }

    fn keep(&self, session: &str, goal: Option<&Goal>) -> anyhow::Result<()> {
        let text = goal.map(serde_json::to_string).transpose()?;
        SessionRecorder::new(self.store.clone(), session).set_goal(text);
        Ok(())
    }
}

fn said(line: &str) -> GoalUpdate {
    GoalUpdate { line: line.to_owned(), say: None }
}

/// What follows from a verdict, in words.
fn told(goal: &mut Goal, verdict: GoalVerdict) -> GoalUpdate {
    let follows = goal.follow(verdict);
    let why = goal.reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
    match follows {
        GoalProgress::Reached => said(&format!("The goal is reached{why}")),
        GoalProgress::Waits => said(&format!("The goal waits for you{why}\n/goal resume goes on.")),
        GoalProgress::UsedUp => said(&format!(
            "The goal is not reached after {} rounds{why}\n/goal resume goes on for as many again.",
            goal.max_rounds
        )),
        GoalProgress::Again => GoalUpdate {
            line: format!(
                "Going on towards the goal ({} of {}){why}",
                goal.rounds, goal.max_rounds
            ),
            say: Some(goal.go_on()),
        },
    }
}

fn shown(goal: &Goal) -> String {
    let state = match goal.state {
        GoalState::Active => "The agent works towards it",
        GoalState::Paused => "It rests",
        GoalState::Done => "It is reached",
    };
    let why =
        goal.reason.as_deref().map(|why| format!("\nLast said of it: {why}")).unwrap_or_default();
    format!("{}\n{state} ({} of {} rounds).{why}", goal.described(), goal.rounds, goal.max_rounds)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn goals(store: &SessionStore) -> Goals {
        let goals = Goals::new(store.clone(), &json!({"goals": {"max_turns": 3}}));
        goals.turn_to("s1").await;
        goals
    }

    #[tokio::test]
    async fn a_goal_is_set_refined_and_still_there_in_the_same_session() {
        let folder = tempfile::tempdir().unwrap();
        let store = SessionStore::at(folder.path().join("state.db"));
        let ours = goals(&store).await;
        assert!(ours.order(GoalRequest::Pause).is_err());
        let step = ours.order(GoalRequest::Set("ship it".into())).unwrap();
        assert_eq!(step.say.as_deref(), Some("ship it"));
        assert!(step.line.contains("up to 3 rounds"), "{}", step.line);
        ours.order(GoalRequest::AddStep("write notes".into())).unwrap();
        assert_eq!(ours.reminder("ship it"), None);
        assert!(ours.reminder("by the way").unwrap().contains("1. write notes"));
        let again = goals(&store).await;
        assert_eq!(again.active().unwrap().steps, ["write notes"]);
        again.order(GoalRequest::Pause).unwrap();
        assert_eq!((again.active(), again.reminder("x")), (None, None));
        assert!(again.order(GoalRequest::Show).unwrap().line.contains("It rests"));
        again.turn_to("s2").await;
        assert!(again.order(GoalRequest::Resume).is_err(), "another session has no goal");
        again.turn_to("s1").await;
        assert!(again.order(GoalRequest::Resume).unwrap().say.is_some());
        again.order(GoalRequest::Clear).unwrap();
        assert_eq!(goals(&store).await.active(), None);
    }

    #[test]
    fn verdicts_are_told_in_words() {
        let mut goal = Goal::new("x", 1);
        let step = told(&mut goal, GoalVerdict::Continue("tests fail".into()));
        assert!(step.line.contains("(1 of 1): tests fail") && step.say.is_some(), "{}", step.line);
        let step = told(&mut goal, GoalVerdict::Continue("tests fail".into()));
        assert!(step.line.contains("not reached after 1 rounds") && step.say.is_none());
        let step = told(&mut goal, GoalVerdict::Done("green".into()));
        assert_eq!(step.line, "The goal is reached: green");
    }
}
