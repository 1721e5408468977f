//! The scanner `tirith`, run as a program.
//!
//! Its exit code is its verdict; the JSON it prints only says why. A scanner that cannot be
//! started, takes too long or ends in another way has no verdict, and `security.tirith_fail_open`
//! says what that means. After [`MAX_FAILURES`] failures in a row it is not started again by this
//! process; what its silence means stays the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hermes_process::{CaptureLimit, Command, End};
use hermes_tool::{BoxFuture, Vars};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{CommandScanner, MAX_FINDINGS, MAX_SUMMARY, ScanReport};
use crate::settings::ScannerSettings;

/// After so many failures in a row it is left alone.
const MAX_FAILURES: u32 = 3;
/// More than this of its output is not read.
const MAX_OUTPUT_CHARS: usize = 256 * 1024;
/// Its rule about top-level domains that look like file names.
const LOOKALIKE_RULE: &str = "lookalike_tld";
/// Variables it may see, besides its own (`TIRITH_…`).
const VARIABLES: &[&str] = &["PATH", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// Runs `tirith`.
#[derive(Clone, Debug)]
pub struct Tirith {
    settings: ScannerSettings,
    variables: Vec<(String, String)>,
    failures: Arc<AtomicU32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Allow,
    Block,
    Warn,
}

impl Tirith {
    /// A scanner, or `None` if it is switched off.
    #[must_use]
    pub fn new(settings: &ScannerSettings, vars: &Vars) -> Option<Self> {
        let is_seen = |name: &str| VARIABLES.contains(&name) || name.starts_with("TIRITH_");
        let variables = vars.iter().filter(|(name, _)| is_seen(name));
        settings.enabled.then(|| Self {
            settings: settings.clone(),
            variables: variables.map(|(name, value)| (name.into(), value.into())).collect(),
            failures: Arc::default(),
        })
    }

    /// Whether it has failed too often to be started again.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        self.failures.load(Ordering::Relaxed) >= MAX_FAILURES
    }

    async fn run(&self, command: String, cancellation: CancellationToken) -> ScanReport {
        if self.is_given_up() {
            return self.silence("it failed too often");
        }
        let finished = Command::new(self.settings.program.as_str())
            .args(["check", "--json", "--non-interactive", "--shell", "posix", "--"])
            .arg(command)
            .envs(self.variables.iter().cloned())
            .capture(CaptureLimit::chars(MAX_OUTPUT_CHARS))
            .deadline(self.settings.timeout)
            .cancel(cancellation)
            .run()
            .await;
        let (verdict, output) = match finished {
            Ok(done) => match done.end {
                End::Exited(0) => (Verdict::Allow, done.stdout.text()),
                End::Exited(1) => (Verdict::Block, done.stdout.text()),
                End::Exited(2) => (Verdict::Warn, done.stdout.text()),
                // Whoever asked has gone; that says nothing about the scanner.
                End::Cancelled => return self.silence("it was interrupted"),
                other => return self.failed(&format!("it ended with {other:?}")),
            },
            Err(problem) => return self.failed(&problem.to_string()),
        };
        self.failures.store(0, Ordering::Relaxed);
        interpret(verdict, &output)
    }

    fn failed(&self, why: &str) -> ScanReport {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::debug!(failures, why, "the command scanner failed");
        if failures == MAX_FAILURES && !self.settings.fail_open {
            tracing::warn!(
                "the command scanner `{}` failed {failures} times ({why}) and is not asked again; \
                 every command now counts as objected to, because security.tirith_fail_open is off",
                self.settings.program
            );
        }
        self.silence(why)
    }

    /// What it means that the scanner said nothing.
    fn silence(&self, why: &str) -> ScanReport {
        if self.settings.fail_open {
            return ScanReport::default();
        }
        ScanReport {
            objects: true,
            rules: vec!["unavailable".to_owned()],
            summary: format!("The scanner could not look at it: {why}."),
        }
    }
}

impl CommandScanner for Tirith {
    fn scan(&self, command: &str, cancellation: CancellationToken) -> BoxFuture<ScanReport> {
        let (scanner, command) = (self.clone(), command.to_owned());
        Box::pin(async move { scanner.run(command, cancellation).await })
    }
}

fn interpret(verdict: Verdict, output: &str) -> ScanReport {
    if verdict == Verdict::Allow {
        return ScanReport::default();
    }
    let report: Value = serde_json::from_str(output).unwrap_or_default();
    let findings: Vec<&Value> =
        report["findings"].as_array().into_iter().flatten().take(MAX_FINDINGS).collect();
    if verdict == Verdict::Warn
        && !findings.is_empty()
        && findings.iter().all(|finding| is_only_about_app_domains(finding))
    {
        return ScanReport::default();
    }
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let rules = findings.iter().map(|finding| text(finding, "rule_id"));
    let titles = findings.iter().map(|finding| match text(finding, "title") {
        title if title.is_empty() => text(finding, "description"),
        title => title,
    });
    let titles: Vec<String> = titles.filter(|title| !title.is_empty()).collect();
    let summary = match report["summary"].as_str() {
        Some(summary) => summary.to_owned(),
        None => titles.join("; "),
    };
    ScanReport {
        objects: true,
        rules: rules.filter(|rule| !rule.is_empty()).collect(),
        summary: summary.chars().take(MAX_SUMMARY).collect(),
    }
}

/// `.app` is a top-level domain of many honest sites, and no file name to fall for.
fn is_only_about_app_domains(finding: &Value) -> bool {
    finding["rule_id"] == LOOKALIKE_RULE && {
        let text = finding.to_string().to_lowercase();
        let mut ends = text.match_indices(".app").map(|(at, found)| at + found.len());
        ends.any(|end| {
            !text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '.' || c == '-')
        })
    }
}

#[cfg(test)]
mod tests;
