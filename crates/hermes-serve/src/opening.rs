//! Listening for HTTP, as commands do it: the flags, the token, the port.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use hermes_tool::Vars;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::access::{AccessCheck, Hosts};
use crate::bind::BindError;
use crate::token::{AccessToken, AccessTokenError};

/// How long running requests may take to end after a signal.
const GRACE: std::time::Duration = std::time::Duration::from_secs(5);

/// Flags of every command that listens.
#[derive(Clone, Debug, Default, Args)]
pub struct HttpFlags {
    /// File with the token that programs must send; only its owner may be able to read it
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A further name by which the server may be addressed, as behind a proxy
    #[arg(long = "allow-host", value_name = "NAME")]
    pub allow_hosts: Vec<String>,
}

/// Why a command does not listen.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// There is no usable token.
    #[error("{from}{source}")]
    Token {
        /// Where it came from, if that is not a file.
        from: String,
        /// What is wrong with it.
        source: AccessTokenError,
    },
    /// The address cannot be used.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The listener broke.
    #[error("cannot serve requests: {0}")]
    Serve(std::io::Error),
}

impl HttpFlags {
    /// The token in the file of the flags, or in a variable.
    ///
    /// # Errors
    /// If what is there is no good token.
    pub fn token(&self, vars: &Vars, variable: &str) -> Result<Option<AccessToken>, OpeningError> {
        match (&self.token_file, vars.non_blank(variable)) {
            (Some(file), _) => match AccessToken::read(file) {
                Ok(token) => Ok(Some(token)),
                Err(source) => Err(OpeningError::Token { from: String::new(), source }),
            },
            (None, Some(text)) => match AccessToken::new(text) {
                Ok(token) => Ok(Some(token)),
                Err(source) => {
                    Err(OpeningError::Token { from: format!("the variable {variable}: "), source })
                }
            },
            (None, None) => Ok(None),
        }
    }
}

/// The token in a file of a private folder, made if it is not there: programs of the same user read it from there, and
/// nobody else can.
///
/// # Errors
/// If the file cannot be read or made.
pub fn kept_token(folder: &Path, name: &str) -> Result<AccessToken, OpeningError> {
    let read = AccessToken::read_or_create(&folder.join(name));
    read.map_err(|source| OpeningError::Token { from: String::new(), source })
}

/// An open port, and who may use it.
pub struct Opening {
    listener: TcpListener,
    address: SocketAddr,
    hosts: Hosts,
    token: Option<AccessToken>,
}

impl Opening {
    /// Opens a port. Beyond loopback that takes a token.
    ///
    /// # Errors
    /// If that is not so, or the port cannot be had.
    pub async fn new(
        address: SocketAddr,
        token: Option<AccessToken>,
        flags: &HttpFlags,
    ) -> Result<Self, OpeningError> {
        let listener = crate::bind::listen(address, token.as_ref()).await?;
        let address =
            listener.local_addr().map_err(|source| BindError::Address { address, source })?;
        let hosts = Hosts::of(address, &flags.allow_hosts);
        Ok(Self { listener, address, hosts, token })
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The names by which it may be addressed, the way the MCP library writes them.
    #[must_use]
    pub fn host_names(&self) -> Vec<String> {
        let bare = |name: &String| name.trim_matches(['[', ']']).to_owned();
        self.hosts.names().iter().map(bare).collect()
    }

    /// The checks for whoever comes: these names, this token.
    #[must_use]
    pub fn access(&self) -> AccessCheck {
        AccessCheck::new(self.hosts.clone(), self.token.clone())
    }

    /// Serves the router, behind all checks, until somebody wants it to stop.
    ///
    /// # Errors
    /// If the listener breaks.
    pub async fn serve(
        self,
        router: axum::Router,
        stop: CancellationToken,
    ) -> Result<(), OpeningError> {
        let access = self.access();
        self.serve_behind(access, router, stop).await
    }

    /// The same with checks that were added to [`access`](Self::access).
    ///
    /// # Errors
    /// If the listener breaks.
    pub async fn serve_behind(
        self,
        access: AccessCheck,
        router: axum::Router,
        stop: CancellationToken,
    ) -> Result<(), OpeningError> {
        let router = access.protect(router);
        let told = stop.clone();
        let serving =
            crate::bind::serve(self.listener, router, async move { told.cancelled().await });
        let out_of_patience = async {
            stop.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            served = serving => served.map_err(OpeningError::Serve),
            () = out_of_patience => Ok(()),
        }
    }
}
