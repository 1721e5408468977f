//! What a user decides about jobs.

use std::time::Duration;

use hermes_tool::Vars;
use hermes_tool::settings::{Seconds, Settings};
use serde_json::Value;

/// Jobs at the same time where the settings say nothing.
const USUAL_PARALLEL: usize = 8;

/// The section `cron`.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "cron", about = "Scheduled jobs")]
pub struct CronSettings {
    /// Put a head with the job's name and a foot on how to stop it around what is delivered.
    #[setting(default = true)]
    pub wrap_response: bool,
    /// Outputs kept of each job.
    #[setting(default = 50, range = 1..)]
    pub output_retention: u32,
    /// Most jobs at the same time; eight if it is not set.
    #[setting(range = 1..)]
    max_parallel_jobs: Option<u32>,
    /// Seconds a job may go without any sign of work.
    #[setting(default = Seconds::new(600.0), range = Seconds::new(1.0).., variable = "HERMES_CRON_TIMEOUT")]
    inactivity_timeout: Seconds,
    /// Let jobs make, change and remove jobs themselves.
    #[setting(default = false)]
    pub jobs_may_schedule: bool,
    /// Seconds the script of a job may take.
    #[setting(default = Seconds::new(3600.0), range = Seconds::new(1.0)..)]
    script_timeout: Seconds,
}

impl CronSettings {
    /// Reads a configuration; what makes no sense counts as not set.
    #[must_use]
    pub fn from_config(config: &Value, vars: &Vars) -> Self {
        <Self as Settings>::read(config, vars)
    }

    /// Most jobs at the same time.
    #[must_use]
    pub fn parallel(&self) -> usize {
        self.max_parallel_jobs.map_or(USUAL_PARALLEL, |count| count as usize)
    }

    /// How long a job may go without any sign of work.
    #[must_use]
    pub fn inactivity(&self) -> Duration {
        self.inactivity_timeout.duration()
    }

    /// How long a script may take.
    #[must_use]
    pub fn script_limit(&self) -> Duration {
        self.script_timeout.duration()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_documentation() {
        let settings = CronSettings::from_config(&json!({}), &Vars::default());
        assert!(settings.wrap_response);
        assert_eq!((settings.output_retention, settings.parallel()), (50, USUAL_PARALLEL));
        assert_eq!(settings.inactivity(), Duration::from_secs(600));
        assert_eq!(settings.script_limit(), Duration::from_secs(3600));
        let vars: Vars = [("HERMES_CRON_TIMEOUT".to_owned(), "5".to_owned())].into_iter().collect();
        assert_eq!(
            CronSettings::from_config(&json!({}), &vars).inactivity(),
            Duration::from_secs(5)
        );
        let two = CronSettings::from_config(&json!({"cron": {"max_parallel_jobs": 2}}), &vars);
        assert_eq!(two.parallel(), 2);
    }
}
