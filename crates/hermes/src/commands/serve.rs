//! `hermes serve`: the tools over HTTP, for programs that speak JSON.
//!
//! Every program that may call knows the token. It is made once, kept in the state folder for its
//! owner alone, and the same from then on, so that scripts can read it from there.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::Args;
use hermes_approval::Audience;
use hermes_files::state::ReaderKind;
use hermes_host::{Interaction, ToolOptions};
use hermes_runtime::Runtime;
use hermes_serve::{Api, HttpFlags, Opening};

use crate::exit::Exit;
use crate::host::{self, Host};
use crate::http::own_token;
use crate::ui::Ui;
use crate::workers::{block_on, stop_on_signals};

/// Where it listens unless told otherwise.
const USUAL_ADDRESS: &str = "127.0.0.1:8766";
/// The token, for who does not want a file.
const TOKEN_VARIABLE: &str = "HERMES_SERVE_TOKEN";
/// The file of the token that is made when none is given.
const TOKEN_FILE: &str = "serve.token";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hermes serve
  curl -H \"Authorization: Bearer $(cat ~/.hermes/serve.token)\" http://127.0.0.1:8766/v1/tools
  hermes serve -t file --listen 127.0.0.1:9000")]
pub(crate) struct ServeArgs {
    /// The toolsets to offer, separated by commas; those of `hermes tools list` by default
    #[arg(short, long, value_name = "A,B", value_delimiter = ',')]
    toolsets: Vec<String>,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = USUAL_ADDRESS)]
    listen: SocketAddr,
    #[command(flatten)]
    web: HttpFlags,
}

/// Serves until somebody wants it to stop.
pub(crate) fn run(args: &ServeArgs, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    block_on(async {
        let stop = stop_on_signals()?;
        host::warn_about_files(host, ui)?;
        let interaction =
            Interaction { hook_question: host::hook_question(), ..Interaction::unattended() };
        let options = ToolOptions { toolsets: args.toolsets.clone(), ..ToolOptions::default() };
        let tools = host.tools(options, &interaction).await?;
        ui.warn_all(tools.warnings())?;
        let token = match args.web.token(host.vars(), TOKEN_VARIABLE)? {
            Some(token) => token,
            None => own_token(host, TOKEN_FILE, ui)?,
        };
        let opening = Opening::new(args.listen, Some(token), &args.web).await?;
        ui.line(format_args!("http://{}", opening.address()))?;
        let services = tools.services_of();
        let api = Api::builder(Runtime::clone(tools.runtime()))
            .scope(tools.scope().clone())
            // Programs have no earlier answer to look back at, and may ask as often as they like.
            .services(move |session| {
                services(session, Audience::Nobody).with(Arc::new(ReaderKind::Script))
            })
            .cwd(std::env::current_dir().ok())
            .version(env!("CARGO_PKG_VERSION"))
            .build();
        let served = opening.serve(hermes_serve::router(&api), stop).await;
        tools.close().await;
        Ok(served.map(|()| Exit::Done)?)
    })
}
