//! From nothing to a model that answers.
//!
//! [`first_run`] offers what is there, one thing after another: servers that answer on this machine, then the
//! built-in engine. [`choose`] is the longer way, for whoever wants another: servers found here first, then
//! providers with a key, then any address. Either way a model is asked one short question before anything is
//! stored, and nothing is downloaded without a yes.
//!
//! Who speaks with the person is a [`SetupPrompter`], so that the dialogue can be had at a terminal or in a test. Keys
//! are read unseen and go to `.env`, which only its owner can read.

mod attempt;
mod built_in;
mod cloud;
mod servers;

use std::io;

use hermes_llm::EndpointChoice;
use hermes_llm::provider::{PROVIDERS, ProviderEntry, ResolveError, find};
use hermes_store::dotenv;

pub use servers::{FoundServer, found_servers};

use built_in::Taken;

use crate::models::ModelSources;
use crate::{Host, HostError};

/// Providers that are offered by number; all others by name.
const OFFERED: &[&str] = &["openrouter", "anthropic", "openai-api", "nous", "gemini", "deepseek"];

/// Whoever speaks with the person.
pub trait SetupPrompter: Send {
    /// Shows a line.
    fn say(&mut self, line: &str) -> io::Result<()>;
    /// Asks for a line; the answer without white space around it. `None` where the person has left.
    fn ask(&mut self, question: &str) -> io::Result<Option<String>>;
    /// The same for a line that is not shown while it is typed.
    fn ask_secret(&mut self, question: &str) -> io::Result<Option<String>>;
    /// How far something long is, the same place on the screen each time; empty when it is over. Not shown by default.
    fn progress(&mut self, text: &str) {
        let _ = text;
    }
}

/// How a dialogue ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupEnd {
    /// A model answered and is stored.
    Ready {
        /// Its name.
        model: String,
    },
    /// The person left; nothing was changed.
    Left,
    /// There was nothing to offer, or no offer was taken.
    Nothing,
}

