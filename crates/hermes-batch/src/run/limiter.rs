//! The rate limiter of a batch run: one limit on requests for all tasks, learnt from what the provider says.
//!
//! A provider that says "too many" says it to all tasks: everybody waits as long as it asks, half as many requests go
//! at a time from then on, and one more every ten seconds without such an answer. A task's clock stands still while
//! it waits here, because that is no fault of the task.
//!
//! A server that cannot be reached is out for everybody, too: all wait, one request at a time looks whether it is
//! back, and no task fails because of it. How long that may go on is for whoever has the run to say
//! ([`RateLimiter::outage`]).

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_agent::model_chain::Pricing;
use hermes_llm::model::{BoxFuture, DeltaListener, Effort};
use hermes_llm::{ErrorClass, Model, ModelError, ModelRequest, ModelResponse, TokenUsage};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::permits::{Permit, Permits, RequestEnd};
use crate::record::TaskUsage;

/// How long everybody waits after "too many" without a time.
const DEFAULT_PAUSE: Duration = Duration::from_secs(5);
/// How long it takes until one more request may go at a time.
const RAISE_AFTER: Duration = Duration::from_secs(10);
/// How often one request is tried again because of "too many".
const MAX_REPEATS: u32 = 60;
/// The longest time between two looks whether a server is back.
const LONGEST_PROBE: Duration = Duration::from_secs(15);
/// A request that looks whether a server is back has this long until another may.
const PROBE_LIMIT: Duration = Duration::from_secs(30);
/// How often one request is tried again because its connection broke or a gateway had nobody behind it.
const MAX_BROKEN: u32 = 6;
/// A request that took longer than this had reached its server.
const REACHED: Duration = Duration::from_secs(30);
/// Nobody sleeps longer than this without looking again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The limits a person gives.
#[derive(Clone, Copy, Debug, Default)]
pub struct RateLimits {
    /// A whole minute may be used at once, then it fills up evenly.
    pub requests_per_minute: Option<u32>,
    /// Tokens sent in a minute.
    pub input_tokens_per_minute: Option<u64>,
    /// Tokens received in a minute.
    pub output_tokens_per_minute: Option<u64>,
    /// Requests at the same time.
    pub concurrency: Option<usize>,
}

#[derive(Debug)]
struct LimiterState {
    running: usize,
    allowed: usize,
    most: usize,
    paused_until: Option<Instant>,
    changed_at: Instant,
    /// When each kind of allowance is used up to: requests, tokens in, tokens out.
    due: [Instant; 3],
    outage: Option<Outage>,
    has_answered: bool,
}

/// A time in which the server cannot be reached.
#[derive(Clone, Debug)]
struct Outage {
    since: Instant,
    tries: u32,
    probed: Option<Instant>,
    why: String,
}

/// What is known about a server that cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutageReport {
    /// How long it has been so.
    pub lasted: Duration,
    /// What the last request came to.
    pub why: String,
    /// Whether it answered before, in this start.
    pub was_there: bool,
}

/// Lets requests pass one by one.
#[derive(Debug)]
pub struct RateLimiter {
    limits: RateLimits,
    state: Mutex<LimiterState>,
    freed: Notify,
    waiting: AtomicUsize,
    throttled: AtomicU64,
}

impl RateLimiter {
    /// A limiter for at most this many tasks at a time.
    #[must_use]
    pub fn new(limits: RateLimits, tasks: usize) -> Self {
        let most = limits.concurrency.unwrap_or(tasks).max(1);
        let now = Instant::now();
        let state = LimiterState {
            running: 0,
            allowed: most,
            most,
            paused_until: None,
            changed_at: now,
            due: [now; 3],
            outage: None,
            has_answered: false,
        };
        Self {
            limits,
            state: Mutex::new(state),
            freed: Notify::new(),
            waiting: AtomicUsize::new(0),
            throttled: AtomicU64::new(0),
        }
    }

    /// How many tasks wait here.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// How often a provider said "too many".
    pub fn throttled(&self) -> u64 {
        self.throttled.load(Ordering::Relaxed)
    }

    /// How many requests may go at a time now.
    pub fn allowed(&self) -> usize {
        self.state().allowed
    }

    /// What is known about the server, if it cannot be reached.
    pub fn outage(&self) -> Option<OutageReport> {
        let state = self.state();
        let outage = state.outage.as_ref()?;
        let (lasted, why) = (outage.since.elapsed(), outage.why.clone());
        Some(OutageReport { lasted, why, was_there: state.has_answered })
    }

