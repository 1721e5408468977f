//! Environments written as Python classes, run by a small bridge in the user's Python.
//!
//! A file with a class of five methods (`setup`, `get_next_item`, `format_prompt`, `compute_reward`, `evaluate`) is an
//! environment. The bridge (`bridge.py`, inside the program) loads it, whether or not the packages its base class came
//! from are installed, and answers one JSON line to each of ours. While a reward is computed, the class may call tools: the
//! bridge asks, we call them in the sandbox of that rollout. Rollouts themselves, the model and the trainer stay with us.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hermes_process::{Child, Command, InputPipe, OutputMode, OutputPipe, Stdin};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, oneshot};

use crate::door::RolloutTools;

/// What runs in the user's Python.
const BRIDGE: &str = include_str!("bridge.py");
/// Variables of ours that an environment gets.
const VARIABLES: [&str; 12] = [
    "HOME",
    "PATH",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "USER",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "HF_HOME",
    "HF_HUB_OFFLINE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
];

/// What an environment wants worked on.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvItem {
    /// The item as the class gave it, handed back when its rollouts are judged.
    pub item: Value,
    /// What the agent is asked.
    pub prompt: String,
}

type Waiting =
    HashMap<u64, (oneshot::Sender<Result<Value, String>>, Option<Arc<dyn RolloutTools>>)>;

/// A Python environment that runs. It ends when this is dropped.
pub struct PythonEnv {
    lines: mpsc::UnboundedSender<String>,
    waiting: Arc<Mutex<Waiting>>,
    next: AtomicU64,
    log: PathBuf,
    about: Value,
    _child: Child,
}

impl std::fmt::Debug for PythonEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PythonEnv").field("about", &self.about).finish_non_exhaustive()
    }
}

impl PythonEnv {
    /// Starts the environment of a file and has it set itself up. What it prints goes to `log`.
    ///
    /// # Errors
    /// If Python cannot be started, or the class cannot be loaded or set up.
    pub async fn start(
        python: &str,
        file: &Path,
        config: &Value,
        log: &Path,
    ) -> Result<Self, String> {
        let mut env = Self::spawn(python, file, log)?;
        env.about = env.ask(json!({"do": "setup", "config": config}), None).await?;
        Ok(env)
    }

    /// What the class of a file says of itself (`name`, `class`, `config`) before it has set anything up.
    ///
    /// # Errors
    /// If Python cannot be started, or the class cannot be loaded.
    pub async fn describe(python: &str, file: &Path, log: &Path) -> Result<Value, String> {
        Self::spawn(python, file, log)?.ask(json!({"do": "describe"}), None).await
    }

    fn spawn(python: &str, file: &Path, log: &Path) -> Result<Self, String> {
        let file =
            std::fs::canonicalize(file).map_err(|error| format!("{}: {error}", file.display()))?;
        if let Some(folder) = log.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let written = File::options().append(true).create(true).open(log);
        let written = written.map_err(|error| format!("{}: {error}", log.display()))?;
        let mut child = Command::new(python)
            .args(["-u", "-c", BRIDGE])
            .arg(&file)
            .env_inherit(VARIABLES)
            .stdin(Stdin::Piped)
            .output(OutputMode::ErrorsToFile(written))
            .spawn()
            .map_err(|error| format!("{python} cannot be started: {error}"))?;
        let (Some(input), Some(output)) = (child.take_stdin(), child.take_stdout()) else {
            return Err(format!("{python} has no pipes"));
        };
        let (lines, from) = mpsc::unbounded_channel();
        let waiting: Arc<Mutex<Waiting>> = Arc::default();
        tokio::spawn(write(input, from));
        tokio::spawn(read(output, Arc::clone(&waiting), lines.downgrade()));
        Ok(Self {
            lines,
            waiting,
            next: AtomicU64::new(0),
            log: log.to_path_buf(),
            about: Value::Null,
            _child: child,
        })
    }

    /// What the class says of itself: `name`, `class`, its settings under `config`.
    #[must_use]
    pub fn about(&self) -> &Value {
        &self.about
    }

    /// The next item; none if there are no more.
    ///
    /// # Errors
    /// If the class fails.
    pub async fn next_item(&self) -> Result<Option<EnvItem>, String> {
        let answer = self.ask(json!({"do": "next"}), None).await?;
        let Some(prompt) = answer["prompt"].as_str() else { return Ok(None) };
        Ok(Some(EnvItem { item: answer["item"].clone(), prompt: prompt.to_owned() }))
    }

    /// What a rollout is worth, as the class sees it.
    ///
    /// # Errors
    /// If the class fails.
    pub async fn reward(
        &self,
        item: &Value,
        record: &Value,
        tools: Arc<dyn RolloutTools>,
    ) -> Result<Value, String> {
        self.ask(json!({"do": "reward", "item": item, "record": record}), Some(tools)).await
    }

