//! Which tools only look at things, so that the same answer twice means no progress.

use hermes_tool::{Effect, Effects};

/// Tools of the well-known file server under the names they are registered with.
const MCP_FILESYSTEM: &str = "mcp__filesystem__";
const READING_VERBS: [&str; 4] = ["read", "list", "search", "get"];
const READING_TOOLS: [&str; 1] = ["directory_tree"];

/// Whether calling the tool again with the same arguments can only give news, never cause any.
///
/// This follows from the declared effects. A tool that works on the agent's state and does not say
/// that it reads may be changing that state, so it does not count. MCP servers declare too little
/// to tell; of those the reading tools of the `filesystem` server are known by name.
#[must_use]
pub fn is_idempotent(name: &str, effects: Option<Effects>) -> bool {
    effects.is_some_and(only_looks) || name.strip_prefix(MCP_FILESYSTEM).is_some_and(reads_files)
}

fn only_looks(effects: Effects) -> bool {
    let opaque = effects.has(Effect::AgentState) && !effects.has(Effect::Reads);
    effects.is_read_only() && !opaque
}

fn reads_files(tool: &str) -> bool {
    let verb = tool.split('_').next().unwrap_or_default();
    READING_VERBS.contains(&verb) || READING_TOOLS.contains(&tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guardrails_know_real_mcp_filesystem_names() {
        for tool in [
            "read_file",
            "read_text_file",
            "read_multiple_files",
            "list_directory",
            "list_allowed_directories",
            "directory_tree",
            "search_files",
            "get_file_info",
        ] {
            let name = format!("mcp__filesystem__{tool}");
            assert!(is_idempotent(&name, None), "{name}");
            assert!(is_idempotent(&name, Some(Effects::UNKNOWN)), "{name}");
            let obsolete = format!("mcp_filesystem_{tool}");
            assert!(!is_idempotent(&obsolete, None), "{obsolete}");
        }
        for tool in ["write_file", "edit_file", "create_directory", "move_file", "ready"] {
            let name = format!("mcp__filesystem__{tool}");
            assert!(!is_idempotent(&name, None), "{name}");
        }
        assert!(!is_idempotent("mcp__github__list_issues", Some(Effects::UNKNOWN)));
    }

    #[test]
    fn declared_effects_decide_for_our_own_tools() {
        let reads = Effects::NONE.with(Effect::Reads);
        assert!(is_idempotent("read_file", Some(reads)));
        assert!(is_idempotent("web_search", Some(Effects::NONE.with(Effect::Network))));
        assert!(is_idempotent("session_search", Some(reads.with(Effect::AgentState))));
        assert!(!is_idempotent("patch", Some(reads.with(Effect::Writes))));
        assert!(!is_idempotent("terminal", Some(Effects::NONE.with(Effect::Runs))));
        assert!(!is_idempotent("todo", Some(Effects::NONE.with(Effect::AgentState))));
        assert!(!is_idempotent("somebody_elses", None));
    }
}