    fn state(&self) -> MutexGuard<'_, LimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place, or says how long to wait before looking again.
    fn try_take(&self, now: Instant) -> Result<(), Duration> {
        let mut state = self.state();
        if let Some(until) = state.paused_until.filter(|until| *until > now) {
            return Err(until - now);
        }
        if state.allowed < state.most && now - state.changed_at >= RAISE_AFTER {
            state.allowed += 1;
            state.changed_at = now;
        }
        if let Some(outage) = &state.outage
            && outage.probed.is_some_and(|at| now - at < PROBE_LIMIT)
        {
            return Err(LOOK_AGAIN);
        }
        if state.running >= state.allowed {
            return Err(LOOK_AGAIN);
        }
        // A minute's allowance may be used at once, then it fills up evenly.
        let minute = Duration::from_secs(60);
        let late = state.due.iter().map(|due| due.saturating_duration_since(now + minute)).max();
        if let Some(late) = late.filter(|late| !late.is_zero()) {
            return Err(late);
        }
        state.running += 1;
        if let Some(outage) = &mut state.outage {
            outage.probed = Some(now);
        }
        if let Some(rate) = self.limits.requests_per_minute {
            state.due[0] = state.due[0].max(now) + minute / rate.max(1);
        }
        Ok(())
    }

    pub(super) async fn take(&self, cancel: &CancellationToken) -> Option<()> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let taken = loop {
            let wait = match self.try_take(Instant::now()) {
                Ok(()) => break true,
                Err(wait) => wait.min(LOOK_AGAIN),
            };
            tokio::select! {
                () = cancel.cancelled() => break false,
                () = self.freed.notified() => {}
                () = tokio::time::sleep(wait) => {}
            }
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        taken.then_some(())
    }

    /// A request has ended, answered or not, with tokens sent and received as far as they are known.
    pub(super) fn give_back(&self, tokens: Option<[u64; 2]>, is_answered: bool) {
        let mut state = self.state();
        state.running = state.running.saturating_sub(1);
        if is_answered {
            state.has_answered = true;
            state.outage = None;
        } else if let Some(outage) = &mut state.outage {
            outage.probed = None;
        }
        let now = Instant::now();
        let used = tokens.unwrap_or([0, 0]);
        let rates = [self.limits.input_tokens_per_minute, self.limits.output_tokens_per_minute];
        for (place, (used, rate)) in used.into_iter().zip(rates).enumerate() {
            if let Some(rate) = rate {
                let seconds = used as f64 * 60.0 / rate.max(1) as f64;
                state.due[place + 1] =
                    state.due[place + 1].max(now) + Duration::from_secs_f64(seconds);
            }
        }
        drop(state);
        self.freed.notify_one();
    }

    /// The server could not be reached.
    pub(super) fn unreachable(&self, why: &str) {
        let now = Instant::now();
        let mut state = self.state();
        // Requests that were under way together fail together: that is one look, not many.
        let is_known =
            state.outage.is_some() && state.paused_until.is_some_and(|until| until > now);
        if is_known {
            return;
        }
        let begun = Outage { since: now, tries: 0, probed: None, why: String::new() };
        let outage = state.outage.get_or_insert(begun);
        why.clone_into(&mut outage.why);
        outage.probed = None;
        outage.tries += 1;
        let wait = Duration::from_secs(1 << (outage.tries - 1).min(4)).min(LONGEST_PROBE);
        state.paused_until = Some(now + wait);
    }

    /// The provider said "too many".
    pub(super) fn slow_down(&self, retry_after: Option<Duration>) {
        let now = Instant::now();
        self.throttled.fetch_add(1, Ordering::Relaxed);
        let mut state = self.state();
        let until = now + retry_after.unwrap_or(DEFAULT_PAUSE);
        // Requests that were under way together say it together: that is one reason to slow down, not many.
        if state.paused_until.is_none_or(|paused| paused <= now) {
            state.allowed = (state.allowed / 2).max(1);
        }
        state.paused_until = Some(state.paused_until.map_or(until, |paused| paused.max(until)));
        state.changed_at = now;
    }
}

/// What all tasks of a run have spent so far, those that are still running included.
#[derive(Debug, Default)]
pub struct RunSpend {
    micro_dollars: AtomicU64,
    tokens: AtomicU64,
}

impl RunSpend {
    /// Counts spending.
    pub fn add(&self, usd: Option<f64>, tokens: u64) {
        let micro = usd.map_or(0, |usd| (usd * 1e6).round() as u64);
        self.micro_dollars.fetch_add(micro, Ordering::Relaxed);
        self.tokens.fetch_add(tokens, Ordering::Relaxed);
    }

    /// Dollars, as far as prices are known.
    pub fn usd(&self) -> f64 {
        self.micro_dollars.load(Ordering::Relaxed) as f64 / 1e6
    }

    /// Tokens, sent and received.
    pub fn tokens(&self) -> u64 {
        self.tokens.load(Ordering::Relaxed)
    }
}