/// What is stored once a model has answered.
struct Candidate {
    choice: EndpointChoice,
    settings: Vec<(&'static str, String)>,
    secret: Option<(String, String)>,
}

/// What may go wrong in a dialogue.
#[derive(Debug, thiserror::Error)]
pub enum ModelSetupError {
    /// The terminal failed.
    #[error("ask at the terminal: {0}")]
    Terminal(#[from] io::Error),
    /// The settings could not be changed.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The key could not be stored.
    #[error("store the key: {0}")]
    Key(String),
}

/// Offers what is there, in order, each with a yes or no.
///
/// # Errors
/// If the terminal fails or nothing can be stored.
pub async fn first_run(
    host: &Host,
    prompter: &mut dyn SetupPrompter,
) -> Result<SetupEnd, ModelSetupError> {
    let found = found_servers(host).await;
    for server in &found {
        let Some(model) = server.models.first() else { continue };
        let more = match server.models.len() {
            1 => String::new(),
            several => format!(" ({several} models)"),
        };
        let question = format!(
            "{} answers at {} with {model}{more}. Use it? [Y/n] ",
            server.title, server.base_url
        );
        match yes(prompter, &question, true)? {
            None => return Ok(SetupEnd::Left),
            Some(false) => continue,
            Some(true) => {}
        }
        if let Some(end) = settle(host, prompter, server.candidate(model), OnFailure::GoOn).await? {
            return Ok(end);
        }
    }
    for offer in built_in::offers(host) {
        match built_in::take_one(host, prompter, &offer).await? {
            Taken::Left => return Ok(SetupEnd::Left),
            Taken::No => {}
            Taken::Candidate(candidate) => {
                if let Some(end) = settle(host, prompter, *candidate, OnFailure::GoOn).await? {
                    return Ok(end);
                }
            }
        }
    }
    Ok(SetupEnd::Nothing)
}

/// Why there is nobody to ask, in two lines for whoever cannot be asked back.
pub async fn what_is_missing(host: &Host, problem: &HostError) -> String {
    let HostError::NoModel(ResolveError::NothingSetUp) = problem else {
        return problem.to_string();
    };
    let found = found_servers(host).await;
    let way = match found.first() {
        Some(server) => format!(
            "{} answers at {} with {}: `hermes setup` takes it over",
            server.title,
            server.base_url,
            server.models.join(", ")
        ),
        None => match built_in::offers(host).first() {
            Some(offer) => format!("{}; `hermes setup` asks for others", offer.way()),
            None => "`hermes setup` asks for one; or set OPENROUTER_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY"
                .to_owned(),
        },
    };
    format!("no model is set up: config.yaml names none and the environment has no key\n  {way}")
}

/// Asks which model it shall be, tries it and stores it.
///
/// # Errors
/// If the terminal fails or nothing can be stored.
pub async fn choose(
    host: &Host,
    prompter: &mut dyn SetupPrompter,
) -> Result<SetupEnd, ModelSetupError> {
    prompter.say("Looking for model servers on this machine …")?;
    let found = found_servers(host).await;
    let built_in = built_in::offers(host);
    let offered: Vec<&ProviderEntry> = OFFERED.iter().filter_map(|name| find(name)).collect();
    prompter.say("Who serves the model?")?;
    let mut number = 0;
    for server in &found {
        number += 1;
        let models = server.models.join(", ");
        prompter.say(&format!(
            "  {number}  {} at {} (found here: {models})",
            server.title, server.base_url
        ))?;
    }
    for offer in &built_in {
        number += 1;
        prompter.say(&format!("  {number}  {}", offer.title()))?;
    }
    for provider in &offered {
        number += 1;
        let key = provider.key_vars.iter().any(|name| host.vars().non_blank(name).is_some());
        let key = if key { " (its key is set)" } else { "" };
        prompter.say(&format!("  {number}  {}{key}", provider.title))?;
    }
    prompter.say(&format!(
        "or an address such as http://127.0.0.1:8080/v1, or one of the {} names of `hermes model providers`",
        PROVIDERS.len()
    ))?;
    loop {
        let Some(answer) =
            prompter.ask(&format!("1–{number}, a name or an address; Enter to leave: "))?
        else {
            return Ok(SetupEnd::Left);
        };
        if answer.is_empty() {
            return Ok(SetupEnd::Left);
        }
        let place = answer.parse::<usize>().ok().and_then(|at| at.checked_sub(1));
        let candidate = match place {
            Some(at) if at < found.len() => servers::pick_model(prompter, &found[at])?,
            Some(at) if at < found.len() + built_in.len() => {
                built_in[at - found.len()].candidate(host, prompter).await?
            }
            Some(at) if at < number => {
                cloud::ask(host, prompter, offered[at - found.len() - built_in.len()])?
            }
            _ if answer.contains("://") => servers::ask_address(host, prompter, &answer).await?,
            _ => match find(&answer).filter(|known| !known.base_url.is_empty()) {
                Some(provider) => cloud::ask(host, prompter, provider)?,
                None => {
                    prompter.say(&format!("{answer:?} is not one of them"))?;
                    continue;
                }
            },
        };
        let Some(candidate) = candidate else { return Ok(SetupEnd::Left) };
        return Ok(settle(host, prompter, candidate, OnFailure::Ask)
            .await?
            .unwrap_or(SetupEnd::Left));
    }
}

/// What follows if a model does not answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnFailure {
    /// The next one is offered.
    GoOn,
    /// The person decides whether it is stored all the same.
    Ask,
}

/// Tries a model and stores it. Nothing if it did not answer and was not stored.
async fn settle(
    host: &Host,
    prompter: &mut dyn SetupPrompter,
    candidate: Candidate,
    on_failure: OnFailure,
) -> Result<Option<SetupEnd>, ModelSetupError> {
    let model = candidate.choice.model.clone().unwrap_or_default();
    prompter.say(&format!("Asking {model} for a word …"))?;
    match attempt::asks(host, &candidate).await {
        Ok(took) => prompter.say(&format!("It answered after {:.1} s.", took.as_secs_f64()))?,
        Err(problem) => {
            prompter.say(&format!("It did not answer: {problem}"))?;
            let insists = on_failure == OnFailure::Ask
                && yes(prompter, "Store it all the same? [y/N] ", false)? == Some(true);
            if !insists {
                return Ok(None);
            }
        }
    }
    if let Some((variable, key)) = &candidate.secret {
        let file = host.home().env_file();
        dotenv::set(&file, variable, key)
            .map_err(|error| ModelSetupError::Key(error.to_string()))?;
        prompter.say(&format!("{variable} stored in {}", file.display()))?;
    }
    let settings: Vec<(&str, &str)> =
        candidate.settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
    ModelSources::of(host).store(&settings, false)?;
    prompter.say(&format!("{model} answers from now on."))?;
    Ok(Some(SetupEnd::Ready { model }))
}

/// A yes or a no; Enter means `default`. `None` where the person has left.
fn yes(
    prompter: &mut dyn SetupPrompter,
    question: &str,
    default: bool,
) -> io::Result<Option<bool>> {
    loop {
        let Some(answer) = prompter.ask(question)? else { return Ok(None) };
        match answer.to_lowercase().as_str() {
            "" => return Ok(Some(default)),
            "y" | "yes" => return Ok(Some(true)),
            "n" | "no" => return Ok(Some(false)),
            other => prompter.say(&format!("{other:?}: y for yes, n for no"))?,
        }
    }
}
