//! What a server turned out not to like, remembered for the session.

use crate::model::{ErrorClass, ModelError};

/// Room that is left below a cap a server names: its count and ours differ a little.
const CAP_MARGIN: u64 = 64;

/// The smallest cap worth asking with.
const SMALLEST_CAP: u64 = 256;

/// Changes to every further request to a server. All begin as no change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Adaptations {
    /// Ask for whole answers.
    pub whole_answers: bool,
    /// Leave `pattern` and `format` out of tools' schemas.
    pub plain_schemas: bool,
    /// Leave images out.
    pub no_images: bool,
    /// Leave out signed thinking of earlier answers.
    pub no_signed_thinking: bool,
    /// Never ask for more tokens than this.
    pub output_cap: Option<u32>,
    /// Ask Ollama for this window.
    pub num_ctx: Option<u64>,
}

impl Adaptations {
    /// Learns from a failure. Says what will be done differently, for people; `None` if there is nothing,
    /// so that trying again would be in vain.
    pub fn learn(&mut self, error: &ModelError) -> Option<String> {
        let turn_on = |flag: &mut bool| !std::mem::replace(flag, true);
        match error.class {
            ErrorClass::StreamUnsupported if turn_on(&mut self.whole_answers) => {
                Some("The server cannot stream; answers now come whole.".to_owned())
            }
            ErrorClass::SchemaGrammar if turn_on(&mut self.plain_schemas) => Some(
                "The server cannot read patterns in tool schemas; they are left out now."
                    .to_owned(),
            ),
            ErrorClass::ImageRejected if turn_on(&mut self.no_images) => {
                Some("The model does not take images; they are left out now.".to_owned())
            }
            ErrorClass::ThinkingSignature if turn_on(&mut self.no_signed_thinking) => {
                Some("Earlier thinking was refused; it is left out now.".to_owned())
            }
            ErrorClass::OutputCap => {
                let cap =
                    error.limit?.checked_sub(CAP_MARGIN).filter(|cap| *cap >= SMALLEST_CAP)?;
                let cap = u32::try_from(cap).ok()?;
                if self.output_cap.is_some_and(|known| known <= cap) {
                    return None;
                }
                self.output_cap = Some(cap);
                Some(format!("The server allows fewer tokens; asking for at most {cap} now."))
            }
            _ => None,
        }
    }

    /// The most tokens to ask for, given what the caller wants.
    #[must_use]
    pub fn capped(&self, wanted: Option<u32>) -> Option<u32> {
        match (wanted, self.output_cap) {
            (Some(wanted), Some(cap)) => Some(wanted.min(cap)),
            (wanted, cap) => wanted.or(cap),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::{Endpoint, WireApi};
    use crate::error::error;

    fn failure(class: ErrorClass, limit: Option<u64>) -> ModelError {
        let endpoint = Endpoint::new(WireApi::Chat, "http://h", "m");
        ModelError { limit, ..error(&endpoint, class, "x") }
    }

    #[test]
    fn each_lesson_is_learned_once() {
        let mut adaptations = Adaptations::default();
        for class in [
            ErrorClass::StreamUnsupported,
            ErrorClass::SchemaGrammar,
            ErrorClass::ImageRejected,
            ErrorClass::ThinkingSignature,
        ] {
            assert!(adaptations.learn(&failure(class, None)).is_some(), "{class:?}");
            assert!(adaptations.learn(&failure(class, None)).is_none(), "{class:?}");
        }
        assert!(adaptations.learn(&failure(ErrorClass::Auth, None)).is_none());
    }

    #[test]
    fn a_cap_only_goes_down_and_leaves_a_margin() {
        let mut adaptations = Adaptations::default();
        let mut learn = |limit| adaptations.learn(&failure(ErrorClass::OutputCap, limit)).is_some();
        assert!(!learn(None));
        assert!(learn(Some(8192)));
        assert!(!learn(Some(8192)));
        assert!(learn(Some(4096)));
        assert!(!learn(Some(100)));
        assert_eq!(adaptations.output_cap, Some(4032));
        assert_eq!(adaptations.capped(Some(9000)), Some(4032));
        assert_eq!(adaptations.capped(None), Some(4032));
        assert_eq!(Adaptations::default().capped(None), None);
    }
}
