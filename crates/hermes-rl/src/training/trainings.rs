//! What can be done with trainings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_approval::ApprovalRefusal;
use hermes_store::atomic::AtomicError;
use hermes_tool::Vars;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::catalog::{EnvironmentFile, environments_in};
use super::fields::{configurable_fields, fitting, locked_fields, locked_value};
use super::gate::TrainingGate;
use super::processes::{Launch, StartLine, TRAINER_KEYS, boot};
use super::runs::{RunFiles, TrainingProcess, TrainingRun, TrainingState};
use super::settings::RlSettings;
use crate::python::PythonEnv;

/// How long an environment may take to say which settings it has.
const DESCRIBING: Duration = Duration::from_secs(60);
/// What a process gets that asks no service.
const NO_KEYS: [&str; 0] = [];
/// What of an environment's numbers is shown.
const HISTORY: usize = 10;
/// How much of a log is read for its numbers.
const LOG_TAIL: u64 = 256 << 10;

/// Why something about trainings cannot be done. Nothing else went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// What was asked for makes no sense now; `available` is what would.
    #[error("{why}")]
    Refused {
        /// In words.
        why: String,
        /// Names that would do.
        available: Vec<String>,
    },
    /// The gate said no to one of its commands.
    #[error("{0}")]
    Forbidden(Box<ApprovalRefusal>),
    /// State could not be written.
    #[error(transparent)]
    State(#[from] AtomicError),
}

impl TrainingError {
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self::Refused { why: why.into(), available: Vec::new() }
    }
}

impl From<ApprovalRefusal> for TrainingError {
    fn from(refusal: ApprovalRefusal) -> Self {
        Self::Forbidden(Box::new(refusal))
    }
}

/// The environment that was chosen, with what was set for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Selected {
    pub(super) environment: String,
    pub(super) file: PathBuf,
    /// What its class brings.
    pub(super) own: Map<String, Value>,
    /// All that can be set, as it is set.
    pub(super) config: Map<String, Value>,
    pub(super) note: Option<String>,
}

/// Where trainings are looked after.
#[derive(Clone, Debug)]
pub struct Trainings {
    pub(super) files: RunFiles,
    pub(super) settings: RlSettings,
    pub(super) vars: Vars,
    /// This program, which is the environment unless a command says otherwise.
    pub(super) program: PathBuf,
}

impl Trainings {
    /// The trainings of a state folder.
    #[must_use]
    pub fn new(home: &Path, settings: RlSettings, vars: Vars, program: PathBuf) -> Self {
        Self { files: RunFiles { root: home.join("rl") }, settings, vars, program }
    }

    /// All environments.
    ///
    /// # Errors
    /// If none can be listed.
    pub fn environments(&self) -> Result<Vec<EnvironmentFile>, TrainingError> {
        let Some(folder) = &self.settings.environments_dir else {
            return Err(TrainingError::refused(
                "rl.environments_dir in config.yaml names no folder",
            ));
        };
        environments_in(Path::new(folder))
            .map_err(|error| TrainingError::refused(format!("{folder}: {error}")))
    }

    /// Chooses an environment: its settings begin anew. It is asked which it has, so the gate is asked first.
    ///
    /// # Errors
    /// If there is none of that name, or it may not run.
    pub async fn select(&self, name: &str, gate: &TrainingGate) -> Result<Value, TrainingError> {
        let all = self.environments()?;
        let Some(found) = all.iter().find(|one| one.name == name) else {
            return Err(TrainingError::Refused {
                why: format!("there is no environment `{name}`"),
                available: all.into_iter().map(|one| one.name).collect(),
            });
        };
        let _may_run = gate.admit_environment(&self.settings.python, &found.file_path).await?;
        let log = self.files.path("logs/describe.log");
        let about = PythonEnv::describe(&self.settings.python, &found.file_path, &log);
        let (own, note) = match tokio::time::timeout(DESCRIBING, about).await {
            Ok(Ok(about)) => (about["config"].as_object().cloned().unwrap_or_default(), None),
            Ok(Err(why)) => {
                (Map::new(), Some(format!("its own settings could not be read: {why}")))
            }
            Err(_) => (Map::new(), Some("its own settings could not be read in time".to_owned())),
        };
        let mut config: Map<String, Value> = configurable_fields(&own)
            .into_iter()
            .filter_map(|field| {
                Some((field["name"].as_str()?.to_owned(), field["default"].clone()))
            })
            .collect();
        let now = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
        config.insert("wandb_name".to_owned(), json!(format!("{name}-{now}")));
        let file = found.file_path.clone();
        let selected = Selected { environment: name.to_owned(), file, own, config, note };
        self.keep(&selected)?;
        Ok(json!({
            "message": format!("Selected environment: {name}"), "environment": name,
            "file_path": selected.file, "note": selected.note,
        }))
    }

