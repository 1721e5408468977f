//! Plan mode: looking first, and what becomes of a plan.

use hermes_protocol::{NoticeLevel, Planning, TurnStatus, Yolo};

use super::outcome::CommandOutcome;
use super::picker::{Picker, PickerItem};
use super::{ChatTerminal, Repl};
use crate::slash::PlanRequest;

/// What the agent hears when its plan is accepted.
const ACCEPTED: &str = "I accept the plan. Carry it out.";

impl<S: ChatTerminal> Repl<S> {
    /// Does what `/plan` asks for.
    pub(super) fn plan(&mut self, wanted: PlanRequest) {
        let is_planning = self.conversation.status().planning == Planning::On;
        match wanted {
            PlanRequest::Begin if is_planning => self.offer_plan(),
            PlanRequest::Begin => self.set_planning(Planning::On),
            PlanRequest::About(text) => self.ask_agent(move |agent| async move {
                agent.set_planning(Planning::On).await?;
                Ok(CommandOutcome::Planned(text))
            }),
            PlanRequest::Leave => self.set_planning(Planning::Off),
            PlanRequest::Accept if !is_planning => {
                self.notice(NoticeLevel::Info, "There is no plan to accept. /plan begins one.");
            }
            PlanRequest::Accept if self.in_turn => {
                let text = "The plan is still being made.\n/plan accept carries it out afterwards.";
                self.notice(NoticeLevel::Warning, text);
            }
            PlanRequest::Accept => self.ask_agent(|agent| async move {
                agent.set_planning(Planning::Off).await?;
                Ok(CommandOutcome::Planned(ACCEPTED.to_owned()))
            }),
        }
    }

    fn set_planning(&mut self, planning: Planning) {
        self.ask_agent(move |agent| async move {
            agent.set_planning(planning).await?;
            Ok(CommandOutcome::Line(match planning {
                Planning::On => "The agent looks and plans; tools that change something wait until you accept.\n\
                                 /plan accept carries the plan out, /plan off goes back."
                    .to_owned(),
                Planning::Off => "All tools are there again.".to_owned(),
            }))
        });
    }

    /// The next mode: as usual, planning, running flagged commands without asking.
    pub(super) fn cycle_mode(&mut self) {
        let status = self.conversation.status();
        match (status.planning, status.yolo) {
            (Planning::Off, Yolo::Off) => self.set_planning(Planning::On),
            (Planning::On, Yolo::Off) => {
                self.ask_agent(|agent| async move {
                    agent.set_planning(Planning::Off).await?;
                    agent.set_yolo(Yolo::On).await?;
                    Ok(CommandOutcome::Line(
                        "No more planning; flagged commands run without asking, in this session."
                            .to_owned(),
                    ))
                });
            }
            (_, Yolo::On) => self.toggle_yolo(),
        }
    }

    /// After a turn: asks what becomes of the plan, unless the person is busy with something else.
    pub(super) fn ask_about_plan(&mut self, outcome: &TurnStatus) {
        let is_due = *outcome == TurnStatus::Done
            && self.conversation.status().planning == Planning::On
            && self.queue.is_empty()
            && self.picker.is_none()
            && self.composer.text().is_empty()
            && self.ending.is_none();
        if is_due {
            self.offer_plan();
        }
    }

    fn offer_plan(&mut self) {
        let item = |name: &str, about: &str, line: &str| PickerItem {
            name: name.to_owned(),
            about: about.to_owned(),
            preview: String::new(),
            line: line.to_owned(),
            is_current: false,
        };
        self.pick(Picker::new(
            "The plan (Esc: go on talking about it)",
            vec![
                item("Carry it out", "all tools are there again", "/plan accept"),
                item("Leave it", "all tools are there again, nothing is carried out", "/plan off"),
            ],
        ));
    }
}
