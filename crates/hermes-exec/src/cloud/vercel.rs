//! Vercel Sandbox: a REST interface, whose commands answer with a line of JSON for each thing that happens.
//!
//! A sandbox ends by itself after a while; that moment is put off while we use it. One that is kept is kept as a
//! snapshot, whose name is written down: the next sandbox of the task is made from it, and the snapshot is removed when
//! a newer one takes its place.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::keys::VercelKeys;
use super::record;
use super::rest::{Again, Reply, Rest};
use super::trouble::CloudTrouble;
use super::vendor::{Executed, Sandbox, SandboxPlan, Vendor};

/// How long one request about a sandbox may take.
const ASK: Duration = Duration::from_secs(60);
/// How long it may take until a sandbox runs.
const READY: Duration = Duration::from_secs(30);
/// How long a snapshot may take.
const SNAPSHOT: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(250);
/// No sandbox is made for a shorter time.
const LEAST_LIFE: Duration = Duration::from_secs(300);
/// The sizes of a disk that mean the one there is.
const DISKS: [u64; 2] = [0, 51_200];
/// How often an answer that was cut off is asked for.
const TRIES: usize = 4;

/// The way to Vercel.
pub(super) struct Vercel {
    rest: Rest,
    keys: VercelKeys,
    /// When the sandbox's end was put off last, and by how much it can be put off.
    put_off: Mutex<Option<Instant>>,
}

impl Vercel {
    pub(super) fn new(rest: Rest, keys: VercelKeys) -> Self {
        Self { rest, keys, put_off: Mutex::default() }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.rest.request(method, path).bearer_auth(self.keys.token.expose());
        request.query(&[("teamId", &self.keys.team)])
    }

    async fn ask(&self, method: Method, path: &str, again: Again) -> Result<Reply, CloudTrouble> {
        self.rest.send(self.request(method, path).json(&json!({})), ASK, again).await
    }

    async fn create(
        &self,
        plan: &SandboxPlan,
        snapshot: Option<&str>,
    ) -> Result<Reply, CloudTrouble> {
        let timeout = plan.lifetime.max(LEAST_LIFE).as_millis() as u64;
        let mut body = json!({
            "projectId": self.keys.project,
            "runtime": plan.image,
            "timeout": timeout,
            "tags": plan.labels.iter().cloned().collect::<BTreeMap<String, String>>(),
        });
        if !plan.network {
            body["networkPolicy"] = json!({"mode": "deny-all"});
        }
        if plan.cpu >= 1.0 {
            body["resources"] = json!({"vcpus": plan.cpu.floor() as u64});
        }
        if let Some(snapshot) = snapshot {
            body["source"] = json!({"type": "snapshot", "snapshotId": snapshot});
        }
        let request = self.request(Method::POST, "/v2/sandboxes").json(&body);
        self.rest.send(request, ASK, Again::OnlyIfNotDone).await
    }

    async fn made(&self, plan: &SandboxPlan) -> Result<Sandbox, CloudTrouble> {
        if !DISKS.contains(&plan.disk_mb) {
            let why = "container_disk cannot be chosen at Vercel: leave it out, or set it to 0";
            return Err(CloudTrouble::Refused(why.to_owned()));
        }
        let kept = plan.is_kept.then(|| record::look_up(&plan.record, &plan.task)).flatten();
        let mut reply = self.create(plan, kept.as_deref()).await?;
        let is_about_snapshot = matches!(reply.status.as_u16(), 400 | 404 | 410 | 422);
        if kept.is_some() && is_about_snapshot {
            tracing::warn!(
                words = reply.words(),
                "the files of the last time cannot be used; beginning anew"
            );
            record::put_down(&plan.record, &plan.task, None)?;
            reply = self.create(plan, None).await?;
        }
        let made = reply.json()?;
        let session = &made["session"];
        let id = session["id"].as_str().ok_or_else(|| {
            CloudTrouble::Unreachable("the answer has no session in it".to_owned())
        })?;
        let sandbox = Sandbox {
            id: made["sandbox"]["name"].as_str().unwrap_or_default().to_owned(),
            part: id.to_owned(),
            cwd: session["cwd"].as_str().unwrap_or_default().to_owned(),
            ..Sandbox::default()
        };
        self.until_it_runs(&sandbox, session["status"].as_str().unwrap_or_default()).await?;
        Ok(sandbox)
    }

    async fn until_it_runs(&self, sandbox: &Sandbox, status: &str) -> Result<(), CloudTrouble> {
        let begun = Instant::now();
        let mut status = status.to_owned();
        while status != "running" {
            if !matches!(status.as_str(), "pending" | "") || begun.elapsed() > READY {
                return Err(CloudTrouble::Refused(format!("its status is {status}")));
            }
            sleep(PAUSE).await;
            let request = self.request(Method::GET, &path(sandbox, ""));
            let state = self.rest.send(request, ASK, Again::Harmless).await?.json()?;
            status = state["session"]["status"].as_str().unwrap_or_default().to_owned();
        }
        Ok(())
    }

    /// Puts off the end of a sandbox that is used.
    async fn put_off_the_end(&self, sandbox: &Sandbox) {
        let elapsed = {
            let mut put_off = self.put_off.lock().unwrap_or_else(PoisonError::into_inner);
            let elapsed = put_off.get_or_insert_with(Instant::now).elapsed();
            if elapsed < LEAST_LIFE / 3 {
                return;
            }
            *put_off = Some(Instant::now());
            elapsed
        };
        let body = json!({"duration": elapsed.as_millis() as u64});
        let request = self.request(Method::POST, &path(sandbox, "/extend-timeout")).json(&body);
        match self.rest.send(request, ASK, Again::OnlyIfNotDone).await {
            Ok(reply) if !reply.status.is_success() => {
                tracing::warn!(words = reply.words(), "the sandbox's end could not be put off");
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "the sandbox's end could not be put off"),
        }
    }

