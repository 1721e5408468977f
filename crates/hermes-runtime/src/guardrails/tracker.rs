//! The counters of one turn.
//!
//! Three tables: failures by call, failures by tool, and for reading calls the last result with the
//! number of times it came in a row. Beside them the last calls in their order, by which one to three calls
//! are noticed that come round with the same results, whatever they do: listing over and over, or writing a file
//! and reading it. A failure counts in the first two and clears the third; a
//! success clears the first two, so only unbroken series count. After a failure the gravest finding
//! speaks alone: the end of the turn, then the repeated call, then the failing tool.
//!
//! [`Guardrails::before_call`] changes nothing, so a batch of calls can be asked about up front and
//! noted later in any order. The caller provides the lock where calls run side by side.

use std::collections::{HashMap, VecDeque};

use super::config::GuardrailConfig;
use super::signature::{Hash, Signature, hash_result};
use super::verdict::{Advice, AdviceKind, Block, Pattern};

/// How one call went.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// The text of the result; absent for results with images, which are not compared.
    pub result: Option<&'a str>,
    /// Whether the call failed.
    pub failed: bool,
    /// Whether the tool only looks at things.
    pub idempotent: bool,
}

/// Counts failures and repetitions within a turn.
#[derive(Clone, Debug, Default)]
pub struct Guardrails {
    config: GuardrailConfig,
    call_failures: HashMap<Signature, u32>,
    tool_failures: HashMap<String, u32>,
    same_results: HashMap<Signature, (Hash, u32)>,
    /// The last calls, oldest first; nothing for a result that is not compared.
    last: VecDeque<Option<(Signature, Hash)>>,
}

/// Longest sequence that counts as a cycle.
const MAX_PERIOD: usize = 3;
/// Most repetitions that are told apart.
const MAX_REPETITIONS: usize = 32;

impl Guardrails {
    /// Guardrails at the beginning of a turn.
    #[must_use]
    pub fn new(config: GuardrailConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// Forgets everything: a new turn begins.
    pub fn reset(&mut self) {
        *self = Self::new(self.config);
    }

    /// Asks whether a call may run. Nothing is counted.
    #[must_use]
    pub fn before_call(&self, signature: &Signature) -> Option<Block> {
        if !self.config.may_stop() {
            return None;
        }
        let stop = self.config.hard_stop_after;
        let failures = self.call_failures.get(signature).copied().unwrap_or(0);
        let repetitions = self.same_results.get(signature).map_or(0, |(_, count)| *count);
        let (pattern, count) = if failures >= stop.exact_failure {
            (Pattern::RepeatedExactFailure, failures)
        } else if repetitions >= stop.idempotent_no_progress {
            (Pattern::IdempotentNoProgress, repetitions)
        } else {
            return None;
        };
        Some(Block { pattern, count, signature: signature.clone() })
    }

    /// Takes note of a call that ran, and says what the model should be told.
    pub fn after_call(
        &mut self,
        signature: &Signature,
        observation: Observation<'_>,
    ) -> Option<Advice> {
        self.last.push_back(observation.result.map(|text| (signature.clone(), hash_result(text))));
        if self.last.len() > MAX_PERIOD * MAX_REPETITIONS {
            self.last.pop_front();
        }
        let found = if observation.failed {
            self.note_failure(signature)
        } else {
            self.note_success(signature, observation)
        };
        let ends = matches!(found, Some((AdviceKind::Halt, ..)));
        let (kind, pattern, count) = match self.cycle().filter(|_| !ends) {
            Some((AdviceKind::Halt, count)) => (AdviceKind::Halt, Pattern::Cycle, count),
            Some((kind, count)) => found.unwrap_or((kind, Pattern::Cycle, count)),
            None => found?,
        };
        Some(Advice { kind, pattern, count, tool: signature.tool().to_owned() })
    }

    /// Whether the last calls are a sequence that came round too often, and how often.
    fn cycle(&self) -> Option<(AdviceKind, u32)> {
        let count = (1..=MAX_PERIOD).map(|period| self.repetitions(period)).max()?;
        if self.config.may_stop() && count >= self.config.hard_stop_after.cycle {
            return Some((AdviceKind::Halt, count));
        }
        let warns = self.config.warnings_enabled && count >= self.config.warn_after.cycle;
        warns.then_some((AdviceKind::Warning, count))
    }

    /// How often the last calls, so many of them, came one after another.
    fn repetitions(&self, period: usize) -> u32 {
        let seen: Vec<_> = self.last.iter().rev().collect();
        let Some(newest) =
            seen.get(..period).filter(|calls| calls.iter().all(|call| call.is_some()))
        else {
            return 0;
        };
        let same = seen.chunks_exact(period).take_while(|calls| calls == &newest).count();
        u32::try_from(same).unwrap_or(u32::MAX)
    }

    fn note_failure(&mut self, signature: &Signature) -> Option<(AdviceKind, Pattern, u32)> {
        self.same_results.remove(signature);
        let exact = bump(self.call_failures.entry(signature.clone()).or_default());
        let same_tool = bump(self.tool_failures.entry(signature.tool().into()).or_default());
        let (warn, stop) = (self.config.warn_after, self.config.hard_stop_after);
        if self.config.may_stop() && same_tool >= stop.same_tool_failure {
            return Some((AdviceKind::Halt, Pattern::SameToolFailure, same_tool));
        }
        if !self.config.warnings_enabled {
            return None;
        }
        if exact >= warn.exact_failure {
            Some((AdviceKind::Warning, Pattern::RepeatedExactFailure, exact))
        } else if same_tool >= warn.same_tool_failure {
            Some((AdviceKind::Warning, Pattern::SameToolFailure, same_tool))
        } else {
            None
        }
    }

    fn note_success(
        &mut self,
        signature: &Signature,
        observation: Observation<'_>,
    ) -> Option<(AdviceKind, Pattern, u32)> {
        self.call_failures.remove(signature);
        self.tool_failures.remove(signature.tool());
        let Some(result) = observation.result.filter(|_| observation.idempotent) else {
            self.same_results.remove(signature);
            return None;
        };
        let hash = hash_result(result);
        let (last, count) = self.same_results.entry(signature.clone()).or_insert((hash, 0));
        if *last != hash {
            (*last, *count) = (hash, 0);
        }
        let count = bump(count);
        let warns =
            self.config.warnings_enabled && count >= self.config.warn_after.idempotent_no_progress;
        warns.then_some((AdviceKind::Warning, Pattern::IdempotentNoProgress, count))
    }
}

fn bump(count: &mut u32) -> u32 {
    *count = count.saturating_add(1);
    *count
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const FAILED: Observation<'static> =
        Observation { result: Some("{\"error\":\"x\"}"), failed: true, idempotent: true };

    fn read(result: &str) -> Observation<'_> {
        Observation { result: Some(result), failed: false, idempotent: true }
    }

