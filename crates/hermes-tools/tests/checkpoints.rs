//! A command that looks as if it destroyed files is preceded by a checkpoint of its directory.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a rig that cannot be built is a failed test"
)]

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use hermes_files::checkpoints::{CheckpointSettings, CheckpointStore};
use hermes_runtime::registry::Registry;
use hermes_runtime::{Runtime, ToolCall};
use hermes_tool::{CallIds, ContextParts, Vars};
use hermes_tools as _;
use serde_json::{Value, json};

struct Rig {
    runtime: Runtime,
    config: Value,
    vars: Vars,
    folder: tempfile::TempDir,
}

impl Rig {
    fn new(checkpoints: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = json!({
            "terminal": {"cwd": folder.path().join("project"), "auto_source_bashrc": false},
            "approvals": {"mode": "off"},
            "checkpoints": {"enabled": checkpoints},
        });
        for part in ["home", "project/src"] {
            std::fs::create_dir_all(folder.path().join(part)).unwrap();
        }
        let vars = Vars::from_process().overlaid([
            ("HERMES_HOME".to_owned(), folder.path().join("home").display().to_string()),
            ("HOME".to_owned(), folder.path().display().to_string()),
        ]);
        let runtime = Runtime::builder()
            .registry(Arc::new(Registry::with_linked_tools()))
            .config(config.clone())
            .vars(vars.clone())
            .build();
        let rig = Self { runtime, config, vars, folder };
        File::create_new(rig.project().join("notes")).unwrap().write_all(b"precious").unwrap();
        rig
    }

    fn project(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    async fn terminal(&self, turn: &str, args: Value) {
        let ids = CallIds { turn_id: turn.to_owned(), ..CallIds::default() };
        let context = ContextParts { ids, cwd: Some(self.project()), ..ContextParts::default() };
        let call = ToolCall { context, ..ToolCall::new("terminal".to_owned(), args) };
        let answer = self.runtime.call(call).await.text();
        let answer: Value = serde_json::from_str(&answer).expect(&answer);
        assert_eq!(answer["exit_code"], 0, "{answer}");
    }

    async fn saved(&self, folder: &Path) -> Vec<String> {
        let settings = CheckpointSettings::from_config(&self.config, &self.vars);
        let store = CheckpointStore::open(&self.folder.path().join("home/checkpoints"), settings);
        let listed = store.list(folder).await.unwrap_or_default();
        listed.into_iter().map(|checkpoint| checkpoint.reason).collect()
    }
}

#[tokio::test]
async fn a_directory_is_saved_before_a_command_that_may_destroy_files_and_once_in_a_turn() {
    let rig = Rig::new(true);
    let project = rig.project();
    rig.terminal("1", json!({"command": "cat notes; ls"})).await;
    assert_eq!(rig.saved(&project).await, Vec::<String>::new(), "nothing can be lost");
    rig.terminal("1", json!({"command": "rm notes"})).await;
    rig.terminal("1", json!({"command": "echo x > other"})).await;
    assert_eq!(rig.saved(&project).await, ["before terminal"]);
    rig.terminal("2", json!({"command": "mv other another"})).await;
    assert_eq!(rig.saved(&project).await, ["before terminal", "before terminal"]);
    // Where the command runs is what is saved.
    let src = project.join("src");
    File::create_new(src.join("main")).unwrap().write_all(b"x").unwrap();
    rig.terminal("3", json!({"command": "rm main", "workdir": src})).await;
    assert_eq!(rig.saved(&src).await, ["before terminal"]);
}

#[tokio::test]
async fn without_the_setting_nothing_is_saved() {
    let rig = Rig::new(false);
    rig.terminal("1", json!({"command": "rm notes"})).await;
    assert!(!rig.folder.path().join("home/checkpoints").exists());
}
