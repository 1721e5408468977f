//! What is known of a platform before anything is sent to it.

use std::sync::Arc;
use std::time::Duration;

use super::{Adapter, AdapterSetup, SetupError};
use crate::markdown::LengthUnit;

/// A platform, described. Made as a `static` with [`Platform::named`] for what is usual:
///
/// ```text
/// static PIGEON: Platform = Platform {
///     label: "Carrier pigeon",
///     emoji: "🕊",
///     required: &[Variable::secret("PIGEON_TOKEN", "Token of the loft")],
///     limit: MessageLimit { length: 160, unit: LengthUnit::Characters },
///     open: |setup| Ok(Arc::new(Pigeon::new(setup)?)),
///     ..Platform::named("pigeon", "PIGEON", "hermes-pigeon")
/// };
/// register_platform!(&PIGEON);
/// ```
pub struct Platform {
    /// In lower case, as in targets and keys of the configuration.
    pub name: &'static str,
    /// How its variables begin: `TELEGRAM` for `TELEGRAM_ALLOWED_USERS` and so on.
    pub prefix: &'static str,
    /// The toolsets it offers.
    pub preset: &'static str,
    /// For people.
    pub label: &'static str,
    /// Stands before the label.
    pub emoji: &'static str,
    /// Without all of these the platform is off.
    pub required: &'static [Variable],
    /// May be set besides.
    pub optional: &'static [Variable],
    /// The variable of its home channel, if not `PREFIX_HOME_CHANNEL`.
    pub home_variable: Option<&'static str>,
    /// How long one message may be.
    pub limit: MessageLimit,
    /// What it can do.
    pub capabilities: Capabilities,
    /// How fast it may be written to.
    pub pace: Pace,
    /// What is shown of a turn at work, unless the configuration says otherwise.
    pub display: DisplayDefaults,
    /// Whether it listens on a port of this machine.
    pub binds_port: bool,
    /// Whether its events are authenticated by the adapter itself, so that nobody needs to be on a list.
    pub vouches_for_all: bool,
    /// Whether what comes in are notices of programs, not people's words.
    pub is_event_source: bool,
    /// Whether strangers are never offered a pairing code here.
    pub ignores_strangers: bool,
    /// A line about the platform for the system prompt, in addition to what the prompt knows of it.
    pub hint: &'static str,
    /// Makes the adapter of it. Starts nothing.
    pub open: fn(AdapterSetup) -> Result<Arc<dyn Adapter>, SetupError>,
}

impl Platform {
    /// A platform that can send plain text of 4,000 characters and nothing else.
    #[must_use]
    pub const fn named(name: &'static str, prefix: &'static str, preset: &'static str) -> Self {
        Self {
            name,
            prefix,
            preset,
            label: name,
            emoji: "💬",
            required: &[],
            optional: &[],
            home_variable: None,
            limit: MessageLimit { length: 4_000, unit: LengthUnit::Characters },
            capabilities: Capabilities::NONE,
            pace: Pace::UNHURRIED,
            display: DisplayDefaults::QUIET,
            binds_port: false,
            vouches_for_all: false,
            is_event_source: false,
            ignores_strangers: false,
            hint: "",
            open: |setup| Err(SetupError::new(format!("{} cannot be opened", setup.name()))),
        }
    }

    /// The name of one of its variables: `ALLOWED_USERS` is `TELEGRAM_ALLOWED_USERS`.
    #[must_use]
    pub fn variable(&self, what: &str) -> String {
        format!("{}_{what}", self.prefix)
    }

    /// The variable of its home channel.
    #[must_use]
    pub fn home_variable(&self) -> String {
        self.home_variable.map_or_else(|| self.variable("HOME_CHANNEL"), str::to_owned)
    }
}

