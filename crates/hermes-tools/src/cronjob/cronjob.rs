//! `cronjob`: work for later.

use hermes_cron::{CronError, Job, JobDraft, ticker_health};
use hermes_tool::{
    Availability, CallDisplay, CalledAs, State, ToolContext, ToolError, ToolErrorExt as _, Vars,
    tool,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::jobs::{CronJobs, origin};

/// Characters of a prompt in a list.
const PREVIEW_CHARS: usize = 100;

/// What is to be done with jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Act {
    Create,
    List,
    Update,
    Pause,
    Resume,
    #[serde(alias = "delete")]
    Remove,
    #[serde(alias = "run_now", alias = "trigger")]
    Run,
}

/// Arguments of `cronjob`.
#[derive(Deserialize, JsonSchema)]
struct CronjobArguments {
    /// What is to be done.
    action: Option<Act>,
    /// The job: its id, the beginning of it, or its name.
    job_id: Option<String>,
    /// What the agent of the job is asked.
    prompt: Option<String>,
    /// When it runs.
    schedule: Option<String>,
    /// What people call it.
    name: Option<String>,
    /// How often it runs; without end if it is not said.
    repeat: Option<u64>,
    /// Who hears of it: origin, local, all, or a platform with a place on it.
    deliver: Option<String>,
    /// Skills that are loaded for it.
    #[serde(alias = "skill")]
    #[schemars(with = "Option<Vec<String>>")]
    skills: Option<Value>,
    /// A program of the home's scripts folder whose output goes before the prompt.
    script: Option<String>,
    /// Ask no agent: the output of the script is the message.
    no_agent: Option<bool>,
    /// Jobs whose last output it is shown.
    #[schemars(with = "Option<Vec<String>>")]
    context_from: Option<Value>,
    /// The model, if not the one of this moment.
    #[schemars(with = "Option<String>")]
    model: Option<Value>,
    /// The folder it works in, as a whole path.
    workdir: Option<String>,
    /// The toolsets it has, if not those of scheduled jobs.
    #[schemars(with = "Option<Vec<String>>")]
    enabled_toolsets: Option<Value>,
    /// List jobs that are paused or over, too.
    #[serde(default)]
    include_disabled: bool,
}

/// A job schedules others only if the user lets jobs.
fn may_schedule(vars: &Vars) -> Availability {
    match !vars.is_on("HERMES_CRON_SESSION") || vars.is_on("HERMES_CRON_SCHEDULING") {
        true => Availability::Available,
        false => Availability::unavailable(
            "not offered to scheduled jobs",
            "`cron.jobs_may_schedule` lets jobs schedule others",
        ),
    }
}

#[tool(
    toolset = "cronjob",
    emoji = "⏰",
    effects(writes),
    check = may_schedule,
    aliases("schedule_cronjob", "list_cronjobs", "remove_cronjob", "cronjob_manage"),
    subagents = withheld,
    display = CallDisplay::verb("cron").args(&["action", "name"]),
    description = include_str!("cronjob.md")
)]
async fn cronjob(
    args: CronjobArguments,
    jobs: State<CronJobs>,
    cx: &ToolContext,
) -> Result<Value, ToolError> {
    let act = act(&args, cx)?;
    let (jobs, origin) = (jobs.shared(), origin(cx));
    // Locks and disks are waited for elsewhere.
    let done = tokio::task::spawn_blocking(move || carry_out(act, &args, &jobs, origin)).await;
    done.tool_error("Panic")?
}

/// What is to be done; the older tools said it by their names.
fn act(args: &CronjobArguments, cx: &ToolContext) -> Result<Act, ToolError> {
    let older = cx.service::<CalledAs>();
    let by_name = match older.as_deref().map(|CalledAs(name)| name.as_str()) {
        Some("schedule_cronjob") => Some(Act::Create),
        Some("list_cronjobs") => Some(Act::List),
        Some("remove_cronjob") => Some(Act::Remove),
        _ => None,
    };
    by_name.or(args.action).ok_or_else(|| {
        failed(
            "Say what is to be done: action is create, list, update, pause, resume, remove or run",
        )
    })
}

