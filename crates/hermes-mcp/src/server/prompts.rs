//! A few ready questions that make good use of the tools.

use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value};

use super::sources::{Prompts, SourceError};

/// One ready question.
struct Ready {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    arguments: &'static [Argument],
    text: &'static str,
}

/// What a question can be given; `{name}` stands for it in the text.
struct Argument {
    name: &'static str,
    about: &'static str,
    /// What it is when it is not given; without, it has to be.
    default: Option<&'static str>,
    values: &'static [&'static str],
}

const READY: &[Ready] = &[
    Ready {
        name: "explore_folder",
        title: "Explore a folder",
        about: "Find out what a folder holds and how it is organised",
        arguments: &[Argument {
            name: "path",
            about: "The folder",
            default: Some("."),
            values: &[],
        }],
        text: "Find out what is in the folder `{path}` and how it is organised. List it with \
               search_files, read the files that explain it (a README, a manifest, a configuration) \
               with read_file, and sample a few others. Then describe in a page: what it is for, its \
               main parts and how they belong together, how it is built and tested, and what you \
               could not tell. Change nothing.",
    },
    Ready {
        name: "fix_failing_command",
        title: "Make a command pass",
        about: "Run a command, find out why it fails, and mend the cause",
        arguments: &[
            Argument {
                name: "command",
                about: "The command that should succeed",
                default: None,
                values: &[
                    "cargo test",
                    "cargo build",
                    "npm test",
                    "pytest",
                    "make",
                    "go test ./...",
                ],
            },
            Argument {
                name: "path",
                about: "The folder to run it in",
                default: Some("."),
                values: &[],
            },
        ],
        text: "In the folder `{path}`, run `{command}` with the terminal tool. If it fails, find the \
               cause in the output and in the files, make the smallest change that mends the cause \
               with the patch tool, and run it again, until it succeeds or you are sure that it \
               cannot. Do not weaken or delete a test to get there. At the end say what was wrong, \
               what you changed, and show the last output.",
    },
    Ready {
        name: "review_changes",
        title: "Review changes",
        about: "Review what has changed in a git repository",
        arguments: &[
            Argument {
                name: "range",
                about: "What to compare, as git takes it",
                default: Some("HEAD"),
                values: &["HEAD", "HEAD~1", "main", "master", "--staged"],
            },
            Argument { name: "path", about: "The repository", default: Some("."), values: &[] },
        ],
        text: "In the repository `{path}`, look at `git diff {range}` with the terminal tool, and \
               read around each change with read_file until you understand it. Report what is wrong \
               or risky, the worst first, each with file and line, why it matters and how to mend \
               it. Leave out matters of taste. If all is well, say so in a sentence. Change nothing.",
    },
];

/// The questions of the house.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInPrompts;

impl Prompts for BuiltInPrompts {
    fn list(&self) -> Vec<Prompt> {
        READY.iter().map(describe).collect()
    }

    fn get(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Option<Result<GetPromptResult, SourceError>> {
        let ready = find(name)?;
        Some(fill(ready, arguments).map(|text| {
            let message = PromptMessage::new_text(Role::User, text);
            GetPromptResult::new(vec![message]).with_description(ready.about)
        }))
    }

    fn complete(&self, name: &str, argument: &str, typed: &str) -> Option<Vec<String>> {
        let argument = find(name)?.arguments.iter().find(|known| known.name == argument)?;
        let matching = argument.values.iter().filter(|value| value.starts_with(typed));
        Some(matching.map(ToString::to_string).collect())
    }
}

fn find(name: &str) -> Option<&'static Ready> {
    READY.iter().find(|ready| ready.name == name)
}

fn describe(ready: &Ready) -> Prompt {
    let arguments = ready.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.about)
            .with_required(argument.default.is_none())
    });
    Prompt::new(ready.name, Some(ready.about), Some(arguments.collect())).with_title(ready.title)
}

/// The text with its arguments. What an argument says is put in as it is, and not looked at for
/// further arguments.
fn fill(ready: &Ready, given: &Map<String, Value>) -> Result<String, SourceError> {
    let mut text = String::with_capacity(ready.text.len());
    let mut rest = ready.text;
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, more)| Some((before, more.split_once('}')?)))
    {
        text.push_str(before);
        text.push_str(value(ready, name, given)?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

fn value<'a>(
    ready: &Ready,
    name: &str,
    given: &'a Map<String, Value>,
) -> Result<&'a str, SourceError> {
    let said = given.get(name).and_then(Value::as_str).filter(|said| !said.trim().is_empty());
    let usual = || ready.arguments.iter().find(|known| known.name == name)?.default;
    said.or_else(usual).ok_or_else(|| {
        SourceError::Invalid(format!("The prompt `{}` needs the argument `{name}`", ready.name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(name: &str, arguments: &Value) -> Result<String, SourceError> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let prompt = BuiltInPrompts.get(name, &arguments).unwrap()?;
        let shown = serde_json::to_value(prompt).unwrap();
        Ok(shown["messages"][0]["content"]["text"].as_str().unwrap().to_owned())
    }

    #[test]
    fn arguments_are_put_in_as_they_are() {
        let text = text("fix_failing_command", &json!({"command": "echo {path}"})).unwrap();
        assert!(text.contains("`echo {path}`") && text.contains("folder `.`"), "{text}");
    }

    #[test]
    fn what_is_needed_has_to_be_given() {
        let why = text("fix_failing_command", &json!({"command": " "})).unwrap_err();
        assert!(why.to_string().contains("needs the argument `command`"));
        assert!(BuiltInPrompts.get("no such", &Map::new()).is_none());
    }

    #[test]
    fn every_variable_of_a_text_is_an_argument() {
        for ready in READY {
            let all: Map<String, Value> = ready
                .arguments
                .iter()
                .map(|argument| (argument.name.to_owned(), json!("x")))
                .collect();
            fill(ready, &all).unwrap();
        }
    }

    #[test]
    fn known_values_are_completed() {
        let found = BuiltInPrompts.complete("fix_failing_command", "command", "cargo t");
        assert_eq!(found.unwrap(), ["cargo test"]);
    }
}
