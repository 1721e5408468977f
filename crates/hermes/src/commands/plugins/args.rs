//! The arguments of `hermes plugins`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum PluginsCommand {
    /// List plugins, whether they are enabled, and what they bring
    #[command(visible_alias = "ls")]
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
        /// Show everything a plugin registered, also what was not taken up
        #[arg(long)]
        details: bool,
    },
    /// Load a plugin from now on, and show what it brings
    Enable {
        /// The plugin
        name: String,
        /// Hand it this variable, such as a key it needs; may be given more than once
        #[arg(long = "env", value_name = "VARIABLE")]
        env: Vec<String>,
        /// Let it replace tools of others
        #[arg(long)]
        allow_tool_override: bool,
        /// Do not start it now
        #[arg(long)]
        no_start: bool,
    },
    /// Never load a plugin, or no longer
    Disable {
        /// The plugin
        name: String,
    },
    /// Start a plugin, show what it registers, and try one of its tools
    Test {
        /// The plugin
        name: String,
        /// Call this tool, with arguments as a JSON object
        #[arg(long, num_args = 1..=2, value_names = ["TOOL", "JSON"])]
        call: Option<Vec<String>>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Run a command that a plugin brings for the shell
    Run {
        /// The command
        command: String,
        /// Its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}
