//! What the user's configuration says about the chat.

use hermes_guard::redact::Redactor;
use hermes_store::config::Config;

use super::display::{ArgumentPreview, DisplayOptions, MarkdownMode};
use super::slash::BusyMode;

/// What a person may change about the look and the keys of the chat.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChatSettings {
    /// Which parts of a turn are shown, and how (`streaming`, `show_reasoning`, `inline_diffs` …).
    pub shown: DisplayOptions,
    /// How much of a call's arguments fits in its line (`tool_preview_length`).
    pub preview: ArgumentPreview,
    /// What typing does while the agent works (`busy_input_mode`).
    pub busy: BusyMode,
    /// Keeps secrets out of the lines about tool calls. The session's own: no other part of the
    /// settings can change it.
    pub redactor: Redactor,
    /// The terminal rings when a turn is over.
    pub bell: bool,
    /// Each turn ends with a line on what it used.
    pub cost: bool,
}

impl ChatSettings {
    /// Reads the `display` settings. Values that make no sense are as good as none;
    /// `hermes config check` tells of them.
    pub fn read(config: &Config, redactor: Redactor) -> Self {
        let on = |key: &str, usual: bool| config.bool(&format!("display.{key}")).unwrap_or(usual);
        let text = |key: &str| config.text(&format!("display.{key}")).unwrap_or_default();
        let busy = text("busy_input_mode");
        Self {
            shown: DisplayOptions {
                markdown: match text("final_response_markdown").as_str() {
                    "raw" => MarkdownMode::Raw,
                    "strip" => MarkdownMode::Strip,
                    _ => MarkdownMode::Render,
                },
                streaming: on("streaming", true),
                reasoning: on("show_reasoning", true),
                diffs: on("inline_diffs", true),
                ..DisplayOptions::default()
            },
            preview: match config.integer("display.tool_preview_length") {
                Some(0) => ArgumentPreview::Unlimited,
                Some(length) => {
                    usize::try_from(length).map_or(ArgumentPreview::Row, ArgumentPreview::Columns)
                }
                None => ArgumentPreview::Row,
            },
            busy: BusyMode::ALL
                .iter()
                .find(|(name, _)| *name == busy)
                .map_or(BusyMode::default(), |(_, mode)| *mode),
            redactor,
            bell: on("bell_on_complete", false),
            cost: on("show_cost", false),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_read_and_nonsense_is_not() {
        let config = Config::from_value(json!({"display": {
            "final_response_markdown": "raw", "streaming": false, "busy_input_mode": "steer",
            "tool_preview_length": 0, "show_cost": true}}));
        let settings = ChatSettings::read(&config, Redactor::default());
        assert_eq!(settings.shown.markdown, MarkdownMode::Raw);
        assert!(!settings.shown.streaming && settings.shown.reasoning && settings.cost);
        assert_eq!(
            (settings.busy, settings.preview),
            (BusyMode::Steer, ArgumentPreview::Unlimited)
        );
        let config = Config::from_value(json!({"display": {
            "busy_input_mode": "sing", "tool_preview_length": -4}}));
        let settings = ChatSettings::read(&config, Redactor::default());
        assert_eq!((settings.busy, settings.preview), (BusyMode::Interrupt, ArgumentPreview::Row));
    }
}
