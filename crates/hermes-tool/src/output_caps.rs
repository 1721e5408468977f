//! Caps that tools apply to their own output while they capture it.

use crate::settings::Settings;

/// The `tool_output` section of the configuration.
///
/// Read it once per process: a session whose caps move while it runs shows the model two different
/// views of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Settings)]
#[settings(path = "tool_output", about = "How much of an output is kept")]
pub struct OutputCaps {
    /// Longest terminal output, in characters.
    #[setting(default = 50_000, range = 1..)]
    pub max_bytes: usize,
    /// Most lines of one file read.
    #[setting(default = 2_000, range = 1..)]
    pub max_lines: usize,
    /// Longest line shown, in characters.
    #[setting(default = 2_000, range = 1..)]
    pub max_line_length: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vars;
    use serde_json::json;

    #[test]
    fn takes_what_is_valid_and_defaults_the_rest() {
        let config =
            json!({"tool_output": {"max_bytes": 9, "max_lines": 0, "max_line_length": "x"}});
        let caps = OutputCaps::read(&config, &Vars::default());
        assert_eq!(caps, OutputCaps { max_bytes: 9, ..OutputCaps::default() });
    }

    #[test]
    fn any_shape_of_configuration_gives_defaults() {
        for config in
            [json!(null), json!({"tool_output": 5}), json!({"tool_output": {"max_bytes": -1}})]
        {
            let caps = OutputCaps::read(&config, &Vars::default());
            assert_eq!(caps, OutputCaps::default(), "{config}");
        }
    }
}