/// The limiter and the purse of this process.
#[derive(Clone, Debug)]
pub struct LocalPermits {
    /// Lets requests pass.
    pub limiter: Arc<RateLimiter>,
    /// Sums up what they cost.
    pub spend: Arc<RunSpend>,
}

impl Permits for LocalPermits {
    fn take<'a>(&'a self, cancel: &'a CancellationToken) -> BoxFuture<'a, Option<Permit>> {
        Box::pin(async move {
            let began = Instant::now();
            self.limiter.take(cancel).await?;
            Some(Permit { ticket: 0, waited: began.elapsed() })
        })
    }

    fn give_back(&self, _: u64, end: &RequestEnd) {
        let tokens = end.tokens();
        self.limiter.give_back(tokens, end.is_answered);
        if let Some([input, output]) = tokens {
            self.spend.add(end.usd, input + output);
        }
    }

    fn unreachable(&self, why: &str) {
        self.limiter.unreachable(why);
    }

    fn slow_down(&self, retry_after: Option<Duration>) {
        self.limiter.slow_down(retry_after);
    }
}

/// What one attempt used and waited for.
#[derive(Debug, Default)]
pub struct TaskMeter {
    waited: AtomicU64,
    asked: AtomicU64,
    usage: Mutex<TaskUsage>,
}

impl TaskMeter {
    /// Waiting for permission.
    pub fn waited(&self) -> Duration {
        Duration::from_millis(self.waited.load(Ordering::Relaxed))
    }

    /// Waiting for answers.
    pub fn asked(&self) -> Duration {
        Duration::from_millis(self.asked.load(Ordering::Relaxed))
    }

    /// What was used.
    pub fn usage(&self) -> TaskUsage {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A model that is asked through the limiter, with the options of a task, and counted.
pub struct MeteredModel {
    pub(super) inner: Arc<dyn Model>,
    pub(super) pricing: Option<Pricing>,
    pub(super) permits: Arc<dyn Permits>,
    pub(super) meter: Arc<TaskMeter>,
    pub(super) temperature: Option<f32>,
    pub(super) max_tokens: Option<u32>,
    pub(super) effort: Option<Effort>,
    pub(super) max_task_tokens: Option<u64>,
    /// Cancelled when the task has used up its tokens.
    pub(super) out_of_tokens: CancellationToken,
}

impl MeteredModel {
    fn count(&self, usage: Option<&TokenUsage>, usd: Option<f64>) {
        let Some(usage) = usage else { return };
        let one = TaskUsage {
            input: usage.input_tokens,
            output: usage.output_tokens,
            reasoning: usage.reasoning_tokens,
            cache_read: usage.cache_read_tokens,
            cache_write: usage.cache_write_tokens,
            requests: 1,
            cost_usd: usd,
            cost_source: String::new(),
        };
        let mut sum = self.meter.usage.lock().unwrap_or_else(PoisonError::into_inner);
        sum.add(&one);
        if self.max_task_tokens.is_some_and(|most| sum.tokens() >= most) {
            self.out_of_tokens.cancel();
        }
    }
}

impl Model for MeteredModel {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn provider(&self) -> &str {
        self.inner.provider()
    }

    fn sees_images(&self) -> bool {
        self.inner.sees_images()
    }

    fn adapt(&self, error: &ModelError) -> Option<String> {
        self.inner.adapt(error)
    }

    fn has_given_up(&self) -> bool {
        self.inner.has_given_up()
    }

    fn answer<'a>(
        &'a self,
        request: &'a ModelRequest,
        listener: &'a mut DeltaListener<'_>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            let mut request = request.clone();
            request.temperature = self.temperature.or(request.temperature);
            request.max_tokens = self.max_tokens.or(request.max_tokens);
            request.effort = self.effort.or(request.effort);
            let (mut repeats, mut broken) = (0, 0);
            loop {
                let Some(permit) = self.permits.take(cancel).await else {
                    return Err(cancelled());
                };
                add_millis(&self.meter.waited, permit.waited);
                let began = Instant::now();
                let answered = self.inner.answer(&request, listener, cancel).await;
                let took = began.elapsed();
                add_millis(&self.meter.asked, took);
                let usage = answered.as_ref().ok().and_then(|answer| answer.usage);
                let usd = usage.as_ref().and_then(|usage| self.pricing.as_ref()?(usage));
                let absence = answered.as_ref().err().and_then(|error| absence(error, took));
                let is_answered = match &answered {
                    Ok(_) => true,
                    Err(error) => absence.is_none() && error.status.is_some(),
                };
                self.permits.give_back(permit.ticket, &RequestEnd { is_answered, usage, usd });
                self.count(usage.as_ref(), usd);
                let error = match answered {
                    Err(error) if !cancel.is_cancelled() => error,
                    other => return other,
                };
                match absence {
                    Some(Absence::NobodyThere) => {
                        // Time in which nobody is there is no time of the task.
                        add_millis(&self.meter.waited, took);
                        self.permits.unreachable(&error.message);
                    }
                    Some(Absence::Broken) if broken < MAX_BROKEN => {
                        broken += 1;
                        self.permits.unreachable(&error.message);
                    }
                    None if is_too_many(error.class) && repeats < MAX_REPEATS => {
                        repeats += 1;
                        self.permits.slow_down(error.retry_after);
                    }
                    _ => return Err(error),
                }
            }
        })
    }
}

