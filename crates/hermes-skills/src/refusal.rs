//! Answers to a model that something cannot be done.

use serde_json::{Map, Value, json};

/// Why something about a skill cannot be done, in words for a model, with what it needs to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillRefusal {
    /// A stable word for the sort of problem.
    pub kind: &'static str,
    /// What is wrong and what to do.
    pub error: String,
    /// Further keys of the answer.
    pub extra: Map<String, Value>,
}

impl SkillRefusal {
    /// A refusal of this sort, in these words.
    #[must_use]
    pub fn new(kind: &'static str, error: impl Into<String>) -> Self {
        Self { kind, error: error.into(), extra: Map::new() }
    }

    /// With one more key in the answer.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(key.to_owned(), value.into());
        self
    }

    /// With a hint what to do next.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.with("hint", hint.into())
    }

    /// The answer as a model gets it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut answer = json!({"success": false, "error": self.error, "kind": self.kind});
        if let Value::Object(map) = &mut answer {
            map.extend(self.extra.clone());
        }
        answer
    }
}

impl std::fmt::Display for SkillRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.error)
    }
}

impl std::error::Error for SkillRefusal {}
