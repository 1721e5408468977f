//! Lines for the client's log.
//!
//! The newest revision of the protocol is about to drop logging, which is why the SDK marks its
//! types as deprecated. Every revision this server speaks has it; the types stay in here.

#![expect(deprecated, reason = "part of every revision this server speaks")]

use rmcp::Peer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::RoleServer;
use serde_json::Value;

/// How much a line matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of syslog")]
pub enum LogLevel {
    Debug,
    #[default]
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// A log message as the protocol carries it.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// How much it matters.
    pub level: LogLevel,
    /// Who says it.
    pub logger: Option<String>,
    /// What is said.
    pub data: Value,
}

impl From<LoggingLevel> for LogLevel {
    fn from(level: LoggingLevel) -> Self {
        match level {
            LoggingLevel::Debug => Self::Debug,
            LoggingLevel::Info => Self::Info,
            LoggingLevel::Notice => Self::Notice,
            LoggingLevel::Warning => Self::Warning,
            LoggingLevel::Error => Self::Error,
            LoggingLevel::Critical => Self::Critical,
            LoggingLevel::Alert => Self::Alert,
            LoggingLevel::Emergency => Self::Emergency,
        }
    }
}

impl From<LogLevel> for LoggingLevel {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Debug => Self::Debug,
            LogLevel::Info => Self::Info,
            LogLevel::Notice => Self::Notice,
            LogLevel::Warning => Self::Warning,
            LogLevel::Error => Self::Error,
            LogLevel::Critical => Self::Critical,
            LogLevel::Alert => Self::Alert,
            LogLevel::Emergency => Self::Emergency,
        }
    }
}

/// Sends a line. A client that cannot be told is about to be noticed as gone, by the SDK.
pub(super) async fn send(peer: &Peer<RoleServer>, line: LogLine) {
    let mut message = LoggingMessageNotificationParam::new(line.level.into(), line.data);
    message.logger = line.logger;
    let _ = peer.notify_logging_message(message).await;
}
