//! The tools a script can call, as Python functions.
//!
//! Names, order and defaults of the parameters are a promise to scripts, so they stand here and not in
//! the tools' schemas, which also have what makes no sense in a script (a command in the background).
//! What a tool really has is looked up all the same: a parameter it does not know is left out.

use hermes_tool::{Tool, ToolContext};

/// A tool as a function.
#[derive(Debug)]
pub(super) struct Function {
    /// The name of the tool and of the function.
    pub(super) name: &'static str,
    /// Each parameter, as Python writes it.
    parameters: &'static [(&'static str, &'static str)],
}

/// Stands for a parameter that must be given.
const REQUIRED: &str = "";

const FUNCTIONS: [Function; 7] = [
    Function { name: "web_search", parameters: &[("query", REQUIRED), ("limit", "5")] },
    Function { name: "web_extract", parameters: &[("urls", REQUIRED), ("char_limit", "None")] },
    Function {
        name: "read_file",
        parameters: &[("path", REQUIRED), ("offset", "1"), ("limit", "500")],
    },
    Function {
        name: "write_file",
        parameters: &[("path", REQUIRED), ("content", REQUIRED), ("cross_profile", "False")],
    },
    Function {
        name: "search_files",
        parameters: &[
            ("pattern", REQUIRED),
            ("target", "\"content\""),
            ("path", "\".\""),
            ("file_glob", "None"),
            ("limit", "50"),
            ("offset", "0"),
            ("output_mode", "\"content\""),
            ("context", "0"),
        ],
    },
    Function {
        name: "patch",
        parameters: &[
            ("path", "None"),
            ("old_string", "None"),
            ("new_string", "None"),
            ("replace_all", "False"),
            ("mode", "\"replace\""),
            ("patch", "None"),
            ("cross_profile", "False"),
        ],
    },
    Function {
        name: "terminal",
        parameters: &[("command", REQUIRED), ("timeout", "None"), ("workdir", "None")],
    },
];

impl Function {
    /// The function as it is called, with those of its parameters that `has` knows.
    pub(super) fn signature(&self, has: impl Fn(&str) -> bool) -> String {
        let parameters: Vec<String> = self
            .parameters
            .iter()
            .filter(|(name, _)| has(name))
            .map(|(name, default)| match *default {
                REQUIRED => (*name).to_owned(),
                default => format!("{name}={default}"),
            })
            .collect();
        format!("{}({})", self.name, parameters.join(", "))
    }

    /// The names of its parameters.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.parameters.iter().map(|(name, _)| *name)
    }
}

/// The functions whose tools are there.
pub(super) fn named(is_there: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().filter(move |function| is_there(function.name))
}

/// The functions of a session, each with its tool. None, if the session has none of the tools.
pub(super) fn of_session(cx: &ToolContext) -> Vec<(&'static Function, Tool)> {
    let Some(tools) = cx.tools() else { return Vec::new() };
    let enabled = |name: &str| cx.enabled_tools().iter().any(|tool| tool.as_ref() == name);
    named(enabled).filter_map(|function| Some((function, tools.find(function.name)?))).collect()
}
