//! What a call of each tool is called in a line, and which of its arguments say most. Emojis are not
//! here: a tool brings its own.

use serde_json::Value;

use super::fit::on_one_line;

/// A call, as far as a line tells of it.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) args: &'a Value,
    /// The result, once there is one that can be read.
    pub(crate) result: Option<&'a Value>,
}

impl Call<'_> {
    fn text(&self, key: &str) -> String {
        match self.args.get(key) {
            Some(Value::String(text)) => on_one_line(text),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        }
    }

    fn number(&self, key: &str) -> Option<u64> {
        let value = self.args.get(key)?;
        value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
    }

    fn list(&self, key: &str) -> &[Value] {
        self.args.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn has(&self, key: &str) -> bool {
        self.args.get(key).is_some_and(|value| !value.is_null())
    }
}

/// The part of a detail that is cut where there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutAt {
    /// The end: commands, queries.
    End,
    /// The beginning: of a path the last part says most.
    Start,
}

/// How calls of a tool are told.
pub(crate) struct Look {
    tool: &'static str,
    /// One word, by the arguments.
    pub(crate) verb: fn(&Call<'_>) -> &'static str,
    pub(crate) detail: fn(&Call<'_>) -> String,
    pub(crate) cut_at: CutAt,
}

/// How calls of this tool are told, if it is known.
pub(crate) fn look(tool: &str) -> Option<&'static Look> {
    LOOKS.iter().find(|look| look.tool == tool)
}

/// Arguments that say most about a call of a tool nobody knows here.
pub(crate) fn best_guess(call: &Call<'_>) -> String {
    const TELLING: [&str; 8] =
        ["query", "text", "command", "path", "name", "prompt", "code", "goal"];
    TELLING.iter().map(|key| call.text(key)).find(|text| !text.is_empty()).unwrap_or_default()
}

macro_rules! look {
    ($tool:literal, $verb:literal, $detail:expr) => {
        look!($tool, $verb, $detail, End)
    };
    ($tool:literal, $verb:literal, $detail:expr, $cut:ident) => {
        Look { tool: $tool, verb: |_| $verb, detail: $detail, cut_at: CutAt::$cut }
    };
}

const LOOKS: &[Look] = &[
    look!("terminal", "$", |call| call.text("command")),
    look!("process", "proc", |call| { joined([call.text("action"), call.text("session_id")]) }),
    look!("read_file", "read", read_file, Start),
    look!("write_file", "write", |call| call.text("path"), Start),
    look!("patch", "patch", patch, Start),
    Look {
        tool: "search_files",
        verb: |call| if call.text("target") == "files" { "find" } else { "grep" },
        detail: |call| joined([call.text("pattern"), in_place(&call.text("path"))]),
        cut_at: CutAt::End,
    },
    look!("web_search", "search", |call| call.text("query")),
    look!("web_extract", "fetch", web_extract),
    look!("browser_navigate", "navigate", |call| call.text("url")),
    look!("browser_snapshot", "snapshot", |call| call.text("url")),
    look!("browser_click", "click", |call| call.text("ref")),
    look!("browser_type", "type", |call| joined([call.text("ref"), call.text("text")])),
    look!("todo", "plan", todo),
    look!("memory", "memory", memory),
    look!("session_search", "recall", |call| {
        joined([call.text("query"), call.text("session_id")])
    }),
    look!("skills_list", "skills", |call| call.text("category")),
    look!("skill_view", "skill", |call| call.text("name")),
    look!("delegate_task", "delegate", delegate),
    look!("execute_code", "exec", first_line_of_code),
    look!("cronjob", "cron", |call| joined([call.text("action"), call.text("name")])),
    look!("vision_analyze", "vision", best_guess_or_question),
    look!("image_generate", "create", |call| call.text("prompt")),
    look!("text_to_speech", "speak", |call| call.text("text")),
    look!("send_message", "send", |call| joined([call.text("target"), call.text("message")])),
    look!("clarify", "ask", |call| call.text("question")),
    look!("mixture_of_agents", "consult", |call| call.text("user_prompt")),
];

fn joined<const N: usize>(parts: [String; N]) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

fn in_place(path: &str) -> String {
    match path {
        "" | "." => String::new(),
        path => format!("in {path}"),
    }
}

fn read_file(call: &Call<'_>) -> String {
    let path = call.text("path");
    match (call.number("offset"), call.number("limit")) {
        (None, None) => path,
        (from, None) => format!("{path} L{}-", from.unwrap_or(1)),
        (from, Some(count)) => {
            let from = from.unwrap_or(1);
            format!("{path} L{from}-{}", from.saturating_add(count).saturating_sub(1))
        }
    }
}

fn patch(call: &Call<'_>) -> String {
    let path = call.text("path");
    if !path.is_empty() {
        return path;
    }
    let patch = call.args.get("patch").and_then(Value::as_str).unwrap_or_default();
    let files: Vec<&str> = patch
        .lines()
        .filter_map(|line| line.strip_prefix("*** "))
        .filter_map(|line| line.split_once(" File: "))
        .map(|(_, file)| file.trim())
        .collect();
    on_one_line(&files.join(", "))
}

fn web_extract(call: &Call<'_>) -> String {
    let urls = call.list("urls");
    let first = urls.first().and_then(Value::as_str).map_or_else(|| call.text("url"), on_one_line);
    let domain = first.split("://").nth(1).unwrap_or(&first).split('/').next().unwrap_or_default();
    match urls.len() {
        0 | 1 => domain.to_owned(),
        more => format!("{domain} +{}", more - 1),
    }
}

fn todo(call: &Call<'_>) -> String {
    let summary = call.result.and_then(|result| result.get("summary"));
    let number = |key: &str| summary.and_then(|summary| summary.get(key)).and_then(Value::as_u64);
    match (number("completed"), number("total")) {
        (Some(done), Some(total)) if done > 0 => format!("{done}/{total} done"),
        (_, Some(total)) => tasks(total),
        _ if call.has("todos") => tasks(call.list("todos").len() as u64),
        _ => String::new(),
    }
}

fn tasks(count: u64) -> String {
    format!("{count} task{}", if count == 1 { "" } else { "s" })
}

fn memory(call: &Call<'_>) -> String {
    let operations = call.list("operations");
    if operations.len() > 1 {
        return format!("{} changes", operations.len());
    }
    let one = Call { args: operations.first().unwrap_or(call.args), result: None };
    let target = match call.text("target") {
        target if target.is_empty() => "memory".to_owned(),
        target => target,
    };
    let (sign, text) = match one.text("action").as_str() {
        "replace" => ('~', one.text("content")),
        "remove" => ('-', one.text("old_text")),
        _ => ('+', one.text("content")),
    };
    format!("{sign}{target}: \"{text}\"")
}

fn delegate(call: &Call<'_>) -> String {
    let goals: Vec<String> = call
        .list("tasks")
        .iter()
        .map(|task| Call { args: task, result: None }.text("goal"))
        .collect();
    match goals.as_slice() {
        [] => call.text("goal"),
        [one] => one.clone(),
        many => format!("{}x: {}", many.len(), many.join(" | ")),
    }
}

fn first_line_of_code(call: &Call<'_>) -> String {
    let code = call.args.get("code").and_then(Value::as_str).unwrap_or_default();
    on_one_line(code.lines().find(|line| !line.trim().is_empty()).unwrap_or_default())
}

fn best_guess_or_question(call: &Call<'_>) -> String {
    match call.text("question") {
        question if question.is_empty() => best_guess(call),
        question => question,
    }
}
