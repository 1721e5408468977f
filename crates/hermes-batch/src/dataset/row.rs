//! One line of a data set: is it a row, and what does it ask for?
//!
//! Reading is all or nothing for a line: a field of the wrong kind makes the line no row, with the reason, because a
//! task that runs without the limit or image it asked for would be worse than one that does not run.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// Characters of an id.
pub const MAX_ID_CHARS: usize = 200;

/// A row: what one task, or several samples of it, are to work on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatasetRow {
    /// As the row names itself; without one its text gives it a name.
    pub id: Option<String>,
    /// What the agent is asked.
    pub prompt: String,
    /// The container image it wants.
    pub image: Option<String>,
    /// Where it begins.
    pub cwd: Option<String>,
    /// More instructions.
    pub system: Option<String>,
    /// The toolsets, instead of drawn ones.
    pub toolsets: Option<Vec<String>>,
    /// The model, instead of the run's.
    pub model: Option<String>,
    /// Most model calls, instead of the run's.
    pub max_turns: Option<u32>,
    /// How freely the model chooses words.
    pub temperature: Option<f64>,
    /// Seconds it may take, instead of the run's.
    pub timeout_s: Option<f64>,
    /// Variables of its commands.
    pub env: BTreeMap<String, String>,
    /// Files that are there before it begins, by their path below its directory.
    pub files: BTreeMap<String, Vec<u8>>,
    /// A command before the first turn.
    pub setup: Option<String>,
    /// A command after the last turn, which says whether it went well.
    pub verify: Option<String>,
    /// Copied to the record.
    pub group: Option<Value>,
    /// Copied to the record.
    pub metadata: Option<Value>,
    /// Of the whole line: two rows with the same one are the same.
    pub digest: [u8; 32],
}

impl DatasetRow {
    /// The id it has without a copy before it: its own, or the beginning of its digest.
    #[must_use]
    pub fn base_id(&self) -> String {
        self.id.clone().unwrap_or_else(|| hex(&self.digest[..8]))
    }

    /// What tells whether a row has changed under its id.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.digest;
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}

/// Reads one line. `Ok(None)` for a blank one.
///
/// # Errors
/// Why the line is no row, in words that go behind "line 7: ".
pub fn parse_row(line: &[u8]) -> Result<Option<DatasetRow>, String> {
    let text = std::str::from_utf8(line)
        .map_err(|error| format!("not UTF-8 from byte {}", error.valid_up_to() + 1))?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_str(text.trim())
        .map_err(|error| format!("not JSON: {}", without_line(&error.to_string())))?;
    let Value::Object(fields) = &value else {
        return Err(format!("a row is an object, this is {}", kind(&value)));
    };
    let (prompt, inner_system) = prompt(fields)?;
    let row = DatasetRow {
        id: id(fields)?,
        prompt,
        image: first_text(fields, &["image", "docker_image"])?,
        cwd: first_text(fields, &["cwd"])?,
        system: first_text(fields, &["system"])?.or(inner_system),
        toolsets: texts(fields, "toolsets")?,
        model: first_text(fields, &["model"])?,
        max_turns: number(fields, "max_turns", 1.0, 10_000.0)?.map(|n| n as u32),
        temperature: number(fields, "temperature", 0.0, 10.0)?,
        timeout_s: number(fields, "timeout_s", 0.001, 31_536_000.0)?,
        env: env(fields)?,
        files: files(fields)?,
        setup: first_text(fields, &["setup"])?,
        verify: first_text(fields, &["verify"])?,
        group: fields.get("group").filter(|group| !group.is_null()).cloned(),
        metadata: fields.get("metadata").filter(|data| !data.is_null()).cloned(),
        digest: Sha256::digest(canonical(&value)).into(),
    };
    Ok(Some(row))
}

/// The JSON of a value with sorted keys and no spaces: the same for equal values, however they were written.
#[must_use]
pub fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut pairs: Vec<_> = fields.iter().collect();
                pairs.sort_by_key(|(name, _)| *name);
                Value::Object(pairs.into_iter().map(|(k, v)| (k.clone(), sorted(v))).collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
            other => other.clone(),
        }
    }
    sorted(value).to_string()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The parser counts lines of its own text, of which there is one.
