//! From what a model wrote to a call that can be run.
//!
//! A slip whose meaning is certain is mended in passing. Any other costs one error result, which
//! tells the model what it could have written; nothing runs, and the other calls of the turn do.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::pipeline::{CallOutcome, Status, ToolCall};
use crate::repair::arguments::parse_arguments;
use crate::repair::name::{Known, NameRepair, repair_name};
use crate::runtime::Runtime;

/// A tool call as it came over the wire.
#[derive(Clone, Copy, Debug)]
pub struct WrittenCall<'a> {
    /// As the model wrote it: perhaps of no tool.
    pub name: &'a str,
    /// The argument text.
    pub arguments: &'a str,
    /// The tools the model was offered, bridges included.
    pub offered: &'a [Arc<str>],
}

/// Why a written call cannot be run; the outcome is what the model gets.
#[derive(Clone, Debug)]
pub enum Unreadable {
    /// No tool of that name was offered.
    Name(Box<CallOutcome>),
    /// The arguments are not one object.
    Arguments(Box<CallOutcome>),
}

impl Unreadable {
    /// The error result.
    #[must_use]
    pub fn outcome(&self) -> &CallOutcome {
        match self {
            Self::Name(outcome) | Self::Arguments(outcome) => outcome,
        }
    }
}

impl Runtime {
    /// Reads a written call. Fill in the context of the returned call before running it.
    ///
    /// # Errors
    /// The result to send back when the name or the arguments cannot be read with certainty.
    pub fn read_call(&self, written: &WrittenCall<'_>) -> Result<ToolCall, Unreadable> {
        let name = self.read_name(written)?;
        match parse_arguments(written.arguments) {
            Ok(parsed) => Ok(ToolCall::new(name, Value::Object(parsed.object))),
            Err(problem) => {
                let mut extras = Map::new();
                extras.insert("message".into(), problem.to_string().into());
                Err(Unreadable::Arguments(refused(name, "Invalid tool arguments", extras)))
            }
        }
    }

    fn read_name(&self, written: &WrittenCall<'_>) -> Result<String, Unreadable> {
        let WrittenCall { name, offered, .. } = *written;
        if offered.iter().any(|known| known.as_ref() == name) {
            return Ok(name.to_owned());
        }
        if name.trim().is_empty() {
            let message = "The tool call has no name; name one of the offered tools";
            return Err(Unreadable::Name(refused(String::new(), message, Map::new())));
        }
        let mut known = Known::new(offered.iter().map(ToString::to_string));
        let tables = self.registry().snapshot();
        for tool in offered.iter().filter_map(|name| tables.get(name)) {
            for older in tool.policy().aliases {
                known = known.with_legacy(*older, tool.name().to_string());
            }
        }
        let is_read_only =
            |name: &str| tables.get(name).is_some_and(|tool| tool.effects().is_read_only());
        let hint = match repair_name(name, &known, is_read_only) {
            NameRepair::Exact(meant) | NameRepair::Repaired(meant, _) => {
                return Ok(meant.to_owned());
            }
            NameRepair::Unknown { nearest: Some(near) } => format!(" Did you mean '{near}'?"),
            NameRepair::Unknown { nearest: None } => String::new(),
        };
        let mut names: Vec<&str> = offered.iter().map(AsRef::as_ref).collect();
        names.sort_unstable();
        let message =
            format!("Tool '{name}' does not exist.{hint} Available tools: {}", names.join(", "));
        Err(Unreadable::Name(refused(name.to_owned(), &message, Map::new())))
    }
}

fn refused(tool: String, message: &str, extras: Map<String, Value>) -> Box<CallOutcome> {
    Box::new(CallOutcome::ended(tool, Status::Error, "tool_error", message.to_owned(), extras))
}

#[cfg(test)]
mod tests {
    use hermes_tool::{Effects, Tool, ToolOutput, ToolPolicy};

    use super::*;

    fn runtime() -> (Runtime, Vec<Arc<str>>) {
        let runtime = Runtime::builder().build();
        for (name, effects) in [("read_file", Effects::NONE), ("write_file", Effects::UNKNOWN)] {
            runtime.registry().register(
                Tool::builder(name, "file")
                    .effects(effects)
                    .handler(|_, _| Ok(ToolOutput::text("{}"))),
            );
        }
        (runtime, vec!["write_file".into(), "read_file".into()])
    }

    fn read(name: &str, arguments: &str) -> Result<ToolCall, Unreadable> {
        let (runtime, offered) = runtime();
        runtime.read_call(&WrittenCall { name, arguments, offered: &offered })
    }

    #[test]
    fn certain_slips_are_mended() {
        let call = read("ReadFileTool", "{'path': 'a',}").unwrap();
        assert_eq!((call.name.as_str(), &call.args["path"]), ("read_file", &"a".into()));
    }

    #[test]
    fn an_older_name_is_understood_while_the_tool_is_offered() {
        let (runtime, _) = runtime();
        runtime.registry().register(
            Tool::builder("search_files", "x")
                .policy(ToolPolicy { aliases: &["search"], ..ToolPolicy::default() })
                .handler(|_, _| Ok(ToolOutput::text(""))),
        );
        let read = |offered: &[Arc<str>]| {
            runtime.read_call(&WrittenCall { name: "search", arguments: "{}", offered })
        };
        assert_eq!(read(&["search_files".into()]).unwrap().name, "search_files");
        assert!(read(&["read_file".into()]).is_err());
    }

    #[test]
    fn an_unknown_name_gets_the_sorted_list_and_the_nearest() {
        let Err(Unreadable::Name(outcome)) = read("write_fil", "{}") else { panic!("was read") };
        let text = outcome.text();
        assert!(text.contains("Did you mean 'write_file'?"), "never run by likeness: {text}");
        assert!(text.contains("Available tools: read_file, write_file"));
    }

    #[test]
    fn a_blank_name_gets_no_list() {
        let Err(Unreadable::Name(outcome)) = read(" ", "{}") else { panic!("was read") };
        assert!(!outcome.text().contains("read_file"));
    }

    #[test]
    fn unreadable_arguments_say_what_is_wrong() {
        let Err(unreadable) = read("read_file", r#"{"path": "unfinish"#) else {
            panic!("was read")
        };
        let answer: Value = serde_json::from_str(&unreadable.outcome().text()).unwrap();
        assert_eq!(answer["error"], "Invalid tool arguments");
        assert!(answer["message"].as_str().unwrap().contains("cut off"));
    }
}
