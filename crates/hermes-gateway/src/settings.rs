//! The gateway's keys of `config.yaml`, and the variables that win over them.

use hermes_tool::settings::{Seconds, SettingWords, Settings};

/// The process and its limits.
#[derive(Clone, Debug, Settings)]
#[settings(path = "gateway", about = "The messaging gateway (hermes gateway run)", open)]
pub struct GatewaySettings {
    /// How long a platform may take to connect.
    #[setting(default = Seconds::new(30.0), variable = "HERMES_GATEWAY_PLATFORM_CONNECT_TIMEOUT")]
    pub(crate) platform_connect_timeout: Seconds,
    /// Largest file that is taken in, in bytes.
    #[setting(default = 134_217_728)]
    pub(crate) max_inbound_media_bytes: u64,
    /// Messages older than this, in seconds, are listed instead of answered after a time out of reach.
    #[setting(default = 86_400)]
    pub(crate) max_backlog_age: u64,
    /// People who may decide about commands besides whoever asked and the owner: platform:id.
    pub(crate) approvers: Vec<String>,
    /// Whether people other than the owner share the owner's notes.
    pub(crate) share_memory: bool,
    /// Turns that run at once; more are refused politely.
    pub(crate) max_concurrent_sessions: Option<u32>,
    /// Chats of a group with a session for each person (true) or one for all.
    #[setting(path = "group_sessions_per_user", default = true)]
    pub(crate) group_sessions_per_user: bool,
    /// The same for threads.
    #[setting(path = "thread_sessions_per_user", default = false)]
    pub(crate) thread_sessions_per_user: bool,
    /// What strangers in direct messages get: pair (a code) or ignore (nothing).
    #[setting(path = "unauthorized_dm_behavior")]
    pub(crate) unauthorized_dm_behavior: StrangerBehavior,
    /// Messages a minute that one person may write; the owner is not counted.
    #[setting(default = 20, range = 1..)]
    pub(crate) rate_limit: u32,
    /// A turn that takes this long says that it still works; 0 never does.
    #[setting(path = "agent.gateway_notify_interval", default = Seconds::new(180.0), variable = "HERMES_AGENT_NOTIFY_INTERVAL")]
    pub(crate) notify_interval: Seconds,
    /// How long a question about a command waits in a chat.
    #[setting(path = "approvals.gateway_timeout", default = Seconds::new(3_600.0))]
    pub(crate) approval_wait: Seconds,
    /// How old a turn that a restart interrupted may be to go on by itself.
    #[setting(path = "agent.gateway_auto_continue_freshness", default = Seconds::new(3_600.0))]
    pub(crate) auto_continue_freshness: Seconds,
    /// How long running turns may take to end when the gateway does.
    #[setting(path = "agent.restart_drain_timeout", default = Seconds::new(0.0), variable = "HERMES_RESTART_DRAIN_TIMEOUT")]
    pub(crate) restart_drain_timeout: Seconds,
    /// A turn without any sign of life for this long is spoken of in its chat; 0 never is.
    #[setting(path = "agent.gateway_timeout_warning", default = Seconds::new(900.0))]
    pub(crate) turn_warning: Seconds,
    /// A turn without any sign of life for this long is ended.
    #[setting(path = "agent.gateway_timeout", default = Seconds::new(1_800.0), variable = "HERMES_AGENT_TIMEOUT")]
    pub(crate) turn_silence: Seconds,
}

/// What strangers get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub(crate) enum StrangerBehavior {
    /// A code that the owner can approve, unless there is a list of people.
    #[default]
    Pair,
    /// Nothing.
    Ignore,
}

/// What is done with a message that comes while a turn runs.
#[derive(Clone, Copy, Debug, Settings)]
#[settings(path = "display", open)]
pub(crate) struct BusySettings {
    /// A message while the agent works in a chat: interrupt, queue or steer.
    #[setting(key = "busy_input_mode", variable = "HERMES_GATEWAY_BUSY_INPUT_MODE")]
    pub(crate) mode: BusyInput,
}

/// See [`BusySettings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub(crate) enum BusyInput {
    /// The turn ends, the message is the next one.
    #[default]
    Interrupt,
    /// The message waits.
    Queue,
    /// The message reaches the turn.
    Steer,
}

/// When a chat begins a new session by itself.
#[derive(Clone, Debug, Settings)]
#[settings(path = "session_reset", about = "When a chat begins a new session by itself")]
pub(crate) struct ResetSettings {
    /// none, idle (after a pause), daily (at an hour), both.
    pub(crate) mode: ResetMode,
    /// The hour, on the clock of this machine.
    #[setting(default = 4, range = 0..=23)]
    pub(crate) at_hour: u16,
    /// The pause.
    #[setting(default = 1_440, range = 1..)]
    pub(crate) idle_minutes: u64,
    /// Whether the person is told.
    #[setting(default = true)]
    pub(crate) notify: bool,
}

/// See [`ResetSettings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub(crate) enum ResetMode {
    /// Never.
    #[default]
    None,
    /// After a pause.
    Idle,
    /// At an hour.
    Daily,
    /// Either.
    Both,
}
