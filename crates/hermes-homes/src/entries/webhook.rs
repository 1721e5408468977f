//! `hermes webhook`: what other programs may start, as routes in config.yaml. The secret of a route is in `.env`, and is told
//! once, for the program that calls.

use clap::{Args, Subcommand};
use hermes_gateway::adapter::written_extra;
use hermes_host::{Host, UsageError};
use hermes_serve::AccessToken;
use hermes_skills::report::{ReportTable, VerbReport};
use hermes_store::config::Config;
use hermes_store::config_edit::{self, Edit};
use hermes_store::dotenv;
use hermes_store::key_path::KeyPath;
use serde_json::{Map, Value, json};

/// Who takes the calls.
const PLATFORM: &str = "webhook";
/// The port where none is configured.
const USUAL_PORT: u64 = 8_644;
/// Longest name of a route.
const LONGEST_NAME: usize = 40;

/// What can be done with routes.
#[derive(Clone, Debug, Subcommand)]
pub enum WebhookVerb {
    /// The routes there are
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Make a route with a secret of its own
    Subscribe(SubscribeArgs),
    /// Take a route away
    Remove {
        /// Its name
        name: String,
    },
}

/// What a route does when it is called, and who hears of it.
#[derive(Clone, Debug, Args)]
pub struct SubscribeArgs {
    /// Its name, the last part of the address: letters, digits and `-`
    name: String,
    /// What the agent is asked; `{a.b}` stands for a field of the call
    #[arg(long)]
    prompt: Option<String>,
    /// Only calls of these events
    #[arg(long, value_delimiter = ',', value_name = "EVENT,…")]
    events: Vec<String>,
    /// Skills that are loaded
    #[arg(long, value_delimiter = ',', value_name = "SKILL,…")]
    skills: Vec<String>,
    /// Where the answer goes: a platform, or `log` for the session alone
    #[arg(long, default_value = "log")]
    deliver: String,
    /// The chat there, if not the home channel
    #[arg(long, value_name = "CHAT")]
    deliver_chat_id: Option<String>,
    /// Send the filled prompt as it is, without asking a model
    #[arg(long, requires = "prompt")]
    deliver_only: bool,
}

impl WebhookVerb {
    /// What of the rules it changes, so that a model may not do it through a command.
    #[must_use]
    pub fn changes(&self) -> Option<&'static str> {
        (!matches!(self, Self::List { .. })).then_some("change what other programs may start")
    }

    /// Does it. The report on a new route has its secret in it, which is told only there.
    ///
    /// # Errors
    /// A [`UsageError`] for a name that cannot be or is taken, a route that is not there, or an unknown platform; else if the
    /// settings are broken or cannot be written.
    pub fn run(&self, host: &Host) -> anyhow::Result<VerbReport> {
        match self {
            Self::List { json: false } => list(host),
            Self::List { json: true } => {
                let told = |(name, route): (String, Value)| {
                    json!({"name": name, "url": address(host, &name), "events": route["events"],
                        "deliver": route["deliver"], "has_secret": !route["secret"].is_null()})
                };
                Ok(VerbReport::json(&routes(host)?.into_iter().map(told).collect::<Vec<_>>()))
            }
            Self::Subscribe(args) => subscribe(args, host),
            Self::Remove { name } => remove(name, host),
        }
    }
}

/// The routes as they are written.
fn routes(host: &Host) -> anyhow::Result<Map<String, Value>> {
    let file = host.home().config_file();
    if !file.exists() {
        return Ok(Map::new());
    }
    let config = Config::load_unexpanded(&file)?;
    let extra = written_extra(PLATFORM, config.value(), host.vars());
    Ok(extra["routes"].as_object().cloned().unwrap_or_default())
}

fn address(host: &Host, name: &str) -> String {
    let configured = written_extra(PLATFORM, host.config().value(), host.vars())["port"].as_u64();
    let variable = host.vars().non_blank("WEBHOOK_PORT").and_then(|port| port.parse().ok());
    let port = variable.or(configured).unwrap_or(USUAL_PORT);
    format!("http://127.0.0.1:{port}/webhooks/{name}")
}