    /// Runs the class's own evaluation; what it returned, if that is data.
    ///
    /// # Errors
    /// If the class fails.
    pub async fn evaluate(&self) -> Result<Value, String> {
        self.ask(json!({"do": "evaluate"}), None).await
    }

    async fn ask(
        &self,
        mut what: Value,
        tools: Option<Arc<dyn RolloutTools>>,
    ) -> Result<Value, String> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        what["id"] = json!(id);
        let (reply, answer) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, (reply, tools));
        let gone =
            || format!("the Python environment has ended; its words are in {}", self.log.display());
        self.lines.send(format!("{what}\n")).map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

async fn write(mut input: InputPipe, mut lines: mpsc::UnboundedReceiver<String>) {
    while let Some(line) = lines.recv().await {
        if input.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(
    output: OutputPipe,
    waiting: Arc<Mutex<Waiting>>,
    lines: mpsc::WeakUnboundedSender<String>,
) {
    let mut from = BufReader::new(output).lines();
    while let Ok(Some(line)) = from.next_line().await {
        let Ok(said) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = said["id"].as_u64() else { continue };
        let mut table = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tool) = said["tool"].as_str() {
            let tools = table.get(&id).and_then(|(_, tools)| tools.clone());
            let (tool, args, call) = (tool.to_owned(), said["args"].clone(), said["call"].clone());
            let Some(back) = lines.upgrade() else { return };
            tokio::spawn(async move {
                let answer = match tools {
                    Some(tools) => tools.call(tool, args).await,
                    None => Err("no rollout is being judged".to_owned()),
                };
                let answer = match answer {
                    Ok(result) => json!({"do": "result", "call": call, "result": result}),
                    Err(error) => json!({"do": "result", "call": call, "error": error}),
                };
                let _ = back.send(format!("{answer}\n"));
            });
        } else if let Some((reply, _)) = table.remove(&id) {
            let _ = reply.send(match said["error"].as_str() {
                Some(error) => Err(error.to_owned()),
                None => Ok(said["ok"].clone()),
            });
        }
    }
    // Whoever still waits learns that nobody will answer.
    waiting.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::door::tests::Echo;

    const ENV: &str = r#"
from atroposlib.envs.base import BaseEnv
from environments.hermes_base_env import HermesAgentBaseEnv, HermesAgentEnvConfig

class Sums(HermesAgentBaseEnv):
    """Adds numbers."""
    name = "sums"

    @classmethod
    def config_init(cls):
        return HermesAgentEnvConfig(enabled_toolsets=["terminal"], group_size=4), []

    async def setup(self):
        print("this must not get into the protocol")
        self.left = [{"a": 1, "b": 2}]

    async def get_next_item(self):
        return self.left.pop() if self.left else None

    def format_prompt(self, item):
        return f"add {item['a']} and {item['b']}"

    async def compute_reward(self, item, result, ctx):
        if item.get("bad"):
            raise ValueError("cannot judge this")
        answer = ctx.terminal("cat answer")
        assert answer["tool"] == "terminal" and answer["args"]["command"] == "cat answer", answer
        return 1.0 if result.messages[-1]["content"] == "3" else 0.0

    async def evaluate(self, *args, **kwargs):
        return {"accuracy": 0.5}
"#;

    #[tokio::test]
    async fn a_class_written_for_the_reference_gives_items_and_rewards() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sums.py");
        std::io::Write::write_all(&mut File::create(&file).unwrap(), ENV.as_bytes()).unwrap();
        let log = folder.path().join("log");
        let env = PythonEnv::start("python3", &file, &json!({}), &log).await.unwrap();
        assert_eq!(env.about()["name"], "sums");
        assert_eq!(env.about()["config"]["enabled_toolsets"], json!(["terminal"]));
        let item = env.next_item().await.unwrap().unwrap();
        assert_eq!((item.prompt.as_str(), &item.item["b"]), ("add 1 and 2", &json!(2)));
        assert_eq!(env.next_item().await.unwrap(), None);
        let record = json!({"messages": [{"role": "assistant", "content": "3"}], "api_calls": 1});
        let tools = || Arc::new(Echo) as Arc<dyn RolloutTools>;
        assert_eq!(env.reward(&item.item, &record, tools()).await.unwrap(), json!(1.0));
        let failed = env.reward(&json!({"bad": true}), &record, tools()).await.unwrap_err();
        assert!(failed.contains("cannot judge this"), "{failed}");
        assert_eq!(env.evaluate().await.unwrap(), json!({"accuracy": 0.5}));
        assert!(std::fs::read_to_string(log).unwrap().contains("must not get into"));
    }

    #[tokio::test]
    async fn a_file_without_a_class_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("empty.py");
        File::create(&file).unwrap();
        let failed = PythonEnv::start("python3", &file, &json!({}), &folder.path().join("log"))
            .await
            .unwrap_err();
        assert!(failed.contains("no class"), "{failed}");
    }
}
