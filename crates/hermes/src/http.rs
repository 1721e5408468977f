//! Listening for HTTP: address, token, names.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use hermes_serve::{AccessCheck, AccessToken, Hosts};
use hermes_store::home::ensure_private_dir;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::host::Host;
use crate::ui::Ui;

/// How long running requests may take to end after a signal.
const GRACE: std::time::Duration = std::time::Duration::from_secs(5);

/// Flags of every command that listens.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct HttpFlags {
    /// File with the token that programs must send; only its owner may be able to read it
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// A further name by which the server may be addressed, as behind a proxy
    #[arg(long = "allow-host", value_name = "NAME")]
    pub(crate) allow_hosts: Vec<String>,
}

impl HttpFlags {
    /// The token in the file of the flags, or in a variable.
    pub(crate) fn token(&self, host: &Host, variable: &str) -> anyhow::Result<Option<AccessToken>> {
        match (&self.token_file, host.vars().non_blank(variable)) {
            (Some(file), _) => Ok(Some(AccessToken::read(file)?)),
            (None, Some(text)) => {
                AccessToken::new(text).map(Some).with_context(|| format!("the variable {variable}"))
            }
            (None, None) => Ok(None),
        }
    }
}

/// The token in a file of the state folder, made if it is not there: programs of the same user read it
/// from there, and nobody else can.
pub(crate) fn own_token(host: &Host, file: &str, ui: &mut Ui) -> anyhow::Result<AccessToken> {
    ensure_private_dir(host.home().root())?;
    let file = host.home().root().join(file);
    let token = AccessToken::read_or_create(&file)?;
    ui.note(format_args!("(the token is in {})", file.display()))?;
    Ok(token)
}

/// An open port, and who may use it.
pub(crate) struct Opening {
    listener: TcpListener,
    address: SocketAddr,
    hosts: Hosts,
    token: Option<AccessToken>,
}

impl Opening {
    /// Opens a port. Beyond loopback that takes a token.
    pub(crate) async fn new(
        address: SocketAddr,
        token: Option<AccessToken>,
        flags: &HttpFlags,
    ) -> anyhow::Result<Self> {
        let listener = hermes_serve::listen(address, token.as_ref()).await?;
        let address = listener.local_addr().context("find the port")?;
        let hosts = Hosts::of(address, &flags.allow_hosts);
        Ok(Self { listener, address, hosts, token })
    }

    /// Where it is.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The names by which it may be addressed, the way the MCP library writes them.
    pub(crate) fn host_names(&self) -> Vec<String> {
        let bare = |name: &String| name.trim_matches(['[', ']']).to_owned();
        self.hosts.names().iter().map(bare).collect()
    }

    /// Serves the router, behind all checks, until somebody wants it to stop.
    pub(crate) async fn serve(
        self,
        router: axum::Router,
        stop: CancellationToken,
    ) -> anyhow::Result<()> {
        let router = AccessCheck::new(self.hosts, self.token).protect(router);
        let told = stop.clone();
        let serving =
            hermes_serve::serve(self.listener, router, async move { told.cancelled().await });
        let out_of_patience = async {
            stop.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            served = serving => served.context("serve requests"),
            () = out_of_patience => Ok(()),
        }
    }
}
