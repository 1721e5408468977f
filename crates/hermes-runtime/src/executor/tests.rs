use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use hermes_tool::{
    CallIds, Concurrency, ContextParts, Effect, Effects, Tool, ToolError, ToolOutput,
};
use serde_json::{Value, json};

use super::*;
use crate::guardrails::{GuardrailConfig, Guardrails};
use crate::pipeline::{Status, ToolCall};
use crate::runtime::Runtime;

const READS: Effects = Effects::NONE.with(Effect::Reads);

fn tool(name: &str, effects: Effects) -> Tool {
    Tool::builder(name, "x").effects(effects).handler(|_, _| Ok(ToolOutput::text("{}")))
}

fn placed(tool: &Tool, args: &Value, cwd: &Path) -> Placement {
    place(Some(tool), args.as_object(), cwd, Some(Path::new("/home/ada")))
}

#[test]
fn effects_decide_who_may_share_a_run() {
    let cwd = Path::new("/");
    let args = json!({});
    assert_eq!(
        placed(&tool("web_search", READS.with(Effect::Network)), &args, cwd),
        Placement::Joins
    );
    for barrier in [
        Effects::NONE.with(Effect::Interactive),
        Effects::NONE.with(Effect::Runs),
        Effects::NONE.with(Effect::Writes),
        Effects::UNKNOWN,
    ] {
        assert_eq!(placed(&tool("t", barrier), &args, cwd), Placement::Barrier, "{barrier}");
    }
    assert_eq!(place(None, args.as_object(), cwd, None), Placement::Barrier);
    assert_eq!(place(Some(&tool("t", READS)), None, cwd, None), Placement::Barrier);
}

#[test]
fn a_promise_of_safety_overrides_unknown_effects() {
    let mcp = Tool::builder("mcp__a__b", "mcp-a")
        .concurrency(Concurrency::Safe)
        .handler(|_, _| Ok(ToolOutput::text("{}")));
    assert_eq!(placed(&mcp, &json!({}), Path::new("/")), Placement::Joins);
}

#[test]
fn a_call_without_its_path_is_a_barrier() {
    let write = tool("write_file", Effects::NONE.with(Effect::Writes).at(&["path"]));
    for args in [json!({}), json!({"path": ""}), json!({"path": "  "}), json!({"path": 7})] {
        assert_eq!(placed(&write, &args, Path::new("/")), Placement::Barrier, "{args}");
    }
}

fn at(path: &str) -> Placement {
    let write = tool("write_file", Effects::NONE.with(Effect::Writes).at(&["path"]));
    placed(&write, &json!({"path": path}), Path::new("/nowhere/work"))
}

#[test]
fn paths_that_overlap_split_the_run() {
    use Segment::{Parallel, Sequential};
    assert_eq!(plan(&[at("a"), at("b")]), [Parallel(vec![0, 1])]);
    assert_eq!(plan(&[at("a"), at("a")]), [Sequential(vec![0, 1])]);
    assert_eq!(plan(&[at("dir"), at("dir/file")]), [Sequential(vec![0, 1])]);
    assert_eq!(plan(&[at("dir/file"), at("dir")]), [Sequential(vec![0, 1])]);
    assert_eq!(plan(&[at("dir"), at("dirt")]), [Parallel(vec![0, 1])]);
    assert_eq!(plan(&[at("a"), at("./x/../a")]), [Sequential(vec![0, 1])]);
    assert_eq!(plan(&[at("~/a"), at("/home/ada/a")]), [Sequential(vec![0, 1])]);
    assert_eq!(
        plan(&[at("a"), at("b"), at("a"), at("c")]),
        [Parallel(vec![0, 1]), Parallel(vec![2, 3])]
    );
}

#[test]
fn symlinks_are_seen_through() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("real")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("real"), folder.path().join("link")).unwrap();
    let write = tool("write_file", Effects::NONE.with(Effect::Writes).at(&["path"]));
    let place = |path: &str| placed(&write, &json!({"path": path}), folder.path());
    assert_eq!(plan(&[place("real/new"), place("link/new")]), [Segment::Sequential(vec![0, 1])]);
}

#[test]
fn barriers_keep_their_place_and_order_never_changes() {
    use Placement::{Barrier, Joins};
    use Segment::{Parallel, Sequential};
    assert_eq!(plan(&[]), []);
    assert_eq!(plan(&[Joins]), [Sequential(vec![0])]);
    assert_eq!(
        plan(&[Joins, Joins, Barrier, Joins, Barrier, Barrier, Joins, Joins]),
        [Parallel(vec![0, 1]), Sequential(vec![2, 3, 4, 5]), Parallel(vec![6, 7])]
    );
}

fn call(id: usize, name: &str, args: Value) -> ToolCall {
    let ids = CallIds { tool_call_id: id.to_string(), ..CallIds::default() };
    let context = ContextParts { ids, ..ContextParts::default() };
    ToolCall { context, ..ToolCall::new(name, args) }
}

