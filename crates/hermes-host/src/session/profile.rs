//! Which toolsets a session begins with, where nobody has chosen any: a model with a small window gets few tools
//! in few words, so that there is room for the task and every answer begins sooner.

use hermes_runtime::toolsets::platform::enabled_mcp_servers;
use hermes_tool::settings::{SettingWords, Settings};

use super::SessionOptions;
use crate::Host;
use crate::models::SessionModels;

/// The toolset for small models.
const SMALL_TOOLSET: &str = "local";
/// Windows up to this many tokens are small, whoever serves the model.
const SMALL_WINDOW: u64 = 16_384;
/// On a server of one's own every token is read by one's own machine; there this much is small.
const SMALL_LOCAL_WINDOW: u64 = 40_960;

/// The key of the section `agent` that decides how many tools a model gets.
#[derive(Settings)]
#[settings(path = "agent", open)]
struct ProfileSettings {
    /// How many tools a session begins with: few for a model with a small window (auto), always few (local),
    /// or always all (full).
    #[setting(default = ToolProfile::Auto)]
    tool_profile: ToolProfile,
}

/// How many tools a session begins with.
#[derive(Clone, Copy, PartialEq, Eq, SettingWords)]
enum ToolProfile {
    /// As the window allows.
    #[setting(also("on", "always"))]
    Auto,
    /// Few.
    #[setting(also("small"))]
    Local,
    /// All.
    #[setting(also("never"))]
    Full,
}

/// The toolsets that are asked for: those of the options, those for small models, or none, which means those of
/// the configuration.
pub(super) async fn toolsets(
    host: &Host,
    options: &SessionOptions,
    models: &SessionModels,
) -> Vec<String> {
    let config = host.config().value();
    let is_chosen = !options.toolsets.is_empty() || host.lists_toolsets(&options.platform);
    let profile = ProfileSettings::read(config, host.vars()).tool_profile;
    let is_small = match profile {
        _ if is_chosen => false,
        ToolProfile::Full => false,
        ToolProfile::Local => true,
        // Whoever adds a server wants its tools.
        ToolProfile::Auto if !enabled_mcp_servers(config).is_empty() => false,
        ToolProfile::Auto => {
            let limit = if models.is_own_server() { SMALL_LOCAL_WINDOW } else { SMALL_WINDOW };
            models.told_window().await.is_some_and(|tokens| tokens <= limit)
        }
    };
    match is_small {
        true => vec![SMALL_TOOLSET.to_owned()],
        false => options.toolsets.clone(),
    }
}
