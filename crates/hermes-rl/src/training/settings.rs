//! The section `rl` of the settings.

use hermes_tool::settings::{Seconds, Settings};

/// What starts the trainer unless the user says so.
const USUAL_TRAINER: &str = "python3 launch_training.py --config {config}";
/// No wait is negative.
const NONE: Seconds = Seconds::new(0.0);

/// Reinforcement learning: what is started, and where it is found.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "rl", about = "Reinforcement learning")]
pub struct RlSettings {
    /// The folder with environments, a Python file each; without it the tools for trainings are not offered.
    pub environments_dir: Option<String>,
    /// The folder that commands are started in.
    pub training_dir: Option<String>,
    /// The Python that runs environments written as classes.
    #[setting(default = "python3".to_owned())]
    pub python: String,
    /// What starts the trajectory API.
    #[setting(default = "run-api".to_owned())]
    pub api_command: String,
    /// What starts the trainer, if not `python3 launch_training.py --config {config}`; `{config}` stands for the file of
    /// settings, `{run}` for the run.
    pub trainer_command: Option<String>,
    /// What starts the environment, if not this program; `{config}`, `{run}`, `{environment}` stand for what they say.
    pub env_command: Option<String>,
    /// Where the trajectory API listens.
    #[setting(default = "http://localhost:8000".to_owned())]
    pub api_url: String,
    /// Where the trainer serves the policy.
    #[setting(default = "http://localhost:8001/v1".to_owned())]
    pub policy_url: String,
    /// How long the trajectory API has to start.
    #[setting(default = Seconds::new(5.0), range = NONE..)]
    pub api_wait: Seconds,
    /// How long it is looked whether the trainer ends at once.
    #[setting(default = Seconds::new(30.0), range = NONE..)]
    pub trainer_wait: Seconds,
    /// How long the policy server has to start.
    #[setting(default = Seconds::new(90.0), range = NONE..)]
    pub policy_wait: Seconds,
    /// How long it is looked whether the environment ends at once.
    #[setting(default = Seconds::new(10.0), range = NONE..)]
    pub env_wait: Seconds,
    /// A run's status is told at most this often.
    #[setting(default = Seconds::new(1800.0), range = NONE..)]
    pub status_every: Seconds,
    /// How long a process has to end before it is killed.
    #[setting(default = Seconds::new(10.0), range = NONE..)]
    pub stop_wait: Seconds,
    /// How long the test of one model may take.
    #[setting(default = Seconds::new(600.0), range = NONE..)]
    pub test_limit: Seconds,
    /// Where models are tested.
    #[setting(default = "https://openrouter.ai/api/v1".to_owned())]
    pub test_url: String,
    /// Models that are tested where none is named.
    #[setting(default = vec!["qwen/qwen3-8b".to_owned(), "z-ai/glm-4.7-flash".to_owned(), "minimax/minimax-m2.7".to_owned()])]
    pub test_models: Vec<String>,
}

impl RlSettings {
    /// Whether a trainer of the user's own was named. Without one the usual trainer needs keys of its services.
    #[must_use]
    pub fn has_own_trainer(&self) -> bool {
        self.trainer_command.as_deref().is_some_and(|line| !line.trim().is_empty())
    }

    /// What starts the trainer.
    pub(super) fn trainer(&self) -> String {
        let own = self.trainer_command.clone().filter(|line| !line.trim().is_empty());
        own.unwrap_or_else(|| USUAL_TRAINER.to_owned())
    }
}
