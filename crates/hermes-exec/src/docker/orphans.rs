//! Containers of runs long gone.

use std::time::Duration;

use jiff::Timestamp;

use super::arguments::label;
use crate::backend::BackendKind;
use crate::error::ExecError;
use crate::mark::{EPOCH_LABEL, RUN_LABEL};
use crate::programs::ClientProgram;

const ASK_LIMIT: Duration = Duration::from_secs(15);
/// Containers that are removed with one request.
const REMOVED_AT_ONCE: usize = 20;
const REMOVE_LIMIT: Duration = Duration::from_secs(120);
/// No container is an orphan before this.
const LEAST_AGE: Duration = Duration::from_secs(60);

/// Removes containers of this profile that ended long ago. What cannot be removed is left.
pub(super) async fn remove(engine: ClientProgram, profile: String, lifetime: Duration) {
    let age = 2 * lifetime.max(LEAST_AGE);
    let of_profile = format!("label=hermes-profile={}", label(&profile));
    let listed = engine
        .ask(
            [
                "ps",
                "-aq",
                "--filter",
                "label=hermes-agent=1",
                "--filter",
                &of_profile,
                "--filter",
                "status=exited",
            ],
            ASK_LIMIT,
        )
        .await;
    let Ok(listed) = listed else { return };
    for id in listed.output.lines() {
        let words = ["inspect", "--format", "{{.State.FinishedAt}}", id];
        let Ok(finished) = engine.ask(words, ASK_LIMIT).await else { continue };
        if is_old(&finished.output, age, Timestamp::now()) {
            tracing::info!(id, "removing a container nobody uses any more");
            let _ = engine.ask(["rm", "-f", id], ASK_LIMIT).await;
        }
    }
}

/// Removes what was made for earlier starts of a run, whether it runs or not; how many containers that were.
pub(super) async fn remove_of_run(
    engine: &ClientProgram,
    run: &str,
    before: u64,
) -> Result<usize, ExecError> {
    let of_run = format!("label={RUN_LABEL}={}", label(run));
    let shape = format!("{{{{.ID}}}} {{{{.Label \"{EPOCH_LABEL}\"}}}}");
    let words = ["ps", "-a", "--no-trunc", "--filter", &of_run, "--format", &shape];
    let listed = engine.ask(words, ASK_LIMIT).await?;
    let unavailable = |why: String| ExecError::Unavailable { backend: BackendKind::Docker, why };
    if !listed.succeeded {
        return Err(unavailable(listed.words));
    }
    let is_old = |line: &&str| {
        let epoch = line.split_once(' ').and_then(|(_, epoch)| epoch.trim().parse::<u64>().ok());
        epoch.is_none_or(|epoch| epoch < before)
    };
    let old: Vec<&str> = listed
        .output
        .lines()
        .filter(is_old)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for some in old.chunks(REMOVED_AT_ONCE) {
        let words = ["rm", "-f"].into_iter().chain(some.iter().copied());
        let removed = engine.ask(words, REMOVE_LIMIT).await?;
        // One that somebody else removed meanwhile is gone, too.
        if !removed.succeeded && !removed.words.to_ascii_lowercase().contains("no such container") {
            return Err(unavailable(removed.words));
        }
    }
    Ok(old.len())
}

/// Whether something that ended then is older than `age`. What cannot be read is not old.
fn is_old(finished: &str, age: Duration, now: Timestamp) -> bool {
    let Ok(finished) = finished.trim().parse::<Timestamp>() else { return false };
    // The engine's way of saying "never".
    if finished.as_second() < 0 {
        return false;
    }
    let elapsed = now.as_second().saturating_sub(finished.as_second());
    u64::try_from(elapsed).is_ok_and(|elapsed| elapsed > age.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ended_long_ago_is_an_orphan() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let hour = Duration::from_secs(3_600);
        assert!(is_old("2026-01-01T10:00:00.123456789Z", hour, now));
        for young in ["2026-01-01T11:30:00Z", "0001-01-01T00:00:00Z", "", "soon"] {
            assert!(!is_old(young, hour, now), "{young:?}");
        }
    }
}
