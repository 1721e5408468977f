//! The limits of delegation, as configured: told to the model here, kept by the agent.

use std::fmt;

use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use serde_json::Value;

/// How far delegation may go. `Display` says it to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Settings)]
#[settings(path = "delegation", about = "Agents working for the agent", open)]
pub struct DelegationLimits {
    /// How many subagents work at once, and so how many tasks one call may have.
    #[setting(key = "max_concurrent_children", default = 3, range = 1..)]
    pub max_children: usize,
    /// Levels of subagents below the agent you talk to.
    #[setting(key = "max_spawn_depth", default = 1, range = 1..)]
    pub max_depth: u32,
    /// Whether a subagent may lead others, given the depth.
    #[setting(key = "orchestrator_enabled", default = true)]
    pub orchestrators: bool,
}

impl DelegationLimits {
    /// Reads the section `delegation` of a configuration; what is absent or makes no sense there
    /// has its default.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        Self::read(config, &Vars::default())
    }

    /// Whether a child may have children of its own.
    #[must_use]
    pub fn children_may_delegate(&self) -> bool {
        self.orchestrators && self.max_depth > 1
    }
}

impl fmt::Display for DelegationLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.max_children {
            1 => write!(f, "At most 1 task in one call. ")?,
            many => write!(f, "At most {many} tasks in one call. ")?,
        }
        if self.children_may_delegate() {
            write!(
                f,
                "Subagents with the role `orchestrator` may delegate in turn, down to {} levels \
                 below you.",
                self.max_depth
            )
        } else {
            write!(f, "Subagents cannot delegate further.")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nonsense_in_the_configuration_gives_the_defaults() {
        for config in [
            Value::Null,
            json!({"delegation": null}),
            json!({"delegation": {"max_concurrent_children": 0, "max_spawn_depth": "deep"}}),
            json!({"delegation": [1]}),
        ] {
            let limits = DelegationLimits::from_config(&config);
            assert_eq!(limits, DelegationLimits::default(), "{config}");
        }
    }

    #[test]
    fn depth_alone_does_not_let_children_delegate() {
        let limits = |enabled: bool| {
            DelegationLimits::from_config(&json!({
                "delegation": {"max_spawn_depth": 3, "orchestrator_enabled": enabled}
            }))
        };
        assert!(limits(true).children_may_delegate());
        assert!(limits(true).to_string().contains("3 levels"));
        assert!(!limits(false).children_may_delegate());
        assert!(limits(false).to_string().contains("cannot delegate further"));
    }
}
