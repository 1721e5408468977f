//! What the verbs of `hermes rl env` do.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use hermes_host::Host;
use hermes_rl::training::RlSettings;
use hermes_rl::{
    EnvRegistration, PolicyModel, PolicyOptions, PythonEnv, RewardSource, TrajectoryApi,
};
use hermes_skills::report::{ReportTable, VerbReport, VerbStatus};
use hermes_tool::settings::Settings as _;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::group::{GroupEnd, GroupRunner, RolloutGroup};
use super::items::ItemSource;
use super::ledger::PostLedger;
use super::serve::ServeJob;
use super::side::{PolicyCompanion, PolicyHead};
use super::words::{EnvVerb, EvaluateArgs, NO_IDS, ProcessArgs, RlVerb, RolloutArgs, ServeArgs};
use crate::BatchError;
use crate::dataset::Dataset;
use crate::derive::RunStatistics;
use crate::options::RunOptions;
use crate::run::{
    AgentExecutor, ExecutorOptions, LocalPermits, RateLimiter, RateLimits, RunControl, RunFront,
    RunLeftovers, RunSpend, Running, TaskExecutor,
};
use crate::settings::{BatchSettings, LimitSettings};
use crate::store::{RunFolder, RunLock};
use crate::verbs::{BatchEnd, BatchReport, StreamFront, stopped_by_signals};

/// How long an answer of a policy may take.
const ANSWER: Duration = Duration::from_secs(1_800);

/// Does what a verb of `hermes rl` says, tells the way on the streams of this process and heeds its signals.
///
/// # Errors
/// If signals cannot be listened for.
pub async fn run_rl_here(host: &Host, verb: &RlVerb) -> std::io::Result<BatchReport> {
    let words = verb.rollouts();
    let (front, control) = (StreamFront::plain(words.json, words.quiet), stopped_by_signals()?);
    let RlVerb::Env(verb) = verb;
    let done = match &**verb {
        EnvVerb::Serve(args) => serve(host, args, &front, &control).await,
        EnvVerb::Process(args) => process(host, args, &front, &control).await,
        EnvVerb::Evaluate(args) => evaluate(host, args, &front, &control).await,
    };
    let mut report = done.unwrap_or_else(|error| BatchReport {
        said: VerbReport::ended(VerbStatus::Failed).noted([format!("error: {error}")]),
        end: BatchEnd::of_error(&error),
    });
    report.said.status = report.end.status();
    Ok(report)
}

/// A run of rollouts that is ready to go.
struct Ready {
    folder: RunFolder,
    runner: Arc<GroupRunner>,
    items: ItemSource,
    executor: Arc<AgentExecutor>,
    max_tokens: Option<u32>,
    /// What the environment says of itself, if it is one.
    about: Option<Arc<PythonEnv>>,
    _lock: RunLock,
}

/// What an environment's own settings say where no option does.
struct Wishes(Value);

impl Wishes {
    fn number(&self, name: &str) -> Option<u32> {
        self.0[name].as_u64().and_then(|number| u32::try_from(number).ok())
    }

