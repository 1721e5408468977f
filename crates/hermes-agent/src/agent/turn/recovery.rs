//! Recovery from answers that are not what they should be: cut off, empty, broken or refused.

use hermes_llm::{Message, ModelResponse, Role};
use hermes_tool::UpkeepRule;

use super::{LoopStep, Turn, TurnEnd, reasoning, visible};
use crate::event::NoticeLevel;
use crate::notes::{self, note};
use crate::outcome::ExitReason;
use crate::thinking::{self, ThinkingTag};

/// How often a text is taken up again where it was cut off.
const MAX_CONTINUATIONS: u32 = 3;
/// How often a request is repeated whose answer was cut off inside a call.
const MAX_CUT_CALLS: u32 = 4;
/// How often a model that only thought is asked for its answer.
const MAX_PREFILLS: u32 = 2;
/// How often an empty answer is asked for again.
const MAX_EMPTY: u32 = 3;
/// How often an answer that never left its scratchpad is asked for again.
const MAX_SCRATCHPADS: u32 = 2;
/// The cap on an answer's length that is raised first, unless one is configured.
const BASE_CAP: u32 = 4_096;
/// The cap is never raised above this, unless more is configured.
const MAX_CAP: u32 = 32_768;

/// What has been tried in this turn, so that no remedy is tried for ever.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    parts: Vec<String>,
    continuations: u32,
    cut_calls: u32,
    broken_calls: u32,
    lost_connections: u32,
    raised: u32,
    nudged: bool,
    prefills: u32,
    empties: u32,
    scratchpads: u32,
}

impl Recovery {
    /// The cap on the next answer.
    pub(super) fn cap(&self, configured: Option<u32>) -> Option<u32> {
        if self.raised == 0 {
            return configured;
        }
        let base = configured.unwrap_or(BASE_CAP);
        let raised = base.saturating_mul(1_u32.checked_shl(self.raised).unwrap_or(u32::MAX));
        Some(raised.min(MAX_CAP.max(base)))
    }

    /// Whether an answer was cut off, and what comes now is the rest of it.
    pub(super) fn goes_on(&self) -> bool {
        !self.parts.is_empty()
    }

    /// What is visible of an answer: as the rest of one that was cut off, with the white space it began
    /// with, which stands between the two.
    pub(super) fn continued(&self, said: &str, visible: &str) -> String {
        let gap = match self.goes_on() {
            true => &said[..said.len() - said.trim_start().len()],
            false => "",
        };
        format!("{gap}{visible}")
    }

    /// The text with the parts that came before it.
    pub(super) fn whole(&self, text: &str) -> String {
        let mut whole = self.parts.concat();
        whole.push_str(text);
        whole
    }

    pub(super) fn forget_emptiness(&mut self) {
        (self.nudged, self.prefills, self.empties) = (false, 0, 0);
    }
}

