//! What we need of a cloud: sandboxes that can be made, asked short questions and ended.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::hidden::HiddenText;
use super::trouble::CloudTrouble;

/// What a sandbox is to be.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct SandboxPlan {
    /// The task it is for, which a sandbox that is kept is found by.
    pub(super) task: String,
    /// Its name, where the vendor lets us choose.
    pub(super) name: String,
    /// What it is found by, where the vendor keeps such things.
    pub(super) labels: Vec<(String, String)>,
    /// Whether it reaches the network.
    pub(super) network: bool,
    /// What it is made from; the vendor's runtime for Vercel.
    pub(super) image: String,
    pub(super) cpu: f64,
    pub(super) memory_mb: u64,
    pub(super) disk_mb: u64,
    /// Whether its files stay for the next time.
    pub(super) is_kept: bool,
    /// How long it may stay unused, as far as the vendor looks after that.
    pub(super) lifetime: Duration,
    /// Where we write down what a vendor kept, if names do not tell.
    pub(super) record: PathBuf,
}

/// A sandbox that was made.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Sandbox {
    /// As the vendor knows it.
    pub(super) id: String,
    /// What commands are sent to, where that is something else.
    #[serde(default)]
    pub(super) part: String,
    /// Where commands are sent, where that is elsewhere.
    #[serde(default)]
    pub(super) address: String,
    /// Where a vendor begins if nobody says.
    #[serde(default)]
    pub(super) cwd: String,
    /// What proves that it is ours, where a vendor wants that.
    #[serde(default)]
    pub(super) token: Option<HiddenText>,
    /// Whether it is of an older kind.
    #[serde(default)]
    pub(super) is_older: bool,
}

/// What became of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Executed {
    pub(super) code: i32,
    pub(super) output: String,
}

/// One cloud.
///
/// Whatever fails for a moment is tried again in here. A script may therefore run more than once, and all are made so
/// that this does not matter.
pub(super) trait Vendor: Send + Sync {
    /// Makes a sandbox, or finds the one that was kept, and waits until it runs.
    fn make<'a>(&'a self, plan: &'a SandboxPlan) -> BoxFuture<'a, Result<Sandbox, CloudTrouble>>;

    /// Has a bash run a script in it, and returns what that wrote.
    fn execute<'a>(
        &'a self,
        sandbox: &'a Sandbox,
        script: &'a str,
        limit: Duration,
    ) -> BoxFuture<'a, Result<Executed, CloudTrouble>>;

    /// Ends the sandboxes of a run that were made before a start of it, where they would not end by themselves; how many
    /// that were.
    fn end_leftovers<'a>(
        &'a self,
        _run: &'a str,
        _before: u64,
    ) -> BoxFuture<'a, Result<usize, CloudTrouble>> {
        Box::pin(std::future::ready(Ok(0)))
    }

    /// Ends it: for good, or so that it can be found again. One that is gone has ended.
    fn end<'a>(
        &'a self,
        sandbox: &'a Sandbox,
        plan: &'a SandboxPlan,
    ) -> BoxFuture<'a, Result<(), CloudTrouble>>;
}