    fn text(&self, name: &str) -> Option<String> {
        self.0[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn list(&self, name: &str) -> Option<Vec<String>> {
        let list = self.0[name].as_array()?;
        Some(list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
    }
}

async fn ready(
    host: &Host,
    words: &RolloutArgs,
    front: &dyn RunFront,
) -> Result<Ready, BatchError> {
    host.require_sound_config()?;
    let settings = BatchSettings::read(host.config().value(), host.vars());
    let own = RlSettings::read(host.config().value(), host.vars());
    let limits = LimitSettings::read(host.config().value(), host.vars());
    let root = words.out.clone().unwrap_or_else(|| PathBuf::from(&settings.dir));
    let folder = RunFolder::at(root.join(&words.name));
    std::fs::create_dir_all(folder.root()).map_err(BatchError::when("make", folder.root()))?;
    let lock = RunLock::take(&folder, &words.name)?;
    let mut environment = own_settings(words.config.as_deref())?;
    let mut about = None;
    let limit = Duration::try_from_secs_f64(words.reward_timeout).unwrap_or(ANSWER);
    let reward = match RewardSource::python_file(&words.reward) {
        None => {
            RewardSource::of_word(&words.reward, limit, host.vars()).map_err(BatchError::usage)?
        }
        Some(file) => {
            let python = words.python.as_deref().unwrap_or(&own.python);
            let log = folder.path("logs/environment.log");
            let env = PythonEnv::start(python, &file, &environment, &log).await;
            let env = Arc::new(env.map_err(BatchError::usage)?);
            environment = env.about()["config"].clone();
            about = Some(Arc::clone(&env));
            RewardSource::Python(env)
        }
    };
    let items = match (&words.dataset, &about) {
        (Some(source), _) => ItemSource::Dataset(Dataset::open(source, folder.root(), None)?),
        (None, Some(env)) => ItemSource::Python(Arc::clone(env)),
        (None, None) => {
            return Err(BatchError::usage("--own-items needs an environment: --reward py:FILE"));
        }
    };
    let wishes = Wishes(environment);
    let api_key = match &words.api_key_env {
        None => None,
        Some(name) => match host.vars().get(name).filter(|key| !key.is_empty()) {
            Some(key) => Some(key.to_owned()),
            None => return Err(BatchError::usage(format!("the variable {name} is not set"))),
        },
    };
    let sampling: Value = serde_json::from_str(&words.sampling).unwrap_or_default();
    let Value::Object(mut sampling) = sampling else {
        return Err(BatchError::usage("--sampling is a JSON object: '{\"temperature\": 1.0}'"));
    };
    // What an environment wants sampled was given too; an option comes before it.
    let wished =
        wishes.0["agent_temperature"].as_f64().map(|heat| ("temperature".to_owned(), json!(heat)));
    let more = wishes.0["extra_body"].as_object().cloned().unwrap_or_default();
    for (name, value) in wished.into_iter().chain(more) {
        sampling.entry(name).or_insert(value);
    }
    let mut policy = PolicyOptions {
        base_url: words.policy.clone(),
        model: words.model.clone().unwrap_or_default(),
        api_key,
        sampling,
        wants_ids: true,
        timeout: ANSWER,
    };
    if policy.model.is_empty() {
        policy.model = first_model(&policy, host).await?;
    }
    let policy = PolicyModel::new(policy, host.vars()).map_err(BatchError::usage)?;
    let companion = Arc::new(PolicyCompanion::new(PolicyHead { policy, reward }));
    let toolsets = Some(words.toolsets.clone()).filter(|list| !list.is_empty());
    let toolsets = match (&words.distribution, toolsets) {
        (Some(_), _) => None,
        (None, Some(list)) => Some(list),
        (None, None) => wishes.list("enabled_toolsets"),
    };
    let disabled: BTreeSet<String> =
        wishes.list("disabled_toolsets").unwrap_or_default().into_iter().collect();
    let toolsets =
        toolsets.map(|list| list.into_iter().filter(|name| !disabled.contains(name)).collect());
    let options = RunOptions {
        distribution: words
            .distribution
            .clone()
            .or_else(|| wishes.text("distribution"))
            .unwrap_or(settings.distribution),
        toolsets,
        max_turns: words.max_turns.or_else(|| wishes.number("max_agent_turns")).unwrap_or(30),
        ephemeral_system_prompt: words
            .system_prompt
            .clone()
            .or_else(|| wishes.text("system_prompt")),
        seed: words.seed,
        row_timeout_s: words.row_timeout,
        backend: words
            .backend
            .clone()
            .or_else(|| wishes.text("terminal_backend"))
            .or(settings.backend),
        network: words.network == "on",
        cpus: limits.cpus,
        memory_mb: limits.memory,
        disk_mb: limits.disk,
        pids: limits.pids,
        setup: words.setup.clone(),
        verify: words.verify.clone(),
        ..RunOptions::default()
    };
    let epoch = folder.next_epoch()?;
    folder.clear_sandboxes(epoch);
    let run = folder.place_id();
    let leftovers = RunLeftovers::of(host, &run, options.backend.as_deref());
    if epoch > 1
        && let Err(why) = leftovers.end_before(epoch).await
    {
        front.note(&format!("warning: containers of earlier starts may be left: {why}"));
    }
    let slots = words.num_workers as usize;
    let limiter = Arc::new(RateLimiter::new(RateLimits::default(), slots));
    let setup = ExecutorOptions {
        folder: folder.clone(),
        options,
        run,
        generation: 1,
        epoch,
        api_key: None,
        permits: Arc::new(LocalPermits { limiter, spend: Arc::new(RunSpend::default()) }),
        running: Arc::new(Running::default()),
        companion: Some(companion),
    };
    let agents = host.task_agents().await?;
    agents.tools().warnings().iter().for_each(|said| front.note(&format!("warning: {said}")));
    let executor = Arc::new(AgentExecutor::new(agents, setup).await?);
    let runner = Arc::new(GroupRunner {
        executor: Arc::clone(&executor) as Arc<dyn TaskExecutor>,
        size: words.group_size.or_else(|| wishes.number("group_size")).unwrap_or(8).max(1),
        retries: words.retries,
        seed: words.seed,
        slots: Arc::new(Semaphore::new(slots)),
        next: AtomicU32::new(0),
    });
    let max_tokens = wishes.number("max_token_length");
    Ok(Ready { folder, runner, items, executor, max_tokens, about, _lock: lock })
}

/// The part of a settings file that is the environment's own.
fn own_settings(file: Option<&Path>) -> Result<Value, BatchError> {
    let Some(file) = file else { return Ok(json!({})) };
    let text = std::fs::read_to_string(file).map_err(BatchError::when("read", file))?;
    let value: Value =
        serde_saphyr::from_str(&text).map_err(|error| BatchError::broken(file, error))?;
    match value.get("env").unwrap_or(&value) {
        Value::Object(fields) => Ok(Value::Object(fields.clone())),
        _ => Err(BatchError::broken(file, "`env` is no table of settings")),
    }
}

/// The model a server lists first.
async fn first_model(policy: &PolicyOptions, host: &Host) -> Result<String, BatchError> {
    let listed = PolicyModel::new(policy.clone(), host.vars()).map_err(BatchError::usage)?;
    listed.first_listed().await.map_err(|why| {
        BatchError::usage(format!(
            "{}: {why}\n  say what the policy is called with --model",
            policy.base_url
        ))
    })
}

/// Appends the records of a group; the reader of a run's rollouts finds everything there.
fn keep_records(
    folder: &RunFolder,
) -> Result<impl FnMut(&RolloutGroup) -> Result<(), BatchError> + use<>, BatchError> {
    let path = folder.path("records.jsonl");
    let file = File::options().append(true).create(true).open(&path);
    let mut file = file.map_err(BatchError::when("open", &path))?;
    Ok(move |group: &RolloutGroup| {
        let mut text = String::new();
        for record in &group.records {
            text.push_str(&serde_json::to_string(record).unwrap_or_default());
            text.push('\n');
        }
        file.write_all(text.as_bytes()).map_err(BatchError::when("write", &path))
    })
}

async fn serve(
    host: &Host,
    args: &ServeArgs,
    front: &dyn RunFront,
    control: &RunControl,
) -> Result<BatchReport, BatchError> {
    let api = TrajectoryApi::new(&args.api, host.vars());
    let api = api.map_err(|error| BatchError::usage(error.to_string()))?;
    let run = ready(host, &args.rollouts, front).await?;
    let ledger = PostLedger::open(&run.folder.path("posted.jsonl"))?;
    let mut keep = keep_records(&run.folder)?;
    let size = run.runner.size;
    let desired_name =
        run.about.as_ref().and_then(|env| env.about()["name"].as_str().map(str::to_owned));
    let job = ServeJob {
        runner: Arc::clone(&run.runner),
        items: run.items,
        api,
        who: EnvRegistration {
            max_token_length: args.max_token_length.or(run.max_tokens).unwrap_or(8_192),
            desired_name: desired_name.unwrap_or_else(|| args.rollouts.name.clone()),
            weight: args.weight,
            group_size: size,
        },
        ahead: args.ahead,
        at_once: (args.rollouts.num_workers / size).max(1) as usize,
        limit: args.groups,
        run: args.rollouts.name.clone(),
        ledger,
        keep: &mut keep,
    };
    let said = job.serve(front, control).await;
    run.executor.close().await;
    let end = match control.cancel.is_cancelled() {
        true => BatchEnd::Interrupted,
        false => BatchEnd::Done,
    };
    Ok(BatchReport { said: VerbReport::text(said?), end })
}

/// Runs items one group after another, several at a time; `take` gets each that is complete. How many were dropped, and
/// why the last one was.
async fn each_group(
    run: &Ready,
    numbers: impl Iterator<Item = u64>,
    at_once: usize,
    control: &RunControl,
    front: &dyn RunFront,
    mut take: impl FnMut(RolloutGroup) -> Result<(), BatchError>,
) -> Result<(usize, Option<String>), BatchError> {
    let (mut numbers, mut dropped, mut last) = (numbers, 0, None);
    let mut groups: JoinSet<GroupEnd> = JoinSet::new();
    loop {
        while groups.len() < at_once.max(1) && !control.drain.is_cancelled() {
            let Some(number) = numbers.next() else { break };
            let Some(item) = run.items.item(number).await? else { break };
            let (runner, stop) = (Arc::clone(&run.runner), control.cancel.clone());
            groups.spawn(async move { runner.group(item, &stop).await });
        }
        match groups.join_next().await {
            None => return Ok((dropped, last)),
            Some(Ok(GroupEnd::Complete(group))) => take(*group)?,
            Some(Ok(GroupEnd::Dropped { id, class, reason, .. })) => {
                front.note(&format!("group {id} is dropped: {class}: {reason}"));
                dropped += 1;
                last = Some(reason);
                if matches!(class.as_str(), "auth" | "config") {
                    groups.abort_all();
                    while groups.join_next().await.is_some() {}
                    return Ok((dropped, last));
                }
            }
            Some(Ok(GroupEnd::Stopped) | Err(_)) => {}
        }
    }
}

async fn process(
    host: &Host,
    args: &ProcessArgs,
    front: &dyn RunFront,
    control: &RunControl,
) -> Result<BatchReport, BatchError> {
    let run = ready(host, &args.rollouts, front).await?;
    let path = args.to.clone().unwrap_or_else(|| run.folder.path("groups.jsonl"));
    let done = groups_in(&path)?;
    let name = &args.rollouts.name;
    let wanted = args.groups.or_else(|| run.items.round()).ok_or_else(|| {
        BatchError::usage("say how many groups the environment is asked for: --groups N")
    })?;
    let mut file = File::options()
        .append(true)
        .create(true)
        .open(&path)
        .map_err(BatchError::when("open", &path))?;
    let mut keep = keep_records(&run.folder)?;
    let longest = args.max_token_length.or(run.max_tokens).unwrap_or(8_192) as usize;
    let mut written = 0;
    // Items of an environment come as they come; rows are known by their place.
    let skipped = |number: &u64| run.items.round().is_some() && done.contains(number);
    let numbers = (0..wanted).filter(|number| !skipped(number));
    let at_once = (args.rollouts.num_workers / run.runner.size).max(1) as usize;
    let went = each_group(&run, numbers, at_once, control, front, |group| {
        keep(&group)?;
        let mut scored = match args.without_tokens {
            true => group.scores(name),
            false => group.scored(name, longest).ok_or_else(|| BatchError::usage(NO_IDS))?,
        };
        scored.group_overrides["item"] = json!(group.number);
        let mut line = serde_json::to_string(&scored).unwrap_or_default();
        line.push('\n');
        file.write_all(line.as_bytes()).map_err(BatchError::when("write", &path))?;
        file.sync_data().map_err(BatchError::when("flush", &path))?;
        written += 1;
        front.event(&json!({"event": "group", "id": group.id, "scores": scored.scores}));
        Ok(())
    })
    .await;
    run.executor.close().await;
    let (dropped, last) = went?;
    let said = format!(
        "{written} groups written, {} were there, {dropped} dropped · {}",
        done.len(),
        path.display()
    );
    Ok(ended(VerbReport::text(said), dropped, last, control))
}

/// Items whose groups are in a file already. A torn last line is made an empty one.
fn groups_in(path: &Path) -> Result<BTreeSet<u64>, BatchError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(error) => return Err(BatchError::when("read", path)(error)),
    };
    let (mut found, mut whole) = (BTreeSet::new(), 0);
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(BatchError::when("read", path))? > 0 {
        if line.ends_with(b"\n") {
            whole += line.len() as u64;
            let group: Value = serde_json::from_slice(&line).unwrap_or_default();
            found.extend(group["group_overrides"]["item"].as_u64());
        }
        line.clear();
    }
    let cut = File::options().write(true).open(path).and_then(|file| file.set_len(whole));
    cut.map_err(BatchError::when("cut the torn end of", path))?;
    Ok(found)
}

async fn evaluate(
    host: &Host,
    args: &EvaluateArgs,
    front: &dyn RunFront,
    control: &RunControl,
) -> Result<BatchReport, BatchError> {
    let run = ready(host, &args.rollouts, front).await?;
    let wanted = match (args.rows, run.items.round()) {
        (Some(rows), Some(round)) => rows.min(round),
        (Some(rows), None) => rows,
        (None, Some(round)) => round,
        (None, None) => {
            return Err(BatchError::usage(
                "say how many items the environment is asked for: --rows N",
            ));
        }
    };
    let mut keep = keep_records(&run.folder)?;
    let mut passes: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let (mut sum, mut count) = (0.0, 0_u64);
    let at_once = (args.rollouts.num_workers / run.runner.size).max(1) as usize;
    let went = each_group(&run, 0..wanted, at_once, control, front, |group| {
        keep(&group)?;
        let rewards = group.records.iter().filter_map(|record| record.reward);
        for reward in rewards {
            let entry = passes.entry(group.id.clone()).or_default();
            entry.0 += u64::from(reward >= args.pass_at_reward);
            entry.1 += 1;
            sum += reward;
            count += 1;
        }
        Ok(())
    })
    .await;
    let own = match &run.about {
        Some(env) => env.evaluate().await.map_err(BatchError::usage)?,
        None => Value::Null,
    };
    run.executor.close().await;
    let (dropped, last) = went?;
    let mean = if count > 0 { sum / count as f64 } else { 0.0 };
    let powers = (0..12).map(|power| 1_u64 << power).filter(|k| *k <= u64::from(run.runner.size));
    let items = passes.len();
    let sums = RunStatistics { checks: passes, ..RunStatistics::default() };
    let at: Vec<(u64, f64)> = powers.filter_map(|k| Some((k, sums.pass_at(k)?))).collect();
    let said = if args.rollouts.json {
        let table: serde_json::Map<String, Value> =
            at.iter().map(|(k, share)| (format!("pass@{k}"), json!(share))).collect();
        VerbReport::json(&json!({
            "event": "evaluated", "items": items, "rollouts": count, "dropped": dropped,
            "mean_reward": mean, "pass_at_k": table, "environment": own,
        }))
    } else {
        let mut table = ReportTable::new(["measure", "value"]);
        at.iter().for_each(|(k, share)| {
            table.row([format!("pass@{k}"), format!("{:.1} %", share * 100.0)]);
        });
        table.row(["mean reward".to_owned(), format!("{mean:.4}")]);
        table.row(["items".to_owned(), items.to_string()]);
        table.row(["rollouts".to_owned(), count.to_string()]);
        VerbReport::table(table)
    };
    Ok(ended(said, dropped, last, control))
}

fn ended(
    said: VerbReport,
    dropped: usize,
    last: Option<String>,
    control: &RunControl,
) -> BatchReport {
    let end = if control.cancel.is_cancelled() {
        BatchEnd::Interrupted
    } else if control.drain.is_cancelled() {
        BatchEnd::Stopped
    } else if dropped > 0 {
        BatchEnd::Failed
    } else {
        BatchEnd::Done
    };
    let note = last.map(|reason| format!("{dropped} groups were dropped; the last one: {reason}"));
    BatchReport { said: said.noted(note), end }
}
