//! Brings the person at the terminal to a login page.

use std::time::{Duration, Instant};

use hermes_mcp::oauth::callback::CallbackResult;
use hermes_mcp::oauth::settings::LOGIN_WAIT;
use hermes_mcp::oauth::{Guide, LoginPage, Said};
use hermes_process::{Command, Leftovers, Lifetime};
use hermes_tool::{BoxFuture, Vars};
use hermes_tui::elicit::{EchoMode, LEAD, LinePrompter, LineQuestion, TerminalLines};

/// What a person types to leave it.
const SKIP: &str = "skip";
/// What a desktop needs to find its browser; nothing else of ours goes there.
const DESKTOP_VARIABLES: [&str; 9] = [
    "PATH",
    "HOME",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_CURRENT_DESKTOP",
    "DBUS_SESSION_BUS_ADDRESS",
    "BROWSER",
];
/// How long it may take to ask the desktop for a browser.
const BROWSER: Duration = Duration::from_secs(5);

/// Shows the page at the terminal, opens it where there is a desktop, and takes a pasted address.
pub(super) struct TerminalGuide {
    pub(super) vars: Vars,
}

impl Guide for TerminalGuide {
    fn show(&self, page: LoginPage) -> BoxFuture<Said> {
        let vars = self.vars.clone();
        Box::pin(async move {
            let mut statement = vec![
                format!("{LEAD}Log in to {} in your browser:", page.server),
                String::new(),
                page.url.to_string(),
                String::new(),
            ];
            if is_remote(&vars) {
                statement.push(format!(
                    "On another machine's browser, either tunnel the way back: ssh -L {0}:127.0.0.1:{0} …",
                    page.port
                ));
                statement.push("or log in there and paste the address you end at.".to_owned());
            } else {
                open(&page, &vars).await;
            }
            let mut prompt = format!("Waiting (or paste the address you end at; {SKIP} leaves): ");
            loop {
                let asked = LineQuestion {
                    statement: std::mem::take(&mut statement),
                    prompt: std::mem::take(&mut prompt),
                    echo: EchoMode::Seen,
                    until: Instant::now() + LOGIN_WAIT,
                };
                match TerminalLines.line(asked).await.as_deref().map(str::trim) {
                    Some(SKIP) => return Said::Skipped,
                    Some(text) if CallbackResult::of_paste(text).is_some() => {
                        return Said::Pasted(text.to_owned());
                    }
                    Some("") => {}
                    Some(_) => prompt = "That is not the address after the login: ".to_owned(),
                    // Nobody types here; the browser may still come back.
                    None => std::future::pending().await,
                }
            }
        })
    }
}

/// Whether the browser is likely to be on another machine.
fn is_remote(vars: &Vars) -> bool {
    ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].iter().any(|name| vars.non_blank(name).is_some())
}

/// Opens the page if there is a desktop to open it on. The address is on the screen in any case.
async fn open(page: &LoginPage, vars: &Vars) {
    let has_desktop = cfg!(target_os = "macos")
        || vars.non_blank("DISPLAY").is_some()
        || vars.non_blank("WAYLAND_DISPLAY").is_some();
    if !has_desktop {
        return;
    }
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let command = Command::new(program)
        .arg(page.url.as_str())
        .env_inherit(DESKTOP_VARIABLES)
        .deadline(BROWSER)
        .leftovers(Leftovers::Keep)
        .lifetime(Lifetime::Survives);
    if let Err(problem) = command.run().await {
        tracing::debug!(%problem, "no browser");
    }
}
