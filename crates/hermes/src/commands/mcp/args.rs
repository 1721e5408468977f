//! The arguments of `hermes mcp`.

use clap::{Args, Subcommand, ValueEnum};

use super::serve::ServeArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Add a server: a program after `--`, or an address with --url
    Add(Add),
    /// Remove a server, and what is kept of its login
    #[command(visible_alias = "rm")]
    Remove {
        /// The server
        name: String,
    },
    /// List servers, their transport and their state
    #[command(visible_alias = "ls")]
    List(List),
    /// Connect to a server, list its tools and measure
    Test(Test),
    /// Log in to a server that wants it, also when there is a login already
    #[command(visible_alias = "reauth")]
    Login {
        /// The server
        name: String,
    },
    /// Choose which of a server's tools are offered
    Configure(Configure),
    /// Offer our tools to MCP clients, on stdin and stdout or over HTTP
    Serve(ServeArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hermes mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  hermes mcp add search --env API_KEY='${SEARCH_KEY}' -- search-server --stdio
  hermes mcp add tracker --url https://mcp.example.com/mcp --auth oauth")]
pub(crate) struct Add {
    /// What to call it; its tools are named mcp__NAME__…
    pub(crate) name: String,
    /// The address of a server that runs already
    #[arg(long, conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// How to talk to it there
    #[arg(long, requires = "url")]
    pub(crate) transport: Option<Transport>,
    /// A header for every request, NAME=VALUE; `${VAR}` is read from the environment
    #[arg(long = "header", value_name = "NAME=VALUE", requires = "url")]
    pub(crate) headers: Vec<String>,
    /// How to log in there
    #[arg(long, requires = "url")]
    pub(crate) auth: Option<Auth>,
    /// A variable for the program, NAME=VALUE; `${VAR}` is read from the environment
    #[arg(long = "env", short, value_name = "NAME=VALUE", conflicts_with = "url")]
    pub(crate) env: Vec<String>,
    /// How long one call may take, in seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,
    /// Offer only these tools, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "TOOL,…", conflicts_with = "exclude")]
    pub(crate) include: Vec<String>,
    /// Offer all tools but these, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "TOOL,…")]
    pub(crate) exclude: Vec<String>,
    /// Its tools may run at the same time
    #[arg(long)]
    pub(crate) parallel: bool,
    /// Replace a server of this name
    #[arg(long)]
    pub(crate) replace: bool,
    /// The program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transport {
    /// Streamable HTTP
    Http,
    /// The older transport with a stream of events
    Sse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Auth {
    /// A person logs in, in a browser
    Oauth,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Connect to every server and see
    #[arg(long)]
    pub(crate) check: bool,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// The server
    pub(crate) name: String,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Configure {
    /// The server
    pub(crate) name: String,
    /// Offer only these tools, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "TOOL,…", conflicts_with_all = ["exclude", "all"])]
    pub(crate) include: Vec<String>,
    /// Offer all tools but these, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "TOOL,…", conflicts_with = "all")]
    pub(crate) exclude: Vec<String>,
    /// Offer every tool
    #[arg(long)]
    pub(crate) all: bool,
}
