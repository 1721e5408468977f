//! The gateway as words: `hermes gateway …`, `hermes pairing …`, `hermes send …`.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use hermes_cron::{Deliveries, Destination};
use hermes_host::Host;
use hermes_host::setup::SetupPrompter;
use hermes_skills::report::{ReportTable, VerbReport, VerbStatus};
use hermes_store::UnknownName;
use hermes_store::clock::local_time;
use hermes_tool::settings::Settings as _;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::adapter::{AdapterSetup, platform, platforms};
use crate::core::open_links;
use crate::delivery::deliveries;
use crate::pairing::Pairing;
use crate::pairing::is_same_id;
use crate::process::{self, GatewayEnd, GatewayOptions, STATE_FILE, running, signal_running};
use crate::service::{Service, ServiceScope};
use crate::settings::GatewaySettings;

/// The commands of the program that are about messages.
#[derive(Clone, Debug, Subcommand)]
pub enum MessagingVerb {
    /// The agent in chats: receive and answer messages on Telegram and other platforms
    Gateway {
        /// Without one the gateway runs.
        #[command(subcommand)]
        verb: Option<GatewayVerb>,
    },
    /// Who may talk with the agent in chats
    #[command(subcommand)]
    Pairing(PairingVerb),
    /// Send a text to a chat, without a model
    Send(SendArgs),
}

impl MessagingVerb {
    /// What of the rules it changes, so that a model may not do it through a command.
    #[must_use]
    pub fn changes(&self) -> Option<&'static str> {
        match self {
            Self::Gateway { verb: Some(GatewayVerb::Status { .. } | GatewayVerb::List { .. }) }
            | Self::Pairing(PairingVerb::List { .. }) => None,
            Self::Gateway { .. } => Some("start or end the gateway"),
            Self::Pairing(_) => Some("decide who may talk"),
            Self::Send(_) => Some("write to people past the tool for it"),
        }
    }
}

/// Does what the words say; `tell` gets lines on the way.
///
/// # Errors
/// A sentence for a person.
pub async fn run(
    verb: &MessagingVerb,
    host: &Host,
    tell: &(dyn Fn(&str) + Send + Sync),
    prompter: &mut dyn SetupPrompter,
) -> anyhow::Result<VerbEnd> {
    match verb {
        MessagingVerb::Gateway { verb: None } => {
            Ok(serve(host, &GatewayOptions::default(), tell).await)
        }
        MessagingVerb::Gateway { verb: Some(GatewayVerb::Run { replace, quiet }) } => {
            let options = GatewayOptions { replace: *replace };
            match quiet {
                true => Ok(serve(host, &options, &|_| {}).await),
                false => Ok(serve(host, &options, tell).await),
            }
        }
        MessagingVerb::Gateway { verb: Some(GatewayVerb::Setup { platform }) } => {
            let said = crate::wizard::set_up(host, platform.as_deref(), prompter).await?;
            Ok((VerbReport::text(said), None))
        }
        MessagingVerb::Gateway { verb: Some(verb) } => gateway(verb, host).await,
        MessagingVerb::Pairing(verb) => pairing(verb, host).map(|report| (report, None)),
        MessagingVerb::Send(args) => send(args, host).await.map(|report| (report, None)),
    }
}

async fn serve(
    host: &Host,
    options: &GatewayOptions,
    tell: &(dyn Fn(&str) + Send + Sync),
) -> VerbEnd {
    let nothing = VerbReport::ended(VerbStatus::Done);
    match process::run(host, options, tell).await {
        Ok(GatewayEnd::Stopped) => (nothing, None),
        Ok(GatewayEnd::Restart) => (nothing, Some(75)),
        Err(problem) => (nothing.warned([problem.to_string()]), Some(78)),
    }
}

