//! What the Python program understands where this one looks elsewhere. Only the carried copy is changed.

use std::fs;

use hermes_llm::provider::find;
use hermes_store::config::Config;
use hermes_store::config_edit;
use hermes_store::dotenv::{self, DotEnv};
use hermes_store::home::Home;
use hermes_store::key_path::KeyPath;
use serde_json::Value;

use super::part::MovedPart;

/// What was done.
#[derive(Default)]
pub(super) struct Converted {
    pub(super) parts: Vec<MovedPart>,
}

/// Brings a carried home to where this program looks.
pub(super) fn convert(home: &Home) -> anyhow::Result<Converted> {
    let mut done = Converted::default();
    let variables = variables_among_settings(home)?;
    if !variables.is_empty() {
        done.parts.push(
            MovedPart::changed("variables", variables).because(
                "they stood in config.yaml; here they belong into .env, and are there now",
            ),
        );
    }
    done.parts.extend(keys_among_sign_ins(home)?);
    Ok(done)
}

/// The Python program takes a setting with the name of a variable for that variable.
fn variables_among_settings(home: &Home) -> anyhow::Result<Vec<String>> {
    let file = home.config_file();
    // A broken file is carried as it is; the survey says so.
    let Ok(config) = Config::load_unexpanded(&file) else { return Ok(Vec::new()) };
    let mut moved = Vec::new();
    for (name, value) in variables(config.value()) {
        let Some(path) = KeyPath::from_segments([name.clone()]) else { continue };
        let known = DotEnv::load(&home.env_file())?;
        if known.get(&name).is_none() {
            dotenv::set(&home.env_file(), &name, &value)?;
        }
        config_edit::unset(&file, &path)?;
        moved.push(name);
    }
    Ok(moved)
}

/// The settings at the top that are named like variables.
pub(super) fn variables(config: &Value) -> Vec<(String, String)> {
    let is_variable = |name: &str| {
        name.contains('_')
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let entries = config.as_object().into_iter().flatten();
    entries
        .filter(|(name, _)| is_variable(name))
        .filter_map(|(name, value)| match value {
            Value::String(text) => Some((name.clone(), text.clone())),
            Value::Bool(_) | Value::Number(_) => Some((name.clone(), value.to_string())),
            _ => None,
        })
        .collect()
}

/// The Python program keeps several keys of a provider in `auth.json`; here one stands in `.env`.
fn keys_among_sign_ins(home: &Home) -> anyhow::Result<Vec<MovedPart>> {
    let text = fs::read(home.auth_file()).unwrap_or_default();
    let file: Value = serde_json::from_slice(&text).unwrap_or_default();
    let known = DotEnv::load(&home.env_file())?;
    let (mut taken, mut further, mut sign_ins) = (Vec::new(), Vec::new(), Vec::new());
    for (name, entries) in file["credential_pool"].as_object().into_iter().flatten() {
        let mut keys: Vec<&Value> = entries.as_array().into_iter().flatten().collect();
        keys.sort_by_key(|entry| entry["priority"].as_i64().unwrap_or(i64::MAX));
        let is_key = |entry: &&Value| {
            matches!(entry["auth_type"].as_str(), Some("api_key" | "api-key"))
                && entry["access_token"].as_str().is_some_and(|key| !key.trim().is_empty())
        };
        if keys.iter().any(|entry| !is_key(entry)) {
            sign_ins.push(name.clone());
        }
        let variables = find(name).map(|provider| provider.key_vars).unwrap_or_default();
        let mut rest = keys.into_iter().filter(is_key);
        let is_set = variables.iter().any(|variable| known.get(variable).is_some());
        if let (Some(variable), false) = (variables.first(), is_set)
            && let Some(key) = rest.next().and_then(|entry| entry["access_token"].as_str())
        {
            dotenv::set(&home.env_file(), variable, key.trim())?;
            taken.push((*variable).to_owned());
        }
        further.extend(rest.map(|entry| {
            let label = entry["label"].as_str().or(entry["id"].as_str()).unwrap_or("a key");
            format!("{name} {label}")
        }));
    }
    let entries = file["providers"].as_object().into_iter().flatten();
    sign_ins.extend(
        entries.map(|(name, _)| name.clone()).filter(|name| name != "spotify" && !name.is_empty()),
    );
    sign_ins.sort();
    sign_ins.dedup();
    let mut parts = Vec::new();
    if !taken.is_empty() {
        parts.push(
            MovedPart::changed("keys", taken)
                .because("they stood in auth.json; here they belong into .env, and are there now"),
        );
    }
    if !further.is_empty() {
        let why = "one key a provider is used here; they are still in auth.json";
        parts.push(MovedPart::stays("further keys", further, why));
    }
    if !sign_ins.is_empty() {
        let why =
            "sign-ins of providers are not taken over; `hermes auth add PROVIDER` wants a key";
        parts.push(MovedPart::stays("sign-ins", sign_ins, why));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn home(config: &str, auth: &Value) -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let write = |path: std::path::PathBuf, text: String| {
            hermes_store::atomic::write(&path, text.as_bytes(), Default::default()).unwrap();
        };
        write(home.config_file(), config.to_owned());
        write(home.auth_file(), auth.to_string());
        (folder, home)
    }

    #[test]
    fn variables_move_and_settings_stay() {
        let (_folder, home) = home(
            "# mine\nmodel:\n  default: x\nTELEGRAM_ALLOWED_USERS: 12345\nUPPER: 1\nLIST_OF: [1]\n",
            &json!({}),
        );
        dotenv::set(&home.env_file(), "KEPT", "yes").unwrap();
        let done = convert(&home).unwrap();
        assert_eq!(done.parts.len(), 1);
        let known = DotEnv::load(&home.env_file()).unwrap();
        assert_eq!(
            (known.get("TELEGRAM_ALLOWED_USERS"), known.get("KEPT")),
            (Some("12345"), Some("yes"))
        );
        let text = fs::read_to_string(home.config_file()).unwrap();
        assert_eq!(text, "# mine\nmodel:\n  default: x\nUPPER: 1\nLIST_OF: [1]\n");
    }

    #[test]
    fn the_first_key_of_a_provider_is_taken_and_nothing_is_overwritten() {
        let key = |name: &str, priority: u64| json!({"label": name, "auth_type": "api_key", "priority": priority, "access_token": format!("sk-{name}")});
        let auth = json!({"providers": {"nous": {}, "spotify": {}}, "credential_pool": {
            "openrouter": [key("second", 2), key("first", 0)],
            "anthropic": [key("other", 0)],
            "openai-codex": [{"auth_type": "oauth", "access_token": "t"}],
        }});
        let (_folder, home) = home("model: {}\n", &auth);
        dotenv::set(&home.env_file(), "ANTHROPIC_API_KEY", "own").unwrap();
        let parts = convert(&home).unwrap().parts;
        let known = DotEnv::load(&home.env_file()).unwrap();
        assert_eq!(known.get("OPENROUTER_API_KEY"), Some("sk-first"));
        assert_eq!(known.get("ANTHROPIC_API_KEY"), Some("own"));
        let names: Vec<(&str, &[String])> =
            parts.iter().map(|part| (part.part, part.names.as_slice())).collect();
        assert_eq!(names[0].1, ["OPENROUTER_API_KEY"]);
        // Objects keep their order or are sorted, as the program is built.
        let mut left: Vec<&str> = names[1].1.iter().map(String::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["anthropic other", "openrouter second"]);
        assert_eq!(names[2].1, ["nous", "openai-codex"]);
        assert!(!format!("{parts:?}").contains("sk-"));
    }
}
