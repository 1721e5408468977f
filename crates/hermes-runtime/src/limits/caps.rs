//! Caps that tools apply to their own output while they capture it.

use serde_json::Value;

use super::numbers::positive;

/// The `tool_output` section of the configuration.
///
/// Read it once per process: a session whose caps move while it runs shows the model two different
/// views of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolOutputCaps {
    /// Bytes of terminal output that are kept.
    pub max_bytes: usize,
    /// Lines of a file shown at once.
    pub max_lines: usize,
    /// Characters of one line before it is cut.
    pub max_line_length: usize,
}

impl Default for ToolOutputCaps {
    fn default() -> Self {
        Self { max_bytes: 50_000, max_lines: 2000, max_line_length: 2000 }
    }
}

impl ToolOutputCaps {
    /// Reads `tool_output` out of the whole configuration; what is missing, below one or not a
    /// number keeps its default.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        let default = Self::default();
        let read = |key: &str, default: usize| {
            config
                .get("tool_output")
                .and_then(|section| section.get(key))
                .and_then(positive)
                .unwrap_or(default)
        };
        Self {
            max_bytes: read("max_bytes", default.max_bytes),
            max_lines: read("max_lines", default.max_lines),
            max_line_length: read("max_line_length", default.max_line_length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn takes_what_is_valid_and_defaults_the_rest() {
        let config =
            json!({"tool_output": {"max_bytes": 9, "max_lines": 0, "max_line_length": "x"}});
        let caps = ToolOutputCaps::from_config(&config);
        assert_eq!(caps, ToolOutputCaps { max_bytes: 9, ..ToolOutputCaps::default() });
    }

    #[test]
    fn any_shape_of_configuration_gives_defaults() {
        for config in
            [json!(null), json!({"tool_output": 5}), json!({"tool_output": {"max_bytes": -1}})]
        {
            assert_eq!(ToolOutputCaps::from_config(&config), ToolOutputCaps::default(), "{config}");
        }
    }
}
