//! The programs that are compared: how each is started, told where its model is, and made to read.
//!
//! Each is told the address, the name of the model and that nobody is there to ask, and nothing else: all
//! other settings are those it has when it is new. Where a program has no tool that reads files, it reads
//! with `cat`, as a model would make it.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};
use hermes_testkit::Step;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What the person asks.
const QUESTION: &str = "Please look at the notes and sum them up.";
/// The name of the model.
const MODEL: &str = "scripted";

/// One of the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    Ours,
    Reference,
    Codex,
    Goose,
}

/// How a program is started.
pub(super) struct Start {
    pub(super) args: Vec<OsString>,
    pub(super) vars: Vec<(&'static str, OsString)>,
}

impl Side {
    /// The name of its folder.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ours => "hermes",
            Self::Reference => "reference",
            Self::Codex => "codex",
            Self::Goose => "goose",
        }
    }

    /// Writes the settings into the program's home, and tells how it is started.
    pub(super) fn prepare(self, home: &Path, origin: &str) -> Result<Start> {
        let own = home.join(".hermes");
        let mut vars: Vec<(&'static str, OsString)> = vec![
            ("HOME", home.into()),
            ("HERMES_HOME", own.clone().into()),
            ("OPENAI_API_KEY", "none".into()),
        ];
        let args: Vec<OsString> = match self {
            Self::Ours | Self::Reference => {
                std::fs::create_dir_all(&own).with_context(|| format!("make {}", own.display()))?;
                let settings = format!(
                    "model:\n  provider: custom\n  base_url: {origin}/v1\n  default: {MODEL}\n"
                );
                let file = own.join("config.yaml");
                super::put(&file, settings.as_bytes())
                    .with_context(|| format!("write {}", file.display()))?;
                ["-z", QUESTION].map(OsString::from).to_vec()
            }
            Self::Codex => {
                // It speaks the Responses wire only. Its path comes after the address; as a query it
                // leads to the server's script, whose steps for this program are events of that wire.
                let provider = format!(
                    "model_providers.scripted={{name=\"scripted\",wire_api=\"responses\",\
                     base_url=\"{origin}/v1/chat/completions?path=\"}}"
                );
                let model = format!("model={MODEL}");
                let words = ["exec", "--skip-git-repo-check", "--color", "never"].into_iter();
                let words = words.chain(["--dangerously-bypass-approvals-and-sandbox"]);
                let words = words.chain(["-c", &model, "-c", "model_provider=scripted"]);
                words.chain(["-c", &provider, QUESTION]).map(OsString::from).collect()
            }
            Self::Goose => {
                vars.extend([
                    ("OPENAI_HOST", origin.into()),
                    ("GOOSE_PROVIDER", "openai".into()),
                    ("GOOSE_MODEL", MODEL.into()),
                    ("GOOSE_MODE", "auto".into()),
                    ("GOOSE_DISABLE_KEYRING", "1".into()),
                    ("GOOSE_TELEMETRY_ENABLED", "false".into()),
                ]);
                let words = ["run", "--quiet", "--with-builtin", "developer", "--text", QUESTION];
                words.map(OsString::from).to_vec()
            }
        };
        Ok(Start { args, vars })
    }

    /// The call that reads a file of the current directory.
    pub(super) fn read(self, file: &str) -> (&'static str, Value) {
        match self {
            Self::Ours | Self::Reference => ("read_file", json!({"path": file})),
            Self::Codex => ("exec_command", json!({"cmd": format!("cat {file}")})),
            Self::Goose => ("shell", json!({"command": format!("cat {file}")})),
        }
    }

    /// A message of the model that asks for these calls.
    pub(super) fn calls(self, calls: &[(&str, Value)]) -> Step {
        if self != Self::Codex {
            let step = Step::default();
            return calls.iter().fold(step, |step, (tool, args)| step.and_call(tool, args.clone()));
        }
        let call = |(tool, args): &(&str, Value)| {
            // The name of the file makes an id that comes once only.
            let args = args.to_string();
            let id = format!("call-{}", args.replace(|c: char| !c.is_ascii_alphanumeric(), ""));
            json!({"type": "function_call", "name": tool, "arguments": args, "call_id": id})
        };
        let items: Vec<Value> = calls.iter().map(call).collect();
        Step::raw_events(responses_events(&items))
    }

    /// The last message of the model.
    pub(super) fn answer(self, text: &str) -> Step {
        if self != Self::Codex {
            return Step::text(text);
        }
        let content = json!([{"type": "output_text", "text": text}]);
        let message = json!({"type": "message", "role": "assistant", "content": content});
        Step::raw_events(responses_events(&[message]))
    }
}

/// A message of the Responses wire, as the events of its stream.
fn responses_events(items: &[Value]) -> Vec<String> {
    let done = items.iter().map(|item| json!({"type": "response.output_item.done", "item": item}));
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    let created = json!({"type": "response.created", "response": {"id": "scripted"}});
    let completed = json!({
        "type": "response.completed", "response": {"id": "scripted", "usage": usage},
    });
    [created].into_iter().chain(done).chain([completed]).map(|event| event.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codex_is_sent_events_of_its_own_wire() {
        let step = Side::Codex.calls(&[Side::Codex.read("a.txt"), Side::Codex.read("b.txt")]);
        let events = step.raw_events.unwrap_or_default();
        let event = |number: usize| serde_json::from_str::<Value>(&events[number]).unwrap();
        assert_eq!(events.len(), 4);
        assert_eq!(event(1)["item"]["arguments"], r#"{"cmd":"cat a.txt"}"#);
        assert_ne!(event(1)["item"]["call_id"], event(2)["item"]["call_id"]);
        assert_eq!(event(3)["type"], "response.completed");
    }

    #[test]
    fn the_settings_name_the_address_and_the_model_only() {
        let home = tempfile::tempdir().unwrap();
        Side::Ours.prepare(home.path(), "http://127.0.0.1:1").unwrap();
        let settings = std::fs::read_to_string(home.path().join(".hermes/config.yaml")).unwrap();
        assert!(settings.contains("base_url: http://127.0.0.1:1/v1\n"), "{settings}");
        assert!(!settings.contains("context_length"), "{settings}");
    }
}