async fn run(runtime: &Runtime, calls: Vec<ToolCall>, options: &TurnOptions) -> Vec<CallOutcome> {
    runtime.run_turn(calls, &mut Guardrails::default(), options).await
}

#[tokio::test]
async fn a_run_goes_at_the_same_time_and_results_keep_their_order() {
    let runtime = Runtime::builder().build();
    let meet = Arc::new(tokio::sync::Barrier::new(4));
    runtime.registry().register(Tool::builder("meet", "x").effects(READS).async_handler(
        move |args, _| {
            let meet = Arc::clone(&meet);
            async move {
                // Comes through only if all four are under way at once.
                meet.wait().await;
                let number = args["n"].as_u64().unwrap_or(0);
                tokio::time::sleep(Duration::from_millis(10 * (4 - number))).await;
                Ok(ToolOutput::text(number.to_string()))
            }
        },
    ));
    let calls = (0..4).map(|n| call(n, "meet", json!({"n": n}))).collect();
    let outcomes = run(&runtime, calls, &TurnOptions::default()).await;
    let texts: Vec<String> = outcomes.iter().map(|outcome| outcome.text()).collect();
    assert_eq!(texts, ["0", "1", "2", "3"]);
    assert!(outcomes.iter().enumerate().all(|(n, o)| o.tool_call_id == n.to_string()));
}

#[tokio::test]
async fn at_most_eight_handlers_work_at_once() {
    let runtime = Runtime::builder().build();
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count, peak) = (Arc::clone(&now), Arc::clone(&most));
    runtime.registry().register(Tool::builder("busy", "x").effects(READS).async_handler(
        move |_, _| {
            let (count, peak) = (Arc::clone(&count), Arc::clone(&peak));
            async move {
                let running = count.fetch_add(1, Ordering::SeqCst) + 1;
                peak.fetch_max(running, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(10)).await;
                count.fetch_sub(1, Ordering::SeqCst);
                Ok(ToolOutput::text("{}"))
            }
        },
    ));
    let calls = (0..20).map(|n| call(n, "busy", json!({}))).collect();
    run(&runtime, calls, &TurnOptions::default()).await;
    assert_eq!(most.load(Ordering::SeqCst), MAX_WORKERS);
}

#[tokio::test]
async fn execution_middleware_runs_once_on_the_parallel_path() {
    let runtime = Runtime::builder().build();
    runtime.registry().register(tool("look", READS));
    let layers = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&layers);
    runtime.middleware().on_execution("count", move |_, next| {
        count.fetch_add(1, Ordering::SeqCst);
        async move { next.run(None).await }
    });
    let hooks = Arc::new(AtomicUsize::new(0));
    let fired = Arc::clone(&hooks);
    runtime.hooks().on(
        crate::hooks::HookEvent::PreToolCall,
        crate::hooks::Hook::new("count", move |_| {
            fired.fetch_add(1, Ordering::SeqCst);
            None
        }),
    );
    let calls = (0..3).map(|n| call(n, "look", json!({}))).collect();
    run(&runtime, calls, &TurnOptions::default()).await;
    assert_eq!((layers.load(Ordering::SeqCst), hooks.load(Ordering::SeqCst)), (3, 3));
}

fn slow(name: &str) -> Tool {
    Tool::builder(name, "x").effects(READS).async_handler(|_, _| async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(ToolOutput::text("late"))
    })
}

#[tokio::test]
async fn a_run_that_takes_too_long_is_left_behind() {
    let runtime = Runtime::builder().build();
    runtime.registry().register_all([slow("slow"), tool("quick", READS)]);
    let options =
        TurnOptions { run_limit: Some(Duration::from_millis(40)), ..TurnOptions::default() };
    let calls = vec![call(0, "slow", json!({})), call(1, "quick", json!({}))];
    let outcomes = run(&runtime, calls, &options).await;
    assert!(outcomes[0].text().contains("Error executing tool 'slow': timed out after 0.04s"));
    assert_eq!(outcomes[0].disposition, Disposition::Unknown);
    assert_eq!(outcomes[0].verdict().status, Status::Timeout);
    assert_eq!((outcomes[1].text().as_str(), outcomes[1].disposition), ("{}", Disposition::Done));
}

#[tokio::test]
async fn an_interrupt_cancels_what_runs_and_skips_what_waits() {
    let runtime = Runtime::builder().build();
    runtime.registry().register_all([slow("slow"), tool("write", Effects::UNKNOWN)]);
    let options = TurnOptions::default();
    let interrupt = options.interrupt.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        interrupt.cancel();
    });
    let calls =
        vec![call(0, "slow", json!({})), call(1, "slow", json!({})), call(2, "write", json!({}))];
    let outcomes = run(&runtime, calls, &options).await;
    assert!(outcomes.iter().all(|o| o.verdict().status == Status::Cancelled));
    assert_eq!(outcomes[0].disposition, Disposition::Unknown);
    assert_eq!(outcomes[2].disposition, Disposition::None);
    assert!(outcomes[2].text().contains("cancelled"));
}

