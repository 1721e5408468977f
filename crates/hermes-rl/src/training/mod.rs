//! Trainings: an environment is chosen, its settings changed, and then three processes run for days: the
//! trajectory API, the trainer with its policy server, and the environment.
//!
//! So all state is on disk, below `HERMES_HOME/rl`, written whole or not at all: the selection (`selected.json`), a file for
//! each run (`runs/ID.json`), the settings a run was started with (`configs/`), what its processes say (`logs/`). A process
//! is known by number and start time; whoever asks later, from another process of ours or after a restart of the machine,
//! sees what really runs. Nothing is ever signalled by number alone.
//!
//! What is started is configured (`rl.api_command`, `rl.trainer_command`); the environment is this program,
//! `hermes rl env serve`, unless `rl.env_command` says otherwise. Each passes the gate first ([`TrainingGate`]).

mod catalog;
mod fields;
mod gate;
mod inference;
mod processes;
mod runs;
mod settings;
#[cfg(test)]
mod tests;
mod trainings;

pub use catalog::{EnvironmentFile, environments_in};
pub use fields::{configurable_fields, locked_fields};
pub use gate::TrainingGate;
pub use inference::InferenceTest;
pub use runs::{TrainingProcess, TrainingRun, TrainingState};
pub use settings::RlSettings;
pub use trainings::{TrainingError, Trainings};

use trainings::quoted;
