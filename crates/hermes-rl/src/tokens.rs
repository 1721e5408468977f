//! From what a server read and wrote to a sequence to train on.
//!
//! Of each question the server tells the ids it read (the prompt) and the ids it wrote. The next prompt should begin with
//! all of these; what it has beyond them (the template's marks, results of tools) is read but not learnt. If it does not
//! begin with them, the server made the earlier text into other tokens than the model wrote: there the sequence is cut,
//! because nobody answered to what the two would be together.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Where nothing is learnt.
const NOT_LEARNT: i64 = -100;
/// Stands for the log-probability of a token that the model only read, as trainers on Atropos expect it.
const READ_LOGPROB: f64 = 1.0;

/// One answer of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledTurn {
    /// What was read.
    pub prompt: Vec<u32>,
    /// What was written.
    pub tokens: Vec<u32>,
    /// How likely each written token was.
    pub logprobs: Vec<f64>,
}

/// Where an answer is in its sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceTurn {
    /// Its first token.
    pub start: usize,
    /// Behind its last.
    pub end: usize,
    /// SHA-256 of the ids of its prompt, little-endian, in hex.
    pub prompt_sha256: String,
}

/// Tokens to train on: one conversation, or a part of one that was cut.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TokenSequence {
    /// Prompt and answers in the order of the wire, as the policy's server numbered them.
    pub tokens: Vec<u32>,
    /// For each, its id if it is learnt, else −100.
    pub masks: Vec<i64>,
    /// For each, how likely it was, or 1.0 if it was only read.
    pub logprobs: Vec<f64>,
    /// The answers in it.
    pub turns: Vec<SequenceTurn>,
}

impl TokenSequence {
    fn read(&mut self, tokens: &[u32]) {
        self.tokens.extend(tokens);
        self.masks.resize(self.tokens.len(), NOT_LEARNT);
        self.logprobs.resize(self.tokens.len(), READ_LOGPROB);
    }

    fn wrote(&mut self, turn: &SampledTurn) {
        let start = self.tokens.len();
        self.tokens.extend(&turn.tokens);
        self.masks.extend(turn.tokens.iter().map(|id| i64::from(*id)));
        self.logprobs.extend(&turn.logprobs);
        let mut digest = Sha256::new();
        turn.prompt.iter().for_each(|id| digest.update(id.to_le_bytes()));
        let prompt_sha256 = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        self.turns.push(SequenceTurn { start, end: self.tokens.len(), prompt_sha256 });
    }
}

/// The tokens of a rollout as they come in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RolloutTokens {
    /// One sequence; more if the server read its own words otherwise than it wrote them.
    pub sequences: Vec<TokenSequence>,
    /// How often that was so.
    pub retokenised: u32,
    /// Answers that came without ids or log-probabilities: then nothing of the rollout can be trained on.
    pub without_ids: u32,
}

impl RolloutTokens {
    /// Takes an answer.
    pub fn push(&mut self, turn: &SampledTurn) {
        let rest = self.sequences.last().map(|last| turn.prompt.strip_prefix(&last.tokens[..]));
        match rest {
            Some(Some(between)) => {
                if let Some(last) = self.sequences.last_mut() {
                    last.read(between);
                    last.wrote(turn);
                }
            }
            found => {
                self.retokenised += u32::from(found.is_some());
                let mut fresh = TokenSequence::default();
                fresh.read(&turn.prompt);
                fresh.wrote(turn);
                self.sequences.push(fresh);
            }
        }
    }

    /// The sequence that is handed to a trainer: the last, whose prompt holds the whole conversation. None if any
    /// answer came without ids.
    #[must_use]
    pub fn whole(&self) -> Option<&TokenSequence> {
        self.sequences.last().filter(|_| self.without_ids == 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn turn(prompt: &[u32], tokens: &[u32]) -> SampledTurn {
        let logprobs = tokens.iter().map(|id| -f64::from(*id) / 10.0).collect();
        SampledTurn { prompt: prompt.to_vec(), tokens: tokens.to_vec(), logprobs }
    }

    #[test]
    fn only_what_the_model_wrote_is_learnt() {
        let mut rollout = RolloutTokens::default();
        rollout.push(&turn(&[1, 2], &[3, 4]));
        rollout.push(&turn(&[1, 2, 3, 4, 5], &[6]));
        let whole = rollout.whole().unwrap();
        assert_eq!(whole.tokens, [1, 2, 3, 4, 5, 6]);
        assert_eq!(whole.masks, [-100, -100, 3, 4, -100, 6]);
        assert_eq!(whole.logprobs, [1.0, 1.0, -0.3, -0.4, 1.0, -0.6]);
        assert_eq!(
            whole.turns.iter().map(|turn| (turn.start, turn.end)).collect::<Vec<_>>(),
            [(2, 4), (5, 6)]
        );
        assert_eq!(rollout.retokenised, 0);
    }

    #[test]
    fn words_that_are_read_as_other_tokens_cut_the_sequence() {
        let mut rollout = RolloutTokens::default();
        rollout.push(&turn(&[1], &[2, 3]));
        // The server reads its own "2 3" as one token 9.
        rollout.push(&turn(&[1, 9, 5], &[6]));
        assert_eq!((rollout.retokenised, rollout.sequences.len()), (1, 2));
        assert_eq!(
            rollout.sequences[0].tokens,
            [1, 2, 3],
            "what was written is kept as it was written"
        );
        let last = rollout.whole().unwrap();
        assert_eq!(
            (&last.tokens[..], &last.masks[..]),
            (&[1, 9, 5, 6][..], &[-100, -100, -100, 6][..])
        );
    }

    #[test]
    fn a_rollout_with_an_answer_without_ids_has_nothing_to_train_on() {
        let mut rollout = RolloutTokens::default();
        rollout.push(&turn(&[1], &[2]));
        rollout.without_ids = 1;
        assert_eq!(rollout.whole(), None);
    }

    proptest! {
        #[test]
        fn lists_stay_as_long_as_each_other_and_learn_exactly_what_was_written(
            turns in prop::collection::vec((prop::collection::vec(0u32..5, 0..6), prop::collection::vec(0u32..5, 1..5), any::<bool>()), 1..8)
        ) {
            let (mut rollout, mut before) = (RolloutTokens::default(), Vec::new());
            for (read, wrote, goes_on) in &turns {
                let prompt = if *goes_on { [&before[..], read].concat() } else { read.clone() };
                rollout.push(&turn(&prompt, wrote));
                before = [&prompt[..], wrote].concat();
                prop_assert_eq!(&rollout.sequences.last().unwrap().tokens, &before);
            }
            let learnt: Vec<u32> = rollout.sequences.iter()
                .flat_map(|one| {
                    assert_eq!((one.tokens.len(), one.masks.len()), (one.masks.len(), one.logprobs.len()));
                    one.tokens.iter().zip(&one.masks).filter(|(_, mask)| **mask >= 0).map(|(id, _)| *id).collect::<Vec<_>>()
                })
                .collect();
            let wrote: Vec<u32> = turns.iter().flat_map(|(_, wrote, _)| wrote.clone()).collect();
            prop_assert_eq!(learnt, wrote);
        }
    }
}