impl Turn<'_> {
    pub(super) fn cut_off(&mut self, answer: &ModelResponse) -> LoopStep {
        self.recovery.raised += 1;
        if !answer.tool_calls.is_empty() {
            self.recovery.cut_calls += 1;
            if self.recovery.cut_calls > MAX_CUT_CALLS {
                return self.truncated("a tool call was cut off again and again");
            }
            return LoopStep::Again;
        }
        let text = self.recovery.continued(&answer.content, &visible(&answer.content));
        if thinking::split(&answer.content).unclosed == Some(ThinkingTag::Scratchpad) {
            self.recovery.scratchpads += 1;
            if self.recovery.scratchpads <= MAX_SCRATCHPADS {
                return LoopStep::Again;
            }
        }
        if text.trim().is_empty() {
            let mut ended = TurnEnd::new(
                ExitReason::Truncated,
                self.recovery.whole("The model used up its whole answer for thinking."),
            );
            ended.error = Some("the answer holds only thinking".to_owned());
            ended.advice = Some(
                "lower agent.reasoning_effort or raise model.max_tokens in config.yaml".to_owned(),
            );
            return LoopStep::End(ended);
        }
        let message = self.message_of(answer);
        self.agent.conversation.push(message);
        self.recovery.parts.push(text);
        self.recovery.continuations += 1;
        if self.recovery.continuations > MAX_CONTINUATIONS {
            return self.truncated("the answer was cut off four times");
        }
        self.agent.conversation.push(Message::user(note(notes::GO_ON)));
        LoopStep::Again
    }

    fn truncated(&mut self, why: &str) -> LoopStep {
        self.partial(why, "raise model.max_tokens in config.yaml")
    }

    /// Ends with what there is of an answer.
    fn partial(&mut self, why: &str, advice: &str) -> LoopStep {
        let text = self.recovery.whole("");
        let mut ended = TurnEnd::new(ExitReason::Truncated, text);
        ended.error = Some(why.to_owned());
        ended.advice = Some(advice.to_owned());
        LoopStep::End(ended)
    }

    /// The connection broke in the middle of the text. Its length had nothing to do with that, and neither
    /// the person nor the model is told so.
    pub(super) fn lost_connection(&mut self, answer: &ModelResponse) -> LoopStep {
        let text = self.recovery.continued(&answer.content, &visible(&answer.content));
        if !text.trim().is_empty() {
            let message = self.message_of(answer);
            self.agent.conversation.push(message);
            self.recovery.parts.push(text);
        }
        self.recovery.lost_connections += 1;
        if self.recovery.lost_connections > MAX_CONTINUATIONS {
            let advice = "ask it to go on, or try again later";
            return self.partial("the connection to the model broke four times", advice);
        }
        let broke = match &answer.finish_reason {
            Some(why) => format!("{why}; it was in the middle of its answer and is asked to go on"),
            None => "the connection to the model broke in the middle of its answer; it is asked to go on"
                .to_owned(),
        };
        self.notice(NoticeLevel::Warning, &broke);
        if self.recovery.goes_on() {
            let note = notes::go_on_after(&self.recovery.whole(""));
            self.agent.conversation.push(Message::user(note));
        }
        LoopStep::Again
    }

    /// A call did not arrive whole; the model must know that nothing ran.
    pub(super) fn broken_call(&mut self, answer: &ModelResponse) -> LoopStep {
        self.recovery.broken_calls += 1;
        let is_unreadable = answer.unreadable > 0;
        if self.recovery.broken_calls > MAX_CONTINUATIONS {
            let (why, advice) = match is_unreadable {
                true => {
                    ("tool calls could not be read again and again", "try another model with -m")
                }
                false => {
                    ("the connection broke inside a tool call again and again", "try again later")
                }
            };
            return self.partial(why, advice);
        }
        let text = visible(&answer.content);
        let text = match (text.trim().is_empty(), is_unreadable) {
            (false, _) => text,
            (true, true) => "(a tool call that could not be read)".to_owned(),
            (true, false) => "(the connection broke)".to_owned(),
        };
        let message = Message { tool_calls: Vec::new(), ..Message::assistant(text) };
        self.agent.conversation.push(message);
        let (told, notice) = match is_unreadable {
            true => (notes::UNREADABLE_CALL, "a tool call could not be read; nothing was run"),
            false => {
                (notes::BROKEN_CALL, "the connection broke inside a tool call; nothing was run")
            }
        };
        self.agent.conversation.push(Message::user(note(told)));
        self.notice(NoticeLevel::Warning, notice);
        LoopStep::Again
    }

    pub(super) fn empty(&mut self, answer: &ModelResponse) -> LoopStep {
        if let Some(text) = self.said_before_housekeeping() {
            return LoopStep::End(TurnEnd::new(ExitReason::TextResponse, text));
        }
        let after_tools = self.last_role() == Some(Role::Tool);
        if after_tools && !self.recovery.nudged {
            self.recovery.nudged = true;
            self.agent.conversation.push_unrecorded(Message::user(note(notes::NUDGE)));
            return LoopStep::Again;
        }
        let thought = answer.reasoning.clone().or_else(|| reasoning(&answer.content));
        if let Some(thought) = thought.filter(|text| !text.trim().is_empty())
            && self.recovery.prefills < MAX_PREFILLS
        {
            self.recovery.prefills += 1;
            self.agent.conversation.push_unrecorded(Message::assistant(thought));
            self.agent.conversation.push_unrecorded(Message::user(note(notes::ANSWER_NOW)));
            return LoopStep::Again;
        }
        if self.recovery.empties < MAX_EMPTY {
            self.recovery.empties += 1;
            return LoopStep::Again;
        }
        if self.agent.chain.fall_back() {
            let next = self.agent.chain.current().model.clone();
            let text = format!("the answer is empty; falling back to {}", next.name());
            self.notice(NoticeLevel::Warning, text);
            self.recovery.empties = 0;
            return LoopStep::Again;
        }
        let text = "The model gave no answer, though it was asked several times.";
        let mut ended = TurnEnd::new(ExitReason::EmptyResponse, text);
        ended.error = Some("the model gave no answer".to_owned());
        ended.advice = Some("ask again, or choose another model with -m".to_owned());
        LoopStep::End(ended)
    }

    /// What the model said in this turn, if it has only kept house since.
    fn said_before_housekeeping(&self) -> Option<String> {
        let messages = self.agent.conversation.messages();
        let last = messages.iter().rposition(|message| message.role != Role::Tool)?;
        let said = &messages[last];
        let kept_house = last + 1 < messages.len()
            && said.role == Role::Assistant
            && said.tool_calls.iter().all(|call| self.is_upkeep(&call.name));
        (kept_house && !said.content.is_blank()).then(|| said.text().into_owned())
    }

    /// Whether what was said beside a call of this tool still stands.
    fn is_upkeep(&self, tool: &str) -> bool {
        let tool = self.agent.context.runtime.registry().find(tool);
        tool.is_some_and(|tool| tool.policy().upkeep == UpkeepRule::Upkeep)
    }

    fn last_role(&self) -> Option<Role> {
        self.agent.conversation.messages().last().map(|message| message.role)
    }

    pub(super) fn refused(&mut self, answer: &ModelResponse) -> LoopStep {
        if self.agent.chain.fall_back() {
            let next = self.agent.chain.current().model.clone();
            self.notice(
                NoticeLevel::Warning,
                format!("the model refused; falling back to {}", next.name()),
            );
            return LoopStep::Again;
        }
        let said = answer.refusal.clone().unwrap_or_else(|| visible(&answer.content));
        let said = said.trim();
        let text = if said.is_empty() {
            "The model, or its provider, refused to answer and gave no reason.".to_owned()
        } else {
            format!("The model refused to answer: {said}")
        };
        self.agent.conversation.push(Message::assistant(text.clone()));
        let mut ended = TurnEnd::new(ExitReason::Refusal, text);
        ended.error = Some("the model refused to answer".to_owned());
        ended.advice = Some("say it differently, or choose another model with -m".to_owned());
        LoopStep::End(ended)
    }
}
