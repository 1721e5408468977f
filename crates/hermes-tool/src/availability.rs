//! Whether a tool can work here and now, and the predicates that find out.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Vars;

/// The answer of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// The tool can be offered.
    Available,
    /// The tool cannot be offered.
    Unavailable {
        /// What is missing, in a few words.
        reason: String,
        /// What the user can do about it; empty when nothing is known.
        fix: String,
    },
}

impl Availability {
    /// Not available, with the reason and the remedy that `hermes tools list` shows.
    pub fn unavailable(reason: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Unavailable { reason: reason.into(), fix: fix.into() }
    }

    /// Available when every named variable is set to something.
    #[must_use]
    pub fn needs_env(vars: &Vars, names: &[&str]) -> Self {
        let missing: Vec<&str> =
            names.iter().copied().filter(|name| vars.non_blank(name).is_none()).collect();
        if missing.is_empty() {
            return Self::Available;
        }
        let missing = missing.join(", ");
        Self::unavailable(
            format!("{missing} not set"),
            format!("set {missing} in the environment or in HERMES_HOME/.env"),
        )
    }

    /// Whether the answer is [`Availability::Available`].
    #[must_use]
    pub fn is_available(&self) -> bool {
        matches!(self, Self::Available)
    }
}

impl From<bool> for Availability {
    fn from(available: bool) -> Self {
        if available { Self::Available } else { Self::unavailable("its check said no", "") }
    }
}

/// Identity of a predicate: tools that share a check share its cached answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckId(Identity);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Identity {
    /// A function or a closure that captures nothing: its type says it all.
    Stateless(TypeId),
    /// A closure with captured values: each one made is its own predicate.
    Instance(u64),
}

/// An availability predicate with an identity.
///
/// It runs on a thread of its own under a deadline, so it may do a little I/O, but every tool list
/// waits for it: prefer looking at variables and files to talking to a server.
#[derive(Clone)]
pub struct Check {
    id: CheckId,
    predicate: Arc<dyn Fn(&Vars) -> Availability + Send + Sync>,
}

impl Check {
    /// Wraps a predicate. Passing the same function twice gives two checks with one identity;
    /// a closure that captures values gets an identity of its own, shared by its clones.
    pub fn new<F, A>(predicate: F) -> Self
    where
        F: Fn(&Vars) -> A + Send + Sync + 'static,
        A: Into<Availability>,
    {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let identity = if size_of::<F>() == 0 {
            Identity::Stateless(TypeId::of::<F>())
        } else {
            Identity::Instance(NEXT.fetch_add(1, Ordering::Relaxed))
        };
        Self { id: CheckId(identity), predicate: Arc::new(move |vars| predicate(vars).into()) }
    }

    /// The identity under which answers are cached.
    #[must_use]
    pub fn id(&self) -> CheckId {
        self.id
    }

    /// Asks now, on this thread. May panic if the predicate does.
    #[must_use]
    pub fn probe(&self, vars: &Vars) -> Availability {
        (self.predicate)(vars)
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.id).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn always(_: &Vars) -> bool {
        true
    }

    fn never(_: &Vars) -> bool {
        false
    }

    #[test]
    fn the_same_function_has_one_identity() {
        assert_eq!(Check::new(always).id(), Check::new(always).id());
        assert_ne!(Check::new(always).id(), Check::new(never).id());
    }

    #[test]
    fn closures_with_state_are_told_apart_and_clones_are_not() {
        let make = |answer: bool| Check::new(move |_: &Vars| answer);
        let (yes, no) = (make(true), make(false));
        assert_ne!(yes.id(), no.id());
        assert_eq!(yes.id(), yes.clone().id());
    }

    #[test]
    fn a_missing_variable_is_named_with_its_remedy() {
        let answer = Availability::needs_env(&Vars::default(), &["API_KEY"]);
        let Availability::Unavailable { reason, fix } = answer else { panic!("should be missing") };
        assert_eq!(reason, "API_KEY not set");
        assert!(fix.contains("HERMES_HOME/.env"));
    }
}