/// The variable that holds a route's secret.
fn secret_variable(name: &str) -> String {
    format!("WEBHOOK_{}_SECRET", name.to_ascii_uppercase().replace('-', "_"))
}

fn list(host: &Host) -> anyhow::Result<VerbReport> {
    let routes = routes(host)?;
    if routes.is_empty() {
        return Ok(VerbReport::text(
            "No route. `hermes webhook subscribe NAME --prompt TEXT` makes one.",
        ));
    }
    let mut table =
        ReportTable::new(["route", "events", "deliver", "address"]).minor(&[3]).wrapped();
    for (name, route) in routes {
        let events = route["events"].as_array().into_iter().flatten().filter_map(Value::as_str);
        table.row([
            name.clone(),
            events.collect::<Vec<_>>().join(", "),
            route["deliver"].as_str().unwrap_or_default().to_owned(),
            address(host, &name),
        ]);
    }
    Ok(VerbReport::table(table))
}

fn path(segments: &[&str]) -> anyhow::Result<KeyPath> {
    let whole = ["platforms", PLATFORM].iter().chain(segments).copied();
    KeyPath::from_segments(whole).ok_or_else(|| anyhow::anyhow!("a name is empty"))
}

fn subscribe(args: &SubscribeArgs, host: &Host) -> anyhow::Result<VerbReport> {
    host.require_sound_config()?;
    let name = args.name.as_str();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
        return Err(UsageError::new(format!(
            "a route's name has 1 to {LONGEST_NAME} small letters, digits and `-`"
        ))
        .into());
    }
    if routes(host)?.contains_key(name) {
        return Err(UsageError::new(format!(
            "there is a route {name:?} already; `hermes webhook remove {name}` takes it away"
        ))
        .into());
    }
    let known = hermes_gateway::adapter::platform(&args.deliver).is_some();
    if args.deliver != "log" && !known {
        return Err(UsageError::new(format!(
            "{:?} is no platform; `hermes gateway list` shows them",
            args.deliver
        ))
        .into());
    }
    let (variable, secret) = (secret_variable(name), AccessToken::generate()?);
    let mut route = Map::new();
    route.insert("secret".to_owned(), json!(format!("${{{variable}}}")));
    if !args.events.is_empty() {
        route.insert("events".to_owned(), json!(args.events));
    }
    if let Some(prompt) = &args.prompt {
        route.insert("prompt".to_owned(), json!(prompt));
    }
    if !args.skills.is_empty() {
        route.insert("skills".to_owned(), json!(args.skills));
    }
    route.insert("deliver".to_owned(), json!(args.deliver));
    if let Some(chat) = &args.deliver_chat_id {
        route.insert("deliver_extra".to_owned(), json!({"chat_id": chat}));
    }
    if args.deliver_only {
        route.insert("deliver_only".to_owned(), json!(true));
    }
    dotenv::set(&host.home().env_file(), &variable, secret.reveal())?;
    let edits = [
        Edit::Set(path(&["enabled"])?, json!(true)),
        Edit::Set(path(&["extra", "routes", name])?, Value::Object(route)),
    ];
    config_edit::apply(&host.home().config_file(), &edits)?;
    let told = format!("address  {}\nsecret   {}", address(host, name), secret.reveal());
    Ok(VerbReport::text(told).noted([
        "(The secret is shown this once; the program that calls signs with it. A gateway that runs takes the route up after \
         `hermes gateway restart`.)",
    ]))
}

fn remove(name: &str, host: &Host) -> anyhow::Result<VerbReport> {
    host.require_sound_config()?;
    if !routes(host)?.contains_key(name) {
        return Err(UsageError::new(format!(
            "there is no route {name:?}\n  `hermes webhook list` shows them"
        ))
        .into());
    }
    config_edit::unset(&host.home().config_file(), &path(&["extra", "routes", name])?)?;
    dotenv::unset(&host.home().env_file(), &secret_variable(name))?;
    Ok(VerbReport::text(format!("{name} is gone; a gateway that runs notices at its next start")))
}