    fn call(tool: &str, argument: u32) -> Signature {
        Signature::new(tool, json!({"a": argument}).as_object().unwrap())
    }

    fn strict() -> Guardrails {
        Guardrails::new(GuardrailConfig::default().unwatched())
    }

    /// Code and count of the advice after a call.
    fn note(
        rails: &mut Guardrails,
        call: &Signature,
        seen: Observation<'_>,
    ) -> Option<(String, u32)> {
        let advice = rails.after_call(call, seen)?;
        Some((advice.code(), advice.count))
    }

    fn said(code: &str, count: u32) -> Option<(String, u32)> {
        Some((code.to_owned(), count))
    }

    #[test]
    fn the_second_failure_of_a_call_brings_advice() {
        let mut rails = Guardrails::default();
        let call = call("patch", 1);
        assert_eq!(note(&mut rails, &call, FAILED), None);
        for count in 2..=9 {
            assert_eq!(
                note(&mut rails, &call, FAILED),
                said("repeated_exact_failure_warning", count)
            );
            assert_eq!(rails.before_call(&call), None, "hard stops are off by default");
        }
    }

    #[test]
    fn the_third_failure_of_a_tool_brings_advice_whatever_the_arguments() {
        let mut rails = Guardrails::default();
        assert_eq!(note(&mut rails, &call("patch", 1), FAILED), None);
        assert_eq!(note(&mut rails, &call("patch", 2), FAILED), None);
        assert_eq!(note(&mut rails, &call("other", 3), FAILED), None);
        assert_eq!(
            note(&mut rails, &call("patch", 3), FAILED),
            said("same_tool_failure_warning", 3)
        );
    }

    #[test]
    fn hard_stops_block_the_sixth_identical_failing_call() {
        let mut rails = strict();
        let (call, other) = (call("patch", 1), call("patch", 2));
        for _ in 0..5 {
            assert_eq!(rails.before_call(&call), None);
            rails.after_call(&call, FAILED);
        }
        let block = rails.before_call(&call).unwrap();
        assert_eq!((block.code().as_str(), block.count), ("repeated_exact_failure_block", 5));
        assert_eq!(rails.before_call(&other), None);
        rails.reset();
        assert_eq!(rails.before_call(&call), None);
    }

