//! Questions whose answers nobody may see: passwords and keys, from the person at the terminal.

use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::Approvals;
use crate::ask::SecretQuestion;
use crate::request::Audience;

/// Something only a person knows.
#[derive(Clone, Debug)]
pub struct UnseenQuestion {
    /// What is wanted, for the person.
    pub text: String,
    /// How long there is to type it.
    pub wait: Duration,
    /// Who is there. Only somebody at the terminal is asked.
    pub audience: Audience,
}

impl Approvals {
    /// Whether there is somebody who could type something unseen.
    #[must_use]
    pub fn can_ask_unseen(&self, audience: Audience) -> bool {
        audience == Audience::Terminal && self.asker.is_some()
    }

    /// Asks the person at the terminal, one question at a time. `known` is looked at when it is this one's turn:
    /// another question may have been about the same. Nothing, if nobody is there or nothing was typed.
    pub async fn ask_unseen(
        &self,
        asked: UnseenQuestion,
        known: impl Fn() -> Option<String>,
        over: &CancellationToken,
    ) -> Option<String> {
        let UnseenQuestion { text, wait, audience } = asked;
        let asker = self.asker.as_ref().filter(|_| self.can_ask_unseen(audience))?;
        let _one_at_a_time = self.terminal.acquire().await.ok()?;
        if let Some(known) = known() {
            return Some(known);
        }
        let cancellation = over.child_token();
        let _over = cancellation.clone().drop_guard();
        let typed = asker.secret(SecretQuestion { text, wait, cancellation });
        tokio::select! {
            biased;
            () = over.cancelled() => None,
            typed = timeout(wait, typed) => typed.ok().flatten(),
        }
    }
}
