//! How much of our models a server may have.

use std::time::Duration;

use hermes_tool::settings::SettingWords;

/// The limits of one server: `mcp_servers.<name>.sampling`.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingSettings {
    /// Whether requests are answered at all.
    pub is_enabled: bool,
    /// The model to use, whatever the server would like.
    pub model: Option<String>,
    /// The most tokens of an answer.
    pub max_tokens_cap: u32,
    /// How long a model may take.
    pub timeout: Duration,
    /// The most requests in any minute.
    pub max_rpm: u32,
    /// The only models that may be asked; empty for any.
    pub allowed_models: Vec<String>,
    /// How often in a row a model may ask for the server's tools; 0 for never.
    pub max_tool_rounds: u32,
    /// How loudly each answer is logged.
    pub log_level: AuditLevel,
}

impl Default for SamplingSettings {
    fn default() -> Self {
        Self {
            is_enabled: true,
            model: None,
            max_tokens_cap: 4096,
            timeout: Duration::from_secs(30),
            max_rpm: 10,
            allowed_models: Vec::new(),
            max_tool_rounds: 5,
            log_level: AuditLevel::Info,
        }
    }
}

/// How loudly a granted request is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
#[expect(missing_docs, reason = "the words say it")]
pub enum AuditLevel {
    Debug,
    #[default]
    Info,
    #[setting(also("warn"))]
    Warning,
}

impl AuditLevel {
    pub(super) fn log(self, server: &str, what: &str) {
        match self {
            Self::Debug => tracing::debug!(%server, "{what}"),
            Self::Info => tracing::info!(%server, "{what}"),
            Self::Warning => tracing::warn!(%server, "{what}"),
        }
    }
}
