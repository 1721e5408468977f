//! `serve`: groups for a trainer, as fast as it takes them and no faster.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use hermes_rl::{
    EnvRegistered, EnvRegistration, PostEnd, ScoredGroup, TrajectoryApi, TrajectoryError,
};
use serde_json::json;
use tokio::task::JoinSet;

use super::group::{GroupEnd, GroupRunner};
use super::items::ItemSource;
use super::ledger::{PostLedger, PostState};
use crate::BatchError;
use crate::run::{RunControl, RunFront};

/// How often the API is asked how far the trainer is.
const LOOK: Duration = Duration::from_millis(500);
/// So many groups in a row without one complete, and something is wrong that will not pass.
const MOST_DROPPED: u32 = 10;

/// What serving needs.
pub(super) struct ServeJob<'a> {
    pub(super) runner: Arc<GroupRunner>,
    pub(super) items: ItemSource,
    pub(super) api: TrajectoryApi,
    pub(super) who: EnvRegistration,
    /// Batches that may wait for the trainer.
    pub(super) ahead: u64,
    /// Groups at work at a time.
    pub(super) at_once: usize,
    /// Groups of this start; none is no end.
    pub(super) limit: Option<u64>,
    pub(super) run: String,
    pub(super) ledger: PostLedger,
    pub(super) keep: &'a mut (dyn FnMut(&super::RolloutGroup) -> Result<(), BatchError> + Send),
}

#[derive(Default)]
struct ServeState {
    known: Option<EnvRegistered>,
    step: i64,
    begun: u64,
    dropped_in_a_row: u32,
    was_told: bool,
    ready: VecDeque<(u64, String, ScoredGroup)>,
}

