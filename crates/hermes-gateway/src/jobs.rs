//! The clock of scheduled jobs, inside the gateway.
//!
//! It is the same ticker that `hermes cron daemon` runs, under the same lock: one of them ticks, the other stands by and takes
//! over when the first is gone.

use std::sync::Arc;
use std::time::Duration;

use hermes_cron::{TickEvent, Ticker};
use hermes_host::Host;
use tokio_util::sync::CancellationToken;

/// Before a clock that broke is started again.
const PAUSE: Duration = Duration::from_secs(5);

/// Runs what is due until the gateway ends. A clock that breaks is started again.
pub(crate) async fn keep_ticking(host: Host, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let (host, until) = (host.clone(), stop.clone());
        // In a task of its own: a fault there ends the clock and not the gateway.
        match tokio::spawn(async move { tick(&host, until).await }).await {
            Ok(Ok(())) => {}
            Ok(Err(problem)) => tracing::error!(%problem, "scheduled jobs do not run"),
            Err(problem) => tracing::error!(%problem, "the clock of scheduled jobs broke"),
        }
        stop.run_until_cancelled(tokio::time::sleep(PAUSE)).await;
    }
}

async fn tick(host: &Host, stop: CancellationToken) -> anyhow::Result<()> {
    let place = host.cron_place(stop, Arc::new(|_| ()))?;
    let ticker = Ticker::new(place.store, place.settings, place.redactor, place.runner);
    let ticker = ticker.telling(|event| match event {
        TickEvent::StandingBy { holder } => {
            tracing::info!(?holder, "another process runs the scheduled jobs");
        }
        TickEvent::Ticking => tracing::info!("this process runs the scheduled jobs"),
        TickEvent::Trouble(problem) => tracing::warn!(%problem, "scheduled jobs"),
        TickEvent::Lost(lost) => tracing::warn!(job = lost.job.id, "a run was lost"),
        TickEvent::Began(_) | TickEvent::Ended(..) => {}
    });
    Ok(ticker.run(&place.stop).await?)
}
