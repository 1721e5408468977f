//! Daytona: a REST interface for sandboxes, and in each sandbox a *toolbox* for commands and files.
//!
//! A sandbox that is kept has a name made from the task, is stopped at the end and started the next time; another has a
//! name of its own and is deleted.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::keys::DaytonaKeys;
use super::rest::{Again, Reply, Rest, may_carry_keys};
use super::trouble::CloudTrouble;
use super::vendor::{Executed, Sandbox, SandboxPlan, Vendor};
use crate::mark::{EPOCH_LABEL, RUN_LABEL};
use crate::quote::quoted;

/// How long one request about a sandbox may take.
const ASK: Duration = Duration::from_secs(60);
/// How long it may take until a sandbox runs: its image may have to be built.
const READY: Duration = Duration::from_secs(600);
/// How long it may take until one is stopped.
const STOPPED: Duration = Duration::from_secs(60);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(500);
/// The largest disk there is, in GiB.
const MOST_DISK: u64 = 10;
/// No sandbox ends sooner for being unused, in minutes.
const LEAST_IDLE: u64 = 30;
/// Sandboxes on one page of a list.
const PAGE: &str = "100";
/// What a request says it comes from.
const SOURCE: &str = "hermes";

/// The way to Daytona.
pub(super) struct Daytona {
    rest: Rest,
    keys: DaytonaKeys,
}

/// What is done with a sandbox in some state.
#[derive(Debug, PartialEq, Eq)]
enum State {
    Runs,
    Stopped,
    /// It can only be removed.
    Broken,
    /// It is becoming one of these.
    Changing,
}

impl State {
    fn of(sandbox: &Value) -> Self {
        match sandbox["state"].as_str().unwrap_or_default() {
            "started" => Self::Runs,
            "stopped" | "archived" => Self::Stopped,
            "error" | "build_failed" | "destroyed" | "destroying" => Self::Broken,
            _ => Self::Changing,
        }
    }
}

impl Daytona {
    pub(super) fn new(rest: Rest, keys: DaytonaKeys) -> Self {
        Self { rest, keys }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let DaytonaKeys { key, organization, .. } = &self.keys;
        let request = self.rest.request(method, path).bearer_auth(key.expose());
        let request = request.header("X-Daytona-Source", SOURCE);
        match organization {
            Some(organization) => request.header("X-Daytona-Organization-ID", organization),
            None => request,
        }
    }

    async fn ask(&self, method: Method, path: &str) -> Result<Reply, CloudTrouble> {
        self.rest.send(self.request(method, path), ASK, Again::Harmless).await
    }

    async fn look(&self, name: &str) -> Result<Option<Value>, CloudTrouble> {
        let reply = self.ask(Method::GET, &format!("/sandbox/{name}")).await?;
        match reply.status {
            StatusCode::NOT_FOUND => Ok(None),
            _ => reply.json().map(Some),
        }
    }

    async fn create(&self, plan: &SandboxPlan) -> Result<Value, CloudTrouble> {
        let gib = |mb: u64| mb.div_ceil(1024).max(1);
        let mut body = json!({
            "name": plan.name,
            "labels": plan.labels.iter().cloned().collect::<BTreeMap<String, String>>(),
            "buildInfo": {"dockerfileContent": format!("FROM {}\n", plan.image)},
            "autoStopInterval": 0,
        });
        if !plan.network {
            body["networkBlockAll"] = json!(true);
        }
        if !plan.is_kept {
            // Should its keeper die with the machine, nobody goes on paying for it.
            body["autoStopInterval"] = json!(plan.lifetime.as_secs().div_ceil(60).max(LEAST_IDLE));
            body["autoDeleteInterval"] = json!(0);
        }
        if plan.cpu > 0.0 {
            body["cpu"] = json!(plan.cpu.ceil() as u64);
        }
        if plan.memory_mb > 0 {
            body["memory"] = json!(gib(plan.memory_mb));
        }
        if plan.disk_mb > 0 {
            let disk = gib(plan.disk_mb);
            if disk > MOST_DISK {
                tracing::warn!(
                    asked = disk,
                    most = MOST_DISK,
                    "Daytona has no disk as large as container_disk"
                );
            }
            body["disk"] = json!(disk.min(MOST_DISK));
        }
        if let Some(target) = &self.keys.target {
            body["target"] = json!(target);
        }
        let request = self.request(Method::POST, "/sandbox").json(&body);
        let made = self.rest.send(request, READY, Again::OnlyIfNotDone).await;
        match made {
            Ok(reply) if reply.status == StatusCode::CONFLICT => {}
            Ok(reply) => return reply.json(),
            Err(CloudTrouble::Unreachable(why)) => {
                tracing::debug!(why, "looking whether the sandbox was made");
            }
            Err(trouble) => return Err(trouble),
        }
        // The answer was lost, or somebody else was faster: the name tells.
        let found = self.look(&plan.name).await?;
        found.ok_or_else(|| CloudTrouble::Unreachable("the sandbox was not made".to_owned()))
    }