impl ServeJob<'_> {
    /// Serves until the trainer has had its steps, the limit is reached or somebody says stop; a line about it.
    pub(super) async fn serve(
        mut self,
        front: &dyn RunFront,
        control: &RunControl,
    ) -> Result<String, BatchError> {
        let mut state = ServeState::default();
        let mut groups: JoinSet<GroupEnd> = JoinSet::new();
        let mut number = self.ledger.next_item();
        let mut is_over = false;
        loop {
            if control.cancel.is_cancelled() {
                break;
            }
            let is_closing = is_over
                || control.drain.is_cancelled()
                || self.limit.is_some_and(|limit| state.begun >= limit);
            if is_closing && groups.is_empty() && state.ready.is_empty() {
                break;
            }
            // Whoever drains and never had a trainer has nobody to leave groups with.
            if control.drain.is_cancelled() && state.known.is_none() && groups.is_empty() {
                break;
            }
            let room = self.room(&mut state, front, groups.len()).await?;
            if let Some(room) = room {
                self.post_ready(&mut state, front).await?;
                is_over = state
                    .known
                    .as_ref()
                    .is_some_and(|known| known.num_steps > 0 && state.step >= known.num_steps);
                for _ in 0..room {
                    let is_full = self.limit.is_some_and(|limit| state.begun >= limit);
                    if is_closing || is_over || is_full || groups.len() >= self.at_once {
                        break;
                    }
                    let Some(item) = self.items.item(number).await? else {
                        is_over = true;
                        break;
                    };
                    number += 1;
                    state.begun += 1;
                    let (runner, stop) = (Arc::clone(&self.runner), control.cancel.clone());
                    groups.spawn(async move { runner.group(item, &stop).await });
                }
            }
            tokio::select! {
                Some(ended) = groups.join_next() => {
                    if let Ok(ended) = ended {
                        self.take(&mut state, ended, front)?;
                    }
                }
                () = tokio::time::sleep(LOOK) => {}
                () = control.cancel.cancelled() => {}
            }
        }
        while groups.join_next().await.is_some() {}
        if let Some(known) = &state.known {
            self.api.disconnect(known.env_id).await;
        }
        let count = |state| self.ledger.count(state);
        Ok(format!(
            "{} groups posted, {} of one worth, {} dropped, {} unsure; the trainer is at step {}",
            count(PostState::Received) + count(PostState::Buffered),
            count(PostState::Alike),
            count(PostState::Dropped),
            count(PostState::Unsure),
            state.step
        ))
    }

    /// How many more groups may be begun; none while the API or its trainer is not there.
    async fn room(
        &self,
        state: &mut ServeState,
        front: &dyn RunFront,
        at_work: usize,
    ) -> Result<Option<usize>, BatchError> {
        let Some(env) = state.known.as_ref().map(|known| known.env_id) else {
            match self.api.register(&self.who).await {
                Ok(Some(known)) => {
                    front.note(&format!("registered as {}", known.wandb_name));
                    front.event(&json!({"event": "registered", "env_id": known.env_id, "name": known.wandb_name}));
                    state.step = known.starting_step;
                    state.known = Some(known);
                    state.was_told = false;
                }
                Ok(None) => state.tell(front, "waiting for the trainer to start"),
                Err(error @ TrajectoryError::Answered { .. }) => {
                    return Err(BatchError::usage(error.to_string()));
                }
                Err(error) => state.tell(front, &format!("{error}; waiting for it")),
            }
            return Ok(None);
        };
        let status = match self.api.status(env).await {
            Ok(Some(status)) if status.current_step >= state.step => status,
            Ok(_) => {
                front.note("the trajectory API was started again; registering anew");
                state.known = None;
                return Ok(None);
            }
            Err(error) => {
                state.tell(front, &format!("{error}; waiting for it"));
                return Ok(None);
            }
        };
        state.step = status.current_step;
        let batch = self.api.batch_size().await.ok().flatten().unwrap_or(1);
        let group = u64::from(self.who.group_size.max(1));
        let ahead = (batch * self.ahead).div_ceil(group).max(1);
        let waiting = u64::try_from(status.queue_size).unwrap_or(0)
            + at_work as u64
            + state.ready.len() as u64;
        Ok(Some(usize::try_from(ahead.saturating_sub(waiting)).unwrap_or(usize::MAX)))
    }

    fn take(
        &mut self,
        state: &mut ServeState,
        ended: GroupEnd,
        front: &dyn RunFront,
    ) -> Result<(), BatchError> {
        match ended {
            GroupEnd::Stopped => {}
            GroupEnd::Dropped { number, id, class, reason } => {
                self.ledger.note(number, &format!("{}/{id}", self.run), PostState::Dropped)?;
                front.note(&format!("group {id} is dropped: {class}: {reason}"));
                front.event(
                    &json!({"event": "group", "id": id, "state": "dropped", "class": class}),
                );
                state.dropped_in_a_row += 1;
                let is_hopeless = matches!(class.as_str(), "auth" | "config");
                if is_hopeless || state.dropped_in_a_row >= MOST_DROPPED {
                    return Err(BatchError::usage(format!("no group can be completed: {reason}")));
                }
            }
            GroupEnd::Complete(group) => {
                state.dropped_in_a_row = 0;
                (self.keep)(&group)?;
                let longest = self.who.max_token_length as usize;
                let Some(scored) = group.scored(&self.run, longest) else {
                    return Err(BatchError::usage(super::words::NO_IDS));
                };
                let name = format!("{}/{}", self.run, group.id);
                if scored.is_alike() {
                    self.ledger.note(group.number, &name, PostState::Alike)?;
                    front.event(&json!({"event": "group", "id": group.id, "state": "alike"}));
                } else {
                    state.ready.push_back((group.number, name, scored));
                }
            }
        }
        Ok(())
    }

    /// Leaves what is ready with the API, which has just said that it knows us.
    async fn post_ready(
        &mut self,
        state: &mut ServeState,
        front: &dyn RunFront,
    ) -> Result<(), BatchError> {
        while let Some((number, name, mut group)) = state.ready.pop_front() {
            group.env_id = state.known.as_ref().map(|known| known.env_id);
            self.ledger.note(number, &name, PostState::Begun)?;
            let posted = self.api.post(&group).await;
            let post = match &posted {
                Ok(PostEnd::Received) => PostState::Received,
                Ok(PostEnd::Buffered) => PostState::Buffered,
                Err(TrajectoryError::Unreachable { .. }) => PostState::NotSent,
                Err(TrajectoryError::Answered { status: 400..=499, .. }) => PostState::Dropped,
                Err(_) => PostState::Unsure,
            };
            self.ledger.note(number, &name, post)?;
            front.event(
                &json!({"event": "group", "id": name, "state": post, "scores": group.scores}),
            );
            let Err(error) = posted else { continue };
            front.note(&format!("group {name}: {error}"));
            if post == PostState::NotSent {
                state.ready.push_front((number, name, group));
            }
            return Ok(());
        }
        Ok(())
    }
}

impl ServeState {
    /// Says why nothing happens, once.
    fn tell(&mut self, front: &dyn RunFront, what: &str) {
        if !std::mem::replace(&mut self.was_told, true) {
            front.note(what);
        }
    }
}
