//! `hermes dashboard`: the command.

use std::io::{BufRead as _, IsTerminal as _};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use hermes_host::Host;
use hermes_serve::{AccessToken, HttpFlags, Opening};
use hermes_store::config_edit;
use hermes_store::home::ensure_private_dir;
use hermes_store::key_path::KeyPath;
use hermes_tool::settings::Settings as _;
use tokio_util::sync::CancellationToken;

use crate::app::{CookieName, Dashboard};
use crate::logins::{Door, Logins};
use crate::password::PasswordHash;
use crate::problem::of_access;
use crate::routes::{MAX_BODY, POLICY, router};
use crate::running::{announce, end, running, take_place};
use crate::settings::{DashboardSettings, PasswordSettings};

/// Where it listens, unless told otherwise.
const PORT: u16 = 9_119;

/// What `hermes dashboard` takes.
#[derive(Clone, Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  hermes dashboard                       prints a link that opens once; Enter prints another
  hermes dashboard set-password          needed before other machines may reach it
  hermes dashboard --host 0.0.0.0 --allow-host hermes.lan
  hermes dashboard --stop"
)]
pub struct DashboardArgs {
    #[command(subcommand)]
    act: Option<DashboardAct>,
    /// The address to listen on; beyond this machine takes a password
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// A further name by which it may be addressed, as behind a proxy
    #[arg(long = "allow-host", value_name = "NAME")]
    allow_hosts: Vec<String>,
    /// Taken for the sake of older scripts: the link is printed, and no browser is opened
    #[arg(long, hide = true)]
    no_open: bool,
    /// End the dashboard that runs
    #[arg(long, conflicts_with = "status")]
    stop: bool,
    /// Say whether one runs, and where
    #[arg(long)]
    status: bool,
    /// Taken and without effect: there is no way around the login
    #[arg(long, hide = true)]
    insecure: bool,
}

#[derive(Clone, Debug, Subcommand)]
enum DashboardAct {
    /// Choose the password that other machines log in with
    SetPassword,
}

/// What the program lends for it: its output, its terminal, its way to open a page.
pub struct DashboardOutput<'a> {
    /// A line for stdout.
    pub tell: &'a mut dyn FnMut(&str) -> anyhow::Result<()>,
    /// A line for stderr.
    pub note: &'a mut dyn FnMut(&str) -> anyhow::Result<()>,
    /// Asks for a text that is not seen while it is typed.
    pub ask_secret: &'a mut dyn FnMut(&str) -> std::io::Result<Option<String>>,
}

/// Does what the arguments say; serves until `stop`.
///
/// # Errors
/// If the settings or the port cannot be used, another dashboard runs, or other machines could get in without a password.
pub async fn run(
    args: &DashboardArgs,
    host: &Host,
    stop: CancellationToken,
    mut output: DashboardOutput<'_>,
) -> anyhow::Result<()> {
    let root = host.home().root();
    if let Some(DashboardAct::SetPassword) = args.act {
        return set_password(host, &mut output);
    }
    if args.stop || args.status {
        let found = running(root).context("no dashboard runs for this home")?;
        if args.status {
            return (output.tell)(&format!("http://{} (process {})", found.address, found.pid));
        }
        if !end(&found) {
            bail!("process {} could not be told to end", found.pid);
        }
        return (output.tell)("told to end");
    }
    serve(args, host, stop, output).await
}

fn set_password(host: &Host, output: &mut DashboardOutput<'_>) -> anyhow::Result<()> {
    host.require_sound_config()?;
    let first = (output.ask_secret)("Password: ")?.context("no password was given")?;
    let hash = PasswordHash::of(&first)?;
    let second = (output.ask_secret)("Again: ")?.unwrap_or_default();
    if first != second {
        bail!("the two are not the same; nothing was changed");
    }
    let path = KeyPath::parse("dashboard.basic_auth.password_hash")?;
    config_edit::set(&host.home().config_file(), &path, hash.to_text().into())?;
    let settings = PasswordSettings::read(host.config().value(), host.vars());
    (output.tell)(&format!("The password of {} is set.", settings.username))
}

