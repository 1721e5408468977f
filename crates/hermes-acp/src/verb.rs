//! `hermes acp`: the command.

use std::sync::Arc;

use clap::Args;
use hermes_host::{Host, ModelSources};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::server::{Server, serve};

/// What `hermes acp` takes.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
An editor starts this program itself; docs/editors.md has the lines for Zed and JetBrains.
Stdout is the protocol's alone; whatever else there is to say goes to stderr.")]
pub struct AcpArgs {
    /// Say whether an editor would find everything ready, and leave
    #[arg(long)]
    check: bool,
    /// Print the description that registries of agents want, and leave
    #[arg(long, conflicts_with = "check")]
    manifest: bool,
}

impl AcpArgs {
    /// Whether nothing is served.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        self.check || self.manifest
    }
}

/// The description for registries.
fn manifest() -> Value {
    json!({
        "id": "hermes",
        "name": "Hermes",
        "version": env!("CARGO_PKG_VERSION"),
        "description": env!("CARGO_PKG_DESCRIPTION"),
        "repository": env!("CARGO_PKG_REPOSITORY"),
        "license": env!("CARGO_PKG_LICENSE"),
        "protocol": "acp",
        "protocolVersion": 1,
        "distribution": {"command": {"cmd": "hermes", "args": ["acp"]}},
    })
}

/// Serves an editor on stdin and stdout until it leaves or `stop`. `tell` gets what `--check` and `--manifest` print.
///
/// # Errors
/// If the configuration is broken, or the check found something.
pub async fn run(
    args: &AcpArgs,
    host: &Host,
    stop: CancellationToken,
    mut tell: impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if args.manifest {
        return tell(&serde_json::to_string_pretty(&manifest())?);
    }
    host.require_sound_config()?;
    if args.check {
        let model = ModelSources::of(host).pinned().ok_or_else(|| {
            anyhow::anyhow!(
                "no model is set up, or a key is missing; `hermes setup` asks three questions"
            )
        })?;
        return tell(&format!("Ready: {} by {}, protocol version 1.", model.model, model.provider));
    }
    let server = Server::new(host);
    let served = tokio::select! {
        served = serve(&server) => served,
        () = stop.cancelled() => Ok(()),
    };
    Arc::clone(&server).end().await;
    served.map_err(|error| anyhow::anyhow!("the editor's connection broke: {error}"))
}
