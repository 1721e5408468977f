//! Starts a Chromium of our own.
//!
//! It runs under a supervisor of `hermes-process`, so that it ends with us however we end, and talks over two pipes
//! instead of a port: nobody else on the machine can reach it, and there is nothing to wait for. It has a profile of
//! its own that is removed with it, sees none of our keys, and cannot reach the addresses where clouds hand out
//! credentials.

mod find;
mod flags;
mod profile;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_process::{Child, Command, OutputMode, Stdin};
use hermes_tool::Vars;

pub use find::find_chromium;
pub(crate) use profile::Profile;
pub use profile::sweep_profiles;

use crate::cdp::{Transport, pipe_transport};
use crate::error::BrowserError;

/// Variables the browser may see: where things are on this machine, nothing that opens an account.
const INHERITED: &[&str] = &[
    "PATH",
    "LANG",
    "LC_ALL",
    "LANGUAGE",
    "TZ",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_DATA_DIRS",
    "FONTCONFIG_PATH",
    "FONTCONFIG_FILE",
    "LD_LIBRARY_PATH",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
];

/// The browser expects its debugging pipes as third and fourth descriptor.
const MOVE_PIPES: &str = r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>/dev/null"#;

/// How long a browser that is told to end may take before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// Whether the browser has a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Nobody sees it.
    #[default]
    Headless,
    /// It has a window on the screen.
    Window,
}

/// A browser that we started.
pub(crate) struct LaunchedBrowser {
    pub(crate) child: Child,
    pub(crate) profile: Profile,
    pub(crate) transport: Transport,
}

/// Starts a browser with a new profile below `folder`.
pub(crate) fn launch(
    vars: &Vars,
    folder: &Path,
    visibility: Visibility,
) -> Result<LaunchedBrowser, BrowserError> {
    let program = find_chromium(vars)?;
    let failed = |problem: String| BrowserError::Launch(problem);
    let profile = Profile::create(folder).map_err(|error| {
        failed(format!("no folder for its profile below {}: {error}", folder.display()))
    })?;
    let log = File::create(profile.log_file()).map_err(|error| failed(error.to_string()))?;
    let variables = INHERITED.iter().filter_map(|name| Some((*name, vars.get(name)?)));
    let mut child = Command::new("/bin/sh")
        .args(["-c", MOVE_PIPES])
        .arg(&program)
        .args(flags::flags(profile.path(), visibility))
        .envs(variables)
        // So that it neither reads nor leaves anything in the user's own folder.
        .env("HOME", profile.path())
        .cwd(profile.path())
        .stdin(Stdin::Piped)
        .output(OutputMode::ErrorsToFile(log))
        .spawn()
        .map_err(|error| failed(format!("{}: {error}", program.display())))?;
    profile.record_browser(child.pid(), child.start_time());
    let (Some(input), Some(output)) = (child.take_stdin(), child.take_stdout()) else {
        return Err(failed("it has no pipes".to_owned()));
    };
    Ok(LaunchedBrowser { child, profile, transport: pipe_transport(input, output) })
}

/// Ends a browser that was told to end, and removes its profile.
pub(crate) async fn finish(mut child: Child, profile: Profile) {
    if tokio::time::timeout(GRACE, child.wait()).await.is_err() {
        tracing::debug!("the browser does not end by itself and is killed");
    }
    // Also what it may have left behind.
    if let Err(error) = child.kill().await {
        tracing::debug!(%error, "the browser could not be killed");
    }
    let removed = tokio::task::spawn_blocking(move || profile.remove()).await;
    if let Ok(Err(error)) = removed {
        tracing::debug!(%error, "the profile of a browser stays");
    }
}

/// The last words of a browser that did not come up.
pub(crate) fn last_words(log: &Path) -> String {
    /// Bytes of the log that are shown.
    const SHOWN: usize = 600;
    let text = std::fs::read(log).unwrap_or_default();
    let tail = &text[text.len().saturating_sub(SHOWN)..];
    String::from_utf8_lossy(tail).trim().replace('\n', "; ")
}

/// Names of the program, in the order in which they are looked for.
pub(crate) const PROGRAMS: [&str; 5] =
    ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome"];

/// A file that can be run.
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Where a program of this name is in a search path.
fn on_path(path: &str, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_program(file))
}
