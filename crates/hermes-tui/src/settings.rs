//! What the user's configuration says about the chat.

use hermes_guard::redact::Redactor;
use hermes_store::config::Config;
use hermes_tool::Vars;
use hermes_tool::settings::Settings;

use super::display::status_line::USUAL_FORMAT;
use super::display::{ArgumentPreview, DisplayOptions, MarkdownMode, Theme};
use super::input::{EditStyle, KeyMap};
use super::slash::BusyMode;

/// What a person may change about the look and the keys of the chat.
#[derive(Clone, Debug, Default)]
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
    /// What the row at the bottom tells (`status_line`); none: there is no such row.
    pub status_line: Option<String>,
    /// Which shades are used (`theme`); none: those that fit the terminal's background.
    pub theme: Option<Theme>,
    /// Nothing moves and nothing is drawn, for screen readers (`plain`).
    pub plain: bool,
    /// Which keys do what (`keys`).
    pub(crate) keys: KeyMap,
    /// How the line is edited (`vim_keys`).
    pub(crate) editing: EditStyle,
}

/// Which theme the settings name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, hermes_tool::settings::SettingWords)]
enum ThemeName {
    /// The one that fits the terminal's background.
    #[default]
    Auto,
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// For a dark background; changes are blue and orange.
    DarkColourblind,
    /// For a light background; changes are blue and orange.
    LightColourblind,
}

/// The section as it is written.
#[derive(Settings)]
#[settings(path = "display", about = "What the terminal shows", open)]
struct DisplaySection {
    /// What typing does while the agent works.
    busy_input_mode: BusyMode,
    /// Show answers as they are written.
    #[setting(default = true)]
    streaming: bool,
    /// Show the model's thoughts.
    #[setting(default = true)]
    show_reasoning: bool,
    /// Show edits as differences.
    #[setting(default = true)]
    inline_diffs: bool,
    /// Longest preview of a tool call, in columns; 0 for no limit, as much as fits a row if unset.
    tool_preview_length: Option<usize>,
    /// How the answer's formatting is treated.
    #[setting(default = MarkdownMode::Render)]
    final_response_markdown: MarkdownMode,
    /// End each turn with a line on what it used.
    show_cost: bool,
    /// Ring when a turn is over.
    bell_on_complete: bool,
    /// The row at the bottom, with names in braces ({model}, {context}, {cost}, {dir}, {branch}, {mode}, {tasks},
    /// {queue}, {provider}, {session}, {title}, {goal}); `off` for none.
    #[setting(default = USUAL_FORMAT.to_owned())]
    status_line: String,
    /// Shades for the background and for changes.
    theme: ThemeName,
    /// Nothing moves, no colours, no drawings: for screen readers.
    plain: bool,
    /// Edit the line as in vim: Esc leads to the mode in which letters are commands.
    vim_keys: bool,
}

/// The keys as they are written.
#[derive(Settings)]
struct KeySection {
    /// The keys of the chat: names such as `ctrl-o`, `alt-enter` or `f2`, several with commas between them, `none` for no key.
    keys: KeyMap,
}

impl ChatSettings {
    /// Reads the `display` settings. Values that make no sense are as good as none;
    /// `hermes config check` tells of them.
    pub fn read(config: &Config, redactor: Redactor) -> Self {
        let written = DisplaySection::read(config.value(), &Vars::default());
        Self {
            shown: DisplayOptions {
                markdown: match written.plain {
                    true => MarkdownMode::Strip,
                    false => written.final_response_markdown,
                },
                streaming: written.streaming,
                reasoning: written.show_reasoning,
                diffs: written.inline_diffs,
                ..DisplayOptions::default()
            },
            preview: match written.tool_preview_length {
                Some(0) => ArgumentPreview::Unlimited,
                Some(length) => ArgumentPreview::Columns(length),
                None => ArgumentPreview::Row,
            },
            busy: written.busy_input_mode,
            redactor,
            bell: written.bell_on_complete,
            cost: written.show_cost,
            status_line: Some(written.status_line)
                .filter(|format| !written.plain && !matches!(format.trim(), "" | "off" | "false")),
            theme: match written.theme {
                ThemeName::Auto => None,
                ThemeName::Dark => Some(Theme::Dark),
                ThemeName::Light => Some(Theme::Light),
                ThemeName::DarkColourblind => Some(Theme::DarkColourblind),
                ThemeName::LightColourblind => Some(Theme::LightColourblind),
            },
            plain: written.plain,
            keys: KeySection::read(config.value(), &Vars::default()).keys,
            editing: if written.vim_keys { EditStyle::Vim } else { EditStyle::Shell },
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
