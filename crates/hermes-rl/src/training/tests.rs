//! A training from selection to end, with processes that really run.

use std::time::{Duration, Instant};

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

struct Place {
    folder: TempDir,
    config: Value,
}

impl Place {
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
    fn desk(&self) -> TrainingDesk {
        let settings = RlSettings::read(&self.config, &Vars::default());
        TrainingDesk::new(
            &self.folder.path().join("home"),
            settings,
            Vars::default(),
            "hermes".into(),
        )
    }

    async fn until(&self, id: &str, state: &str) -> Value {
        let began = Instant::now();
        loop {
            let runs = self.desk().runs();
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
    let place = Place::new("echo '{\"step\": 7, \"loss\": 0.5}'; exec sleep 600");
    let desk = place.desk();
    let found = desk.environments().unwrap();
    assert_eq!((found[0].name.as_str(), found[0].description.as_str()), ("sums", "Adds numbers."));
    let unknown = desk.select("other").await.unwrap_err();
    assert!(
        matches!(&unknown, TrainingError::Refused { available, .. } if available == &["sums"]),
        "{unknown}"
    );
    assert!(desk.start().await.is_err(), "nothing is selected");
    let selected = desk.select("sums").await.unwrap();
    assert_eq!((&selected["environment"], &selected["note"]), (&json!("sums"), &Value::Null));
    let config = desk.config().unwrap();
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
    assert!(desk.edit("learning_rate", &json!(1)).unwrap_err().to_string().contains("locked"));
    assert!(desk.edit("nonsense", &json!(1)).is_err());
    assert_eq!(desk.edit("group_size", &json!("8")).unwrap()["value"], 8);
    let started = desk.start().await.unwrap();
    let id = started["run_id"].as_str().unwrap().to_owned();
    assert_eq!((id.len(), &started["status"]), (8, &json!("starting")));
    let written = std::fs::read_to_string(started["config_path"].as_str().unwrap()).unwrap();
    let written: Value = serde_saphyr::from_str(&written).unwrap();
    assert_eq!(
        (&written["env"]["group_size"], &written["tinker"]["lora_rank"]),
        (&json!(8), &json!(32))
    );
    place.until(&id, "running").await;
    let refused = place.desk().start().await.unwrap_err();
    assert!(refused.to_string().contains("under way"), "{refused}");
    let status = place.desk().status(&id).unwrap();
    assert_eq!(
        status["processes"],
        json!({"api": "running", "trainer": "running", "env": "running"})
    );
    assert_eq!(status["metrics"], json!({"step": 7, "loss": 0.5}));
    let again = place.desk().status(&id).unwrap();
    assert_eq!(again["rate_limited"], true);
    assert!(again["next_check_in_seconds"].as_i64().unwrap() > 1_700);
    let state: TrainingRun = serde_json::from_slice(
        &std::fs::read(place.folder.path().join(format!("home/rl/runs/{id}.json"))).unwrap(),
    )
    .unwrap();
    assert!(state.processes.iter().all(TrainingProcess::is_alive));
    assert_eq!(place.desk().stop(&id).await.unwrap()["status"], "stopped");
    assert!(!state.processes.iter().any(TrainingProcess::is_alive), "all are gone");
    let results = place.desk().results(&id).unwrap();
    assert_eq!(
        (&results["status"], &results["final_metrics"]["step"]),
        (&json!("stopped"), &json!(7))
    );
    assert!(place.desk().stop(&id).await.is_err(), "it does not run any more");
}

#[tokio::test]
async fn a_trainer_that_ends_at_once_fails_the_training_and_leaves_nothing_behind() {
    let place = Place::new("echo no key >&2; exit 3");
    let desk = place.desk();
    desk.select("sums").await.unwrap();
    let id = desk.start().await.unwrap()["run_id"].as_str().unwrap().to_owned();
    let run = place.until(&id, "failed").await;
    assert!(run["error"].as_str().unwrap().contains("trainer"), "{run}");
    let log =
        std::fs::read_to_string(place.folder.path().join(format!("home/rl/logs/trainer_{id}.log")));
    assert_eq!(log.unwrap(), "no key\n");
    let state: TrainingRun = serde_json::from_slice(
        &std::fs::read(place.folder.path().join(format!("home/rl/runs/{id}.json"))).unwrap(),
    )
    .unwrap();
    assert!(!state.processes.iter().any(TrainingProcess::is_alive));
}

#[tokio::test]
async fn a_trainer_that_dies_later_is_noticed_by_whoever_looks() {
    let place = Place::new("sleep 1; exit 1");
    let desk = place.desk();
    desk.select("sums").await.unwrap();
    let id = desk.start().await.unwrap()["run_id"].as_str().unwrap().to_owned();
    let run = place.until(&id, "failed").await;
    assert!(run["error"].as_str().unwrap().contains("trainer has ended"), "{run}");
    // The rest goes when it is told to.
    assert!(place.desk().stop(&id).await.is_err());
    let state: TrainingRun = serde_json::from_slice(
        &std::fs::read(place.folder.path().join(format!("home/rl/runs/{id}.json"))).unwrap(),
    )
    .unwrap();
    assert!(!state.processes.iter().any(TrainingProcess::is_alive));
}

#[test]
fn ids_that_are_no_ids_name_no_file() {
    let place = Place::new("true");
    for id in ["../selected", "", "a/b", "none"] {
        assert!(place.desk().status(id).is_err(), "{id:?}");
    }
}
