//! A gateway with a scripted model, on whatever platform its settings name.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use hermes_testkit::{ModelServer, Script};

use crate::support::Sandbox;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A home, a model and perhaps a gateway.
pub(crate) struct Stage {
    pub(super) sandbox: Sandbox,
    pub(super) model: ModelServer,
    pub(super) gateway: Option<Child>,
}

impl Stage {
    /// Not started yet. `platforms` is the section of that name, `env` the file `.env`.
    pub(super) fn new(script: impl Into<Script>, platforms: &str, env: &str) -> Self {
        let model = ModelServer::start(script);
        let config = format!(
            "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n\
             platforms:\n{platforms}",
            model.url(),
        );
        let mut sandbox = Sandbox::with_config(&config).var("HERMES_ALLOW_ROOT_GATEWAY", "1");
        for name in [
            "HERMES_TELEGRAM_TEXT_BATCH_DELAY_SECONDS",
            "HERMES_DISCORD_TEXT_BATCH_DELAY_SECONDS",
            "HERMES_SLACK_TEXT_BATCH_DELAY_SECONDS",
            "HERMES_MATRIX_TEXT_BATCH_DELAY_SECONDS",
            "HERMES_IRC_TEXT_BATCH_DELAY_SECONDS",
            "HERMES_WEBHOOK_TEXT_BATCH_DELAY_SECONDS",
        ] {
            sandbox = sandbox.var(name, "0.02");
        }
        sandbox.write(".env", env);
        Self { sandbox, model, gateway: None }
    }

    pub(super) fn spawn(&mut self) {
        let mut command = self.sandbox.command();
        command.args(["gateway", "run"]).stdin(Stdio::null());
        let log = std::fs::File::create(self.sandbox.scratch("gateway.log")).unwrap();
        command.stdout(Stdio::null()).stderr(log);
        self.gateway = Some(command.spawn().unwrap());
    }

    /// Starts it and waits until a platform is in this state.
    #[track_caller]
    pub(super) fn start_until(&mut self, platform: &str, state: &str) {
        self.spawn();
        self.wait_for_state(platform, state);
    }

    #[track_caller]
    pub(super) fn wait_for_state(&self, platform: &str, state: &str) {
        let pid = self.gateway.as_ref().map(Child::id);
        self.until(&format!("{platform} {state}"), || {
            let text = std::fs::read(self.sandbox.path("gateway_state.json")).unwrap_or_default();
            let known: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
            known["platforms"][platform]["state"] == state
                && known["pid"].as_u64() == pid.map(u64::from)
        });
    }

    #[track_caller]
    pub(super) fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_so() {
            let log = self.sandbox.scratch("gateway.log");
            assert!(
                Instant::now() < end,
                "{what} does not happen\n{}",
                std::fs::read_to_string(log).unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// As the kernel ends a process: without a word.
    pub(super) fn kill(&mut self) {
        let mut gateway = self.gateway.take().unwrap();
        gateway.kill().unwrap();
        gateway.wait().unwrap();
    }

    /// Asks it to end; its exit code.
    pub(super) fn stop(&mut self) -> Option<i32> {
        let mut gateway = self.gateway.take().unwrap();
        let pid = nix::unistd::Pid::from_raw(i32::try_from(gateway.id()).unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = gateway.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < end, "the gateway does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(mut gateway) = self.gateway.take() {
            let _ = gateway.kill();
            let _ = gateway.wait();
        }
    }
}
