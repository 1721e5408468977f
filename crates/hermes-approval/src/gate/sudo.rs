//! The password for `sudo`, from the person at the terminal.
//!
//! It is asked for once in a session and remembered until `sudo` refuses it, the session is reset or
//! we end. It is in memory only, and is not logged.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Approvals;
use super::unseen::UnseenQuestion;
use crate::request::Audience;

/// How long there is to type it.
pub const SUDO_PASSWORD_WAIT: Duration = Duration::from_secs(45);

impl Approvals {
    /// The password of a session: the one it gave before, or the one the person types now. Only
    /// somebody at the terminal is asked.
    pub async fn sudo_password(
        &self,
        session: &str,
        audience: Audience,
        over: &CancellationToken,
    ) -> Option<String> {
        if let Some(known) = self.memory.sudo_password(session) {
            return Some(known);
        }
        let text = "sudo needs your password".to_owned();
        let asked = UnseenQuestion { text, wait: SUDO_PASSWORD_WAIT, audience };
        // Somebody else of the session may have asked meanwhile.
        let known = || self.memory.sudo_password(session);
        let typed = self.ask_unseen(asked, known, over).await;
        if let Some(password) = &typed {
            self.memory.keep_sudo_password(session, password);
        }
        typed
    }

    /// Forgets the password of a session, which was refused. Whether there was one.
    pub fn forget_sudo_password(&self, session: &str) -> bool {
        self.memory.forget_sudo_password(session)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use hermes_tool::BoxFuture;

    use super::*;
    use crate::SecretQuestion;
    use crate::{ApprovalAnswer, ApprovalPrompter, ApprovalQuestion, ApprovalSettings};

    /// Types the number of the time it is asked, or nothing.
    struct Person {
        asked: AtomicU32,
        knows: bool,
    }

    impl ApprovalPrompter for Person {
        fn ask(&self, _: ApprovalQuestion) -> BoxFuture<ApprovalAnswer> {
            Box::pin(std::future::ready(ApprovalAnswer::no()))
        }

        fn secret(&self, question: SecretQuestion) -> BoxFuture<Option<String>> {
            assert_eq!(question.wait, SUDO_PASSWORD_WAIT);
            let time = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
            Box::pin(std::future::ready(self.knows.then(|| time.to_string())))
        }
    }

    fn gate(knows: bool) -> (Arc<Person>, Arc<Approvals>) {
        let person = Arc::new(Person { asked: AtomicU32::new(0), knows });
        let asker: Arc<dyn ApprovalPrompter> = Arc::clone(&person) as _;
        (person, Approvals::builder(ApprovalSettings::default()).asker(asker).build())
    }

    async fn ask(gate: &Approvals, session: &str, audience: Audience) -> Option<String> {
        gate.sudo_password(session, audience, &CancellationToken::new()).await
    }

    #[tokio::test]
    async fn asks_once_in_a_session_until_it_was_wrong() {
        let (person, gate) = gate(true);
        for _ in 0..3 {
            assert_eq!(ask(&gate, "a", Audience::Terminal).await.as_deref(), Some("1"));
        }
        assert_eq!(ask(&gate, "b", Audience::Terminal).await.as_deref(), Some("2"));
        assert!(gate.forget_sudo_password("a"));
        assert!(!gate.forget_sudo_password("a"));
        assert_eq!(ask(&gate, "a", Audience::Terminal).await.as_deref(), Some("3"));
        gate.reset_session("a");
        assert_eq!(ask(&gate, "a", Audience::Terminal).await.as_deref(), Some("4"));
        assert_eq!(person.asked.load(Ordering::Relaxed), 4);
    }

    #[tokio::test]
    async fn nobody_elsewhere_is_asked_and_no_answer_is_not_remembered() {
        let (person, gate) = gate(false);
        for audience in [Audience::Gateway, Audience::Cron, Audience::Nobody] {
            assert_eq!(ask(&gate, "a", audience).await, None);
        }
        assert_eq!(person.asked.load(Ordering::Relaxed), 0);
        assert_eq!(ask(&gate, "a", Audience::Terminal).await, None);
        assert_eq!(ask(&gate, "a", Audience::Terminal).await, None);
        assert_eq!(person.asked.load(Ordering::Relaxed), 2);
    }
}