/// What can be done with the gateway.
#[derive(Clone, Debug, Subcommand)]
pub enum GatewayVerb {
    /// Receive and answer messages, in the foreground
    Run {
        /// Ask a running gateway of this home to end, and take over
        #[arg(long)]
        replace: bool,
        /// Say nothing on the way
        #[arg(short, long)]
        quiet: bool,
    },
    /// Start the installed service
    Start {
        /// That of the machine, not of this person
        #[arg(long)]
        system: bool,
    },
    /// End the running gateway once its turns are saved
    Stop {
        /// The service of the machine, not of this person
        #[arg(long)]
        system: bool,
    },
    /// Have the running gateway end and be started again by whoever supervises it
    Restart,
    /// Make the gateway a service that is started by itself (systemd or launchd)
    Install {
        /// Replace a service file that says something else
        #[arg(long)]
        force: bool,
        /// For the machine, not for this person; needs root
        #[arg(long)]
        system: bool,
        /// Whom the machine's service runs as
        #[arg(long, value_name = "USER", requires = "system")]
        run_as_user: Option<String>,
        /// Start it at once
        #[arg(long)]
        start_now: bool,
        /// Only print the service file
        #[arg(long)]
        print: bool,
    },
    /// Take the service away
    Uninstall {
        /// That of the machine, not of this person
        #[arg(long)]
        system: bool,
    },
    /// Set a platform up: its token, who owns it, where news go
    Setup {
        /// Which one, such as telegram
        platform: Option<String>,
    },
    /// How the gateway and its platforms are (exit code 0 running, 3 stopped, 1 in trouble)
    Status {
        /// Try the credentials of each platform
        #[arg(long)]
        deep: bool,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// The platforms there are, and what each needs
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}

/// What can be done about people who may talk.
#[derive(Clone, Debug, Subcommand)]
pub enum PairingVerb {
    /// Who may talk, and who waits
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Let somebody talk, by the code the bot gave them
    Approve {
        /// Where, such as telegram
        platform: String,
        /// The code
        code: String,
    },
    /// Let somebody talk no longer
    Revoke {
        /// Where
        platform: String,
        /// Their id there
        user: String,
    },
    /// Forget the codes that wait
    ClearPending,
}

/// What is sent, and where to.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  hermes send -t telegram 'The backup is done'
  hermes send -t telegram:-1001234567890:7 -f report.md
  df -h | hermes send -t ntfy")]
pub struct SendArgs {
    /// Where to: a platform (its home chat), platform:chat, platform:chat:thread; commas separate several
    #[arg(short, long, value_name = "TARGET")]
    to: Option<String>,
    /// The text of this file; - is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Option<String>,
    /// A line before the text
    #[arg(short, long)]
    subject: Option<String>,
    /// List where can be sent to; the text then only limits the list
    #[arg(short, long)]
    list: bool,
    /// Say nothing if it worked
    #[arg(short, long)]
    quiet: bool,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    /// The text; without one standard input is read
    message: Vec<String>,
}

/// What a verb came to; the second is the exit code where it is not the report's own.
pub type VerbEnd = (VerbReport, Option<u8>);

/// Does what the words say, but for `run`.
async fn gateway(verb: &GatewayVerb, host: &Host) -> anyhow::Result<VerbEnd> {
    let root = host.home().root();
    Ok(match verb {
        GatewayVerb::Run { .. } | GatewayVerb::Setup { .. } => {
            (VerbReport::ended(VerbStatus::Done), None)
        }
        GatewayVerb::Start { system } => {
            let service = service(host, *system, None)?;
            anyhow::ensure!(
                service.is_installed(),
                "the service is not installed: `hermes gateway install --start-now`, or `hermes gateway run` here"
            );
            service.start().await.map_err(anyhow::Error::msg)?;
            until_running(root).await?
        }
        GatewayVerb::Install { force, system, run_as_user, start_now, print } => {
            let service = service(host, *system, run_as_user.clone())?;
            match print {
                true => (VerbReport::text(service.text().trim_end()), None),
                false => {
                    let said = service.install(*force, *start_now).await;
                    (VerbReport::text(said.map_err(anyhow::Error::msg)?), None)
                }
            }
        }
        GatewayVerb::Uninstall { system } => {
            let said = service(host, *system, None)?.uninstall().await;
            (VerbReport::text(said.map_err(anyhow::Error::msg)?), None)
        }
        GatewayVerb::Stop { system } => {
            // A service that is only killed would be started again.
            let service = installed(host, *system);
            if let Some(service) = &service {
                service.stop().await.map_err(anyhow::Error::msg)?;
            }
            match (signal_running(root, Signal::SIGTERM), service) {
                (None, Some(_)) => (VerbReport::text("Stopped."), None),
                (None, None) => (VerbReport::text("No gateway of this home runs."), Some(3)),
                (Some(pid), _) => {
                    let begun = Instant::now();
                    while running(root).is_some() {
                        anyhow::ensure!(
                            begun.elapsed() < Duration::from_secs(90),
                            "process {pid} does not end; `kill -9 {pid}` loses nothing"
                        );
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                    (VerbReport::text("Stopped."), None)
                }
            }
        }
        GatewayVerb::Restart => match signal_running(root, Signal::SIGUSR1) {
            None => (VerbReport::text("No gateway of this home runs."), Some(3)),
            Some(pid) => {
                let begun = Instant::now();
                while running(root).is_none_or(|now| now == pid)
                    && begun.elapsed() < Duration::from_secs(60)
                {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                match running(root) {
                    Some(new) if new != pid => (VerbReport::text(format!("Process {new} runs.")), None),
                    _ => (
                        VerbReport::text("It has ended and nobody has started it again: start it with `hermes gateway run`.")
                            .ending(VerbStatus::Failed),
                        None,
                    ),
                }
            }
        },
        GatewayVerb::Status { deep, json } => status(host, *deep, *json).await,
        GatewayVerb::List { json } => (listed(host, *json), None),
    })
}

fn service(host: &Host, system: bool, user: Option<String>) -> anyhow::Result<Service> {
    Service::of(host, ServiceScope { system, user }).map_err(anyhow::Error::msg)
}

/// The service, if there is one and it looks after the gateway that runs.
fn installed(host: &Host, system: bool) -> Option<Service> {
    service(host, system, None).ok().filter(Service::is_installed)
}

/// Waits until a gateway of the home says that it is ready.
async fn until_running(root: &std::path::Path) -> anyhow::Result<VerbEnd> {
    let begun = Instant::now();
    loop {
        let text = std::fs::read(root.join(STATE_FILE)).unwrap_or_default();
        let state: Value = serde_json::from_slice(&text).unwrap_or_default();
        if let Some(pid) = running(root)
            && state["pid"] == pid
            && state["gateway_state"] == "running"
        {
            return Ok((VerbReport::text(format!("Process {pid} runs.")), None));
        }
        anyhow::ensure!(
            begun.elapsed() < Duration::from_secs(60),
            "it was started and is not ready after a minute: `hermes gateway status` says more"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn status(host: &Host, deep: bool, as_json: bool) -> VerbEnd {
    let root = host.home().root();
    let pid = running(root);
    let text = std::fs::read(root.join(STATE_FILE)).unwrap_or_default();
    let mut state: Value = serde_json::from_slice(&text).unwrap_or_default();
    if pid.is_none() {
        state["gateway_state"] = json!("stopped");
    }
    let settings = GatewaySettings::read(host.config().value(), host.vars());
    let (links, problems) = open_links(host, &settings);
    if deep {
        for (name, link) in &links {
            let probed = tokio::time::timeout(Duration::from_secs(20), link.adapter.probe()).await;
            let said = match probed {
                Ok(Ok(who)) => who,
                Ok(Err(error)) => format!("{}: {error}", error.class.name()),
                Err(_) => "no answer".to_owned(),
            };
            state["platforms"][*name]["probe"] = json!(said);
        }
    }
    let all = state["platforms"].as_object().cloned().unwrap_or_default();
    let is_sick = all.values().any(|one| one["state"] == "fatal") || !problems.is_empty();
    let (status, code) = match (pid, is_sick) {
        (None, _) => (VerbStatus::Done, Some(3)),
        (Some(_), true) => (VerbStatus::Failed, None),
        (Some(_), false) => (VerbStatus::Done, None),
    };
    if as_json {
        return (VerbReport::json(&state).ending(status), code);
    }
    let mut table = ReportTable::new(["platform", "state", "since", "what"]);
    for (name, one) in &all {
        let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        let what = [text("error_message"), text("probe")].join(" ").trim().to_owned();
        let since = one["updated_at"].as_f64().map(local_time).unwrap_or_default();
        let shown = if pid.is_some() { text("state") } else { "stopped".to_owned() };
        table.row([name.clone(), shown, since, what]);
    }
    let line = match pid {
        None => "The gateway is stopped.".to_owned(),
        Some(pid) => format!(
            "The gateway is {} (process {pid}): {} turns, {} messages waiting.",
            state["gateway_state"].as_str().unwrap_or("starting"),
            state["active_agents"],
            state["waiting_messages"]
        ),
    };
    let health = host.job_store().map(|store| hermes_cron::ticker_health(&store));
    let clock = match health {
        Ok(health) if health.is_held => {
            let seconds = health.silent_for.unwrap_or_default().as_secs();
            format!(" Scheduled jobs: last sign of life {seconds} s ago.")
        }
        _ => String::new(),
    };
    let line = format!("{line}{clock}");
    let warnings =
        problems.iter().map(|(platform, problem)| format!("{}: {problem}", platform.label));
    let report = VerbReport::text(line).warned(warnings);
    let report = match all.is_empty() {
        true => report,
        false => report.with(hermes_skills::report::ReportPart::Table(table)),
    };
    (report.ending(status), code)
}

fn listed(host: &Host, as_json: bool) -> VerbReport {
    let mut table = ReportTable::new(["platform", "set up", "needs"]);
    let mut values = Vec::new();
    for platform in platforms() {
        let setup = AdapterSetup::new(platform, host.config().value(), host.vars());
        let needs: Vec<&str> = platform.required.iter().map(|variable| variable.name).collect();
        let on = setup.is_on_duty();
        values.push(json!({"name": platform.name, "label": platform.label, "set_up": on, "requires": needs}));
        let shown = if on { "yes" } else { "no" };
        table.row([
            format!("{} {}", platform.emoji, platform.name),
            shown.to_owned(),
            needs.join(", "),
        ]);
    }
    if as_json { VerbReport::json(&values) } else { VerbReport::table(table) }
}

/// Does what the words about people say.
fn pairing(verb: &PairingVerb, host: &Host) -> anyhow::Result<VerbReport> {
    let pairing = Pairing::at(host.home().root());
    let names: Vec<&str> = platforms().iter().map(|platform| platform.name).collect();
    let known = |name: &str| {
        platform(name).map(|platform| platform.name).ok_or_else(|| {
            UnknownName(format!("there is no platform `{name}`; there is {}", names.join(", ")))
        })
    };
    Ok(match verb {
        PairingVerb::List { json: true } => VerbReport::json(&pairing.list(&names)),
        PairingVerb::List { json: false } => {
            let people = pairing.list(&names);
            if people.is_empty() {
                return Ok(VerbReport::text("Nobody is paired, and nobody waits."));
            }
            let mut table = ReportTable::new(["platform", "person", "name", "state", "since"]);
            for one in people {
                let state = if one.is_approved { "may talk" } else { "waits" };
                let name = one.user_name.unwrap_or_default();
                table.row([
                    one.platform,
                    one.user_id,
                    name,
                    state.to_owned(),
                    local_time(one.since),
                ]);
            }
            VerbReport::table(table)
        }
        PairingVerb::Approve { platform, code } => {
            let platform = known(platform)?;
            let person = pairing.approve(platform, code)?;
            allow_listed(host, platform, &person.user_id, true)?;
            let name = person.user_name.unwrap_or_else(|| person.user_id.clone());
            VerbReport::text(format!("{name} may talk on {platform} from now on."))
        }
        PairingVerb::Revoke { platform, user } => {
            let platform = known(platform)?;
            let had = pairing.revoke(platform, user)?;
            let listed = allow_listed(host, platform, user, false)?;
            let report = VerbReport::text(match had || listed {
                true => format!("{user} may no longer talk on {platform}."),
                false => format!("{user} was neither paired nor listed on {platform}."),
            });
            report.warned(still_listed(host, platform, user).map(|place| {
                format!(
                    "{place} still names {user}: a gateway that starts anew would let them in. Take \
                     them out there."
                )
            }))
        }
        PairingVerb::ClearPending => {
            for name in names {
                pairing.clear_pending(name)?;
            }
            VerbReport::text("The codes that waited are forgotten.")
        }
    })
}

/// Where a list of people is in force, it is the list that counts: who is approved is on it.
/// Gives whether they were on it.
fn allow_listed(host: &Host, name: &str, user: &str, is_welcome: bool) -> anyhow::Result<bool> {
    let Some(platform) = platform(name) else { return Ok(false) };
    let variable = platform.variable("ALLOWED_USERS");
    let Some(listed) = host.vars().non_blank(&variable) else { return Ok(false) };
    let mut ids: Vec<&str> = listed.split(',').map(str::trim).filter(|id| !id.is_empty()).collect();
    let before = ids.len();
    ids.retain(|id| !is_same_id(id, user));
    let was_listed = ids.len() < before;
    if is_welcome {
        ids.push(user);
    }
    hermes_store::dotenv::set(&host.home().env_file(), &variable, &ids.join(","))?;
    Ok(was_listed)
}

/// Lists beside the one in `.env` that let somebody in: the environment of services, all platforms, `config.yaml`.
fn still_listed(host: &Host, name: &str, user: &str) -> Option<String> {
    let platform = platform(name)?;
    let names = |list: &str| list.split(',').any(|id| is_same_id(id, user));
    let variable = platform.variable("ALLOWED_USERS");
    let from_process = hermes_tool::Vars::from_process();
    if from_process.get(&variable).is_some_and(names) {
        return Some(format!("{variable} in the environment"));
    }
    if host.vars().get("GATEWAY_ALLOWED_USERS").is_some_and(names) {
        return Some("GATEWAY_ALLOWED_USERS".to_owned());
    }
    let setup = AdapterSetup::new(platform, host.config().value(), host.vars());
    let is_in_config = setup.list("allow_from").iter().any(|id| is_same_id(id, user));
    is_in_config.then(|| format!("platforms.{name}.allow_from in config.yaml"))
}

/// Sends a text without a model.
async fn send(args: &SendArgs, host: &Host) -> anyhow::Result<VerbReport> {
    let deliveries = deliveries(host);
    if args.list {
        return Ok(places(&deliveries, args).await);
    }
    let text = match (&args.file, args.message.is_empty()) {
        (Some(file), _) if file != "-" => {
            std::fs::read_to_string(file).with_context(|| format!("read {file}"))?
        }
        (None, false) => args.message.join(" "),
        _ => std::io::read_to_string(std::io::stdin())?,
    };
    let text = match &args.subject {
        Some(subject) => format!("**{subject}**\n\n{text}"),
        None => text,
    };
    anyhow::ensure!(!text.trim().is_empty(), "there is nothing to send");
    let first_home = || {
        let mut all = deliveries.targets().iter();
        all.find(|target| target.home_chat().is_some()).map(|target| target.platform().to_owned())
    };
    let targets = args.to.clone().or_else(first_home);
    let targets = targets
        .ok_or_else(|| anyhow::anyhow!("say where to with -t; no platform has a home chat"))?;
    let is_unknown = targets.split(',').any(|target| {
        let name = target.trim().split(':').next().unwrap_or_default();
        !name.eq_ignore_ascii_case("all") && platform(name).is_none()
    });
    let places = deliveries.destinations(&targets, None).map_err(|problem| match is_unknown {
        true => UnknownName(problem.to_string()).into(),
        false => anyhow::Error::from(problem),
    })?;
    let mut sent = Vec::new();
    let mut problems = Vec::new();
    for place in places {
        let Destination::Chat { platform, place } = &place else {
            let is_home = targets.split(',').any(|one| matches!(one.trim(), "all" | "origin"));
            match is_home {
                true => anyhow::bail!("no platform has a home chat; name a chat with -t"),
                false => anyhow::bail!("`{targets}` is no chat that a text can be sent to"),
            }
        };
        match deliveries.send(platform, place, &text).await {
            Ok(id) => {
                sent.push(json!({"platform": platform, "chat_id": place, "message_id": id}));
            }
            Err(problem) => problems.push(format!("{platform}: {problem}")),
        }
    }
    let status = if problems.is_empty() { VerbStatus::Done } else { VerbStatus::Failed };
    let report = match (args.json, args.quiet) {
        (true, _) => VerbReport::json(
            &json!({"success": problems.is_empty(), "sent": sent, "problems": problems}),
        ),
        (false, true) => VerbReport::ended(VerbStatus::Done),
        (false, false) => {
            let all = sent.len() + problems.len();
            VerbReport::text(format!("Sent to {} of {all}.", sent.len()))
        }
    };
    Ok(report.warned(problems).ending(status))
}

/// Where can be sent to.
async fn places(deliveries: &Deliveries, args: &SendArgs) -> VerbReport {
    let filter = args.message.join(" ").to_lowercase();
    let mut table = ReportTable::new(["target", "name"]);
    let mut values = Vec::new();
    for target in deliveries.targets() {
        let home = target.home_chat().map(|home| (home, "home chat".to_owned()));
        // A platform that cannot be asked now can be written to all the same.
        let named = target.channels().await.unwrap_or_default();
        let mut all: Vec<(String, String)> = home.into_iter().chain(named).collect();
        if all.is_empty() {
            all.push(("CHAT".to_owned(), String::new()));
        }
        for (place, name) in all {
            let whole = format!("{}:{place}", target.platform());
            if !filter.is_empty() && !format!("{whole} {name}").to_lowercase().contains(&filter) {
                continue;
            }
            values.push(json!({"target": whole, "name": name}));
            table.row([whole, name]);
        }
    }
    if args.json { VerbReport::json(&values) } else { VerbReport::table(table) }
}
