//! A training from selection to end, with processes that really run.

use std::time::{Duration, Instant};

use hermes_approval::{ApprovalSettings, Approvals, CommandRequest};
use hermes_tool::Vars;
use hermes_tool::settings::Settings as _;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

/// Longest time of anything here.
const PATIENCE: Duration = Duration::from_secs(20);

const ENVIRONMENT: &str = r#"
from environments.hermes_base_env import HermesAgentBaseEnv, HermesAgentEnvConfig

class Sums(HermesAgentBaseEnv):
    """Adds numbers."""
    name = "sums"

    @classmethod
    def config_init(cls):
        return HermesAgentEnvConfig(group_size=4, depth=2), []

    async def get_next_item(self):
        return None

    async def compute_reward(self, item, result, ctx):
        return 0.0
"#;

/// Lets everything through that nothing speaks against.
fn open_gate() -> TrainingGate {
    let approvals = Approvals::builder(ApprovalSettings::default()).build();
    TrainingGate::new(approvals, CommandRequest::new(""))
}

struct TrainingFolder {
    folder: TempDir,
    config: Value,
}

impl TrainingFolder {
    fn new(trainer: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let environments = folder.path().join("environments");
        std::fs::create_dir(&environments).unwrap();
        let mut file = std::fs::File::create(environments.join("sums.py")).unwrap();
        std::io::Write::write_all(&mut file, ENVIRONMENT.as_bytes()).unwrap();
        let config = json!({"rl": {
            "environments_dir": environments, "api_command": "exec sleep 600", "trainer_command": trainer,
            "env_command": "test -f {config} && test -f {environment} && exec sleep 600",
            "api_wait": 0.1, "trainer_wait": 0.3, "policy_wait": 0, "env_wait": 0.1, "stop_wait": 5,
        }});
        Self { folder, config }
    }

    /// As another process of ours would see it.
    fn trainings(&self) -> Trainings {
        let settings = RlSettings::read(&self.config, &Vars::default());
        Trainings::new(&self.folder.path().join("home"), settings, Vars::default(), "hermes".into())
    }