    #[test]
    fn hard_stops_halt_after_the_eighth_failure_of_a_tool() {
        let mut rails = strict();
        for argument in 0..7 {
            let advice = rails.after_call(&call("patch", argument), FAILED);
            assert!(!advice.is_some_and(|advice| advice.ends_turn()));
        }
        assert_eq!(note(&mut rails, &call("patch", 7), FAILED), said("same_tool_failure_halt", 8));
    }

    #[test]
    fn the_same_answer_twice_is_no_progress() {
        let mut rails = strict();
        let call = call("read_file", 1);
        assert_eq!(note(&mut rails, &call, read(r#"{"a":1,"b":2}"#)), None);
        assert_eq!(
            note(&mut rails, &call, read(r#"{"b":2, "a":1}"#)),
            said("idempotent_no_progress_warning", 2)
        );
        assert_eq!(note(&mut rails, &call, read("news")), None, "counts anew");
        for _ in 0..4 {
            assert_eq!(rails.before_call(&call), None);
            rails.after_call(&call, read("news"));
        }
        let block = rails.before_call(&call).unwrap();
        assert_eq!((block.code().as_str(), block.count), ("idempotent_no_progress_block", 5));
    }

    #[test]
    fn tools_with_effects_and_images_never_count_as_no_progress() {
        let mut rails = strict();
        let call = call("terminal", 1);
        for _ in 0..9 {
            let effectful = Observation { idempotent: false, ..read("same") };
            let image = Observation { result: None, ..read("") };
            assert_eq!(rails.after_call(&call, effectful), None);
            assert_eq!(rails.after_call(&call, image), None);
            assert_eq!(rails.before_call(&call), None);
        }
    }

    const EFFECTFUL: Observation<'static> =
        Observation { result: Some("{\"processes\":[]}"), failed: false, idempotent: false };

    #[test]
    fn the_same_call_over_and_over_is_a_cycle_whatever_it_does() {
        // Seen with a small model: it listed its processes nineteen times.
        let (mut watched, mut alone) = (Guardrails::default(), strict());
        let list = call("process", 1);
        for count in 1..=19 {
            let expected = (count >= 3).then(|| ("cycle_warning".to_owned(), count));
            assert_eq!(note(&mut watched, &list, EFFECTFUL), expected);
        }
        for _ in 1..=5 {
            assert!(!alone.after_call(&list, EFFECTFUL).is_some_and(|advice| advice.ends_turn()));
        }
        assert_eq!(note(&mut alone, &list, EFFECTFUL), said("cycle_halt", 6));
    }

    #[test]
    fn two_calls_in_turn_are_a_cycle_and_news_breaks_it() {
        let mut rails = strict();
        let (write, look) = (call("write_file", 1), call("terminal", 2));
        let mut rounds = 0;
        let ended = loop {
            rounds += 1;
            rails.after_call(&write, EFFECTFUL);
            let advice = rails.after_call(&look, EFFECTFUL);
            if advice.is_some_and(|advice| advice.ends_turn()) || rounds > 20 {
                break rounds;
            }
        };
        assert_eq!(ended, 6);
        rails.reset();
        for round in 0..20 {
            let news = format!("round {round}");
            assert_eq!(rails.after_call(&write, EFFECTFUL), None);
            let seen = Observation { result: Some(&news), ..EFFECTFUL };
            assert_eq!(rails.after_call(&look, seen), None);
        }
    }

    #[test]
    fn success_clears_failures_and_failure_forgets_repetition() {
        let mut rails = Guardrails::default();
        let call = call("read_file", 1);
        rails.after_call(&call, FAILED);
        rails.after_call(&call, read("x"));
        assert_eq!(note(&mut rails, &call, FAILED), None, "failures were cleared");
        assert_eq!(note(&mut rails, &call, read("x")), None, "repetition was forgotten");
    }

    #[test]
    fn advice_can_be_switched_off_while_stops_stay() {
        let mut rails = Guardrails::new(GuardrailConfig {
            warnings_enabled: false,
            hard_stop_enabled: Some(true),
            ..GuardrailConfig::default()
        });
        let call = call("patch", 1);
        for _ in 0..5 {
            assert_eq!(rails.after_call(&call, FAILED), None);
        }
        assert!(rails.before_call(&call).is_some());
    }
}
