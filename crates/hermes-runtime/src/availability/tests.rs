use std::sync::atomic::AtomicUsize;
use std::sync::mpsc;
use std::thread::sleep;

use hermes_tool::ToolOutput;

use super::*;
use crate::registry::Registry;

/// A clock the test moves.
struct HandClock {
    start: Instant,
    passed: Mutex<Duration>,
}

impl HandClock {
    fn new() -> Arc<Self> {
        Arc::new(Self { start: Instant::now(), passed: Mutex::default() })
    }

    fn forward(&self, seconds: u64) {
        *self.passed.lock().unwrap() += Duration::from_secs(seconds);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Instant {
        self.start + *self.passed.lock().unwrap()
    }
}

/// A check that gives scripted answers and counts how often it was asked.
#[derive(Clone)]
struct Script {
    answers: Arc<Mutex<Vec<bool>>>,
    asked: Arc<AtomicUsize>,
}

impl Script {
    fn new(answers: &[bool]) -> Self {
        let answers = answers.iter().rev().copied().collect();
        Self { answers: Arc::new(Mutex::new(answers)), asked: Arc::default() }
    }

    fn check(&self) -> Check {
        let script = self.clone();
        Check::new(move |_: &Vars| {
            script.asked.fetch_add(1, Ordering::SeqCst);
            script.answers.lock().unwrap().pop().expect("asked more often than scripted")
        })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn tool(name: &str, check: &Check) -> Tool {
    Tool::builder(name, "x").check(check.clone()).handler(|_, _| Ok(ToolOutput::text("{}")))
}

fn cache(clock: &Arc<HandClock>) -> AvailabilityCache {
    AvailabilityCache::new(Duration::from_millis(80), clock.clone())
}

fn ask(cache: &AvailabilityCache, tool: &Tool) -> bool {
    cache.pass([tool], &Vars::default()).allows(tool)
}

#[test]
fn a_tool_without_a_check_is_always_available() {
    let tool = Tool::builder("a", "x").handler(|_, _| Ok(ToolOutput::text("{}")));
    assert!(ask(&AvailabilityCache::default(), &tool));
}

#[test]
fn follow_availability_is_cached_per_pass_for_30_s_with_60_s_grace() {
    let clock = HandClock::new();
    let cache = cache(&clock);
    let script = Script::new(&[true, false, false]);
    let shared = script.check();
    let both = [tool("a", &shared), tool("b", &shared)];
    let pass = cache.pass(&both, &Vars::default());
    assert!(pass.allows(&both[0]) && pass.allows(&both[1]));
    assert_eq!(script.asked(), 1, "a shared predicate is asked once");
    clock.forward(29);
    assert!(ask(&cache, &both[0]));
    assert_eq!(script.asked(), 1, "an answer holds for 30 s");
    clock.forward(1);
    assert!(ask(&cache, &both[0]), "a no within 60 s of a yes is forgiven");
    assert_eq!(script.asked(), 2);
    clock.forward(30);
    assert!(!ask(&cache, &both[0]), "and after 60 s it is not");
    assert!(!ask(&cache, &both[0]));
    assert_eq!(script.asked(), 3, "a real no is cached as well");
}

#[test]
fn an_answer_out_of_grace_is_not_cached_and_does_not_prolong_it() {
    let clock = HandClock::new();
    let cache = cache(&clock);
    let script = Script::new(&[true, false, false, false]);
    let tool = tool("a", &script.check());
    assert!(ask(&cache, &tool));
    clock.forward(40);
    assert!(ask(&cache, &tool));
    assert!(ask(&cache, &tool), "asked again at once");
    assert_eq!(script.asked(), 3);
    clock.forward(20);
    assert!(!ask(&cache, &tool), "grace counts from the last real yes");
}

#[test]
fn a_panicking_check_counts_as_no_and_says_so() {
    let check = Check::new(|_: &Vars| -> bool { panic!("broken") });
    let tool = tool("a", &check);
    let pass = AvailabilityCache::default().pass([&tool], &Vars::default());
    let Availability::Unavailable { reason, .. } = pass.of(&tool) else { panic!("is available") };
    assert!(reason.contains("panicked"));
}

#[test]
fn a_hanging_check_costs_one_deadline_and_one_thread() {
    let clock = HandClock::new();
    let cache = cache(&clock);
    let asked = Arc::new(AtomicUsize::new(0));
    let (release, held) = mpsc::channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let count = Arc::clone(&asked);
    let hangs = Check::new(move |_: &Vars| {
        count.fetch_add(1, Ordering::SeqCst);
        let _ = held.lock().unwrap().recv();
        true
    });
    let (slow, fast) = (tool("slow", &hangs), tool("fast", &Script::new(&[true]).check()));
    for _ in 0..3 {
        let pass = cache.pass([&slow, &fast], &Vars::default());
        assert!(pass.allows(&fast));
        let Availability::Unavailable { reason, fix } = pass.of(&slow) else { panic!("answered") };
        assert!(reason.contains("did not answer") && fix.contains("check_timeout_seconds"));
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    release.send(()).unwrap();
    while !ask(&cache, &slow) {
        sleep(Duration::from_millis(1));
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1, "the late answer serves the next pass");
}

#[test]
fn checks_run_at_the_same_time() {
    let meet = Arc::new(std::sync::Barrier::new(3));
    let tools: Vec<Tool> = (0..3)
        .map(|index| {
            let meet = Arc::clone(&meet);
            // Returns only when all three are being asked at once.
            let check = Check::new(move |_: &Vars| {
                meet.wait();
                true
            });
            tool(&index.to_string(), &check)
        })
        .collect();
    let pass = AvailabilityCache::default().pass(&tools, &Vars::default());
    assert!(tools.iter().all(|tool| pass.allows(tool)));
}

#[test]
fn passes_at_the_same_time_share_one_probe() {
    let cache = AvailabilityCache::default();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let check = Check::new(move |_: &Vars| {
        count.fetch_add(1, Ordering::SeqCst);
        sleep(Duration::from_millis(30));
        true
    });
    let tool = tool("a", &check);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert!(ask(&cache, &tool)));
        }
    });
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn invalidating_forgets_answers_and_grace() {
    let clock = HandClock::new();
    let cache = cache(&clock);
    let script = Script::new(&[true, false]);
    let tool = tool("a", &script.check());
    assert!(ask(&cache, &tool));
    let before = cache.epoch();
    cache.invalidate();
    assert!(!ask(&cache, &tool));
    assert!(cache.epoch() > before);
}

#[test]
fn follow_toolset_is_available_when_any_of_its_tools_is() {
    let registry = Registry::new();
    registry.register(tool("a", &Script::new(&[false]).check()));
    registry.register(Tool::builder("b", "x").handler(|_, _| Ok(ToolOutput::text("{}"))));
    registry.register(
        Tool::builder("c", "y")
            .requires_env("C_KEY")
            .check(Script::new(&[false]).check())
            .handler(|_, _| Ok(ToolOutput::text("{}"))),
    );
    let tables = registry.snapshot();
    let pass = AvailabilityCache::default().pass(tables.tools(), &Vars::default());
    let (available, unavailable) = toolset_availability(&tables, &pass);
    assert_eq!(available.iter().map(AsRef::as_ref).collect::<Vec<_>>(), ["x"]);
    assert_eq!(unavailable[0].env_vars, ["C_KEY"]);
}