    async fn until_it_runs(&self, mut sandbox: Value) -> Result<Sandbox, CloudTrouble> {
        let id = text(&sandbox, "id")?;
        let begun = Instant::now();
        loop {
            match State::of(&sandbox) {
                State::Runs => break,
                State::Stopped => {
                    let reply = self.ask(Method::POST, &format!("/sandbox/{id}/start")).await?;
                    // Somebody else may be starting it.
                    if !reply.status.is_success() && reply.status != StatusCode::CONFLICT {
                        return Err(reply.trouble());
                    }
                }
                State::Broken => {
                    let state = sandbox["state"].as_str().unwrap_or_default();
                    let why = sandbox["errorReason"].as_str().unwrap_or("no reason was given");
                    return Err(CloudTrouble::Refused(format!("its state is {state}: {why}")));
                }
                State::Changing => {}
            }
            if begun.elapsed() > READY {
                let limit = READY.as_secs();
                return Err(CloudTrouble::Refused(format!("it does not run after {limit} s")));
            }
            sleep(PAUSE).await;
            let found = self.look(&id).await?;
            sandbox = found.ok_or_else(|| CloudTrouble::Gone("it went away".to_owned()))?;
        }
        let address = match sandbox["toolboxProxyUrl"].as_str() {
            Some(address) => address.to_owned(),
            None => {
                let path = format!("/sandbox/{id}/toolbox-proxy-url");
                text(&self.ask(Method::GET, &path).await?.json()?, "url")?
            }
        };
        if !may_carry_keys(&address) {
            let why = format!("its commands would go unencrypted to {address}");
            return Err(CloudTrouble::Refused(why));
        }
        let address = format!("{}/{id}", address.trim_end_matches('/'));
        Ok(Sandbox { id, address, ..Sandbox::default() })
    }

    async fn made(&self, plan: &SandboxPlan) -> Result<Sandbox, CloudTrouble> {
        if plan.is_kept
            && let Some(found) = self.look(&plan.name).await?
        {
            if State::of(&found) != State::Broken {
                return self.until_it_runs(found).await;
            }
            let id = text(&found, "id")?;
            self.delete(&id).await?;
            self.until_gone(&plan.name).await?;
        }
        let created = self.create(plan).await?;
        self.until_it_runs(created).await
    }

    async fn until_gone(&self, name: &str) -> Result<(), CloudTrouble> {
        let begun = Instant::now();
        while self.look(name).await?.is_some() && begun.elapsed() < STOPPED {
            sleep(PAUSE).await;
        }
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), CloudTrouble> {
        let reply = self.ask(Method::DELETE, &format!("/sandbox/{id}")).await?;
        if reply.status.is_success() || reply.status == StatusCode::NOT_FOUND {
            return Ok(());
        }
        Err(reply.trouble())
    }