/// What kind of silence a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Absence {
    /// Nobody took the connection: it is the server, whatever is asked.
    NobodyThere,
    /// It may be the server, or what this request does to it.
    Broken,
}

/// Whether a failure says that the server is not there. What had an answer, or at least its beginning, does not.
fn absence(error: &ModelError, took: Duration) -> Option<Absence> {
    if error.partial.is_some() {
        return None;
    }
    match (error.class, error.status) {
        (ErrorClass::NotRunning, None) => Some(Absence::NobodyThere),
        (ErrorClass::Timeout | ErrorClass::Dropped, None) if took < REACHED => {
            Some(Absence::Broken)
        }
        (_, Some(502..=504)) => Some(Absence::Broken),
        _ => None,
    }
}

fn is_too_many(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::RateLimit | ErrorClass::UpstreamRateLimit)
}

fn add_millis(to: &AtomicU64, time: Duration) {
    to.fetch_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

fn cancelled() -> ModelError {
    ModelError {
        class: ErrorClass::Cancelled,
        message: "stopped".to_owned(),
        advice: None,
        status: None,
        retry_after: None,
        limit: None,
        partial: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_halves_what_goes_at_a_time_once_for_answers_that_come_together() {
        let limiter = RateLimiter::new(RateLimits::default(), 16);
        limiter.slow_down(Some(Duration::from_secs(30)));
        limiter.slow_down(Some(Duration::from_secs(30)));
        assert_eq!((limiter.allowed(), limiter.throttled()), (8, 2));
        let wait = limiter.try_take(Instant::now()).unwrap_err();
        assert!(wait > Duration::from_secs(25), "everybody waits: {wait:?}");
        let later = Instant::now() + Duration::from_secs(60);
        assert!(limiter.try_take(later).is_ok());
        assert_eq!(limiter.allowed(), 9, "one more after a while without such an answer");
    }

    #[test]
    fn while_a_server_is_out_one_request_at_a_time_looks_whether_it_is_back() {
        let limiter = RateLimiter::new(RateLimits::default(), 8);
        for _ in 0..5 {
            limiter.unreachable("nobody listens");
        }
        let report = limiter.outage().unwrap();
        assert_eq!((&*report.why, report.was_there), ("nobody listens", false));
        let wait = limiter.try_take(Instant::now()).unwrap_err();
        assert!(wait <= Duration::from_secs(1), "failures that come together are one: {wait:?}");
        let later = Instant::now() + Duration::from_secs(2);
        assert!(limiter.try_take(later).is_ok(), "one looks");
        assert!(limiter.try_take(later).is_err(), "and only one");
        limiter.give_back(Some([1, 1]), true);
        assert_eq!(limiter.outage(), None);
        assert!((0..8).all(|_| limiter.try_take(later).is_ok()), "all go on");
    }

    #[test]
    fn only_silence_is_taken_for_an_outage() {
        let error = |class, status| ModelError { class, status, ..cancelled() };
        let soon = Duration::from_millis(5);
        for (error, took, expected) in [
            (error(ErrorClass::NotRunning, None), soon, Some(Absence::NobodyThere)),
            (error(ErrorClass::Dropped, None), soon, Some(Absence::Broken)),
            (error(ErrorClass::Timeout, None), Duration::from_secs(120), None),
            (error(ErrorClass::Overloaded, Some(503)), soon, Some(Absence::Broken)),
            (error(ErrorClass::ServerError, Some(500)), soon, None),
            (error(ErrorClass::Auth, Some(401)), soon, None),
        ] {
            assert_eq!(absence(&error, took), expected, "{error:?}");
        }
    }

    #[test]
    fn a_minutes_requests_may_go_at_once_and_then_evenly() {
        let limits = RateLimits { requests_per_minute: Some(60), ..RateLimits::default() };
        let limiter = RateLimiter::new(limits, 1000);
        let now = Instant::now();
        let passed = (0..200).filter(|_| limiter.try_take(now).is_ok()).count();
        assert!((60..=62).contains(&passed), "{passed}");
        assert!(limiter.try_take(now + Duration::from_secs(2)).is_ok());
    }
}
