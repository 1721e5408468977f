//! Modal: gRPC, to a server that makes sandboxes and to one in each that runs commands.
//!
//! Sandboxes of the newer kind are made first; a server that does not know them is asked for one of the older kind. One
//! that is kept is kept as an image of its files, whose name is written down.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::Instant;

use self::grpc::{Call, Code, Failure, Grpc, Replies, needed};
use self::message::{Message, Received};
use super::hidden::HiddenText;
use super::keys::{ModalKeys, claims};
use super::record;
use super::rest::may_carry_keys;
use super::trouble::CloudTrouble;
use super::vendor::{Executed, Sandbox, SandboxPlan, Vendor};
use crate::environment::random_id;

mod grpc;
mod message;

const SERVICE: &str = "modal.client.ModalClient";
const ROUTER: &str = "modal.task_command_router.TaskCommandRouter";
/// The client whose calls these are, as the server wants to know it.
const CLIENT_VERSION: &str = "1.6.3";
const APP: &str = "hermes-agent";
/// The recipe for images that is asked for where the account does not say.
const BUILDER: &str = "2025.06";
/// How long one call about a sandbox may take.
const ASK: Duration = Duration::from_secs(60);
/// How long a sandbox may take until it is there.
const CREATE: Duration = Duration::from_secs(300);
/// How long an image may take to be built.
const BUILD: Duration = Duration::from_secs(600);
/// How long one look at a build lasts.
const LOOK: f32 = 55.0;
/// How long a copy of the files may take.
const SNAPSHOT: Duration = Duration::from_secs(120);
/// No way out of a sandbox, nor in.
const NETWORK_BLOCKED: u64 = 2;
/// The longest life of a sandbox there is.
const LONGEST_LIFE: u64 = 86_400;
/// No sandbox ends sooner for being unused.
const LEAST_IDLE: Duration = Duration::from_secs(600);
/// The longest script that goes as an argument.
const LONGEST_ARGUMENT: usize = 48_000;
/// How often the connection to a command may break.
const BREAKS: u32 = 4;
/// A pass is fetched anew when it is good for less than this.
const LEAST_GOOD: Duration = Duration::from_secs(30);

/// The way to Modal.
pub(super) struct Modal {
    grpc: Grpc,
    keys: ModalKeys,
    access: Mutex<Option<Arc<Access>>>,
}

/// The way to the server that runs commands in a sandbox.
struct Access {
    sandbox: String,
    url: String,
    pass: String,
    /// Until when the pass is good, in seconds since 1970, if it says.
    until: Option<u64>,
}

impl Access {
    fn is_good(&self, sandbox: &Sandbox) -> bool {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let soon = (now + LEAST_GOOD).as_secs();
        self.sandbox == sandbox.id && self.until.is_none_or(|until| until > soon)
    }
}

impl Modal {
    pub(super) fn new(
        keys: ModalKeys,
        proxies: &[(String, HiddenText)],
    ) -> Result<Self, CloudTrouble> {
        Ok(Self { grpc: Grpc::new(&keys.url, proxies)?, keys, access: Mutex::default() })
    }

