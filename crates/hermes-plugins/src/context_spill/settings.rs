//! The `hooks.output_spill` section of the settings.

use std::path::{Path, PathBuf};

use hermes_tool::Vars;
use hermes_tool::settings::{SettingOrigin, SettingProblem, Settings};
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

    /// Reads the settings. What is missing or cannot be used keeps its default; the latter is named in a
    /// [`PluginSettingProblem`].
    #[must_use]
    pub fn read(
        config: &Value,
        default_directory: &Path,
        vars: &Vars,
    ) -> (Self, Vec<PluginSettingProblem>) {
        let (written, problems) = SpillSection::read_with_problems(config, vars);
        let mut problems: Vec<_> = problems.into_iter().map(problem).collect();
        let mut spill = Self {
            enabled: written.enabled,
            max_chars: written.max_chars,
            preview_head: written.preview_head,
            preview_tail: written.preview_tail,
            directory: default_directory.to_owned(),
        };
        if let Some(directory) = written.directory {
            let directory = expand_user_folder(directory.trim().to_owned(), vars.non_blank("HOME"));
            // The model is shown the path and may be somewhere else.
            match std::path::absolute(directory) {
                Ok(directory) => spill.directory = directory,
                Err(error) => {
                    let message = format!("{error}; the default is used");
                    problems
                        .push(PluginSettingProblem::new("hooks.output_spill.directory", message));
                }
            }
        }
        (spill, problems)
    }
}

/// The section as it is written.
#[derive(Settings)]
#[settings(path = "hooks.output_spill", about = "Long text from hooks goes to a file")]
struct SpillSection {
    /// Whether it does.
    #[setting(default = true)]
    enabled: bool,
    /// Longest text that does not, in characters.
    #[setting(default = DEFAULT_MAX_CHARS, range = 1..)]
    max_chars: usize,
    /// Characters shown from its beginning.
    #[setting(default = DEFAULT_PREVIEW_CHARS)]
    preview_head: usize,
    /// Characters shown from its end.
    #[setting(default = DEFAULT_PREVIEW_CHARS)]
    preview_tail: usize,
    /// Where the files go; hook_outputs in the home if unset.
    directory: Option<String>,
}

fn problem(wrong: SettingProblem) -> PluginSettingProblem {
    let place = match wrong.origin {
        SettingOrigin::Key(place) | SettingOrigin::Variable(place) => place,
    };
    PluginSettingProblem::new(place, format!("must be {}; the default is used", wrong.expected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(section: &Value) -> (ContextSpill, Vec<String>) {
        let vars: Vars = [("HOME".to_owned(), "/home/ada".to_owned())].into_iter().collect();
        let (spill, problems) = ContextSpill::read(
            &json!({"hooks": {"output_spill": section}}),
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