impl std::fmt::Debug for Platform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Platform").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A variable that a platform is set up with.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name in `.env`.
    pub name: &'static str,
    /// What the wizard asks for.
    pub prompt: &'static str,
    /// Whether it is typed unseen and never shown.
    pub is_secret: bool,
    /// Where one gets it.
    pub url: &'static str,
}

impl Variable {
    /// One that nobody else may see.
    #[must_use]
    pub const fn secret(name: &'static str, prompt: &'static str) -> Self {
        Self { name, prompt, is_secret: true, url: "" }
    }

    /// One that may be shown.
    #[must_use]
    pub const fn open(name: &'static str, prompt: &'static str) -> Self {
        Self { name, prompt, is_secret: false, url: "" }
    }

    /// The same with where one gets it.
    #[must_use]
    pub const fn from(self, url: &'static str) -> Self {
        Self { url, ..self }
    }
}

/// How long one message may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageLimit {
    /// In the unit.
    pub length: usize,
    /// What is counted.
    pub unit: LengthUnit,
}

/// What a platform can do. Whatever is `false` is never asked of its adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an ability of its own")]
pub struct Capabilities {
    /// Messages can be changed; needed for streaming.
    pub edit: bool,
    /// Messages can be taken back.
    pub delete: bool,
    /// Messages can have buttons.
    pub buttons: bool,
    /// Messages can have reactions.
    pub reactions: bool,
    /// Chats have threads or topics.
    pub threads: bool,
    /// It can be shown that somebody writes.
    pub typing: bool,
    /// Files can be sent.
    pub files: bool,
    /// Sound can be sent as a voice message.
    pub voice: bool,
    /// For so long the same key sent twice is one message: what may have arrived can be sent again.
    pub idempotent_for: Duration,
}

impl Capabilities {
    /// Plain messages only.
    pub const NONE: Self = Self {
        edit: false,
        delete: false,
        buttons: false,
        reactions: false,
        threads: false,
        typing: false,
        files: false,
        voice: false,
        idempotent_for: Duration::ZERO,
    };
}

/// How fast a platform may be written to, and how long what it shows lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Messages a second to one chat, in the long run.
    pub per_chat: f64,
    /// Messages to one chat that may go at once.
    pub burst: u32,
    /// Messages a second in all.
    pub overall: f64,
    /// How long "is writing" stays.
    pub typing: Duration,
    /// How long pieces of a message that a client has cut are waited for.
    pub batch: Duration,
    /// The same after a piece so long that there is surely another one.
    pub split: Duration,
}

impl Pace {
    /// A message a second, five at once.
    pub const UNHURRIED: Self = Self {
        per_chat: 1.0,
        burst: 5,
        overall: 20.0,
        typing: Duration::from_secs(5),
        batch: Duration::from_millis(300),
        split: Duration::from_secs(1),
    };
}

/// What is shown of a turn at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisplayDefaults {
    /// Lines about tools.
    pub tool_progress: ToolProgress,
    /// Whether answers appear as they are written.
    pub streaming: bool,
    /// Whether what is said between tool calls is sent as messages of its own.
    pub interim_messages: bool,
    /// Whether a note says that a long turn still works.
    pub long_running_notes: bool,
}

impl DisplayDefaults {
    /// The answer and nothing else.
    pub const QUIET: Self = Self {
        tool_progress: ToolProgress::Off,
        streaming: false,
        interim_messages: false,
        long_running_notes: false,
    };
    /// No tools, but the answer as it is written and notes about long work.
    pub const CHAT: Self = Self {
        tool_progress: ToolProgress::Off,
        streaming: true,
        interim_messages: true,
        long_running_notes: true,
    };
}

/// Which tool calls are shown in a chat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, hermes_tool::settings::SettingWords)]
pub enum ToolProgress {
    /// None.
    #[default]
    Off,
    /// Those of a tool that was not the last one.
    New,
    /// All.
    All,
    /// All, with more of their arguments.
    Verbose,
    /// None in the chat; the log has them.
    Log,
}