    async fn until(&self, id: &str, state: &str) -> Value {
        let began = Instant::now();
        loop {
            let runs = self.trainings().runs();
            let run = runs["runs"]
                .as_array()
                .unwrap()
                .iter()
                .find(|run| run["run_id"] == id)
                .unwrap()
                .clone();
            if run["status"] == state {
                return run;
            }
            assert!(began.elapsed() < PATIENCE, "{run}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn a_training_is_started_found_again_and_ended() {
    let home = TrainingFolder::new("echo '{\"step\": 7, \"loss\": 0.5}'; exec sleep 600");
    let trainings = home.trainings();
    let found = trainings.environments().unwrap();
    assert_eq!((found[0].name.as_str(), found[0].description.as_str()), ("sums", "Adds numbers."));
    let unknown = trainings.select("other", &open_gate()).await.unwrap_err();
    assert!(
        matches!(&unknown, TrainingError::Refused { available, .. } if available == &["sums"]),
        "{unknown}"
    );
    assert!(trainings.start(&open_gate()).await.is_err(), "nothing is selected");
    let selected = trainings.select("sums", &open_gate()).await.unwrap();
    assert_eq!((&selected["environment"], &selected["note"]), (&json!("sums"), &Value::Null));
    let config = trainings.config().unwrap();
    let fields = config["configurable_fields"].as_array().unwrap();
    let current = |name: &str| {
        fields.iter().find(|field| field["name"] == name).unwrap()["current_value"].clone()
    };
    assert_eq!(
        (current("group_size"), current("depth")),
        (json!(4), json!(2)),
        "what its class says"
    );
    assert!(current("wandb_name").as_str().unwrap().starts_with("sums-"));
    assert!(trainings.edit("learning_rate", &json!(1)).unwrap_err().to_string().contains("locked"));
    assert!(trainings.edit("nonsense", &json!(1)).is_err());
    assert_eq!(trainings.edit("group_size", &json!("8")).unwrap()["value"], 8);
    let started = trainings.start(&open_gate()).await.unwrap();
    let id = started["run_id"].as_str().unwrap().to_owned();
    assert_eq!((id.len(), &started["status"]), (8, &json!("starting")));
    let written = std::fs::read_to_string(started["config_path"].as_str().unwrap()).unwrap();
    let written: Value = serde_saphyr::from_str(&written).unwrap();
    assert_eq!(
        (&written["env"]["group_size"], &written["tinker"]["lora_rank"]),
        (&json!(8), &json!(32))
    );
    home.until(&id, "running").await;
    let refused = home.trainings().start(&open_gate()).await.unwrap_err();
    assert!(refused.to_string().contains("under way"), "{refused}");
    let status = home.trainings().status(&id).unwrap();
    assert_eq!(
        status["processes"],
        json!({"api": "running", "trainer": "running", "env": "running"})
    );
    assert_eq!(status["metrics"], json!({"step": 7, "loss": 0.5}));
    let again = home.trainings().status(&id).unwrap();
    assert_eq!(again["rate_limited"], true);
    assert!(again["next_check_in_seconds"].as_i64().unwrap() > 1_700);
    let state: TrainingRun = serde_json::from_slice(
        &std::fs::read(home.folder.path().join(format!("home/rl/runs/{id}.json"))).unwrap(),
    )
    .unwrap();
    assert!(state.processes.iter().all(TrainingProcess::is_alive));
    assert_eq!(home.trainings().stop(&id).await.unwrap()["status"], "stopped");
    assert!(!state.processes.iter().any(TrainingProcess::is_alive), "all are gone");
    let results = home.trainings().results(&id).unwrap();
    assert_eq!(
        (&results["status"], &results["final_metrics"]["step"]),
        (&json!("stopped"), &json!(7))
    );
    assert!(home.trainings().stop(&id).await.is_err(), "it does not run any more");
}

#[tokio::test]
async fn a_trainer_that_ends_at_once_fails_the_training_and_leaves_nothing_behind() {
    let home = TrainingFolder::new("echo no key >&2; exit 3");
    let trainings = home.trainings();
    trainings.select("sums", &open_gate()).await.unwrap();
    let id = trainings.start(&open_gate()).await.unwrap()["run_id"].as_str().unwrap().to_owned();
    let run = home.until(&id, "failed").await;
    assert!(run["error"].as_str().unwrap().contains("trainer"), "{run}");
    let log =
        std::fs::read_to_string(home.folder.path().join(format!("home/rl/logs/trainer_{id}.log")));
    assert_eq!(log.unwrap(), "no key\n");
    let state: TrainingRun = serde_json::from_slice(
        &std::fs::read(home.folder.path().join(format!("home/rl/runs/{id}.json"))).unwrap(),
    )
    .unwrap();
    assert!(!state.processes.iter().any(TrainingProcess::is_alive));
}

#[tokio::test]
async fn a_trainer_that_dies_later_is_noticed_by_whoever_looks() {
    let home = TrainingFolder::new("sleep 1; exit 1");
    let trainings = home.trainings();
    trainings.select("sums", &open_gate()).await.unwrap();
    let id = trainings.start(&open_gate()).await.unwrap()["run_id"].as_str().unwrap().to_owned();
    let run = home.until(&id, "failed").await;
    assert!(run["error"].as_str().unwrap().contains("trainer has ended"), "{run}");
    // The rest goes when it is told to.
    assert!(home.trainings().stop(&id).await.is_err());
    let state: TrainingRun = serde_json::from_slice(
        &std::fs::read(home.folder.path().join(format!("home/rl/runs/{id}.json"))).unwrap(),
    )
    .unwrap();
    assert!(!state.processes.iter().any(TrainingProcess::is_alive));
}

#[test]
fn ids_that_are_no_ids_name_no_file() {
    let home = TrainingFolder::new("true");
    for id in ["../selected", "", "a/b", "none"] {
        assert!(home.trainings().status(id).is_err(), "{id:?}");
    }
}

#[tokio::test]
async fn what_the_gate_forbids_is_not_started_and_leaves_no_run() {
    let home = TrainingFolder::new("rm -rf /; touch ran");
    let trainings = home.trainings();
    trainings.select("sums", &open_gate()).await.unwrap();
    let refused = trainings.start(&open_gate()).await.unwrap_err();
    assert!(matches!(refused, TrainingError::Forbidden(_)), "{refused}");
    assert_eq!(trainings.runs()["count"], 0);
}