    /// The sandboxes of a run, with the start that made each.
    async fn of_run(&self, run: &str) -> Result<Vec<(String, Option<u64>)>, CloudTrouble> {
        let labels = json!({RUN_LABEL: run}).to_string();
        let mut found = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let request = self.request(Method::GET, "/sandbox");
            let mut words = vec![("labels", labels.as_str()), ("limit", PAGE)];
            words.extend(cursor.iter().map(|cursor| ("cursor", cursor.as_str())));
            let page = self.rest.send(request.query(&words), ASK, Again::Harmless).await?.json()?;
            let items = page["items"].as_array().or(page.as_array()).into_iter().flatten();
            // A server that knows no such filter tells of others, too.
            for item in items.filter(|item| item["labels"][RUN_LABEL] == run) {
                let epoch = item["labels"][EPOCH_LABEL].as_str().and_then(|text| text.parse().ok());
                found.push((text(item, "id")?, epoch));
            }
            cursor = page["nextCursor"].as_str().map(str::to_owned);
            if cursor.as_ref().is_none_or(String::is_empty) {
                return Ok(found);
            }
        }
    }

    async fn stop(&self, id: &str) -> Result<(), CloudTrouble> {
        let begun = Instant::now();
        loop {
            let Some(sandbox) = self.look(id).await? else { return Ok(()) };
            match State::of(&sandbox) {
                State::Stopped | State::Broken => return Ok(()),
                State::Runs => {
                    let reply =
                        self.ask(Method::POST, &format!("/sandbox/{id}/stop?force=true")).await?;
                    if !reply.status.is_success() && reply.status != StatusCode::CONFLICT {
                        return Err(reply.trouble());
                    }
                }
                State::Changing => sleep(PAUSE).await,
            }
            if begun.elapsed() > STOPPED {
                return Err(CloudTrouble::Unreachable("it does not stop".to_owned()));
            }
        }
    }

    async fn executed(
        &self,
        sandbox: &Sandbox,
        script: &str,
        limit: Duration,
    ) -> Result<Executed, CloudTrouble> {
        let body = json!({
            "command": format!("bash -c {}", quoted(script)),
            "timeout": limit.as_secs(),
        });
        let address = format!("{}/process/execute", sandbox.address);
        let request = self.request(Method::POST, &address).json(&body);
        let reply =
            self.rest.send(request, limit + Duration::from_secs(5), Again::Harmless).await?;
        let is_asleep = reply.status == StatusCode::BAD_REQUEST
            && reply.words().contains("Is the Sandbox started");
        if is_asleep {
            return Err(CloudTrouble::Gone(reply.words()));
        }
        if reply.status == StatusCode::REQUEST_TIMEOUT {
            return Err(CloudTrouble::Unreachable(reply.words()));
        }
        let json = reply.json()?;
        let code = json["exitCode"].as_i64().and_then(|code| i32::try_from(code).ok());
        Ok(Executed {
            code: code.unwrap_or(-1),
            output: json["result"].as_str().unwrap_or_default().to_owned(),
        })
    }
}

fn text(value: &Value, key: &str) -> Result<String, CloudTrouble> {
    let text = value[key].as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned)
        .ok_or_else(|| CloudTrouble::Unreachable(format!("the answer has no {key} in it")))
}

impl Vendor for Daytona {
    fn make<'a>(&'a self, plan: &'a SandboxPlan) -> BoxFuture<'a, Result<Sandbox, CloudTrouble>> {
        Box::pin(self.made(plan))
    }

    fn execute<'a>(
        &'a self,
        sandbox: &'a Sandbox,
        script: &'a str,
        limit: Duration,
    ) -> BoxFuture<'a, Result<Executed, CloudTrouble>> {
        Box::pin(self.executed(sandbox, script, limit))
    }

    fn end_leftovers<'a>(
        &'a self,
        run: &'a str,
        before: u64,
    ) -> BoxFuture<'a, Result<usize, CloudTrouble>> {
        Box::pin(async move {
            let mut ended = 0;
            for (id, epoch) in self.of_run(run).await? {
                if epoch.is_none_or(|epoch| epoch < before) {
                    self.delete(&id).await?;
                    ended += 1;
                }
            }
            Ok(ended)
        })
    }

    fn end<'a>(
        &'a self,
        sandbox: &'a Sandbox,
        plan: &'a SandboxPlan,
    ) -> BoxFuture<'a, Result<(), CloudTrouble>> {
        Box::pin(async move {
            match plan.is_kept {
                true => self.stop(&sandbox.id).await,
                false => self.delete(&sandbox.id).await,
            }
        })
    }
}
