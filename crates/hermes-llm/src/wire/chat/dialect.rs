//! Which server wants what differently.

use serde_json::{Map, Value, json};

use crate::endpoint::Endpoint;
use crate::model::Effort;

/// What of the chat wire a server and a model speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatDialect {
    /// The role of the instructions.
    pub system_role: &'static str,
    /// The field of the output cap.
    pub cap_field: &'static str,
    /// Whether the model lets itself be told how freely to choose.
    pub takes_temperature: bool,
    /// Whether earlier thinking is to be sent back as plain text.
    pub echoes_reasoning: bool,
    /// Whether a provider's extras on calls may be sent back.
    pub takes_extras: bool,
    /// How thinking is asked for.
    pub thinking: Thinking,
}

/// How a server wants to be told how much to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// An object `reasoning`, as aggregators take it.
    Object,
    /// A word `reasoning_effort`, from the least to the most it knows.
    Word {
        /// The least.
        least: Effort,
        /// The most.
        most: Effort,
    },
    /// It can only be turned off.
    OffOnly,
    /// Not at all.
    Silent,
}

impl ChatDialect {
    /// The dialect of a server and its model.
    #[must_use]
    pub fn of(endpoint: &Endpoint) -> Self {
        let model = bare_name(&endpoint.model);
        let thinker = is_o_series(&model) || model.contains("gpt-5");
        let openai = endpoint.is_at("openai.com")
            || endpoint.is_at("azure.com")
            || endpoint.is_at("githubcopilot.com");
        let aggregator = endpoint.is_at("openrouter.ai") || endpoint.is_at("nousresearch.com");
        let thinking = if aggregator {
            Thinking::Object
        } else if openai && thinker {
            let least = if is_o_series(&model) { Effort::Low } else { Effort::Minimal };
            Thinking::Word { least, most: Effort::High }
        } else if endpoint.is_at("googleapis.com") {
            Thinking::Word { least: Effort::None, most: Effort::High }
        } else if endpoint.is_local() || endpoint.provider == "custom" {
            Thinking::OffOnly
        } else {
            Thinking::Silent
        };
        Self {
            system_role: if model.contains("gpt-5") || model.contains("codex") {
                "developer"
            } else {
                "system"
            },
            cap_field: if openai || thinker { "max_completion_tokens" } else { "max_tokens" },
            takes_temperature: !thinker,
            echoes_reasoning: ["deepseek", "kimi", "mimo"].iter().any(|name| model.contains(name)),
            takes_extras: !openai,
            thinking,
        }
    }
}

/// The model's name without a vendor's prefix, in lower case.
fn bare_name(model: &str) -> String {
    model.rsplit('/').next().unwrap_or(model).to_lowercase()
}

/// `o1`, `o3-mini` and their like.
fn is_o_series(model: &str) -> bool {
    let mut characters = model.chars();
    characters.next() == Some('o')
        && characters.next().is_some_and(|digit| digit.is_ascii_digit())
        && characters.next().is_none_or(|next| next == '-')
}

impl Thinking {
    /// Puts the wish into a request.
    pub fn ask(self, effort: Option<Effort>, body: &mut Map<String, Value>) {
        let Some(effort) = effort else { return };
        match self {
            Self::Object if effort == Effort::None => {
                body.insert("reasoning".to_owned(), json!({"enabled": false}));
            }
            Self::Object => {
                let word = effort.min(Effort::XHigh).as_str();
                body.insert("reasoning".to_owned(), json!({"enabled": true, "effort": word}));
            }
            Self::Word { least, most } => {
                let word = effort.clamp(least, most).as_str();
                body.insert("reasoning_effort".to_owned(), json!(word));
            }
            Self::OffOnly if effort == Effort::None => {
                body.insert("reasoning_effort".to_owned(), json!("none"));
                body.insert("think".to_owned(), json!(false));
            }
            Self::OffOnly | Self::Silent => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::WireApi;

    fn dialect(base: &str, model: &str) -> ChatDialect {
        ChatDialect::of(&Endpoint::new(WireApi::Chat, base, model))
    }

    fn asked(base: &str, model: &str, effort: Effort) -> Value {
        let mut body = Map::new();
        dialect(base, model).thinking.ask(Some(effort), &mut body);
        Value::Object(body)
    }

    const OPENAI: &str = "https://api.openai.com/v1";
    const ROUTER: &str = "https://openrouter.ai/api/v1";
    const LOCAL: &str = "http://localhost:11434/v1";

    #[test]
    fn roles_and_caps_follow_server_and_model() {
        assert_eq!(dialect(OPENAI, "gpt-5.1").system_role, "developer");
        assert_eq!(dialect(ROUTER, "openai/codex-mini").system_role, "developer");
        assert_eq!(dialect(OPENAI, "gpt-4o").system_role, "system");
        assert_eq!(dialect(OPENAI, "gpt-4o").cap_field, "max_completion_tokens");
        assert_eq!(
            dialect("https://x.openai.azure.com/v1", "d").cap_field,
            "max_completion_tokens"
        );
        assert_eq!(dialect(ROUTER, "openai/o3-mini").cap_field, "max_completion_tokens");
        assert_eq!(dialect(ROUTER, "openai/oolong").cap_field, "max_tokens");
        assert_eq!(dialect(LOCAL, "qwen3").cap_field, "max_tokens");
        assert!(
            !dialect(OPENAI, "o3").takes_temperature && dialect(OPENAI, "gpt-4o").takes_temperature
        );
        assert!(dialect(ROUTER, "deepseek/deepseek-v3.2").echoes_reasoning);
    }

    #[test]
    fn thinking_is_asked_for_in_each_servers_way() {
        assert_eq!(
            asked(ROUTER, "m", Effort::Max),
            json!({"reasoning": {"enabled": true, "effort": "xhigh"}})
        );
        assert_eq!(asked(ROUTER, "m", Effort::None), json!({"reasoning": {"enabled": false}}));
        assert_eq!(asked(OPENAI, "gpt-5", Effort::None), json!({"reasoning_effort": "minimal"}));
        assert_eq!(asked(OPENAI, "o3", Effort::Ultra), json!({"reasoning_effort": "high"}));
        assert_eq!(asked(OPENAI, "gpt-4o", Effort::High), json!({}));
        assert_eq!(
            asked(LOCAL, "qwen3", Effort::None),
            json!({"reasoning_effort": "none", "think": false})
        );
        assert_eq!(asked(LOCAL, "qwen3", Effort::High), json!({}));
    }
}
