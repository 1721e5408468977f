//! What can be set for a training, and what cannot.

use serde_json::{Map, Value, json};

/// What a field is called, its type, its usual value and what it says.
const FIELDS: [(&str, &str, &str, &str); 21] = [
    ("enabled_toolsets", "list", "null", "Toolsets of every rollout"),
    ("disabled_toolsets", "list", "null", "Toolsets that are never offered"),
    ("distribution", "string", "null", "Draw toolsets from this distribution, once for a group"),
    ("group_size", "integer", "16", "Rollouts of each item"),
    ("max_agent_turns", "integer", "30", "Most model calls of a rollout"),
    ("agent_temperature", "number", "1.0", "How freely the policy chooses words"),
    ("terminal_backend", "string", "\"local\"", "Where rollouts work"),
    ("terminal_timeout", "integer", "120", "Longest time of a command, in seconds"),
    ("terminal_lifetime", "integer", "3600", "Longest time of a sandbox, in seconds"),
    ("dataset_name", "string", "null", "The data set, where the environment reads one"),
    ("dataset_split", "string", "\"train\"", "Which part of it"),
    ("prompt_field", "string", "\"prompt\"", "The field with the question"),
    ("system_prompt", "string", "null", "More instructions"),
    ("tool_call_parser", "string", "\"hermes\"", "How the policy writes calls"),
    ("extra_body", "object", "null", "Further fields of every request"),
    ("eval_handling", "string", "\"STOP_TRAIN\"", "What training does during an evaluation"),
    ("batch_size", "integer", "-1", "Rollouts of a step; the trainer's own if negative"),
    (
        "ensure_scores_are_not_same",
        "boolean",
        "true",
        "Leave out groups nothing can be learnt from",
    ),
    ("include_messages", "boolean", "true", "Conversations go along with tokens"),
    ("wandb_name", "string", "null", "What the run is called where it is logged"),
    ("wandb_project", "string", "\"atropos-tinker\"", "The project it is logged in"),
];

/// What trainings have in common, under `env`, `openai` and `tinker`: these work together and are not for changing.
#[must_use]
pub fn locked_fields() -> Value {
    json!({
        "env": {
            "tokenizer_name": "Qwen/Qwen3-8B",
            "rollout_server_url": "http://localhost:8000",
            "use_wandb": true,
            "max_token_length": 8192,
            "max_num_workers": 2048,
            "worker_timeout": 3600,
            "total_steps": 2500,
            "steps_per_eval": 25,
            "max_batches_offpolicy": 3,
            "inference_weight": 1.0,
            "eval_limit_ratio": 0.1,
        },
        "openai": [{
            "model_name": "Qwen/Qwen3-8B",
            "base_url": "http://localhost:8001/v1",
            "api_key": "x",
            "weight": 1.0,
            "num_requests_for_eval": 256,
            "timeout": 3600,
            "server_type": "sglang",
        }],
        "tinker": {
            "lora_rank": 32,
            "learning_rate": 0.00004,
            "max_token_trainer_length": 9000,
            "checkpoint_dir": "./temp/",
            "save_checkpoint_interval": 25,
        },
        "slurm": false,
        "testing": false,
    })
}

/// The value of a locked field, wherever it stands.
#[must_use]
pub(super) fn locked_value(field: &str) -> Option<Value> {
    let all = locked_fields();
    ["/env", "/openai/0", "/tinker"]
        .into_iter()
        .find_map(|part| all.pointer(part)?.get(field).cloned())
}

/// What can be set, with `own` the settings an environment brings: `{name, type, default, description}`.
#[must_use]
pub fn configurable_fields(own: &Map<String, Value>) -> Vec<Value> {
    let mut fields: Vec<Value> = Vec::new();
    for (name, kind, usual, about) in FIELDS {
        let usual: Value = serde_json::from_str(usual).unwrap_or_default();
        let default = own.get(name).cloned().unwrap_or(usual);
        fields.push(json!({"name": name, "type": kind, "default": default, "description": about}));
    }
    let is_known =
        |name: &str| FIELDS.iter().any(|field| field.0 == name) || locked_value(name).is_some();
    for (name, default) in own.iter().filter(|(name, _)| !is_known(name)) {
        fields.push(json!({
            "name": name, "type": kind_of(default), "default": default,
            "description": "A setting of this environment",
        }));
    }
    fields
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "any",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// A value as a field of this type wants it, if it can be one; models write numbers and lists as text.
pub(super) fn fitting(kind: &str, value: &Value) -> Option<Value> {
    if value.is_null() || matches!(kind, "any") {
        return Some(value.clone());
    }
    let fits = |value: &Value| match kind {
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "list" => value.is_array(),
        _ => value.is_object(),
    };
    if fits(value) {
        return Some(value.clone());
    }
    let text = value.as_str()?;
    let read = serde_json::from_str::<Value>(text.trim()).ok().filter(|value| fits(value));
    match kind {
        "list" => read.or_else(|| {
            Some(
                text.split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty())
                    .map(Value::from)
                    .collect(),
            )
        }),
        _ => read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environments_own_settings_come_first_and_locked_ones_not_at_all() {
        let own = json!({"group_size": 4, "depth": 2, "tokenizer_name": "x"});
        let fields = configurable_fields(own.as_object().unwrap());
        let find = |name: &str| fields.iter().find(|field| field["name"] == name);
        assert_eq!(find("group_size").unwrap()["default"], 4);
        assert_eq!(find("depth").unwrap()["type"], "integer");
        assert!(find("tokenizer_name").is_none());
        assert_eq!(locked_value("lora_rank"), Some(json!(32)));
        assert_eq!(locked_value("server_type"), Some(json!("sglang")));
    }

    #[test]
    fn values_written_as_text_become_what_the_field_wants() {
        assert_eq!(fitting("integer", &json!("8")), Some(json!(8)));
        assert_eq!(fitting("number", &json!(2)), Some(json!(2)));
        assert_eq!(fitting("list", &json!("a, b")), Some(json!(["a", "b"])));
        assert_eq!(fitting("list", &json!("[\"a\"]")), Some(json!(["a"])));
        assert_eq!(fitting("boolean", &json!("true")), Some(json!(true)));
        assert_eq!(fitting("integer", &json!("many")), None);
        assert_eq!(fitting("string", &json!(3)), None);
        assert_eq!(fitting("string", &json!(null)), Some(json!(null)));
    }
}