/// The name and password of the settings.
fn door(host: &Host) -> anyhow::Result<Option<Door>> {
    let settings = PasswordSettings::read(host.config().value(), host.vars());
    let hash = match (&settings.password_hash, &settings.password) {
        (Some(text), _) if !text.trim().is_empty() => PasswordHash::parse(text)?,
        (_, Some(plain)) if !plain.is_empty() => PasswordHash::of(plain)?,
        _ => return Ok(None),
    };
    Ok(Some(Door { username: settings.username, hash }))
}

async fn serve(
    args: &DashboardArgs,
    host: &Host,
    stop: CancellationToken,
    output: DashboardOutput<'_>,
) -> anyhow::Result<()> {
    let root = host.home().root().to_owned();
    ensure_private_dir(&root)?;
    let settings = DashboardSettings::read(host.config().value(), host.vars());
    let door = door(host)?;
    let address = SocketAddr::new(args.host, args.port);
    if args.insecure {
        (output.note)("(--insecure has no effect: there is always a login)")?;
    }
    if !args.host.is_loopback() && door.is_none() {
        bail!(
            "{address} can be reached from other machines, and there is no password to keep them out\n  \
             `hermes dashboard set-password` sets one; without, listen on 127.0.0.1"
        );
    }
    let Ok(place) = take_place(&root) else {
        let text = match running(&root) {
            Some(one) => {
                format!("one runs already at http://{} (process {})", one.address, one.pid)
            }
            None => "another one is about to start or to end".to_owned(),
        };
        bail!(
            "{text}\n  `hermes dashboard --stop` ends it; Enter in its terminal gives a new link"
        );
    };
    let mut names = settings.allowed_hosts.clone();
    names.extend(args.allow_hosts.iter().cloned());
    let public = settings.public_url.as_deref().and_then(|url| url::Url::parse(url).ok());
    names.extend(public.as_ref().and_then(|url| url.host_str().map(str::to_owned)));
    let flags = HttpFlags { token_file: None, allow_hosts: names };
    // The token is for the port alone, which is opened to other machines only with one; who comes is asked here.
    let opening = Opening::new(address, Some(AccessToken::generate()?), &flags).await?;
    let address = opening.address();
    let life = PasswordSettings::read(host.config().value(), host.vars()).session_ttl_seconds;
    let logins = Logins::new(Duration::from_secs(life.into()), door);
    let is_secure = public.as_ref().is_some_and(|url| url.scheme() == "https");
    let name = match is_secure {
        true => "__Host-hermes_session".to_owned(),
        // A browser keeps no cookies apart by port.
        false => format!("hermes_dashboard_{}", address.port()),
    };
    let cookie = CookieName { name, is_secure };
    let app = Dashboard::new(host.clone(), logins, cookie, stop.clone());
    let access =
        opening.access().with_own_login().pages(POLICY).max_body(MAX_BODY).problems_as(of_access);
    announce(&root, &address.to_string())?;
    (output.tell)(&format!("HERMES_DASHBOARD_READY port={}", address.port()))?;
    let shown = public.map_or_else(
        || format!("http://{address}"),
        |url| url.as_str().trim_end_matches('/').to_owned(),
    );
    if !address.ip().is_loopback() {
        (output.note)(
            "warning: other machines can reach this dashboard. Put TLS before it: without, name and \
             password can be read on the way",
        )?;
        (output.tell)(&shown)?;
    } else {
        let link = format!("{shown}/?t={}", app.logins.new_link()?);
        (output.tell)(&link)?;
        (output.note)("(the link opens once, within five minutes; Enter prints another)")?;
    }
    let mut wishes = wishes();
    let serving = opening.serve_behind(access, router(app.clone()), stop);
    tokio::pin!(serving);
    let served = loop {
        tokio::select! {
            served = &mut serving => break served,
            Some(()) = wishes.recv(), if address.ip().is_loopback() => {
                (output.tell)(&format!("{shown}/?t={}", app.logins.new_link()?))?;
            }
        }
    };
    if let Some(unwritten) = app.close().await {
        (output.note)(&format!("warning: {unwritten}"))?;
    }
    drop(place);
    Ok(served?)
}

/// Enter at the terminal: somebody wants another link.
fn wishes() -> tokio::sync::mpsc::Receiver<()> {
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    if std::io::stdin().is_terminal() {
        // It waits for a key for as long as the process lives, and holds nothing.
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                if line.is_err() || sender.blocking_send(()).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}
