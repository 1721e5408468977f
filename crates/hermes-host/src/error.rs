//! Why something could not be put together.

use std::io;

use hermes_llm::provider::ResolveError;
use hermes_sessions::SessionsError;
use hermes_store::config::ConfigError;
use hermes_store::config_edit::EditError;
use hermes_store::home::HomeError;
use hermes_store::key_path::KeyPathError;

/// Why a host, a session or a change of one could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// There is no state folder, or the profile's name is none.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// `config.yaml` cannot be used, and what was asked for makes no sense with defaults.
    #[error("{0}")]
    Config(String),
    /// `.env` cannot be read, and what was asked for needs it.
    #[error("{0}")]
    DotEnv(String),
    /// A toolset was named that nobody knows.
    #[error("unknown toolset `{name}`{}", .nearest.as_ref().map(|near| format!("\n  did you mean `{near}`?")).unwrap_or_default())]
    UnknownToolset {
        /// As it was written.
        name: String,
        /// The known name most like it.
        nearest: Option<String>,
    },
    /// A provider was named that nobody knows.
    #[error("{0}")]
    UnknownProvider(ResolveError),
    /// A provider was named that has no usual model, and no model with it.
    #[error("provider `{provider}` has no model that goes without saying; name one")]
    ModelNotNamed {
        /// As it was written.
        provider: String,
    },
    /// A server has several models and nobody said which.
    #[error("which model at {base_url}? Set model.default in config.yaml")]
    WhichModel {
        /// Where the server is.
        base_url: String,
    },
    /// No model can be asked: nothing is configured, or a key is missing.
    #[error("{0}")]
    NoModel(ResolveError),
    /// The built-in engine does not run.
    #[error("{0}")]
    Engine(String),
    /// The session to go on with is not there.
    #[error("{0}")]
    NoSuchSession(SessionsError),
    /// There is no session yet to go on with.
    #[error("there is no session to continue yet")]
    NothingToContinue,
    /// The database of sessions failed.
    #[error(transparent)]
    Sessions(#[from] SessionsError),
    /// The settings could not be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A setting was named in a way that names none.
    #[error(transparent)]
    Key(#[from] KeyPathError),
    /// The zone of schedules is none.
    #[error(transparent)]
    Zone(#[from] hermes_cron::schedule::ScheduleError),
    /// The current folder is gone or may not be looked at.
    #[error("find the current directory: {0}")]
    CurrentDirectory(#[source] io::Error),
}

impl HostError {
    /// Why no model can be asked.
    pub(crate) fn from_resolve(problem: ResolveError) -> Self {
        match problem {
            ResolveError::UnknownProvider { .. } => Self::UnknownProvider(problem),
            other => Self::NoModel(other),
        }
    }

    /// Whether what was asked for makes no sense, as opposed to work that failed: asking the same way
    /// again will not help.
    #[must_use]
    pub fn is_mistaken_request(&self) -> bool {
        matches!(
            self,
            Self::UnknownToolset { .. }
                | Self::UnknownProvider(_)
                | Self::ModelNotNamed { .. }
                | Self::WhichModel { .. }
                | Self::NoSuchSession(_)
                | Self::NothingToContinue
                | Self::Home(HomeError::BadProfileName { .. })
        )
    }
}

impl From<&ConfigError> for HostError {
    fn from(problem: &ConfigError) -> Self {
        // The host keeps the original for whoever wants its parts.
        Self::Config(problem.to_string())
    }
}
