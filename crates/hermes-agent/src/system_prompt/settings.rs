//! What the user decides about the system prompt.

use std::collections::BTreeMap;

use hermes_tool::settings::scalar::{as_bool, as_text};
use hermes_tool::settings::{Kind, SettingValue, SettingWords, Settings, TextOr};
use serde_json::Value;

/// The keys of the section `agent` that change the prompt.
#[derive(Settings)]
#[settings(path = "agent", open)]
pub(super) struct PromptSettings {
    /// Whether the prompt insists on using tools: auto, true, false, or parts of names of models.
    pub(super) tool_use_enforcement: Enforcement,
    /// Tell the model to finish what it began.
    #[setting(default = true)]
    pub(super) task_completion_guidance: bool,
    /// Tell the model to call independent tools together.
    #[setting(default = true)]
    pub(super) parallel_tool_call_guidance: bool,
    /// Tell the model which programs the machine has.
    #[setting(default = true)]
    pub(super) environment_probe: bool,
    /// Your own words about the machine.
    pub(super) environment_hint: Option<String>,
    /// Whether the prompt says what project the working directory holds.
    #[setting(default = CodingContext::Auto)]
    pub(super) coding_context: CodingContext,
    /// How the agent speaks: the name of a personality.
    pub(super) personality: Option<String>,
    /// Your own personalities: what the agent is told, by name.
    pub(super) personalities: BTreeMap<String, TextOr<OwnPersonality>>,
    /// Longest project file put into the prompt, in characters; a share of the window if unset.
    #[setting(path = "context_file_max_chars", range = 1..)]
    pub(super) context_file_max_chars: Option<usize>,
}

/// A personality of the user's own.
#[derive(Settings)]
#[settings(manual, about = "One personality: what the agent is told, or a section")]
pub(super) struct OwnPersonality {
    /// What the agent is told.
    #[setting(older = "prompt")]
    pub(super) system_prompt: Option<String>,
    /// A line on it, for lists.
    pub(super) description: Option<String>,
    /// A word on the tone.
    pub(super) tone: Option<String>,
    /// A word on the style.
    pub(super) style: Option<String>,
}

/// Whether the prompt says what project the working directory holds.
#[derive(Clone, Copy, PartialEq, Eq, SettingWords)]
pub(super) enum CodingContext {
    /// Where there is one.
    #[setting(also("on", "always"), bool = true)]
    Auto,
    /// Never.
    #[setting(also("never"), bool = false)]
    Off,
}

/// For which models the prompt insists on using tools.
#[derive(Default)]
pub(super) enum Enforcement {
    /// For families that are known to need it.
    #[default]
    Auto,
    /// For all.
    Always,
    /// For none.
    Never,
    /// For those whose names have one of these in them.
    Named(Vec<String>),
}

impl SettingValue for Enforcement {
    const KIND: Kind = Kind::Any;

    fn from_config(value: &Value) -> Option<Self> {
        match (value, as_bool(value)) {
            (Value::Array(names), _) => {
                let names = names.iter().filter_map(as_text).filter(|name| !name.is_empty());
                Some(Self::Named(names.map(|name| name.to_lowercase()).collect()))
            }
            (_, Some(true)) => Some(Self::Always),
            (_, Some(false)) => Some(Self::Never),
            (Value::String(word), None) => match word.trim() {
                "auto" => Some(Self::Auto),
                "always" => Some(Self::Always),
                "never" => Some(Self::Never),
                _ => None,
            },
            _ => None,
        }
    }

    fn expected() -> String {
        "auto, true, false or a list of parts of names".to_owned()
    }

    fn to_config(&self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Always => "true".to_owned(),
            Self::Never => "false".to_owned(),
            Self::Named(names) => names.to_config(),
        }
    }
}
