//! Asking checks whether their tools can work, without ever waiting long for one.
//!
//! Each distinct predicate is asked once per pass, all of them at the same time, each on a thread
//! of its own. An answer holds for [`TTL`]. A predicate that panics, or does not answer within the
//! deadline, counts as a no; one that hangs keeps its thread and is not asked again until that
//! thread comes back, so hanging checks cost one thread each and no more.
//!
//! A no that follows a yes within [`GRACE`] is taken for a hiccup: the tool stays offered, a warning
//! is logged and the next pass asks again. Prompt caches die when a tool list flickers.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_tool::{Availability, Check, CheckId, Tool, Vars};
use tracing::{debug, warn};

mod report;
#[cfg(test)]
mod tests;

pub use report::{ToolsetReport, UnavailableToolset, toolset_availability, toolset_reports};

/// How long an answer holds.
pub const TTL: Duration = Duration::from_secs(30);
/// How long after a yes a no is taken for a hiccup.
pub const GRACE: Duration = Duration::from_secs(60);
/// How long a pass waits for checks, unless configured otherwise.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(5);

/// Where time comes from; tests bring their own.
pub trait Clock: Send + Sync {
    /// The present moment of a clock that never goes back.
    fn now(&self) -> Instant;
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }
}

/// The process-wide memory of answers. Cheap to clone; clones share it.
#[derive(Clone)]
pub struct AvailabilityCache {
    shared: Arc<Shared>,
}

struct Shared {
    entries: Mutex<HashMap<CheckId, Entry>>,
    answered: Condvar,
    epoch: AtomicU64,
    clock: Arc<dyn Clock>,
    deadline: Duration,
}

type Entries<'a> = MutexGuard<'a, HashMap<CheckId, Entry>>;

#[derive(Default)]
struct Entry {
    /// The answer that holds, and since when.
    answer: Option<(Availability, Instant)>,
    last_yes: Option<Instant>,
    /// When the probe that is out was started.
    probing_since: Option<Instant>,
    /// What the last probe made us say; differs from `answer` when grace was given.
    told: Option<Availability>,
}

/// The answers of one pass over a set of checks.
#[derive(Clone, Debug)]
pub struct Pass {
    answers: HashMap<CheckId, Availability>,
    valid_until: Option<Instant>,
}

impl Pass {
    /// Whether a tool can be offered, and why not.
    #[must_use]
    pub fn of(&self, tool: &Tool) -> Availability {
        match tool.check() {
            None => Availability::Available,
            Some(check) => self
                .answers
                .get(&check.id())
                .cloned()
                .unwrap_or_else(|| Availability::unavailable("its check was not asked", "")),
        }
    }

    /// Whether a tool can be offered.
    #[must_use]
    pub fn allows(&self, tool: &Tool) -> bool {
        tool.check().is_none_or(|check| {
            self.answers.get(&check.id()).is_some_and(Availability::is_available)
        })
    }

    /// Until when these answers hold; `None` means as long as the tools stay the same.
    #[must_use]
    pub fn valid_until(&self) -> Option<Instant> {
        self.valid_until
    }
}

impl Default for AvailabilityCache {
    fn default() -> Self {
        Self::new(DEFAULT_DEADLINE, Arc::new(SystemClock))
    }
}

impl AvailabilityCache {
    /// A cache whose passes wait at most `deadline`.
    #[must_use]
    pub fn new(deadline: Duration, clock: Arc<dyn Clock>) -> Self {
        Self {
            shared: Arc::new(Shared {
                entries: Mutex::default(),
                answered: Condvar::new(),
                epoch: AtomicU64::new(0),
                clock,
                deadline,
            }),
        }
    }