    fn keep(&self, selected: &Selected) -> Result<(), TrainingError> {
        let text = serde_json::to_vec_pretty(selected).unwrap_or_default();
        Ok(self.files.write("selected.json", &text)?)
    }

    pub(super) fn selected(&self) -> Result<Selected, TrainingError> {
        let read = std::fs::read(self.files.path("selected.json")).ok();
        read.and_then(|text| serde_json::from_slice(&text).ok()).ok_or_else(|| {
            TrainingError::refused("no environment is selected; list them, then select one")
        })
    }

    /// What can be set and what is.
    ///
    /// # Errors
    /// If no environment is selected.
    pub fn config(&self) -> Result<Value, TrainingError> {
        let selected = self.selected()?;
        let mut fields = configurable_fields(&selected.own);
        for field in &mut fields {
            let name = field["name"].as_str().unwrap_or_default();
            field["current_value"] = selected.config.get(name).cloned().unwrap_or_default();
        }
        let locked = locked_fields();
        let mut told = Vec::new();
        for part in ["/env", "/openai/0", "/tinker"] {
            for (name, value) in
                locked.pointer(part).and_then(Value::as_object).into_iter().flatten()
            {
                told.push(json!({"name": name, "locked_value": value}));
            }
        }
        Ok(json!({
            "environment": selected.environment, "configurable_fields": fields, "locked_fields": told,
            "tip": "Change a field with its name and a value; locked ones stay as they are.",
        }))
    }

    /// Sets a field.
    ///
    /// # Errors
    /// If there is no such field, it is locked, or the value is of another kind.
    pub fn edit(&self, field: &str, value: &Value) -> Result<Value, TrainingError> {
        let mut selected = self.selected()?;
        if locked_value(field).is_some() {
            return Err(TrainingError::refused(format!(
                "`{field}` is locked: what trainings have in common cannot be changed"
            )));
        }
        let fields = configurable_fields(&selected.own);
        let Some(known) = fields.iter().find(|known| known["name"] == field) else {
            let names = fields.iter().filter_map(|known| known["name"].as_str().map(str::to_owned));
            return Err(TrainingError::Refused {
                why: format!("there is no field `{field}`"),
                available: names.collect(),
            });
        };
        let kind = known["type"].as_str().unwrap_or("any");
        let value = fitting(kind, value).ok_or_else(|| {
            TrainingError::refused(format!("`{field}` is of type {kind}; {value} is not"))
        })?;
        selected.config.insert(field.to_owned(), value.clone());
        self.keep(&selected)?;
        Ok(json!({
            "message": format!("Updated {field}"), "field": field, "value": value, "config": selected.config,
        }))
    }

    /// Refuses while another training runs: its API and policy are at the same addresses.
    async fn expect_none_running(&self) -> Result<(), TrainingError> {
        let this = self.clone();
        let looked = move || -> Vec<TrainingRun> {
            this.files.all().into_iter().map(|run| this.looked_at(run)).collect()
        };
        let running = tokio::task::spawn_blocking(looked).await.unwrap_or_default();
        let busy = [TrainingState::Running, TrainingState::Starting, TrainingState::Stopping];
        match running.iter().find(|run| busy.contains(&run.status)) {
            Some(other) => Err(TrainingError::refused(format!(
                "training {} of {} is under way; its API and policy are at the same addresses. Stop it first",
                other.run_id, other.environment
            ))),
            None => Ok(()),
        }
    }