fn carry_out(
    act: Act,
    args: &CronjobArguments,
    jobs: &CronJobs,
    origin: Option<hermes_cron::JobOrigin>,
) -> Result<Value, ToolError> {
    if act == Act::List {
        return list(jobs, args.include_disabled);
    }
    let (store, now) = (jobs.changeable()?, Timestamp::now());
    let which = || {
        let asked = args.job_id.as_deref().or(args.name.as_deref()).map(str::trim);
        asked.filter(|asked| !asked.is_empty()).ok_or_else(|| failed("Say which job: job_id"))
    };
    let job = match act {
        Act::Create => {
            let draft = JobDraft { origin, ..draft(args)? }.pinned(jobs.pinned.as_ref());
            store.create(&draft, now)
        }
        Act::Update => store.edit(which()?, &draft(args)?, now),
        Act::Pause => store.pause(which()?),
        Act::Resume => store.resume(which()?, now),
        Act::Remove => store.remove(which()?),
        Act::Run | Act::List => store.make_due(which()?, now),
    };
    let mut answer = shown(&job.map_err(|problem| refused(&problem))?);
    answer["success"] = true.into();
    if act != Act::Remove && !ticker_health(store).is_held {
        answer["warning"] = "Nobody runs the jobs of this home yet: tell the user to start \
             `hermes cron daemon`"
            .into();
    }
    Ok(answer)
}

fn list(jobs: &CronJobs, include_disabled: bool) -> Result<Value, ToolError> {
    let all = jobs.store()?.jobs().map_err(|problem| refused(&problem))?;
    let listed: Vec<Value> =
        all.iter().filter(|job| include_disabled || job.enabled).map(shown).collect();
    Ok(json!({"success": true, "count": listed.len(), "jobs": listed}))
}

fn draft(args: &CronjobArguments) -> Result<JobDraft, ToolError> {
    let (model, provider) = match &args.model {
        None | Some(Value::Null) => (None, None),
        Some(Value::String(name)) => (Some(name.clone()), None),
        Some(Value::Object(fields)) => {
            let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
            (text("model"), text("provider"))
        }
        Some(_) => return Err(failed("model is the name of a model")),
    };
    Ok(JobDraft {
        schedule: args.schedule.clone(),
        prompt: args.prompt.clone(),
        name: args.name.clone(),
        repeat: args.repeat,
        deliver: args.deliver.clone(),
        origin: None,
        skills: names("skills", args.skills.as_ref())?,
        model,
        provider,
        script: args.script.clone(),
        no_agent: args.no_agent,
        context_from: names("context_from", args.context_from.as_ref())?,
        toolsets: names("enabled_toolsets", args.enabled_toolsets.as_ref())?,
        workdir: args.workdir.clone(),
    })
}

/// A list of names; models also send one text, with commas or without.
fn names(what: &str, value: Option<&Value>) -> Result<Option<Vec<String>>, ToolError> {
    let parts: Vec<&str> = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.split(',').collect(),
        Some(Value::Array(list)) => {
            let texts = list.iter().map(Value::as_str).collect::<Option<_>>();
            texts.ok_or_else(|| failed(&format!("{what} is a list of names")))?
        }
        Some(_) => return Err(failed(&format!("{what} is a list of names"))),
    };
    let parts = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
    Ok(Some(parts.map(str::to_owned).collect()))
}

fn shown(job: &Job) -> Value {
    let preview: String = job.prompt.chars().take(PREVIEW_CHARS).collect();
    json!({
        "job_id": job.id,
        "name": job.name,
        "schedule": job.schedule_display,
        "next_run_at": job.next_run_at,
        "state": job.state.word(),
        "enabled": job.enabled,
        "prompt_preview": preview,
        "skills": job.skills,
        "script": job.script,
        "deliver": job.deliver,
        "repeat": job.repeat.times,
        "completed": job.repeat.completed,
        "model": job.model,
        "provider": job.provider,
        "workdir": job.workdir,
        "last_run_at": job.last_run_at,
        "last_status": job.last_status,
        "last_error": job.last_error,
        "last_delivery_error": job.last_delivery_error,
    })
}

