//! What the user's configuration says about the chat.

use hermes_guard::redact::{Redactor, Switch};
use hermes_store::config::Config;

use super::display::{MarkdownMode, Preview, Shown};
use super::slash::BusyMode;

/// Settings of a chat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChatSettings {
    pub(crate) shown: Shown,
    pub(crate) preview: Preview,
    pub(crate) busy: BusyMode,
    pub(crate) redactor: Redactor,
    /// The terminal rings when a turn is over.
    pub(crate) bell: bool,
    /// Each turn ends with a line on what it used.
    pub(crate) cost: bool,
}

impl ChatSettings {
    /// Reads the `display` settings. Values that make no sense are as good as none;
    /// `hermes config check` tells of them.
    pub(crate) fn read(config: &Config) -> Self {
        let on = |key: &str, usual: bool| config.bool(&format!("display.{key}")).unwrap_or(usual);
        let text = |key: &str| config.text(&format!("display.{key}")).unwrap_or_default();
        let busy = text("busy_input_mode");
        let redactor = match config.bool("security.redact_secrets") {
            Some(false) => Redactor::new(Switch::Off),
            _ => Redactor::new(Switch::On),
        };
        Self {
            shown: Shown {
                markdown: match text("final_response_markdown").as_str() {
                    "raw" => MarkdownMode::Raw,
                    "strip" => MarkdownMode::Strip,
                    _ => MarkdownMode::Render,
                },
                streaming: on("streaming", true),
                reasoning: on("show_reasoning", true),
                diffs: on("inline_diffs", true),
                ..Shown::default()
            },
            preview: match config.integer("display.tool_preview_length") {
                Some(0) => Preview::Unlimited,
                Some(length) => usize::try_from(length).map_or(Preview::Row, Preview::Columns),
                None => Preview::Row,
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
        let settings = ChatSettings::read(&config);
        assert_eq!(settings.shown.markdown, MarkdownMode::Raw);
        assert!(!settings.shown.streaming && settings.shown.reasoning && settings.cost);
        assert_eq!((settings.busy, settings.preview), (BusyMode::Steer, Preview::Unlimited));
        let config = Config::from_value(json!({"display": {
            "busy_input_mode": "sing", "tool_preview_length": -4}}));
        let settings = ChatSettings::read(&config);
        assert_eq!((settings.busy, settings.preview), (BusyMode::Interrupt, Preview::Row));
    }
}
