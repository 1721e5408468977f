//! What the guardrails say, word for word.
//!
//! The codes and the frames around the messages are a contract: logs, displays and people's scripts
//! look for them. The messages inside are for the model. Each one says what was seen, why repeating
//! it is pointless and which ways are open, because a bare "stop" makes models try once more.

use std::fmt;

use serde_json::json;

use super::signature::Signature;

/// The ways of going round in circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// The same call failed again.
    RepeatedExactFailure,
    /// The same tool failed again, with whatever arguments.
    SameToolFailure,
    /// A reading call gave the same answer again.
    IdempotentNoProgress,
    /// The same few calls with the same answers came round again, whatever they do.
    Cycle,
}

impl Pattern {
    const fn name(self) -> &'static str {
        match self {
            Self::RepeatedExactFailure => "repeated_exact_failure",
            Self::SameToolFailure => "same_tool_failure",
            Self::IdempotentNoProgress => "idempotent_no_progress",
            Self::Cycle => "cycle",
        }
    }
}

/// A call that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What happened too often.
    pub pattern: Pattern,
    /// How often.
    pub count: u32,
    /// The refused call.
    pub signature: Signature,
}

impl Block {
    /// The stable code, such as `repeated_exact_failure_block`.
    #[must_use]
    pub fn code(&self) -> String {
        format!("{}_block", self.pattern.name())
    }

    /// Why, and what to do instead, for the model.
    #[must_use]
    pub fn message(&self) -> String {
        let (tool, count) = (self.signature.tool(), self.count);
        let what = match self.pattern {
            Pattern::IdempotentNoProgress | Pattern::Cycle => {
                format!("gave the same result {count} times with exactly these arguments")
            }
            Pattern::RepeatedExactFailure | Pattern::SameToolFailure => {
                format!("failed {count} times with exactly these arguments")
            }
        };
        format!(
            "{tool} was not run: it {what} in this turn, and would again. Work with what you \
             have, try something different, or tell the user what is in the way."
        )
    }

    /// The result that takes the place of the handler's.
    #[must_use]
    pub fn to_result(&self) -> String {
        let message = self.message();
        json!({
            "error": message,
            "guardrail": {
                "action": "block",
                "code": self.code(),
                "message": message,
                "tool_name": self.signature.tool(),
                "count": self.count,
                "signature": {
                    "tool_name": self.signature.tool(),
                    "args_hash": self.signature.args_hash(),
                },
            },
        })
        .to_string()
    }
}

/// Whether the turn goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdviceKind {
    /// It does.
    Warning,
    /// It ends after this call.
    Halt,
}

/// A line for the end of a result; [`Display`](fmt::Display) gives it with the blank line before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Whether the turn goes on.
    pub kind: AdviceKind,
    /// What happened too often.
    pub pattern: Pattern,
    /// How often.
    pub count: u32,
    /// The tool in question.
    pub tool: String,
}

impl Advice {
    /// The stable code, such as `same_tool_failure_halt`.
    #[must_use]
    pub fn code(&self) -> String {
        let suffix = match self.kind {
            AdviceKind::Warning => "warning",
            AdviceKind::Halt => "halt",
        };
        format!("{}_{suffix}", self.pattern.name())
    }

    /// Whether the turn ends after this call.
    #[must_use]
    pub fn ends_turn(&self) -> bool {
        self.kind == AdviceKind::Halt
    }

    /// What to do now, for the model.
    #[must_use]
    pub fn message(&self) -> String {
        let tool = &self.tool;
        match (self.kind, self.pattern) {
            (AdviceKind::Halt, Pattern::Cycle) => format!(
                "the same calls keep coming round with the same results, {tool} the last of them, so \
                 this turn ends here. Tell the user what was found and what is needed to go on."
            ),
            (AdviceKind::Halt, _) => format!(
                "{tool} keeps failing, so this turn ends here. Tell the user what was tried, what \
                 each error said and what is needed to go on."
            ),
            (AdviceKind::Warning, Pattern::RepeatedExactFailure) => format!(
                "this very call of {tool} has failed before with the same arguments. Do not send \
                 it again unchanged: read the error, check the assumption behind the arguments, \
                 then change them or take another way."
            ),
            (AdviceKind::Warning, Pattern::SameToolFailure) => format!(
                "{tool} keeps failing although the arguments changed. Stop guessing: find out \
                 why with another tool, or say what blocks you."
            ),
            (AdviceKind::Warning, Pattern::IdempotentNoProgress) => format!(
                "{tool} gave exactly the result you already have. Asking again brings nothing \
                 new: use it, or ask something different."
            ),
            (AdviceKind::Warning, Pattern::Cycle) => format!(
                "the same calls with the same results have come round several times, {tool} the last \
                 of them. Nothing changes by repeating them: do the next step of the task, or answer."
            ),
        }
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = match self.kind {
            AdviceKind::Warning => "warning",
            AdviceKind::Halt => "hard stop",
        };
        let (code, count, message) = (self.code(), self.count, self.message());
        write!(f, "\n\n[Tool loop {title}: {code}; count={count}; {message}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value};

    #[test]
    fn a_block_is_an_error_with_its_grounds() {
        let block = Block {
            pattern: Pattern::IdempotentNoProgress,
            count: 5,
            signature: Signature::new("read_file", &Map::new()),
        };
        let result: Value = serde_json::from_str(&block.to_result()).unwrap();
        assert_eq!(result["error"], result["guardrail"]["message"]);
        assert_eq!(result["guardrail"]["action"], "block");
        assert_eq!(result["guardrail"]["code"], "idempotent_no_progress_block");
        assert_eq!(result["guardrail"]["tool_name"], "read_file");
        assert_eq!(result["guardrail"]["count"], 5);
        let signature = &result["guardrail"]["signature"];
        assert_eq!(signature["args_hash"].as_str().unwrap().len(), 64);
    }

    #[test]
    fn advice_has_its_frame() {
        let mut advice = Advice {
            kind: AdviceKind::Warning,
            pattern: Pattern::RepeatedExactFailure,
            count: 2,
            tool: "patch".into(),
        };
        let text = advice.to_string();
        let frame = "\n\n[Tool loop warning: repeated_exact_failure_warning; count=2; ";
        assert!(text.starts_with(frame) && text.ends_with(']'), "{text}");
        (advice.kind, advice.pattern) = (AdviceKind::Halt, Pattern::SameToolFailure);
        let text = advice.to_string();
        let frame = "\n\n[Tool loop hard stop: same_tool_failure_halt; count=2; ";
        assert!(text.starts_with(frame) && advice.ends_turn(), "{text}");
    }
}