    /// Begins a training. All its commands pass the gate before anything is written; its processes are started one
    /// after another behind this call.
    ///
    /// # Errors
    /// If no environment is selected, another training runs, a command may not run, or nothing can be written.
    pub async fn start(&self, gate: &TrainingGate) -> Result<Value, TrainingError> {
        let selected = self.selected()?;
        self.expect_none_running().await?;
        let now = Timestamp::now();
        let digest =
            Sha256::digest(format!("{now} {} {}", std::process::id(), selected.environment));
        let run_id: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let config_path = self.files.path(&format!("configs/run_{run_id}.yaml"));
        let mut whole = locked_fields();
        for (name, value) in &selected.config {
            whole["env"][name] = value.clone();
        }
        let files =
            RunCommandFiles { config: &config_path, environment: &selected.file, run: &run_id };
        let lines = self.admitted(&files, gate).await?;
        // Somebody may have been asked for long.
        self.expect_none_running().await?;
        // JSON is YAML that every reader takes.
        let text = format!("{whole:#}\n");
        self.files.write(&format!("configs/run_{run_id}.yaml"), text.as_bytes())?;
        let text_of = |name: &str| {
            selected.config.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let me = std::process::id();
        let run = TrainingRun {
            run_id: run_id.clone(),
            status: TrainingState::Starting,
            environment: selected.environment.clone(),
            environment_file: selected.file.clone(),
            config: Value::Object(selected.config.clone()),
            config_path: config_path.clone(),
            wandb_project: text_of("wandb_project"),
            wandb_run_name: text_of("wandb_name"),
            started: now.as_second(),
            ended: None,
            processes: Vec::new(),
            starter: hermes_process::process_start_time(me).map(|start_time| TrainingProcess {
                role: "starter".to_owned(),
                pid: me,
                start_time,
                boot: boot(),
            }),
            error: None,
            checked: None,
        };
        self.files.save(&run)?;
        let answer = json!({
            "run_id": run_id, "status": "starting", "environment": run.environment, "config": run.config,
            "wandb_project": run.wandb_project, "wandb_run_name": run.wandb_run_name,
            "config_path": config_path, "logs": self.logs(&run_id),
            "message": "Training is being started; this takes some minutes. Ask for its status later.",
        });
        let this = self.clone();
        tokio::spawn(async move { this.bring_up(run, lines).await });
        Ok(answer)
    }

    fn logs(&self, run: &str) -> Value {
        json!({
            "api": self.files.log(run, "api"), "trainer": self.files.log(run, "trainer"),
            "env": self.files.log(run, "env"),
        })
    }

    /// The commands of a run in their order, each with the gate's word.
    async fn admitted(
        &self,
        files: &RunCommandFiles<'_>,
        gate: &TrainingGate,
    ) -> Result<[StartLine; 3], ApprovalRefusal> {
        let settings = &self.settings;
        let folder = settings.training_dir.as_deref();
        let api = gate.admit(files.filled(&settings.api_command), folder).await?;
        let trainer = gate.admit(files.filled(&settings.trainer()), folder).await?;
        let env = match &settings.env_command {
            Some(line) => StartLine::Configured(gate.admit(files.filled(line), folder).await?),
            None => StartLine::OwnProgram {
                line: files.filled(&self.own_env_command()),
                _environment: gate.admit_environment(&settings.python, files.environment).await?,
            },
        };
        Ok([StartLine::Configured(api), StartLine::Configured(trainer), env])
    }

    /// Starts the processes of a run in their order; the first that does not last makes it a failed one.
    async fn bring_up(&self, mut run: TrainingRun, [api, trainer, env]: [StartLine; 3]) {
        let wait = |seconds: hermes_tool::settings::Seconds| seconds.duration();
        let settings = &self.settings;
        let steps = [
            ("api", api, wait(settings.api_wait), &NO_KEYS[..]),
            ("trainer", trainer, wait(settings.trainer_wait), &TRAINER_KEYS[..]),
            ("env", env, wait(settings.env_wait), &NO_KEYS[..]),
        ];
        for (role, line, patience, keys) in steps {
            if role == "env" {
                tokio::time::sleep(wait(settings.policy_wait)).await;
            }
            // Somebody may have stopped it meanwhile.
            if self.files.load(&run.run_id).is_none_or(|now| now.status != TrainingState::Starting)
            {
                return;
            }
            let log = self.files.log(&run.run_id, role);
            let folder = settings.training_dir.as_deref().map(Path::new);
            let launch = Launch { role, line: &line, folder, log: &log, keys, vars: &self.vars };
            let lasted = match launch.start() {
                Err(why) => Err(why),
                Ok(process) => {
                    run.processes.push(process.clone());
                    if !self.note(&run) {
                        process.end(wait(settings.stop_wait)).await;
                        return;
                    }
                    match process.lasts(patience).await {
                        true => Ok(()),
                        false => {
                            Err(format!("{role} ended at once; its words are in {}", log.display()))
                        }
                    }
                }
            };
            if let Err(why) = lasted {
                if self
                    .files
                    .load(&run.run_id)
                    .is_some_and(|now| now.status == TrainingState::Starting)
                {
                    self.end_all(&run).await;
                    run.status = TrainingState::Failed;
                    run.error = Some(why);
                    run.ended = Some(Timestamp::now().as_second());
                    self.note(&run);
                }
                return;
            }
        }
        run.status = TrainingState::Running;
        run.starter = None;
        self.note(&run);
    }

    /// Writes what is new, unless somebody has stopped the run; whether nobody has.
    fn note(&self, run: &TrainingRun) -> bool {
        if self.files.load(&run.run_id).is_some_and(|now| now.status != TrainingState::Starting) {
            return false;
        }
        if let Err(error) = self.files.save(run) {
            tracing::warn!(%error, "the state of a training could not be written");
        }
        true
    }

    fn own_env_command(&self) -> String {
        format!(
            "{} rl env serve --own-items --name {{run}} --out {} --reward py:{{environment}} --config {{config}} \
             --python {} --api {} --policy {}",
            quoted(&self.program.display().to_string()),
            quoted(&self.files.path("rollouts").display().to_string()),
            quoted(&self.settings.python),
            quoted(&self.settings.api_url),
            quoted(&self.settings.policy_url)
        )
    }

    async fn end_all(&self, run: &TrainingRun) {
        for role in ["env", "trainer", "api"] {
            for process in run.processes.iter().filter(|process| process.role == role) {
                process.end(self.settings.stop_wait.duration()).await;
            }
        }
    }

    /// A run as it really is now.
    fn looked_at(&self, mut run: TrainingRun) -> TrainingRun {
        let dead: Vec<&str> = run
            .processes
            .iter()
            .filter(|process| !process.is_alive())
            .map(|process| process.role.as_str())
            .collect();
        let (status, why) = match run.status {
            TrainingState::Starting
                if run.starter.as_ref().is_none_or(|starter| !starter.is_alive()) =>
            {
                (
                    TrainingState::Failed,
                    Some("whoever started it ended before all was started".to_owned()),
                )
            }
            TrainingState::Running if dead.contains(&"trainer") => {
                let rows = self.numbers(&run.run_id);
                let last = rows.last().and_then(|row| row["step"].as_i64()).unwrap_or(0);
                let wanted = locked_value("total_steps")
                    .and_then(|steps| steps.as_i64())
                    .unwrap_or(i64::MAX);
                match last >= wanted {
                    true => (TrainingState::Completed, None),
                    false => {
                        (TrainingState::Failed, Some(self.ended_words(&run.run_id, "trainer")))
                    }
                }
            }
            TrainingState::Running if !dead.is_empty() => {
                (TrainingState::Failed, Some(self.ended_words(&run.run_id, dead[0])))
            }
            status => (status, None),
        };
        if status != run.status {
            run.status = status;
            run.error = why.or(run.error);
            run.ended = Some(Timestamp::now().as_second());
            if let Err(error) = self.files.save(&run) {
                tracing::warn!(%error, "the state of a training could not be written");
            }
        }
        run
    }

    fn ended_words(&self, run: &str, role: &str) -> String {
        format!("{role} has ended; its words are in {}", self.files.log(run, role).display())
    }

    fn run(&self, id: &str) -> Result<TrainingRun, TrainingError> {
        self.files.load(id).map(|run| self.looked_at(run)).ok_or_else(|| TrainingError::Refused {
            why: format!("there is no training `{id}`"),
            available: self.files.all().into_iter().map(|run| run.run_id).collect(),
        })
    }

    /// How a training goes, told once in a while.
    ///
    /// # Errors
    /// If there is none of that id.
    pub fn status(&self, id: &str) -> Result<Value, TrainingError> {
        let mut run = self.run(id)?;
        let now = Timestamp::now().as_second();
        let every = self.settings.status_every.duration().as_secs() as i64;
        if let Some(left) =
            run.checked.map(|checked| checked + every - now).filter(|left| *left > 0)
        {
            return Ok(json!({
                "run_id": id, "rate_limited": true, "next_check_in_seconds": left,
                "message": "Training takes hours; the status of a run is told once in a while.",
            }));
        }
        run.checked = Some(now);
        self.files.save(&run)?;
        let mut answer = self.told(&run);
        answer["processes"] = run
            .processes
            .iter()
            .map(|process| {
                (process.role.clone(), json!(if process.is_alive() { "running" } else { "ended" }))
            })
            .collect::<Map<_, _>>()
            .into();
        answer["logs"] = self.logs(id);
        if let Some(last) = self.numbers(id).pop() {
            answer["metrics"] = last;
        }
        Ok(answer)
    }

    fn told(&self, run: &TrainingRun) -> Value {
        let until = run.ended.unwrap_or_else(|| Timestamp::now().as_second());
        let minutes = (until - run.started).max(0) as f64 / 60.0;
        let mut told = json!({
            "run_id": run.run_id, "status": run.status, "environment": run.environment,
            "running_time_minutes": (minutes * 10.0).round() / 10.0,
            "wandb_project": run.wandb_project, "wandb_run_name": run.wandb_run_name,
        });
        if let Some(error) = &run.error {
            told["error"] = json!(error);
        }
        told
    }

    /// Ends a training: environment, trainer, API.
    ///
    /// # Errors
    /// If there is none of that id, or it does not run.
    pub async fn stop(&self, id: &str) -> Result<Value, TrainingError> {
        let mut run = self.run(id)?;
        if !matches!(
            run.status,
            TrainingState::Running
                | TrainingState::Starting
                | TrainingState::Stopping
                | TrainingState::Pending
        ) {
            // What a failure left behind goes all the same.
            self.end_all(&run).await;
            return Err(TrainingError::refused(format!(
                "training {id} does not run: it is {}",
                json!(run.status).as_str().unwrap_or_default()
            )));
        }
        run.status = TrainingState::Stopping;
        self.files.save(&run)?;
        self.end_all(&run).await;
        run.status = TrainingState::Stopped;
        run.ended = Some(Timestamp::now().as_second());
        self.files.save(&run)?;
        Ok(json!({
            "message": format!("Stopped training {id}"), "run_id": id, "status": run.status,
        }))
    }

    /// What a training came to.
    ///
    /// # Errors
    /// If there is none of that id.
    pub fn results(&self, id: &str) -> Result<Value, TrainingError> {
        let run = self.run(id)?;
        let rows = self.numbers(id);
        let history = &rows[rows.len().saturating_sub(HISTORY)..];
        let mut answer = self.told(&run);
        answer["final_metrics"] = rows.last().cloned().unwrap_or(Value::Null);
        answer["history"] = json!(history);
        answer["logs"] = self.logs(id);
        Ok(answer)
    }

    /// All trainings, the newest first.
    #[must_use]
    pub fn runs(&self) -> Value {
        let runs: Vec<Value> =
            self.files.all().into_iter().map(|run| self.told(&self.looked_at(run))).collect();
        json!({"count": runs.len(), "runs": runs})
    }

    /// The numbers that the trainer prints: lines that are JSON objects with a `step`.
    fn numbers(&self, id: &str) -> Vec<Value> {
        use std::io::{Read as _, Seek as _, SeekFrom};
        let read = || {
            let mut file = std::fs::File::open(self.files.log(id, "trainer")).ok()?;
            let length = file.metadata().ok()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL))).ok()?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let text = read().unwrap_or_default();
        let rows = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line.get(line.find('{')?..)?).ok());
        rows.filter(|row| row["step"].is_number()).collect()
    }
}

/// What stands for the marks in the commands of one run.
struct RunCommandFiles<'a> {
    config: &'a Path,
    environment: &'a Path,
    run: &'a str,
}

impl RunCommandFiles<'_> {
    fn filled(&self, line: &str) -> String {
        line.replace("{config}", &quoted(&self.config.display().to_string()))
            .replace("{environment}", &quoted(&self.environment.display().to_string()))
            .replace("{run}", self.run)
    }
}

/// A word of a command line.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
