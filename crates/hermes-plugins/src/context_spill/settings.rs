//! The `hooks.output_spill` section of the settings.

use std::path::{Path, PathBuf};

use hermes_tool::Vars;
use serde_json::Value;

use crate::problem::PluginSettingProblem;
use crate::user_folder::expand_user_folder;

/// Where these settings stand among the hooks: the one key there that names no event.
pub const OUTPUT_SPILL_KEY: &str = "output_spill";

/// Longest piece that stays in the conversation, in characters.
pub const DEFAULT_MAX_CHARS: usize = 10_000;
/// Characters shown of the beginning, and of the end, of a longer one.
pub const DEFAULT_PREVIEW_CHARS: usize = 500;

/// When a text is too long, how much of it is shown, and where the whole goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextSpill {
    /// Whether long texts are cut at all.
    pub enabled: bool,
    /// Longest text left alone, in characters.
    pub max_chars: usize,
    /// Characters shown of the beginning.
    pub preview_head: usize,
    /// Characters shown of the end.
    pub preview_tail: usize,
    /// Where whole texts are kept, in one folder per session.
    pub directory: PathBuf,
}

impl ContextSpill {
    /// The defaults, with files in this directory.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            enabled: true,
            max_chars: DEFAULT_MAX_CHARS,
            preview_head: DEFAULT_PREVIEW_CHARS,
            preview_tail: DEFAULT_PREVIEW_CHARS,
            directory: directory.into(),
        }
    }

    /// Reads the settings from the `hooks` section. What is missing or cannot be used keeps its
    /// default; the latter is named in a [`PluginSettingProblem`].
    #[must_use]
    pub fn read(
        hooks: &Value,
        default_directory: &Path,
        vars: &Vars,
    ) -> (Self, Vec<PluginSettingProblem>) {
        let mut spill = Self::new(default_directory);
        let mut reader = Reader { section: &Value::Null, problems: Vec::new() };
        match hooks.get(OUTPUT_SPILL_KEY) {
            None | Some(Value::Null) => {}
            Some(section @ Value::Object(_)) => reader.section = section,
            Some(_) => reader.problem("", "must be a map of settings"),
        }
        reader.switch("enabled", &mut spill.enabled);
        reader.size("max_chars", 1, &mut spill.max_chars);
        reader.size("preview_head", 0, &mut spill.preview_head);
        reader.size("preview_tail", 0, &mut spill.preview_tail);
        if let Some(directory) = reader.text("directory") {
            let directory = expand_user_folder(directory, vars.non_blank("HOME"));
            // The model is shown the path and may be somewhere else.
            match std::path::absolute(directory) {
                Ok(directory) => spill.directory = directory,
                Err(error) => reader.problem("directory", &error.to_string()),
            }
        }
        (spill, reader.problems)
    }
}

struct Reader<'a> {
    section: &'a Value,
    problems: Vec<PluginSettingProblem>,
}

impl Reader<'_> {
    fn problem(&mut self, key: &str, wrong: &str) {
        let dot = if key.is_empty() { "" } else { "." };
        let place = format!("hooks.{OUTPUT_SPILL_KEY}{dot}{key}");
        self.problems
            .push(PluginSettingProblem::new(place, format!("{wrong}; the default is used")));
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.section.get(key).filter(|value| !value.is_null())
    }

    fn switch(&mut self, key: &str, into: &mut bool) {
        match self.get(key) {
            None => {}
            Some(Value::Bool(on)) => *into = *on,
            Some(Value::String(word)) if word.trim().eq_ignore_ascii_case("true") => *into = true,
            Some(Value::String(word)) if word.trim().eq_ignore_ascii_case("false") => *into = false,
            Some(_) => self.problem(key, "must be true or false"),
        }
    }

    fn size(&mut self, key: &str, least: usize, into: &mut usize) {
        let size = match self.get(key) {
            None => return,
            Some(Value::Number(number)) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        match size.filter(|size| *size >= least) {
            Some(size) => *into = size,
            None => self.problem(key, &format!("must be a whole number, {least} or more")),
        }
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.get(key)? {
            Value::String(text) if text.trim().is_empty() => None,
            Value::String(text) => Some(text.trim().to_owned()),
            _ => {
                self.problem(key, "must be text");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(section: &Value) -> (ContextSpill, Vec<String>) {
        let vars: Vars = [("HOME".to_owned(), "/home/ada".to_owned())].into_iter().collect();
        let (spill, problems) = ContextSpill::read(
            &json!({"output_spill": section}),
            Path::new("/h/hook_outputs"),
            &vars,
        );
        (spill, problems.iter().map(PluginSettingProblem::to_string).collect())
    }

    #[test]
    fn what_is_missing_keeps_its_default() {
        let defaults = ContextSpill::new("/h/hook_outputs");
        assert_eq!(
            (defaults.enabled, defaults.max_chars, defaults.preview_head, defaults.preview_tail),
            (true, 10_000, 500, 500)
        );
        for section in [json!(null), json!({}), json!({"directory": " ", "max_chars": null})] {
            assert_eq!(read(&section), (defaults.clone(), vec![]));
        }
        let nothing =
            ContextSpill::read(&Value::Null, Path::new("/h/hook_outputs"), &Vars::default());
        assert_eq!(nothing, (defaults, vec![]));
    }

    #[test]
    fn settings_are_taken() {
        let (spill, problems) = read(&json!({
            "enabled": false, "max_chars": "20", "preview_head": 0, "preview_tail": 7,
            "directory": "~/long",
        }));
        assert_eq!(problems, [] as [&str; 0]);
        let expected = ContextSpill {
            enabled: false,
            max_chars: 20,
            preview_head: 0,
            preview_tail: 7,
            directory: "/home/ada/long".into(),
        };
        assert_eq!(spill, expected);
        assert!(read(&json!({"directory": "here"})).0.directory.is_absolute());
    }

    #[test]
    fn what_cannot_be_used_is_named_and_keeps_its_default() {
        let (spill, problems) = read(&json!({
            "enabled": 3, "max_chars": 0, "preview_head": -1, "preview_tail": 1.5,
            "directory": ["x"],
        }));
        assert_eq!(spill, ContextSpill::new("/h/hook_outputs"));
        assert_eq!(problems.len(), 5, "{problems:?}");
        assert!(problems[1].starts_with("hooks.output_spill.max_chars: "), "{problems:?}");
        assert_eq!(read(&json!([])).1.len(), 1);
    }
}
