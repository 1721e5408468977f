//! What a tool does to the world, declared once.
//!
//! Parallel planning, approval, MCP annotations, read-only modes and the loop guardrails all
//! derive from this one declaration, so no list of tool names is kept by hand anywhere.

use std::fmt;

/// One kind of effect a tool may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Looks at files or other local state.
    Reads,
    /// Changes files or other state.
    Writes,
    /// Starts a process or runs code.
    Runs,
    /// Talks to another machine.
    Network,
    /// Waits for a person.
    Interactive,
    /// Works on the agent's own state; needs an agent to answer.
    AgentState,
}

impl Effect {
    /// Every effect, in the order they are shown.
    pub const ALL: [Self; 6] =
        [Self::Reads, Self::Writes, Self::Runs, Self::Network, Self::Interactive, Self::AgentState];

    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The word used in attributes, tables and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Runs => "runs",
            Self::Network => "network",
            Self::Interactive => "interactive",
            Self::AgentState => "agent-state",
        }
    }
}

/// The set of effects of one tool, and the arguments that say which files they touch.
///
/// ```
/// use hermes_tool::{Effect, Effects};
/// const PATCH: Effects = Effects::NONE.with(Effect::Reads).with(Effect::Writes).at(&["path"]);
/// assert!(!PATCH.is_read_only());
/// assert_eq!(PATCH.to_string(), "reads, writes");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects {
    bits: u8,
    paths: &'static [&'static str],
}

impl Effects {
    /// No effect at all: a pure computation.
    pub const NONE: Self = Self { bits: 0, paths: &[] };

    /// The careful assumption for code we know nothing about.
    pub const UNKNOWN: Self = Self::NONE
        .with(Effect::Reads)
        .with(Effect::Writes)
        .with(Effect::Runs)
        .with(Effect::Network);

    /// This set and one effect more.
    #[must_use]
    pub const fn with(self, effect: Effect) -> Self {
        Self { bits: self.bits | effect.bit(), paths: self.paths }
    }

    /// Declares that reads and writes touch just the files named by these arguments, so that calls
    /// on different files may run at the same time.
    #[must_use]
    pub const fn at(self, arguments: &'static [&'static str]) -> Self {
        Self { bits: self.bits, paths: arguments }
    }

    /// Whether the set has this effect.
    #[must_use]
    pub const fn has(self, effect: Effect) -> bool {
        self.bits & effect.bit() != 0
    }

    /// Nothing changes, nothing starts, nobody is asked: safe to repeat, to run beside others and
    /// to throw away.
    #[must_use]
    pub const fn is_read_only(self) -> bool {
        !self.has(Effect::Writes) && !self.has(Effect::Runs) && !self.has(Effect::Interactive)
    }

    /// Names of the arguments that hold the touched paths; empty when the effects are not bound to
    /// paths.
    #[must_use]
    pub const fn path_arguments(self) -> &'static [&'static str] {
        self.paths
    }

    /// The effects of the set in their fixed order.
    pub fn iter(self) -> impl Iterator<Item = Effect> {
        Effect::ALL.into_iter().filter(move |effect| self.has(*effect))
    }
}

impl Default for Effects {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bits == 0 {
            return f.write_str("none");
        }
        for (index, effect) in self.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            f.write_str(effect.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_alone_is_read_only_but_running_is_not() {
        assert!(Effects::NONE.with(Effect::Network).is_read_only());
        assert!(!Effects::NONE.with(Effect::Runs).is_read_only());
        assert!(!Effects::UNKNOWN.is_read_only());
    }

    #[test]
    fn shows_effects_in_fixed_order() {
        let effects = Effects::NONE.with(Effect::Network).with(Effect::Reads);
        assert_eq!(effects.to_string(), "reads, network");
        assert_eq!(Effects::NONE.to_string(), "none");
    }
}