    /// The present moment of the cache's clock.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.shared.clock.now()
    }

    /// Raised by [`invalidate`](Self::invalidate), so that caches above notice.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.shared.epoch.load(Ordering::Acquire)
    }

    /// Forgets every answer and every last yes.
    pub fn invalidate(&self) {
        for entry in self.shared.entries().values_mut() {
            entry.answer = None;
            entry.last_yes = None;
        }
        self.shared.epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// Asks the checks of these tools, each predicate once.
    pub fn pass<'a>(&self, tools: impl IntoIterator<Item = &'a Tool>, vars: &Vars) -> Pass {
        let mut checks: HashMap<CheckId, &Check> = HashMap::new();
        for check in tools.into_iter().filter_map(Tool::check) {
            checks.insert(check.id(), check);
        }
        let now = self.now();
        let mut pass = Pass { answers: HashMap::new(), valid_until: None };
        let mut waiting = Vec::new();
        let mut entries = self.shared.entries();
        for (id, check) in checks {
            let entry = entries.entry(id).or_default();
            match &entry.answer {
                Some((answer, at)) if now.saturating_duration_since(*at) < TTL => {
                    pass.record(id, answer.clone(), *at + TTL);
                }
                _ => {
                    waiting.push(id);
                    if entry.probing_since.is_none() {
                        entry.told = None;
                        entry.probing_since = self.start_probe(check, vars);
                    }
                }
            }
        }
        self.collect(entries, &mut pass, waiting);
        pass
    }

    /// Asks on a thread of its own; gives the moment of starting, if a thread could be had.
    fn start_probe(&self, check: &Check, vars: &Vars) -> Option<Instant> {
        let (check, vars, shared) = (check.clone(), vars.clone(), Arc::clone(&self.shared));
        let probe = move || {
            let answer =
                catch_unwind(AssertUnwindSafe(|| check.probe(&vars))).unwrap_or_else(|_| {
                    Availability::unavailable("its check panicked", "report this as a bug")
                });
            // Filed by this thread and not by the waiting pass: an answer that comes too late for
            // one pass still serves the next.
            shared.file(check.id(), answer);
        };
        std::thread::Builder::new().name("hermes-check".into()).spawn(probe).ok()?;
        Some(Instant::now())
    }

    /// Waits for probes, this pass's own and those another pass has out, but for none longer than
    /// the deadline from its start.
    fn collect(&self, mut entries: Entries<'_>, pass: &mut Pass, mut waiting: Vec<CheckId>) {
        let shared = &*self.shared;
        loop {
            let now = self.now();
            let mut left = Duration::ZERO;
            waiting.retain(|id| {
                let entry = entries.entry(*id).or_default();
                if let Some(told) = &entry.told {
                    let until = entry.answer.as_ref().map_or(now, |(_, at)| *at + TTL);
                    pass.record(*id, told.clone(), until);
                    return false;
                }
                let out = entry.probing_since.map_or(shared.deadline, |since| since.elapsed());
                left = left.max(shared.deadline.saturating_sub(out));
                true
            });
            if waiting.is_empty() || left.is_zero() {
                break;
            }
            entries = shared
                .answered
                .wait_timeout(entries, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        let now = self.now();
        for id in waiting {
            let late = Availability::unavailable(
                format!("its check did not answer within {:?}", shared.deadline),
                "see what the check waits for, or raise tools.check_timeout_seconds",
            );
            let in_grace = entries.get(&id).is_some_and(|entry| entry.in_grace(now));
            // Holds for this pass only: whoever hangs now may answer the next one.
            pass.record(id, if in_grace { Availability::Available } else { late }, now);
        }
    }
}

impl Pass {
    fn record(&mut self, id: CheckId, answer: Availability, until: Instant) {
        self.answers.insert(id, answer);
        self.valid_until = Some(self.valid_until.map_or(until, |present| present.min(until)));
    }
}

impl Shared {
    fn entries(&self) -> Entries<'_> {
        // Entries are replaced whole; a panic elsewhere leaves none half written.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Files a fresh answer and wakes whoever waits for it.
    fn file(&self, id: CheckId, answer: Availability) {
        let now = self.clock.now();
        let mut entries = self.entries();
        let entry = entries.entry(id).or_default();
        entry.probing_since = None;
        if !answer.is_available() && entry.in_grace(now) {
            warn!(?answer, "a check said no shortly after a yes; the tool stays offered");
            entry.answer = None;
            entry.told = Some(Availability::Available);
        } else {
            if answer.is_available() {
                entry.last_yes = Some(now);
            } else {
                debug!(?answer, "a check said no");
            }
            entry.answer = Some((answer.clone(), now));
            entry.told = Some(answer);
        }
        drop(entries);
        self.answered.notify_all();
    }
}

impl Entry {
    fn in_grace(&self, now: Instant) -> bool {
        self.last_yes.is_some_and(|yes| now.saturating_duration_since(yes) < GRACE)
    }
}

impl std::fmt::Debug for AvailabilityCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AvailabilityCache").field("epoch", &self.epoch()).finish_non_exhaustive()
    }
}
