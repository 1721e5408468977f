//! Modes and settings of a session.

use agent_client_protocol::v1::schema::{
    AvailableCommand, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption,
    SessionMode, SessionModeState,
};
use hermes_protocol::{ModelEntry, SessionStatus};

/// The setting for the model.
pub(crate) const MODEL: &str = "model";

/// What is asked about changes to files. Commands have rules of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EditMode {
    /// Every one.
    #[default]
    Ask,
    /// Those outside the workspace and the temporary folder.
    AcceptEdits,
    /// None.
    DontAsk,
}

/// Every mode with its name and what it means.
const MODES: [(EditMode, &str, &str, &str); 3] = [
    (EditMode::Ask, "default", "Ask", "Asks before files are changed"),
    (
        EditMode::AcceptEdits,
        "accept_edits",
        "Accept edits",
        "Changes files of the workspace without asking",
    ),
    (
        EditMode::DontAsk,
        "dont_ask",
        "Don't ask",
        "Changes files without asking; flagged commands still ask",
    ),
];

impl EditMode {
    pub(crate) fn of(id: &str) -> Option<Self> {
        MODES.iter().find(|mode| mode.1 == id).map(|mode| mode.0)
    }

    fn id(self) -> &'static str {
        MODES.iter().find(|mode| mode.0 == self).map_or("default", |mode| mode.1)
    }
}

/// The modes there are.
pub(crate) fn modes(current: EditMode) -> SessionModeState {
    let mode = |(_, id, name, about): &(EditMode, &'static str, &'static str, &'static str)| {
        SessionMode::new(*id, *name).description((*about).to_owned())
    };
    SessionModeState::new(current.id(), MODES.iter().map(mode).collect())
}

/// The settings there are: the model.
pub(crate) fn settings(status: &SessionStatus, models: &[ModelEntry]) -> Vec<SessionConfigOption> {
    let mut names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    if !names.contains(&status.model.as_str()) {
        names.insert(0, &status.model);
    }
    let options: Vec<SessionConfigSelectOption> = names
        .into_iter()
        .map(|name| SessionConfigSelectOption::new(name.to_owned(), name.to_owned()))
        .collect();
    vec![
        SessionConfigOption::select(MODEL, "Model", status.model.clone(), options)
            .description(format!("Served by {}", status.provider))
            .category(SessionConfigOptionCategory::Model),
    ]
}

/// The commands that begin with a slash.
pub(crate) fn commands(skills: &[hermes_protocol::PluginCommand]) -> Vec<AvailableCommand> {
    let own = [
        ("help", "What can be typed here"),
        ("tools", "The tools the agent has"),
        ("context", "How full the model's window is"),
        ("compact", "Make the conversation shorter"),
        ("steer", "Tell the agent something while it works"),
        ("version", "The version of Hermes"),
    ];
    let own = own.into_iter().map(|(name, about)| AvailableCommand::new(name, about));
    own.chain(skills.iter().map(|skill| AvailableCommand::new(&skill.name, &skill.help))).collect()
}