    async fn ask(
        &self,
        method: &str,
        message: Message,
        more: &[(&'static str, &str)],
        limit: Duration,
    ) -> Result<Vec<u8>, Failure> {
        let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let key = uuid();
        let timestamp = seconds.as_secs_f64().to_string();
        let mut headers = headers(&[
            ("x-modal-token-id", self.keys.id.expose()),
            ("x-modal-token-secret", self.keys.secret.expose()),
            ("x-modal-client-type", "1"),
            ("x-modal-client-version", CLIENT_VERSION),
            ("x-modal-timestamp", &timestamp),
            // The same when the call is made again, so that it is carried out once.
            ("x-idempotency-key", &key),
        ]);
        headers.extend(self::headers(more));
        let method = format!("{SERVICE}/{method}");
        let call = Call { url: &self.keys.url, method: &method, headers: &headers, message, limit };
        self.grpc.ask(&call).await
    }

    async fn image(&self, plan: &SandboxPlan, app: &str) -> Result<String, CloudTrouble> {
        let environment = Message::default().text(1, &self.keys.environment);
        let environment = self.ask("EnvironmentGetOrCreate", environment, &[], ASK).await?;
        let settings = Received(&environment).message(2).and_then(|about| about.message(2));
        let builder = settings.and_then(|settings| settings.text(1));
        let image = Message::default().texts(6, &recipe(&plan.image));
        let message = Message::default()
            .message(2, &image)
            .text(4, app)
            .text(9, builder.as_deref().unwrap_or(BUILDER));
        let reply = self.ask("ImageGetOrCreate", message, &[], ASK).await?;
        let id = needed(&reply, 1, "image")?;
        let mut status = Received(&reply).message(2).map(outcome);
        let begun = Instant::now();
        let mut last = String::new();
        while status.as_ref().is_none_or(|(status, _)| *status == 0) {
            if begun.elapsed() > BUILD {
                let limit = BUILD.as_secs();
                return Err(CloudTrouble::Refused(format!(
                    "its image is not built after {limit} s"
                )));
            }
            let message = Message::default().text(1, &id).decimal(2, LOOK).text(3, &last);
            for reply in self.joined(message).await? {
                let reply = Received(&reply);
                last = reply.text(3).unwrap_or(last);
                status =
                    reply.message(1).map(outcome).filter(|(status, _)| *status != 0).or(status);
            }
        }
        match status {
            Some((1, _)) => Ok(id),
            other => {
                let words = other.map(|(_, words)| words).unwrap_or_default();
                Err(CloudTrouble::Refused(format!(
                    "the image {} cannot be built: {words}",
                    plan.image
                )))
            }
        }
    }

    async fn joined(&self, message: Message) -> Result<Vec<Vec<u8>>, CloudTrouble> {
        let headers = headers(&[
            ("x-modal-token-id", self.keys.id.expose()),
            ("x-modal-token-secret", self.keys.secret.expose()),
            ("x-modal-client-type", "1"),
            ("x-modal-client-version", CLIENT_VERSION),
        ]);
        let method = format!("{SERVICE}/ImageJoinStreaming");
        let limit = Duration::from_secs(70);
        let call = Call { url: &self.keys.url, method: &method, headers: &headers, message, limit };
        let Replies { messages, failure } = self.grpc.stream(&call).await;
        match failure {
            Some(failure) if matches!(failure.code, Code::Later | Code::NoConnection) => {
                tokio::time::sleep(Duration::from_secs(1)).await;
                Ok(messages)
            }
            Some(failure) => Err(failure.into()),
            None => Ok(messages),
        }
    }

    async fn made(&self, plan: &SandboxPlan) -> Result<Sandbox, CloudTrouble> {
        let message = Message::default().text(1, APP).text(2, &self.keys.environment).number(3, 1);
        let app = needed(&self.ask("AppGetOrCreate", message, &[], ASK).await?, 1, "app")?;
        let name = kept_as(plan);
        if let Some(kept) = plan.is_kept.then(|| record::look_up(&plan.record, &name)).flatten() {
            match self.create(plan, &app, &kept).await {
                Err(CloudTrouble::Gone(why) | CloudTrouble::Refused(why)) => {
                    tracing::warn!(
                        why,
                        "the files of the last time cannot be used; beginning anew"
                    );
                    record::put_down(&plan.record, &name, None)?;
                }
                other => return other,
            }
        }
        let image = self.image(plan, &app).await?;
        self.create(plan, &app, &image).await
    }

    async fn create(
        &self,
        plan: &SandboxPlan,
        app: &str,
        image: &str,
    ) -> Result<Sandbox, CloudTrouble> {
        let idle = plan.lifetime.max(LEAST_IDLE).as_secs();
        let resources = Message::default()
            .number(2, plan.memory_mb)
            .number(3, (plan.cpu * 1000.0) as u64)
            // The sandbox has more than the usual size without asking; a quota counts from there.
            .number(6, if plan.disk_mb > USUAL_DISK { plan.disk_mb } else { 0 });
        let definition = Message::default()
            .texts(1, &["sleep", "infinity"])
            .text(3, image)
            .message(5, &resources)
            .number(7, LONGEST_LIFE)
            .number(33, idle)
            .number(34, 1);
        let definition = match plan.network {
            true => definition,
            false => definition.message(22, &Message::default().number(1, NETWORK_BLOCKED)),
        };
        let mut message = Message::default().text(1, app).message(2, &definition);
        for (name, value) in &plan.labels {
            message = message.message(4, &Message::default().text(1, name).text(2, value));
        }
        let pass = self.pass().await?;
        let more = [("x-modal-auth-token", pass.as_str())];
        match self.ask("SandboxCreateV2", message, &more, CREATE).await {
            Ok(reply) => {
                let sandbox = Sandbox {
                    id: needed(&reply, 1, "sandbox")?,
                    part: needed(&reply, 3, "task")?,
                    token: Received(&reply).text(6).map(|token| token.as_str().into()),
                    ..Sandbox::default()
                };
                Ok(sandbox)
            }
            Err(Failure { code: Code::Unknown, .. }) => {
                let message = Message::default().text(1, app).message(2, &definition);
                let reply = self.ask("SandboxCreate", message, &[], CREATE).await?;
                let id = needed(&reply, 1, "sandbox")?;
                let message = Message::default().text(1, &id).decimal(2, LOOK).number(3, 1);
                let reply = self.ask("SandboxGetTaskId", message, &[], CREATE).await?;
                let part = needed(&reply, 1, "task")?;
                Ok(Sandbox { id, part, is_older: true, ..Sandbox::default() })
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// A pass for calls about sandboxes of the newer kind.
    async fn pass(&self) -> Result<String, CloudTrouble> {
        let reply = self.ask("AuthTokenGet", Message::default(), &[], ASK).await?;
        needed(&reply, 1, "token")
    }

    async fn access(&self, sandbox: &Sandbox) -> Result<Arc<Access>, CloudTrouble> {
        let known = self.known().clone().filter(|access| access.is_good(sandbox));
        if let Some(access) = known {
            return Ok(access);
        }
        let reply = if sandbox.is_older {
            let message = Message::default().text(1, &sandbox.part);
            self.ask("TaskGetCommandRouterAccess", message, &[], ASK).await?
        } else {
            let pass = self.pass().await?;
            let message = Message::default().text(1, &sandbox.id);
            self.ask("SandboxGetCommandRouterAccess", message, &more(&pass, sandbox), ASK).await?
        };
        let (pass, url) = (needed(&reply, 1, "pass")?, needed(&reply, 2, "address")?);
        if !may_carry_keys(&url) {
            let why = format!("its commands would go unencrypted to {url}");
            return Err(CloudTrouble::Refused(why));
        }
        let until = claims(&pass).and_then(|claims| claims["exp"].as_u64());
        let url = url.trim_end_matches('/').to_owned();
        let access = Arc::new(Access { sandbox: sandbox.id.clone(), url, pass, until });
        *self.known() = Some(Arc::clone(&access));
        Ok(access)
    }

    fn known(&self) -> MutexGuard<'_, Option<Arc<Access>>> {
        self.access.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn route(
        &self,
        access: &Access,
        method: &str,
        message: Message,
        limit: Duration,
    ) -> Replies {
        let headers = headers(&[("authorization", &format!("Bearer {}", access.pass))]);
        let method = format!("{ROUTER}/{method}");
        let call = Call { url: &access.url, method: &method, headers: &headers, message, limit };
        self.grpc.stream(&call).await
    }

    async fn one(
        &self,
        access: &Access,
        method: &str,
        message: Message,
        limit: Duration,
    ) -> Result<Vec<u8>, Failure> {
        let Replies { messages, failure } = self.route(access, method, message, limit).await;
        failure.map_or_else(|| Ok(messages.into_iter().next().unwrap_or_default()), Err)
    }

    async fn executed(
        &self,
        sandbox: &Sandbox,
        script: &str,
        limit: Duration,
    ) -> Result<Executed, CloudTrouble> {
        let mut breaks = 0;
        loop {
            let access = self.access(sandbox).await?;
            let failure = match self.executed_once(&access, sandbox, script, limit).await {
                Ok(executed) => return Ok(executed),
                Err(failure) => failure,
            };
            breaks += 1;
            let may = matches!(failure.code, Code::Later | Code::NoConnection | Code::Unwelcome);
            if !may || breaks > BREAKS {
                return Err(failure.into());
            }
            // The sandbox may have moved, its pass may be too old; whether it is gone is told when we ask.
            *self.known() = None;
            tokio::time::sleep(Duration::from_millis(300 * u64::from(breaks))).await;
        }
    }

    async fn executed_once(
        &self,
        access: &Access,
        sandbox: &Sandbox,
        script: &str,
        limit: Duration,
    ) -> Result<Executed, Failure> {
        let limit = limit + Duration::from_secs(5);
        let name = uuid();
        let of = || Message::default().text(1, &sandbox.part).text(2, &name);
        let is_short = script.len() <= LONGEST_ARGUMENT;
        let words: &[&str] = if is_short { &["bash", "-c", script] } else { &["bash", "-s"] };
        let start = of().texts(3, words).number(4, 1).number(5, 2).number(6, limit.as_secs());
        self.one(access, "TaskExecStart", start, ASK).await?;
        if !is_short {
            let input = of().bytes(4, script.as_bytes()).number(5, 1);
            self.one(access, "TaskExecStdinWrite", input, ASK).await?;
        }
        let mut output = Vec::new();
        let mut breaks = 0;
        loop {
            let read = of().number(3, output.len() as u64);
            let Replies { messages, failure } =
                self.route(access, "TaskExecStdioRead", read, limit).await;
            for message in messages {
                output.extend_from_slice(Received(&message).bytes(1).unwrap_or_default());
            }
            match failure {
                None => break,
                Some(failure) if failure.code == Code::NoConnection && breaks < BREAKS => {
                    breaks += 1;
                }
                Some(failure) => return Err(failure),
            }
        }
        let ended = self.one(access, "TaskExecWait", of(), limit).await?;
        let ended = Received(&ended);
        let code = match ended.number(2) {
            Some(signal) => 128 + i32::try_from(signal).unwrap_or_default(),
            None => ended.number(1).unwrap_or_default() as i32,
        };
        Ok(Executed { code, output: String::from_utf8_lossy(&output).into_owned() })
    }

    async fn keep(&self, sandbox: &Sandbox, plan: &SandboxPlan) -> Result<(), CloudTrouble> {
        let access = self.access(sandbox).await?;
        let message = Message::default().text(1, &sandbox.part).text(2, &uuid());
        let reply = self.one(&access, "TaskSnapshotFilesystem", message, SNAPSHOT).await?;
        let image = needed(&reply, 1, "image")?;
        record::put_down(&plan.record, &kept_as(plan), Some(&image)).map(drop)
    }

    async fn terminate(&self, sandbox: &Sandbox) -> Result<(), CloudTrouble> {
        let message = Message::default().text(1, &sandbox.id);
        let done = if sandbox.is_older {
            self.ask("SandboxTerminate", message, &[], ASK).await
        } else {
            let pass = self.pass().await?;
            self.ask("SandboxTerminateV2", message, &more(&pass, sandbox), ASK).await
        };
        match done {
            Ok(_) | Err(Failure { code: Code::NotThere, .. }) => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }
}

/// The disk a sandbox has anyway, in MB.
const USUAL_DISK: u64 = 51_200;

fn kept_as(plan: &SandboxPlan) -> String {
    format!("direct:{}", plan.task)
}

/// What a call about a sandbox of the newer kind carries besides.
fn more<'a>(pass: &'a str, sandbox: &'a Sandbox) -> Vec<(&'static str, &'a str)> {
    let token = sandbox.token.as_ref().map(|token| ("x-modal-sandbox-token", token.expose()));
    [("x-modal-auth-token", pass)].into_iter().chain(token).collect()
}

/// A status and the words about it.
fn outcome(result: Received<'_>) -> (u64, String) {
    (result.number(1).unwrap_or_default(), result.text(2).unwrap_or_default())
}

/// How an image is made: as it is, with a working `pip`, and with Python where a bare system has none.
fn recipe(image: &str) -> Vec<String> {
    let mut lines = vec![format!("FROM {image}")];
    let name = image.rsplit('/').next().unwrap_or(image);
    if name.starts_with("debian") || name.starts_with("ubuntu") {
        let install = "apt-get install -y --no-install-recommends python3 python3-venv";
        lines.push(format!("RUN apt-get update && {install} || true"));
    }
    let stale = "rm -rf /usr/local/lib/python3*/site-packages/pip*";
    lines.push(format!("RUN {stale}; python -m ensurepip --upgrade --default-pip || true"));
    lines
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pairs = pairs.iter().filter_map(|(name, value)| {
        Some((HeaderName::from_static(name), HeaderValue::from_str(value).ok()?))
    });
    pairs.collect()
}

/// A name in the shape of a UUID.
fn uuid() -> String {
    let digits = [random_id(), random_id(), random_id()].concat();
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
}

impl Vendor for Modal {
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

    fn end<'a>(
        &'a self,
        sandbox: &'a Sandbox,
        plan: &'a SandboxPlan,
    ) -> BoxFuture<'a, Result<(), CloudTrouble>> {
        Box::pin(async move {
            let kept = if plan.is_kept { self.keep(sandbox, plan).await } else { Ok(()) };
            self.terminate(sandbox).await?;
            kept
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_system_gets_python_and_others_stay_as_they_are() {
        assert_eq!(recipe("debian:12").len(), 3);
        assert_eq!(recipe("docker.io/library/ubuntu:24.04").len(), 3);
        assert_eq!(recipe("nikolaik/python-nodejs:x").len(), 2);
    }

    #[test]
    fn a_name_has_the_shape_that_is_expected() {
        let name = uuid();
        let lengths: Vec<usize> = name.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{name}");
        assert_ne!(uuid(), name);
    }
}
