//! Showing what a command writes while it runs.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hermes_exec::LiveOutput;
use hermes_guard::ansi;
use hermes_tool::OutputTail;

use super::context::TerminalContext;

/// How often somebody who watches is told.
const PERIOD: Duration = Duration::from_millis(100);
/// Lines that are told.
const MOST_LINES: usize = 5;

impl TerminalContext {
    /// Keeps output for whoever watches, if anybody does.
    pub(super) fn live_output(&self) -> Option<Arc<LiveOutput>> {
        self.is_watched().then(Arc::<LiveOutput>::default)
    }

    /// Waits for a command and shows what it writes meanwhile.
    pub(super) async fn show_while<T>(
        &self,
        running: impl Future<Output = T>,
        live: Option<Arc<LiveOutput>>,
        command: &str,
    ) -> T {
        let Some(live) = live else { return running.await };
        let mut running = pin!(running);
        loop {
            match tokio::time::timeout(PERIOD, running.as_mut()).await {
                Ok(done) => return done,
                Err(_) => {
                    if let Some((text, total)) = live.news() {
                        self.show(self.tail(&text, total, command));
                    }
                }
            }
        }
    }

    /// Secrets are looked for in all of it: one may go over several lines.
    fn tail(&self, text: &str, total: usize, command: &str) -> OutputTail {
        let text = self.redacted(&ansi::strip(text), command);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(MOST_LINES)..];
        OutputTail { lines: last.iter().map(|line| (*line).to_owned()).collect(), total }
    }
}
