//! The places tools work in, and a rig to call them in one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_approval::{ApprovalSettings, Approvals};
use hermes_exec::background::Processes;
use hermes_exec::manager::{Blueprint, Environments};
use hermes_runtime::registry::Registry;
use hermes_runtime::{Runtime, ToolCall};
use hermes_skills::SkillLibrary;
use hermes_store::home::Home;
use hermes_tool::{CallIds, ContextParts, Services, Vars};
use hermes_tools as _;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

// The file itself and not its crate: the program that is killed has no dependencies of tests.
#[path = "../../../hermes-testkit/src/parts.rs"]
#[expect(unreachable_pub, reason = "it is public where it lives")]
mod parts;

#[path = "../../../hermes-testkit/src/clouds.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
#[expect(unreachable_pub, reason = "it is public where it lives")]
mod clouds;

use clouds::{CloudDouble, DoubledCloud};

/// How long scripts may take here.
pub(crate) const SCRIPT_SECONDS: u64 = 8;
/// How many calls they may make here.
pub(crate) const MAX_SCRIPT_CALLS: u64 = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestBackend {
    Local,
    Docker,
    Ssh,
    Apptainer,
    Daytona,
    Vercel,
    Modal,
}

/// Calls tools in one place.
pub(crate) struct Rig {
    runtime: Runtime,
    services: Services,
    pub(crate) environments: Arc<Environments>,
    /// A directory of this test's own, over there.
    pub(crate) folder: String,
    /// The home here.
    pub(crate) home: PathBuf,
    pub(crate) place: TestBackend,
    /// The cloud the place is in, if it is in one.
    cloud: Option<CloudDouble>,
}

/// Where a part is.
fn part(name: &str) -> String {
    parts::part(&format!("HERMES_TEST_{name}"))
}

impl TestBackend {
    fn cloud(self) -> Option<DoubledCloud> {
        match self {
            Self::Daytona => Some(DoubledCloud::Daytona),
            Self::Vercel => Some(DoubledCloud::Vercel),
            Self::Modal => Some(DoubledCloud::Modal),
            Self::Local | Self::Docker | Self::Ssh | Self::Apptainer => None,
        }
    }

    fn settings(self, folder: &Path) -> Value {
        let terminal = match self {
            Self::Local => json!({"backend": "local", "cwd": folder, "auto_source_bashrc": false}),
            Self::Docker => json!({
                "backend": "docker",
                "docker_image": part("DOCKER_IMAGE"),
                "docker_persist_across_processes": false,
                "container_persistent": false,
                "container_memory": 512,
                "sandbox_dir": folder.join("sandboxes"),
            }),
            Self::Ssh => {
                json!({
                    "backend": "ssh",
                    "ssh_host": part("SSH_HOST"),
                    "ssh_user": part("SSH_USER"),
                    "ssh_port": part("SSH_PORT").parse::<u16>().expect("a port"),
                    "ssh_key": part("SSH_KEY"),
                })
            }
            Self::Apptainer => json!({
                "backend": "singularity",
                "singularity_image": part("APPTAINER_IMAGE"),
                "container_persistent": false,
                "container_memory": 0,
                "container_cpu": 0,
                "sandbox_dir": folder.join("sandboxes"),
            }),
            Self::Daytona | Self::Vercel | Self::Modal => json!({
                "backend": self.cloud().map(DoubledCloud::backend),
                "container_persistent": false,
                "container_disk": 0,
            }),
        };
        json!({
            "terminal": terminal,
            "approvals": {"mode": "off"},
            "checkpoints": {"enabled": false},
            "code_execution": {"timeout": SCRIPT_SECONDS, "max_tool_calls": MAX_SCRIPT_CALLS},
        })
    }
}

impl Rig {
    /// A rig with a directory of its own over there.
    pub(crate) async fn new(place: TestBackend, folder: &Path) -> Self {
        let mut rig = Self::bare(place, folder, &folder.join("home"));
        let made = rig.terminal("mktemp -d /tmp/hermes-suite-XXXXXX").await;
        rig.folder = made["output"].as_str().unwrap_or_default().to_owned();
        assert!(rig.folder.starts_with("/tmp/hermes-suite-"), "{made}");
        rig
    }

    /// A rig in which nothing has been started yet.
    pub(crate) fn bare(place: TestBackend, folder: &Path, home: &Path) -> Self {
        Self::configured(place, folder, home, json!({}))
    }

