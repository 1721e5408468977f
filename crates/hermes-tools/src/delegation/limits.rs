//! The limits of delegation, as configured: told to the model here, kept by the agent.

use std::fmt;

use serde_json::Value;

/// How far delegation may go. `Display` says it to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelegationLimits {
    /// Children that run at the same time, and so tasks in one call: at least one
    /// (`delegation.max_concurrent_children`).
    pub max_children: usize,
    /// Levels of children below the agent the user talks to: at least one
    /// (`delegation.max_spawn_depth`).
    pub max_depth: u32,
    /// Whether children may ever delegate, given the depth (`delegation.orchestrator_enabled`).
    pub orchestrators: bool,
}

impl Default for DelegationLimits {
    fn default() -> Self {
        Self { max_children: 3, max_depth: 1, orchestrators: true }
    }
}

impl DelegationLimits {
    /// Reads the section `delegation` of a configuration; what is absent or makes no sense there
    /// has its default.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        let default = Self::default();
        let section = &config["delegation"];
        let at_least_one = |key: &str| {
            section[key].as_u64().and_then(|number| u32::try_from(number).ok()).filter(|n| *n > 0)
        };
        Self {
            max_children: at_least_one("max_concurrent_children")
                .map_or(default.max_children, |children| children as usize),
            max_depth: at_least_one("max_spawn_depth").unwrap_or(default.max_depth),
            orchestrators: section["orchestrator_enabled"]
                .as_bool()
                .unwrap_or(default.orchestrators),
        }
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