fn refused(problem: &CronError) -> ToolError {
    failed(&problem.to_string())
}

fn failed(text: &str) -> ToolError {
    ToolError::answer(text.to_owned()).with("success", false)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hermes_cron::JobStore;
    use hermes_store::home::Home;
    use hermes_tool::{Args, ContextParts, Handler, Services};
    use jiff::tz::TimeZone;

    use super::*;

    struct JobsHome(tempfile::TempDir);

    impl JobsHome {
        async fn call(&self, called: &str, args: Value, may_change: bool) -> Value {
            let store = Ok(JobStore::new(&Home::at(self.0.path()), TimeZone::UTC));
            let jobs = CronJobs { store, pinned: None, may_change };
            let services = Services::default()
                .with(Arc::new(jobs))
                .with(Arc::new(CalledAs(called.to_owned())));
            let cx: ToolContext = ContextParts { services, ..ContextParts::default() }.into();
            let Value::Object(args) = args else { panic!("an object") };
            let args: Args = args;
            let tool = cronjob_tool();
            let Handler::Async(run) = tool.handler() else { panic!("async") };
            match run(args, cx).await {
                Ok(output) => match output.to_value() {
                    Value::String(text) => serde_json::from_str(&text).unwrap(),
                    value => value,
                },
                Err(problem) => {
                    let mut answer = Value::Object(problem.extras().clone());
                    answer["error"] = problem.message().into();
                    answer
                }
            }
        }
    }

    #[tokio::test]
    async fn older_names_say_what_is_meant() {
        let jobs = JobsHome(tempfile::tempdir().unwrap());
        let made = json!({"prompt": "look", "schedule": "every 2h", "skills": "a, b"});
        let made = jobs.call("schedule_cronjob", made, true).await;
        assert_eq!(made["success"], true, "{made}");
        assert_eq!(made["skills"], json!(["a", "b"]));
        let listed = jobs.call("list_cronjobs", json!({}), false).await;
        assert_eq!((&listed["count"], &listed["jobs"][0]["job_id"]), (&json!(1), &made["job_id"]));
        let removed = jobs.call("remove_cronjob", json!({"job_id": made["job_id"]}), true).await;
        assert_eq!(removed["success"], true, "{removed}");
        assert_eq!(jobs.call("list_cronjobs", json!({}), true).await["count"], 0);
    }

    #[tokio::test]
    async fn what_makes_no_sense_is_said_and_a_job_changes_no_jobs() {
        let jobs = JobsHome(tempfile::tempdir().unwrap());
        for (args, word) in [
            (json!({}), "action"),
            (json!({"action": "create", "schedule": "sometimes", "prompt": "x"}), "every"),
            (json!({"action": "create", "schedule": "1h"}), "something to do"),
            (
                json!({"action": "create", "schedule": "1h", "prompt": "x", "deliver": "nosuch:1"}),
                "nosuch",
            ),
            (json!({"action": "create", "schedule": "1h", "prompt": "x", "skills": [7]}), "skills"),
            (json!({"action": "pause"}), "which job"),
            (json!({"action": "pause", "job_id": "zzz"}), "zzz"),
        ] {
            let answer = jobs.call("cronjob_manage", args.clone(), true).await;
            let text = answer.to_string().to_lowercase();
            assert!(
                text.contains(&word.to_lowercase()) && answer["success"] == false,
                "{args}: {answer}"
            );
        }
        let made = json!({"action": "create", "schedule": "1h", "prompt": "x"});
        let refused = jobs.call("cronjob", made, false).await;
        assert!(refused.to_string().contains("does not change"), "{refused}");
    }
}
