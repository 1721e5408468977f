//! The machine the agent works on.

use super::{PromptSources, file};

/// Programs worth knowing about before the first command.
const PROBED: &[&str] = &["python3", "python", "pip", "uv", "node", "git", "rg"];

/// The part for the prompt.
pub(super) fn describe(sources: &PromptSources<'_>) -> String {
    let settings = sources.settings();
    let mut facts = Vec::new();
    if sources.is_local() {
        facts.push(format!("System: {}{}.", system(), flavour(sources)));
    } else {
        facts.push(format!(
            "Commands and file tools work in a `{}` environment, not on the machine Hermes runs on.",
            sources.backend()
        ));
    }
    if sources.is_local() && settings.environment_probe {
        facts.push(programs(sources));
    }
    if let Some(hint) = settings.environment_hint {
        facts.push(hint.trim().to_owned());
    }
    facts.retain(|fact| !fact.is_empty());
    facts.join("\n")
}

/// Where the session works.
pub(super) fn directory(sources: &PromptSources<'_>) -> String {
    format!("Working directory: {}", file::one_line(&sources.cwd.to_string_lossy()))
}

fn system() -> String {
    let name = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "macOS",
        "windows" => "Windows",
        other => other,
    };
    format!("{name} ({})", std::env::consts::ARCH)
}

/// Linux in places where it is not quite itself.
fn flavour(sources: &PromptSources<'_>) -> &'static str {
    if sources.vars.non_blank("TERMUX_VERSION").is_some() {
        " in Termux on Android: no root, packages with pkg"
    } else if sources.vars.non_blank("WSL_DISTRO_NAME").is_some() {
        " in WSL: Windows drives are under /mnt"
    } else {
        ""
    }
}

/// Which of the usual programs are on the path; looked up, never run.
fn programs(sources: &PromptSources<'_>) -> String {
    let path = sources.vars.get("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(path).collect();
    let found: Vec<&str> = PROBED
        .iter()
        .copied()
        .filter(|name| folders.iter().any(|folder| folder.join(name).is_file()))
        .collect();
    if found.is_empty() { String::new() } else { format!("On the path: {}.", found.join(", ")) }
}
