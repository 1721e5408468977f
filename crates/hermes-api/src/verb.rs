//! `hermes api`: the command.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use hermes_host::{Host, Interaction};
use hermes_serve::{HttpFlags, Opening, kept_token};
use hermes_store::home::ensure_private_dir;
use hermes_tool::settings::Settings as _;
use tokio_util::sync::CancellationToken;

use crate::asking::{Asking, RunAsker};
use crate::problem::of_access;
use crate::routes::{MAX_BODY, OPEN_PATHS, router};
use crate::server::Server;
use crate::settings::ApiSettings;

/// The key, for who does not want a file.
const KEY_VARIABLE: &str = "API_SERVER_KEY";
/// The file of the key that is made when none is given.
const KEY_FILE: &str = "api.token";

/// What `hermes api` takes.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  hermes api
  curl -H \"Authorization: Bearer $(cat ~/.hermes/api.token)\" http://127.0.0.1:8642/v1/models
  OPENAI_BASE_URL=http://127.0.0.1:8642/v1 OPENAI_API_KEY=$(cat ~/.hermes/api.token) my-front-end")]
pub struct ApiArgs {
    /// Where to listen, if not where the settings say; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    web: HttpFlags,
}

/// Serves until `stop`. `tell` gets the address for stdout, `note` what else there is to say.
///
/// # Errors
/// If the settings, the key or the port cannot be used, or no model is set up.
pub async fn run(
    args: &ApiArgs,
    host: &Host,
    stop: CancellationToken,
    mut tell: impl FnMut(&str) -> anyhow::Result<()>,
    mut note: impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    host.require_sound_config()?;
    let settings = ApiSettings::read(host.config().value(), host.vars());
    let address = match args.listen {
        Some(address) => address,
        None => {
            let ip: IpAddr = settings.host.parse().with_context(|| {
                format!(
                    "gateway.api_server.host (API_SERVER_HOST) is no address: {}",
                    settings.host
                )
            })?;
            SocketAddr::new(ip, settings.port)
        }
    };
    let key = match args.web.token(host.vars(), KEY_VARIABLE)? {
        Some(key) => key,
        None => {
            ensure_private_dir(host.home().root())?;
            let key = kept_token(host.home().root(), KEY_FILE)?;
            note(&format!("(the key is in {})", host.home().root().join(KEY_FILE).display()))?;
            key
        }
    };
    let asking = Arc::new(Asking::default());
    let interaction = Interaction {
        asker: Some(Arc::new(RunAsker(Arc::clone(&asking)))),
        ..Interaction::unattended()
    };
    let opening = Opening::new(address, Some(key), &args.web).await?;
    if !opening.address().ip().is_loopback() {
        note(
            "warning: other machines can reach this agent, and what it runs runs here. Put TLS before it, \
             and consider a container for commands (terminal.backend: docker)",
        )?;
    }
    let factory = host.agent_factory(&interaction).await?;
    for warning in factory.tools().warnings() {
        note(&format!("warning: {warning}"))?;
    }
    let origins = settings.cors_origins.clone();
    let server = Server::new(host.clone(), factory, settings, asking, stop.clone());
    let access = opening
        .access()
        .open_paths(OPEN_PATHS)
        .origins(origins)
        .max_body(MAX_BODY)
        .problems_as(of_access);
    tell(&format!("http://{}", opening.address()))?;
    let served = opening.serve_behind(access, router(Arc::clone(&server)), stop).await;
    if let Some(unwritten) = server.factory.close().await {
        note(&format!("warning: {unwritten}"))?;
    }
    Ok(served?)
}