fn without_line(message: &str) -> String {
    message.replace(" at line 1 column ", " at column ")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The prompt, and the instructions of a conversation it was taken from.
fn prompt(fields: &Map<String, Value>) -> Result<(String, Option<String>), String> {
    if let Some(prompt) = fields.get("prompt") {
        return match prompt {
            Value::String(text) if !text.trim().is_empty() => Ok((text.clone(), None)),
            Value::String(_) => Err("`prompt` is blank".to_owned()),
            other => Err(format!("`prompt` must be a text, this is {}", kind(other))),
        };
    }
    let Some(turns) = fields.get("conversations").or_else(|| fields.get("messages")) else {
        return Err("no `prompt`, and no `conversations` or `messages` to take one from".to_owned());
    };
    let Some(turns) = turns.as_array() else {
        return Err(format!("a conversation is a list, this is {}", kind(turns)));
    };
    let mut system = None;
    for turn in turns {
        let role = turn["from"].as_str().or_else(|| turn["role"].as_str());
        let said = turn["value"].as_str().or_else(|| turn["content"].as_str());
        match (role, said) {
            (Some("system"), Some(said)) => system = Some(said.to_owned()),
            (Some("human" | "user"), Some(said)) if !said.trim().is_empty() => {
                return Ok((said.to_owned(), system));
            }
            _ => {}
        }
    }
    Err("the conversation has no turn of a person with text in it".to_owned())
}

fn id(fields: &Map<String, Value>) -> Result<Option<String>, String> {
    let found = ["id", "task_id", "instance_id"].into_iter();
    let Some((name, value)) = found.filter_map(|name| Some((name, fields.get(name)?))).next()
    else {
        return Ok(None);
    };
    let id = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_i64() || number.is_u64() => number.to_string(),
        other => {
            return Err(format!(
                "`{name}` must be a text or a whole number, this is {}",
                kind(other)
            ));
        }
    };
    if id.trim().is_empty() {
        return Err(format!("`{name}` is blank"));
    }
    if id.chars().count() > MAX_ID_CHARS {
        return Err(format!("`{name}` is longer than {MAX_ID_CHARS} characters"));
    }
    if id.chars().any(char::is_control) {
        return Err(format!("`{name}` has a control character in it"));
    }
    Ok(Some(id))
}

fn first_text(fields: &Map<String, Value>, names: &[&str]) -> Result<Option<String>, String> {
    for name in names {
        match fields.get(*name) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.trim().is_empty() => {}
            Some(Value::String(text)) => return Ok(Some(text.clone())),
            Some(other) => return Err(format!("`{name}` must be a text, this is {}", kind(other))),
        }
    }
    Ok(None)
}

fn texts(fields: &Map<String, Value>, name: &str) -> Result<Option<Vec<String>>, String> {
    let wrong = || format!("`{name}` must be a list of texts");
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(items)) => {
            let texts: Option<Vec<String>> =
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
            texts.map(Some).ok_or_else(wrong)
        }
        Some(_) => Err(wrong()),
    }
}

fn number(
    fields: &Map<String, Value>,
    name: &str,
    least: f64,
    most: f64,
) -> Result<Option<f64>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64() {
            Some(number) if (least..=most).contains(&number) => Ok(Some(number)),
            _ => Err(format!("`{name}` must be a number from {least} to {most}")),
        },
    }
}

fn env(fields: &Map<String, Value>) -> Result<BTreeMap<String, String>, String> {
    let Some(value) = fields.get("env").filter(|env| !env.is_null()) else {
        return Ok(BTreeMap::new());
    };
    let Some(pairs) = value.as_object() else { return Err("`env` must be an object".to_owned()) };
    let one = |(name, value): (&String, &Value)| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_fine = !name.is_empty()
            && name.chars().all(is_name)
            && !name.starts_with(|c: char| c.is_ascii_digit());
        match value {
            _ if !is_fine => Err("`env` has a name that no variable can have".to_owned()),
            Value::String(text) if !text.contains('\0') => Ok((name.clone(), text.clone())),
            Value::Number(number) => Ok((name.clone(), number.to_string())),
            _ => Err(format!("`env.{name}` must be a text")),
        }
    };
    pairs.iter().map(one).collect()
}

