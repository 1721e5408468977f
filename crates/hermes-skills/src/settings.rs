//! What a user decides about skills: the sections `skills` and `curator` of the settings.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_tool::Vars;
use hermes_tool::settings::{Seconds, Settings};
use serde_json::{Map, Value};

/// The shortest time a command inside a document may have.
const SHORTEST_SHELL: Seconds = Seconds::new(1.0);

/// The section `skills`.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "skills", about = "Skills: documents of know-how")]
pub struct SkillsSettings {
    /// Further folders with skills, which the agent does not change by itself.
    pub external_dirs: Vec<String>,
    /// Skills that are not offered.
    pub disabled: Vec<String>,
    /// Skills that are not offered on one platform, by its name.
    pub platform_disabled: BTreeMap<String, Vec<String>>,
    /// Put the skill's folder and the session's id where a skill names them.
    #[setting(default = true)]
    pub template_vars: bool,
    /// Run the commands in a skill's text and put in what they say.
    pub inline_shell: bool,
    /// How long such a command may take, in seconds.
    #[setting(default = Seconds::new(10.0), range = SHORTEST_SHELL..)]
    inline_shell_timeout: Seconds,
    /// Sources of installed skills whose text may run commands too.
    pub inline_shell_sources: Vec<String>,
    /// Look for attacks in what the agent writes into skills.
    pub guard_agent_created: bool,
    /// Put changes of the agent aside until a person agrees.
    pub write_approval: bool,
    /// Settings of single skills, by their key.
    pub config: Map<String, Value>,
}

/// The section `curator`.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "curator", about = "Upkeep of skills that nobody uses")]
pub struct CuratorSettings {
    /// Look after skills at all.
    #[setting(default = true)]
    pub enabled: bool,
    /// Hours between two runs.
    #[setting(default = 168.0, range = 1.0..)]
    pub interval_hours: f64,
    /// Hours without any use of skills before a run.
    #[setting(default = 2.0, range = 0.0..)]
    pub min_idle_hours: f64,
    /// Days without use after which a skill is called stale.
    #[setting(default = 30.0, range = 1.0..)]
    pub stale_after_days: f64,
    /// Days without use after which a skill is put away.
    #[setting(default = 90.0, range = 1.0..)]
    pub archive_after_days: f64,
    /// Put away skills that came with the program too.
    #[setting(default = true)]
    pub prune_builtins: bool,
    /// Also have a model (`auxiliary.skills_hub`) merge skills of the agent's own that overlap.
    pub consolidate: bool,
}

impl SkillsSettings {
    /// Reads a configuration; what makes no sense counts as not set.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        <Self as Settings>::read(config, &Vars::default())
    }

    /// How long a command in a document may take.
    #[must_use]
    pub fn shell_limit(&self) -> Duration {
        self.inline_shell_timeout.duration()
    }
}

impl CuratorSettings {
    /// Reads a configuration; what makes no sense counts as not set.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        <Self as Settings>::read(config, &Vars::default())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_defaults_run_nothing_and_ask_nobody() {
        let settings = SkillsSettings::from_config(&json!({}));
        assert!(settings.template_vars);
        assert!(
            !settings.inline_shell && !settings.guard_agent_created && !settings.write_approval
        );
        assert_eq!(settings.shell_limit(), Duration::from_secs(10));
        let curator = CuratorSettings::from_config(&json!({}));
        assert!(curator.enabled && curator.prune_builtins);
        assert_eq!((curator.stale_after_days, curator.archive_after_days), (30.0, 90.0));
    }

    #[test]
    fn one_text_stands_for_a_list_and_a_limit_has_a_least() {
        let settings = SkillsSettings::from_config(&json!({"skills": {
            "disabled": "a", "external_dirs": "~/x", "platform_disabled": {"telegram": "b"},
            "inline_shell_timeout": 0.1}}));
        assert_eq!(settings.disabled, ["a"]);
        assert_eq!(settings.external_dirs, ["~/x"]);
        assert_eq!(settings.platform_disabled["telegram"], ["b"]);
        assert!(settings.shell_limit() >= Duration::from_secs(1));
    }
}
