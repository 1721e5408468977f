//! `hermes mcp serve`: our tools for any MCP client.
//!
//! On stdin and stdout for one client that starts us, or over HTTP for many. Stdout belongs to the
//! protocol; whatever there is to say goes to stderr. The end of stdin ends the process, and with it
//! everything that was started.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::Args;
use hermes_approval::Audience;
use hermes_guard::redact::{RedactMode, redact};
use hermes_host::{Interaction, ToolOptions, ToolSession};
use hermes_mcp::server::bridge::{BRIDGE_TOOLSET, Bridge};
use hermes_mcp::server::{
    BuiltInPrompts, Callers, HTTP_PATH, HttpOptions, Server, SessionResources, SkillSource,
};
use hermes_runtime::{Runtime, ToolScope};
use hermes_serve::{HttpFlags, Opening};
use hermes_sessions::SessionDatabase;
use hermes_skills::SkillLibrary;

use super::ask::{ClientApprover, ClientAsker};
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::http::own_token;
use crate::ui::Ui;
use crate::workers::{block_on, stop_on_signals};

/// Where it listens unless told otherwise.
const USUAL_ADDRESS: &str = "127.0.0.1:8765";
/// The token, for who does not want a file.
const TOKEN_VARIABLE: &str = "HERMES_MCP_TOKEN";

/// The file of the token that is made when none is given: other users of this machine reach
/// loopback, too.
const TOKEN_FILE: &str = "mcp.token";

/// What clients may tell their model.
const INSTRUCTIONS: &str = "Tools of this computer: read, search, write and patch files, and run \
    commands in a terminal whose directory and variables are kept from call to call. Relative paths \
    start where the server was started. Commands that could do harm are put to the person first; a \
    refusal says which rule it was and how the person can allow it.";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hermes mcp serve                          for a client that starts it: tools on stdin and stdout
  hermes mcp serve -t file                  the file tools alone
  hermes mcp serve --http                   at http://127.0.0.1:8765/mcp, for programs that send the token in ~/.hermes/mcp.token
  hermes mcp serve --http 0.0.0.0:8765 --token-file ~/token --allow-host tools.example")]
pub(crate) struct ServeArgs {
    /// The toolsets to offer, separated by commas; those of `hermes tools list` by default
    #[arg(short, long, value_name = "A,B", value_delimiter = ',')]
    toolsets: Vec<String>,
    /// Listen for HTTP instead of serving stdin and stdout
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = USUAL_ADDRESS)]
    http: Option<SocketAddr>,
    /// Also offer tools that read conversations, tell what is new in them, and answer what waits for a
    /// person's word in other sessions
    #[arg(long)]
    bridge: bool,
    #[command(flatten)]
    web: HttpFlags,
}

/// Serves until the client hangs up, or somebody wants it to stop.
pub(crate) fn run(args: &ServeArgs, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    block_on(async {
        let stop = stop_on_signals()?;
        let callers = Arc::<Callers>::default();
        let bridge = args.bridge.then(|| Bridge::start(sessions(host), hide_secrets));
        host::warn_about_files(host, ui)?;
        let interaction = Interaction {
            asker: Some(Arc::new(ClientAsker(Arc::clone(&callers)))),
            approver: Arc::new(ClientApprover(Arc::clone(&callers))),
            hook_question: host::hook_question(),
            ..Interaction::unattended()
        };
        let options = ToolOptions { toolsets: args.toolsets.clone(), ..ToolOptions::default() };
        let tools = host.tools(options, &interaction).await?;
        ui.warn_all(tools.warnings())?;
        let mut scope = tools.scope().clone();
        if let Some(bridge) = &bridge {
            tools.runtime().registry().register_all(bridge.tools());
            scope.enabled.get_or_insert_default().push(BRIDGE_TOOLSET.to_owned());
        }
        let server = server(&tools, host, scope, callers);
        let served = match args.http {
            None => {
                let (stdin, stdout) = (tokio::io::stdin(), tokio::io::stdout());
                server.serve(stdin, stdout, stop).await.map_err(Into::into)
            }
            Some(address) => {
                let token = match args.web.token(host.vars(), TOKEN_VARIABLE)? {
                    None if address.ip().is_loopback() => Some(own_token(host, TOKEN_FILE, ui)?),
                    given => given,
                };
                let opening = Opening::new(address, token, &args.web).await?;
                ui.line(format_args!("http://{}{HTTP_PATH}", opening.address()))?;
                let options = HttpOptions { hosts: opening.host_names(), stop: stop.clone() };
                opening.serve(server.http_router(&options), stop).await.map_err(Into::into)
            }
        };
        tools.close().await;
        served.map(|()| Exit::Done)
    })
}

fn sessions(host: &Host) -> SessionDatabase {
    SessionDatabase::read_only(host.home().state_db())
}

fn hide_secrets(text: &str) -> String {
    redact(text, RedactMode::Full).into_owned()
}

fn server(tools: &ToolSession, host: &Host, scope: ToolScope, callers: Arc<Callers>) -> Server {
    let services = tools.services_of();
    let (approvals, environments) =
        (Arc::clone(tools.approvals()), Arc::clone(tools.environments()));
    let library = Arc::new(SkillLibrary::new(host.home()));
    let skills = SkillSource::new(library, host.config_value(), host.vars().clone());
    Server::builder(Runtime::clone(tools.runtime()), "hermes", env!("CARGO_PKG_VERSION"))
        .scope(scope)
        .instructions(INSTRUCTIONS)
        .cwd(std::env::current_dir().ok())
        .callers(callers)
        .services(move |caller| {
            let audience = match caller.takes_questions() {
                true => Audience::Client,
                false => Audience::Nobody,
            };
            services(caller.session(), audience)
        })
        // What somebody said yes to until the session ends ends with it, and so does its shell.
        .on_session_end(move |session| {
            approvals.reset_session(session);
            environments.forget(session);
        })
        .resources(Arc::new(SessionResources::new(sessions(host), hide_secrets)))
        .prompts(Arc::new(BuiltInPrompts))
        .resources(Arc::new(skills.clone()))
        .prompts(Arc::new(skills))
        .build()
}