    async fn executed(
        &self,
        sandbox: &Sandbox,
        script: &str,
        limit: Duration,
    ) -> Result<Executed, CloudTrouble> {
        self.put_off_the_end(sandbox).await;
        let body = json!({
            "command": "bash",
            "args": ["-c", script],
            "wait": true,
            "logs": true,
            "timeout": limit.as_millis() as u64,
        });
        let mut cut_off = None;
        for _ in 0..TRIES {
            let request = self.request(Method::POST, &path(sandbox, "/cmd")).json(&body);
            let limit = limit + Duration::from_secs(5);
            let reply = self.rest.send(request, limit, Again::Harmless).await?;
            if !reply.status.is_success() {
                // A session that ended answers with a conflict or a refusal of its own.
                return Err(match reply.status.as_u16() {
                    400 | 409 | 410 | 422 if self.has_ended(sandbox).await => {
                        CloudTrouble::Gone(reply.words())
                    }
                    _ => reply.trouble(),
                });
            }
            match read_events(&reply.bytes) {
                Ok(executed) => return Ok(executed),
                Err(trouble) => cut_off = Some(trouble),
            }
        }
        Err(cut_off.unwrap_or_else(|| CloudTrouble::Unreachable("no answer".to_owned())))
    }

    async fn has_ended(&self, sandbox: &Sandbox) -> bool {
        let request = self.request(Method::GET, &path(sandbox, ""));
        let state = self.rest.send(request, ASK, Again::Harmless).await;
        state.and_then(|reply| reply.json()).is_ok_and(|state| {
            let status = state["session"]["status"].as_str().unwrap_or_default();
            matches!(status, "stopping" | "stopped" | "failed" | "aborted" | "snapshotting")
        })
    }

    async fn ended(&self, sandbox: &Sandbox, plan: &SandboxPlan) -> Result<(), CloudTrouble> {
        let kept = if plan.is_kept { self.keep(sandbox, plan).await } else { Ok(()) };
        let reply = self.ask(Method::POST, &path(sandbox, "/stop"), Again::Harmless).await?;
        let is_over = reply.status.is_success() || matches!(reply.status.as_u16(), 404 | 409 | 410);
        if !is_over {
            return Err(reply.trouble());
        }
        kept
    }

    async fn keep(&self, sandbox: &Sandbox, plan: &SandboxPlan) -> Result<(), CloudTrouble> {
        let request = self.request(Method::POST, &path(sandbox, "/snapshot")).json(&json!({}));
        let reply = self.rest.send(request, SNAPSHOT, Again::OnlyIfNotDone).await?.json()?;
        let id = reply["snapshot"]["id"].as_str().ok_or_else(|| {
            CloudTrouble::Unreachable("the answer has no snapshot in it".to_owned())
        })?;
        let older = record::put_down(&plan.record, &plan.task, Some(id))?;
        if let Some(older) = older.filter(|older| older != id) {
            // It costs and is of no use any more; if that fails it expires.
            let path = format!("/v2/sandboxes/snapshots/{older}");
            let _ = self.ask(Method::DELETE, &path, Again::Harmless).await;
        }
        Ok(())
    }
}

fn path(sandbox: &Sandbox, rest: &str) -> String {
    format!("/v2/sandboxes/sessions/{}{rest}", sandbox.part)
}

/// What a command wrote and its code, from the lines about it. Without a last line it was cut off.
fn read_events(bytes: &[u8]) -> Result<Executed, CloudTrouble> {
    let mut output = String::new();
    let mut code = None;
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let Ok(event) = serde_json::from_slice::<Value>(line) else { break };
        match event["stream"].as_str() {
            Some("stdout" | "stderr") => {
                output.push_str(event["data"].as_str().unwrap_or_default());
            }
            Some("error") => {
                let why = event["data"]["message"].as_str().unwrap_or("an error").to_owned();
                return Err(CloudTrouble::Unreachable(why));
            }
            _ => code = event["command"]["exitCode"].as_i64().or(code),
        }
    }
    let code = code.and_then(|code| i32::try_from(code).ok());
    let cut_off = || CloudTrouble::Unreachable("the answer was cut off".to_owned());
    code.map(|code| Executed { code, output }).ok_or_else(cut_off)
}

impl Vendor for Vercel {
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
        Box::pin(self.ended(sandbox, plan))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_its_last_line_was_cut_off() {
        let whole = concat!(
            r#"{"command":{"id":"c","exitCode":null}}"#,
            "\n",
            r#"{"stream":"stdout","data":"a\n"}"#,
            "\n",
            r#"{"stream":"stderr","data":"b"}"#,
            "\n",
            r#"{"command":{"id":"c","exitCode":3}}"#,
            "\n",
        );
        let read = read_events(whole.as_bytes()).unwrap();
        assert_eq!((read.code, &*read.output), (3, "a\nb"));
        for end in 0..whole.len() - 2 {
            assert!(read_events(&whole.as_bytes()[..end]).is_err(), "{end}");
        }
        let error = br#"{"stream":"error","data":{"code":"x","message":"stopped"}}"#;
        assert_eq!(read_events(error), Err(CloudTrouble::Unreachable("stopped".to_owned())));
    }
}
