//! What is remembered, and how much of it.

use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use serde_json::Value;

use crate::memory::request::MemoryTarget;

/// Settings of the section `memory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySettings {
    /// Whether the agent keeps notes of its own (`memory.memory_enabled`).
    pub notes: MemorySwitch,
    /// Whether it keeps notes on the user (`memory.user_profile_enabled`).
    pub profile: MemorySwitch,
    /// Most characters of its own notes (`memory.memory_char_limit`).
    pub notes_chars: usize,
    /// Most characters of the notes on the user (`memory.user_char_limit`).
    pub profile_chars: usize,
    /// Whether a person has to agree to every change of the agent (`memory.write_approval`).
    pub approval: MemorySwitch,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words say it")]
pub enum MemorySwitch {
    On,
    Off,
}

impl MemorySwitch {
    fn when(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

/// The section as it is written.
#[derive(Settings)]
#[settings(path = "memory", about = "What is remembered between sessions", open)]
struct MemorySection {
    /// Notes about the work.
    #[setting(default = true)]
    memory_enabled: bool,
    /// Notes about you.
    #[setting(default = true)]
    user_profile_enabled: bool,
    /// Length of the notes about the work, in characters.
    #[setting(default = 2_200, range = 1..)]
    memory_char_limit: usize,
    /// Length of the notes about you, in characters.
    #[setting(default = 1_375, range = 1..)]
    user_char_limit: usize,
    /// Ask you before the agent changes its notes.
    write_approval: bool,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self::from_config(&Value::Null)
    }
}

impl MemorySettings {
    /// Reads a configuration; what is absent or makes no sense has its default.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        let written = MemorySection::read(config, &Vars::default());
        Self {
            notes: MemorySwitch::when(written.memory_enabled),
            profile: MemorySwitch::when(written.user_profile_enabled),
            notes_chars: written.memory_char_limit,
            profile_chars: written.user_char_limit,
            approval: MemorySwitch::when(written.write_approval),
        }
    }

    /// The limit of one of the two files.
    #[must_use]
    pub fn limit(&self, target: MemoryTarget) -> usize {
        match target {
            MemoryTarget::Memory => self.notes_chars,
            MemoryTarget::User => self.profile_chars,
        }
    }

    /// The key that turns one of the two off, where it does.
    #[must_use]
    pub fn turned_off_by(&self, target: MemoryTarget) -> Option<&'static str> {
        match target {
            MemoryTarget::Memory => {
                (self.notes == MemorySwitch::Off).then_some("memory.memory_enabled")
            }
            MemoryTarget::User => {
                (self.profile == MemorySwitch::Off).then_some("memory.user_profile_enabled")
            }
        }
    }
}
