//! Hooks: other people's code at fixed moments.
//!
//! Callbacks of one event run in the order they were registered, each isolated from the others: one
//! that panics is logged and counts as silent. What they return is collected; what a return value
//! means is the business of whoever raised the event. Nothing is computed for an event nobody
//! listens to: ask [`Hooks::listens`] before building a payload.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use futures_util::FutureExt;
use hermes_tool::BoxFuture;
use serde_json::{Map, Value};
use tracing::warn;

mod event;
mod verify;

pub use event::HookEvent;
pub use verify::Verification;

/// Every payload says which version of the fields it has.
pub const PAYLOAD_VERSION: &str = "hermes.observer.v1";

/// The fields of an event.
pub type Payload = Map<String, Value>;

type Callback = dyn Fn(Arc<Payload>) -> BoxFuture<Option<Value>> + Send + Sync;

/// One registered callback.
#[derive(Clone)]
pub struct Hook {
    owner: Arc<str>,
    call: Arc<Callback>,
}

impl Hook {
    /// A callback that answers at once. The owner is named in logs and listings.
    pub fn new(
        owner: impl Into<Arc<str>>,
        callback: impl Fn(&Payload) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        let callback = Arc::new(callback);
        Self::future(owner, move |payload| {
            let callback = Arc::clone(&callback);
            async move { callback(&payload) }
        })
    }

    /// A callback that takes its time.
    pub fn future<F>(
        owner: impl Into<Arc<str>>,
        callback: impl Fn(Arc<Payload>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Option<Value>> + Send + 'static,
    {
        Self { owner: owner.into(), call: Arc::new(move |payload| Box::pin(callback(payload))) }
    }

    /// Who registered it.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }
}

impl std::fmt::Debug for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hook").field("owner", &self.owner).finish_non_exhaustive()
    }
}

type Table = HashMap<HookEvent, Vec<Hook>>;

/// All registered hooks. Reading takes no lock.
#[derive(Default)]
pub struct Hooks {
    table: ArcSwap<Table>,
    writing: Mutex<()>,
}

impl Hooks {
    /// Adds a callback behind those already there.
    pub fn on(&self, event: HookEvent, hook: Hook) {
        let _turn = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut table = Table::clone(&self.table.load());
        table.entry(event).or_default().push(hook);
        self.table.store(Arc::new(table));
    }

    /// Removes every callback of an owner.
    pub fn remove_owner(&self, owner: &str) {
        let _turn = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut table = Table::clone(&self.table.load());
        for hooks in table.values_mut() {
            hooks.retain(|hook| hook.owner() != owner);
        }
        table.retain(|_, hooks| !hooks.is_empty());
        self.table.store(Arc::new(table));
    }

    /// Whether anybody listens to an event.
    #[must_use]
    pub fn listens(&self, event: HookEvent) -> bool {
        let table = self.table.load();
        !table.is_empty() && table.contains_key(&event)
    }

    /// Who listens to an event, in order.
    #[must_use]
    pub fn owners(&self, event: HookEvent) -> Vec<Arc<str>> {
        let table = self.table.load();
        table.get(&event).into_iter().flatten().map(|hook| hook.owner.clone()).collect()
    }

    /// Calls everybody who listens and collects what they return, leaving out nothings.
    pub async fn raise(&self, event: HookEvent, mut payload: Payload) -> Vec<Value> {
        let Some(hooks) = self.table.load().get(&event).cloned() else { return Vec::new() };
        payload.insert("telemetry_schema_version".into(), PAYLOAD_VERSION.into());
        let payload = Arc::new(payload);
        let mut returned = Vec::new();
        for hook in hooks {
            let call = AssertUnwindSafe(async { (hook.call)(Arc::clone(&payload)).await });
            match call.catch_unwind().await {
                Ok(Some(Value::Null) | None) => {}
                Ok(Some(value)) => returned.push(value),
                Err(_) => {
                    warn!(%event, owner = %hook.owner, "hook panicked; its answer is ignored");
                }
            }
        }
        returned
    }
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map()
            .entries(self.table.load().iter().map(|(event, hooks)| (event, hooks.len())))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn callbacks_run_in_order_and_a_panic_silences_only_its_own() {
        let hooks = Hooks::default();
        hooks.on(HookEvent::PreToolCall, Hook::new("first", |_| Some(json!(1))));
        hooks.on(HookEvent::PreToolCall, Hook::new("bad", |_| panic!("oops")));
        hooks.on(HookEvent::PreToolCall, Hook::new("silent", |_| None));
        hooks.on(HookEvent::PreToolCall, Hook::future("last", |_| async { Some(json!(2)) }));
        let returned = hooks.raise(HookEvent::PreToolCall, Payload::new()).await;
        assert_eq!(returned, [json!(1), json!(2)]);
    }

    #[tokio::test]
    async fn every_payload_carries_its_version() {
        let hooks = Hooks::default();
        hooks.on(
            HookEvent::OnSessionStart,
            Hook::new("x", |payload| payload.get("telemetry_schema_version").cloned()),
        );
        let returned = hooks.raise(HookEvent::OnSessionStart, Payload::new()).await;
        assert_eq!(returned, [json!(PAYLOAD_VERSION)]);
    }

    #[test]
    fn removing_an_owner_leaves_the_others() {
        let hooks = Hooks::default();
        hooks.on(HookEvent::PostToolCall, Hook::new("a", |_| None));
        hooks.on(HookEvent::PostToolCall, Hook::new("b", |_| None));
        hooks.remove_owner("a");
        assert_eq!(hooks.owners(HookEvent::PostToolCall).len(), 1);
        hooks.remove_owner("b");
        assert!(!hooks.listens(HookEvent::PostToolCall));
    }
}