fn files(fields: &Map<String, Value>) -> Result<BTreeMap<String, Vec<u8>>, String> {
    use base64::Engine as _;
    let Some(value) = fields.get("files").filter(|files| !files.is_null()) else {
        return Ok(BTreeMap::new());
    };
    let Some(pairs) = value.as_object() else { return Err("`files` must be an object".to_owned()) };
    let one = |(path, value): (&String, &Value)| {
        if !is_below(path) {
            return Err(format!("`files` names {path:?}, which is not below the task's directory"));
        }
        let bytes = match value {
            Value::String(text) => text.clone().into_bytes(),
            Value::Object(form) => {
                let packed = form.get("base64").and_then(Value::as_str);
                packed
                    .and_then(|packed| {
                        base64::engine::general_purpose::STANDARD.decode(packed).ok()
                    })
                    .ok_or_else(|| format!("`files.{path}` must be a text or {{\"base64\": …}}"))?
            }
            _ => return Err(format!("`files.{path}` must be a text or {{\"base64\": …}}")),
        };
        Ok((path.clone(), bytes))
    };
    pairs.iter().map(one).collect()
}

/// Whether a path stays below where it begins.
fn is_below(path: &str) -> bool {
    use std::path::{Component, Path};
    !path.is_empty()
        && !path.contains('\0')
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reason(line: &str) -> String {
        parse_row(line.as_bytes()).unwrap_err()
    }

    #[test]
    fn bad_lines_say_what_is_wrong_with_them() {
        for (line, why) in [
            ("5", "a row is an object, this is a number"),
            ("null", "this is null"),
            ("[1]", "this is a list"),
            ("{\"prompt\": 5}", "`prompt` must be a text, this is a number"),
            ("{\"prompt\": \"  \"}", "`prompt` is blank"),
            ("{\"text\": \"x\"}", "no `prompt`"),
            ("{\"prompt\": \"x\"", "not JSON: EOF while parsing an object at column"),
            ("{\"prompt\": \"x\", \"id\": 1.5}", "`id` must be a text or a whole number"),
            ("{\"prompt\": \"x\", \"id\": \"a\\tb\"}", "control character"),
            ("{\"prompt\": \"x\", \"max_turns\": 0}", "`max_turns` must be a number from 1"),
            ("{\"prompt\": \"x\", \"files\": {\"../a\": \"\"}}", "not below"),
            ("{\"prompt\": \"x\", \"files\": {\"/a\": \"\"}}", "not below"),
            ("{\"prompt\": \"x\", \"env\": {\"A B\": \"\"}}", "no variable can have"),
            ("{\"messages\": []}", "no turn of a person"),
        ] {
            assert!(reason(line).contains(why), "{line}: {}", reason(line));
        }
        assert!(
            parse_row(b"{\"prompt\": \"\xff\"}").unwrap_err().contains("not UTF-8 from byte 13")
        );
        assert_eq!(parse_row(b"  \r\n").unwrap(), None);
    }

    #[test]
    fn a_conversation_gives_prompt_and_instructions() {
        let line = br#"{"conversations": [{"from": "system", "value": "S"}, {"from": "human", "value": "Q"}]}"#;
        let row = parse_row(line).unwrap().unwrap();
        assert_eq!((row.prompt.as_str(), row.system.as_deref()), ("Q", Some("S")));
    }

    #[test]
    fn the_name_of_a_row_does_not_depend_on_how_it_is_written() {
        let one = parse_row(br#"{"prompt":"x","metadata":{"b":1,"a":2}}"#).unwrap().unwrap();
        let two =
            parse_row(br#" { "metadata": {"a": 2, "b": 1}, "prompt": "x" } "#).unwrap().unwrap();
        assert_eq!(one.base_id(), two.base_id());
        assert_eq!(one.base_id().len(), 16);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_fall_over(line in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse_row(&line);
        }

        #[test]
        fn every_prompt_with_text_in_it_comes_back_unchanged(prompt in "\\PC{0,40}[a-z]\\PC{0,40}") {
            let line = serde_json::json!({"prompt": prompt}).to_string();
            prop_assert_eq!(parse_row(line.as_bytes()).unwrap().unwrap().prompt, prompt);
        }
    }
}
