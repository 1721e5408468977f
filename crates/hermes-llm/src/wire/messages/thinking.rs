//! How a Claude is asked to think, which depends on its age.

use serde_json::{Map, Value, json};

use crate::model::Effort;

/// Room for the answer besides the thinking.
const ANSWER_ROOM: u32 = 4096;

/// The smallest thinking budget that is accepted.
const SMALLEST_BUDGET: u32 = 1024;

/// The major and minor version in a Claude's name; `None` for other models and undated aliases.
#[must_use]
pub fn claude_version(model: &str) -> Option<(u32, u32)> {
    let model = model.to_lowercase();
    let (_, after) = model.split_once("claude")?;
    // The numbers stand together, before or after the size's name; a date is longer than two digits.
    let number = |word: &str| word.parse::<u32>().ok().filter(|_| word.len() <= 2);
    let words = after.split(['-', '.', '/', ':', '@', '_']).map(number);
    let mut numbers = words.skip_while(Option::is_none).map_while(|number| number);
    let major = numbers.next()?;
    Some((major, numbers.next().unwrap_or(0)))
}

/// Puts the wish to think into a request that already has its cap. `interrupted` says that the newest
/// answer called tools without having thought, after which older models must not begin to.
pub fn ask(
    model: &str,
    effort: Option<Effort>,
    interrupted: bool,
    limit: u32,
    body: &mut Map<String, Value>,
) {
    let Some(version) = claude_version(model) else { return };
    if version >= (4, 7) {
        for sampling in ["temperature", "top_p", "top_k"] {
            body.shift_remove(sampling);
        }
    }
    let Some(effort) = effort.filter(|effort| *effort > Effort::None) else { return };
    if version >= (4, 6) {
        body.shift_remove("temperature");
        body.insert("thinking".to_owned(), json!({"type": "adaptive", "display": "summarized"}));
        body.insert("output_config".to_owned(), json!({"effort": word(effort, version)}));
        return;
    }
    let cap = body.get("max_tokens").and_then(Value::as_u64);
    let cap = cap.and_then(|cap| u32::try_from(cap).ok()).unwrap_or(limit);
    let budget = budget(effort).min(limit.saturating_sub(ANSWER_ROOM));
    if version < (3, 7) || interrupted || budget < SMALLEST_BUDGET {
        return;
    }
    body.insert("thinking".to_owned(), json!({"type": "enabled", "budget_tokens": budget}));
    body.insert("max_tokens".to_owned(), json!(cap.max(budget + ANSWER_ROOM)));
    body.insert("temperature".to_owned(), json!(1));
}

fn word(effort: Effort, version: (u32, u32)) -> &'static str {
    match effort {
        Effort::None | Effort::Minimal | Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::XHigh if version >= (4, 7) => "xhigh",
        Effort::XHigh => "high",
        Effort::Max | Effort::Ultra => "max",
    }
}

fn budget(effort: Effort) -> u32 {
    match effort {
        Effort::None => 0,
        Effort::Minimal | Effort::Low => 4000,
        Effort::Medium => 8000,
        Effort::High => 16_000,
        Effort::XHigh | Effort::Max | Effort::Ultra => 32_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(model: &str, effort: Effort, cap: u32, limit: u32) -> Value {
        let mut body = Map::new();
        body.insert("max_tokens".to_owned(), json!(cap));
        body.insert("temperature".to_owned(), json!(0.5));
        ask(model, Some(effort), false, limit, &mut body);
        Value::Object(body)
    }

    #[test]
    fn versions_are_read_from_names_of_all_times() {
        for (model, version) in [
            ("claude-opus-4-6", Some((4, 6))),
            ("claude-sonnet-4-5-20250929", Some((4, 5))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("anthropic/claude-opus-4.7", Some((4, 7))),
            ("claude-3-5-sonnet-20241022", Some((3, 5))),
            ("claude-3-7-sonnet-latest", Some((3, 7))),
            ("claude-opus-5", Some((5, 0))),
            ("claude-instant", None),
            ("MiniMax-M2", None),
        ] {
            assert_eq!(claude_version(model), version, "{model}");
        }
    }

    #[test]
    fn new_models_decide_themselves_and_old_ones_get_a_budget() {
        let new = asked("claude-opus-4-6", Effort::XHigh, 9000, 128_000);
        assert_eq!(
            new,
            json!({"max_tokens": 9000, "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": "high"}})
        );
        let old = asked("claude-sonnet-4-5", Effort::Medium, 9000, 64_000);
        assert_eq!(
            old,
            json!({"max_tokens": 12_096, "temperature": 1,
            "thinking": {"type": "enabled", "budget_tokens": 8000}})
        );
        let ample = asked("claude-sonnet-4-5", Effort::Low, 64_000, 64_000);
        assert_eq!(ample["max_tokens"], 64_000);
        assert_eq!(asked("claude-3-5-sonnet", Effort::High, 8192, 8192)["thinking"], Value::Null);
    }

    #[test]
    fn a_budget_fits_below_the_models_limit() {
        let tight = asked("claude-opus-4", Effort::XHigh, 32_000, 32_000);
        assert_eq!(tight["thinking"]["budget_tokens"], 32_000 - 4096);
        assert_eq!(tight["max_tokens"], 32_000);
        assert_eq!(asked("claude-opus-4", Effort::Low, 4500, 4500)["thinking"], Value::Null);
    }

    #[test]
    fn thinking_off_and_newest_models_take_no_sampling() {
        assert_eq!(asked("claude-opus-4-7", Effort::None, 9, 9), json!({"max_tokens": 9}));
        assert_eq!(asked("claude-opus-4-5", Effort::None, 9, 9)["temperature"], 0.5);
        let mut body = Map::new();
        ask("claude-sonnet-4-5", Some(Effort::High), true, 64_000, &mut body);
        assert!(body.is_empty(), "a turn that began without thinking goes on without it");
    }
}
