//! What is remembered, and how much of it.

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

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            notes: MemorySwitch::On,
            profile: MemorySwitch::On,
            notes_chars: 2_200,
            profile_chars: 1_375,
            approval: MemorySwitch::Off,
        }
    }
}

impl MemorySettings {
    /// Reads a configuration; what is absent or makes no sense has its default.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        let section = &config["memory"];
        let default = Self::default();
        let switch = |key: &str| match section[key].as_bool() {
            Some(false) => MemorySwitch::Off,
            _ => MemorySwitch::On,
        };
        let limit = |key: &str, default| {
            let number = section[key].as_u64().filter(|number| *number > 0);
            number.and_then(|number| usize::try_from(number).ok()).unwrap_or(default)
        };
        Self {
            notes: switch("memory_enabled"),
            profile: switch("user_profile_enabled"),
            notes_chars: limit("memory_char_limit", default.notes_chars),
            profile_chars: limit("user_char_limit", default.profile_chars),
            approval: match section["write_approval"].as_bool() {
                Some(true) => MemorySwitch::On,
                _ => MemorySwitch::Off,
            },
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
