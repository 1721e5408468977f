//! Secrets among the settings: which names they have, and how they are shown, which is not at all.

use hermes_store::dotenv::is_secret_name;
use serde_json::Value;

use crate::exit::Exit;
use crate::host::Host;
use crate::ui::Ui;

/// Names of secrets are the names of variables, not paths into config.yaml.
pub(super) fn lives_in_dotenv(key: &str) -> bool {
    !key.contains('.') && is_secret_name(key)
}

/// Says where a secret is, not what it is.
pub(super) fn get_secret(host: &Host, name: &str, ui: &mut Ui) -> anyhow::Result<Exit> {
    let place = match (host.dotenv().get(name), host.process_vars().get(name)) {
        (Some(_), _) => host.home().env_file().display().to_string(),
        (None, Some(_)) => "the environment".to_owned(),
        (None, None) => {
            ui.note(format_args!("{name} is not set; `hermes config set {name} VALUE` sets it"))?;
            return Ok(Exit::Failed);
        }
    };
    ui.note(format_args!("(set in {place}; secrets are not shown)"))?;
    ui.line(MASK)?;
    Ok(Exit::Done)
}

/// What stands in for a secret.
pub(super) const MASK: &str = "********";

/// The value with everything under a secret's name masked.
pub(super) fn masked(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mask = |(name, value): (&String, &Value)| {
                let shown = if is_secret_name(name) { hidden(value) } else { masked(value) };
                (name.clone(), shown)
            };
            Value::Object(fields.iter().map(mask).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(masked).collect()),
        other => other.clone(),
    }
}

/// A secret, or a list or section of them, without a word of it.
fn hidden(value: &Value) -> Value {
    match value {
        Value::String(text) if !text.is_empty() => MASK.into(),
        Value::Number(_) => MASK.into(),
        Value::Array(items) => items.iter().map(hidden).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), hidden(value))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let shown = masked(&json!({"model": {"api_key": "sk-1", "name": "x"},
                                   "list": [{"GITHUB_TOKEN": "t"}], "max_tokens": 5,
                                   "api_keys": ["a", {"one": 7}]}));
        assert_eq!(
            shown,
            json!({"model": {"api_key": MASK, "name": "x"},
                   "list": [{"GITHUB_TOKEN": MASK}], "max_tokens": 5,
                   "api_keys": [MASK, {"one": MASK}]})
        );
    }
}