#[tokio::test]
async fn calls_in_sequence_pause_in_between_and_an_interrupt_ends_the_pause() {
    let runtime = Runtime::builder().build();
    let interrupt = CancellationToken::new();
    let stop = interrupt.clone();
    runtime.registry().register_all([
        tool("write", Effects::UNKNOWN),
        Tool::builder("stop_soon", "x").handler(move |_, _| {
            let stop = stop.clone();
            tokio::spawn(async move { stop.cancel() });
            Ok(ToolOutput::text("{}"))
        }),
    ]);
    let mut options = TurnOptions { interrupt, ..TurnOptions::default() };
    options.tool_delay = Duration::from_millis(30);
    let begun = Instant::now();
    let twice = || vec![call(0, "write", json!({})), call(1, "write", json!({}))];
    assert_eq!(run(&runtime, twice(), &options).await[1].disposition, Disposition::Done);
    assert!(begun.elapsed() >= options.tool_delay);

    options.tool_delay = Duration::from_secs(3_600);
    let calls = vec![call(0, "stop_soon", json!({})), call(1, "write", json!({}))];
    assert_eq!(run(&runtime, calls, &options).await[1].disposition, Disposition::None);
}

#[tokio::test]
async fn sequential_calls_stop_at_an_interrupt() {
    let runtime = Runtime::builder().build();
    let options = TurnOptions::default();
    let interrupt = options.interrupt.clone();
    runtime.registry().register(Tool::builder("stop", "x").handler(move |_, _| {
        interrupt.cancel();
        Ok(ToolOutput::text("{}"))
    }));
    let calls = vec![call(0, "stop", json!({})), call(1, "stop", json!({}))];
    let outcomes = run(&runtime, calls, &options).await;
    assert_eq!(outcomes.len(), 2);
    assert_eq!(outcomes[1].disposition, Disposition::None);
}

#[tokio::test]
async fn repeated_failures_are_warned_about_and_then_blocked() {
    let runtime = Runtime::builder().build();
    let runs = Arc::new(Mutex::new(0));
    let count = Arc::clone(&runs);
    runtime.registry().register(Tool::builder("fails", "x").handler(move |_, _| {
        *count.lock().unwrap() += 1;
        Err(ToolError::answer("no"))
    }));
    let config = GuardrailConfig { hard_stop_enabled: Some(true), ..GuardrailConfig::default() };
    let mut guardrails = Guardrails::new(config);
    let calls = (0..7).map(|n| call(n, "fails", json!({}))).collect();
    let outcomes = runtime.run_turn(calls, &mut guardrails, &TurnOptions::default()).await;
    assert!(outcomes[1].text().contains("repeated_exact_failure_warning"));
    assert!(outcomes[5].text().contains("repeated_exact_failure_block"));
    assert_eq!(outcomes[5].state, TurnState::ShouldEnd);
    assert_eq!(*runs.lock().unwrap(), 5);
}

#[tokio::test]
async fn the_turn_budget_spills_the_largest_results() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(crate::limits::LocalSpill::new(folder.path()));
    let runtime = Runtime::builder().spill(Some(store)).build();
    runtime.registry().register(Tool::builder("big", "x").effects(READS).handler(|args, _| {
        Ok(ToolOutput::text("x".repeat(usize::try_from(args["n"].as_u64().unwrap()).unwrap())))
    }));
    let calls = vec![
        call(0, "big", json!({"n": 99_000})),
        call(1, "big", json!({"n": 98_000})),
        call(2, "big", json!({"n": 50_000})),
    ];
    let outcomes = run(&runtime, calls, &TurnOptions::default()).await;
    let lengths: Vec<usize> = outcomes.iter().map(|o| o.text().len()).collect();
    assert!(lengths[0] < 3_000 && lengths[1] == 98_000 && lengths[2] == 50_000, "{lengths:?}");
}

#[test]
fn the_run_limit_comes_from_the_variables() {
    let limit = |value: &str| {
        let vars: Vars = [(RUN_LIMIT_VAR.to_owned(), value.to_owned())].into_iter().collect();
        TurnOptions::from_vars(&vars).run_limit
    };
    assert_eq!(limit("10"), Some(Duration::from_secs(10)));
    assert_eq!(limit("0"), None);
    assert_eq!(limit("-1"), None);
    assert_eq!(limit("soon"), Some(DEFAULT_RUN_LIMIT));
    assert_eq!(limit("nan"), Some(DEFAULT_RUN_LIMIT));
}