    /// The same with other sections in the configuration; `vars` there are variables.
    pub(crate) fn configured(
        place: TestBackend,
        folder: &Path,
        home: &Path,
        mut own: Value,
    ) -> Self {
        let mut config = place.settings(folder);
        let more = own["vars"].take();
        if let (Value::Object(config), Value::Object(own)) = (&mut config, own) {
            config.extend(own);
        }
        let mut process_vars = Vars::from_process();
        if place == TestBackend::Local {
            // The start-up files of whoever runs the tests are their own business.
            let home = folder.display().to_string();
            process_vars = process_vars.overlaid([("HOME".to_owned(), home)]);
        }
        let cloud = place.cloud().map(|cloud| CloudDouble::start(cloud, &part("CLOUDS"), &[]));
        if let Some(cloud) = &cloud {
            // A program of the tests is bridge and keeper: they themselves have no `main` of ours.
            let program = option_env!("CARGO_BIN_EXE_hermes-tools-doomed-host").unwrap_or_default();
            let program = ("HERMES_SANDBOX_PROGRAM".to_owned(), program.to_owned());
            process_vars = process_vars.overlaid(cloud.variables()).overlaid([program]);
        }
        let more = more.as_object().into_iter().flatten();
        let more =
            more.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        let more: Vec<(String, String)> = more.collect();
        process_vars = process_vars.overlaid(more.clone());
        let vars = process_vars
            .overlaid([
                ("HERMES_HOME".to_owned(), home.display().to_string()),
                ("HERMES_INTERACTIVE".to_owned(), "1".to_owned()),
            ])
            .overlaid(more);
        std::fs::create_dir_all(home).expect("a home");
        let (settings, _) = ApprovalSettings::read(&config, &vars);
        let approvals = Approvals::builder(settings).build();
        let processes = Processes::new(None, Duration::from_secs(1));
        let blueprint = Blueprint {
            config: Arc::new(config.clone()),
            vars: vars.clone(),
            process_vars,
            home: home.to_owned(),
            process_cwd: folder.to_owned(),
        };
        let environments = Environments::new(blueprint, processes);
        let skills = Arc::new(SkillLibrary::new(&Home::at(home)));
        let services =
            Services::default().with(approvals).with(Arc::clone(&environments)).with(skills);
        let runtime = Runtime::builder()
            .registry(Arc::new(Registry::with_linked_tools()))
            .config(config)
            .vars(vars)
            .build();
        let (folder, home) = (String::new(), home.to_owned());
        Self { runtime, services, environments, folder, home, place, cloud }
    }

    /// Fails if anything is left in the cloud when all is closed.
    pub(crate) fn assert_nothing_is_left(&self) {
        if let Some(cloud) = &self.cloud {
            assert_eq!(cloud.running(), [""; 0]);
        }
    }

    pub(crate) async fn call(&self, tool: &str, args: Value) -> Value {
        self.call_until(tool, args, CancellationToken::new()).await
    }

    pub(crate) async fn call_until(
        &self,
        tool: &str,
        args: Value,
        cancellation: CancellationToken,
    ) -> Value {
        let ids = CallIds {
            task_id: "task".to_owned(),
            session_id: "conversation".to_owned(),
            ..CallIds::default()
        };
        let tools = self.runtime.registry().snapshot();
        let context = ContextParts {
            ids,
            cancellation,
            enabled_tools: tools.tools().into_iter().map(|tool| Arc::clone(tool.name())).collect(),
            services: self.services.clone(),
            ..ContextParts::default()
        };
        let call = ToolCall { context, ..ToolCall::new(tool.to_owned(), args) };
        let outcome = self.runtime.call(call).await;
        serde_json::from_str(&outcome.text()).unwrap_or_else(|_| json!(outcome.text()))
    }

    pub(crate) async fn terminal(&self, command: &str) -> Value {
        self.call("terminal", json!({"command": command})).await
    }

    /// What a command wrote, without the last line break.
    pub(crate) async fn output(&self, command: &str) -> String {
        let result = self.terminal(command).await;
        result["output"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
    }

    pub(crate) async fn background(&self, args: Value) -> String {
        let started = self.call("terminal", args).await;
        started["session_id"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned()
    }

    pub(crate) async fn process(&self, action: &str, id: &str, more: Value) -> Value {
        let mut args = json!({"action": action, "session_id": id});
        if let (Value::Object(args), Value::Object(more)) = (&mut args, more) {
            args.extend(more);
        }
        self.call("process", args).await
    }

    /// A number of this test's own: places on one machine see each other's processes.
    pub(crate) fn number(&self, first: u32) -> String {
        format!("{first}.{}", std::process::id())
    }

    /// Waits until a command says just this.
    pub(crate) async fn until_says(&self, command: &str, wanted: &str) {
        let begun = Instant::now();
        loop {
            let said = self.output(command).await;
            if said == wanted {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "{command} says {said:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Polls until the output of a process has these words.
    pub(crate) async fn until(&self, id: &str, words: &str) -> Value {
        let begun = Instant::now();
        loop {
            let seen = self.process("poll", id, json!({})).await;
            if seen["output_preview"].as_str().is_some_and(|text| text.contains(words)) {
                return seen;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "{words:?} never came: {seen}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}
