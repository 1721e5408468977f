//! The built-in engine: a model that lies here already, or one that can be fetched without an account.
//!
//! Nothing is fetched, started or stored before somebody said yes to just that.

use std::fs;
use std::io;

use hermes_llm::EndpointChoice;
use hermes_local::catalogue::{self, CatalogueModel};
use hermes_local::engine;
use hermes_local::found::found_models;
use hermes_local::library::{Library, UsableModel, usable};
use hermes_local::verbs::{self, LocalContext, LocalOutput, LocalVerb};

use super::{Candidate, ModelSetupError, SetupPrompter, yes};
use crate::Host;

/// Files of other programs that are offered, one after another; `hermes local list` shows all.
const MAX_FOUND: usize = 2;

/// What there is to offer.
pub(super) enum BuiltIn {
    /// A file that is here.
    Here(UsableModel),
    /// A model that would have to be fetched.
    Fetch(&'static CatalogueModel),
}

/// What the engine of this build could run, the best first; nothing in a build without one.
pub(super) fn offers(host: &Host) -> Vec<BuiltIn> {
    if !engine::IS_BUILT {
        return Vec::new();
    }
    let mut own = Library::of(host.home()).models();
    // The table goes from small to large; what is not in it was fetched on purpose and comes first.
    let rank = |model: &UsableModel| {
        catalogue::models().iter().position(|known| known.name == model.name).unwrap_or(usize::MAX)
    };
    own.sort_by_key(|model| std::cmp::Reverse(rank(model)));
    let others = found_models(host.vars()).into_iter().map(usable).take(MAX_FOUND);
    let mut offers: Vec<BuiltIn> = own.into_iter().chain(others).map(BuiltIn::Here).collect();
    if offers.is_empty() {
        let room_mb = available_memory_mb();
        let fits = |model: &&CatalogueModel| room_mb.is_none_or(|room| model.ram_mb <= room);
        offers.extend(catalogue::models().iter().rev().find(fits).map(BuiltIn::Fetch));
    }
    offers
}

impl BuiltIn {
    /// What is asked before anything happens.
    pub(super) fn question(&self) -> String {
        match self {
            Self::Here(model) => format!(
                "{} lies on this machine ({}). Have the built-in engine answer with it? [Y/n] ",
                model.name, model.owner
            ),
            Self::Fetch(model) => format!(
                "{} can answer on this machine, without an account: {} to fetch, {} of memory, {}. Fetch it? [Y/n] ",
                model.title,
                verbs::megabytes(model.bytes),
                verbs::megabytes(model.ram_mb * 1_000_000),
                model.licence
            ),
        }
    }

    /// A row of the list of choices.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Here(model) => {
                format!("The built-in engine with {} (lies here, {})", model.name, model.owner)
            }
            Self::Fetch(model) => format!(
                "The built-in engine with {}: no account, {} to fetch",
                model.title,
                verbs::megabytes(model.bytes)
            ),
        }
    }

    /// Fetches it where it is not here; nothing if that failed, which was told.
    pub(super) async fn candidate(
        &self,
        host: &Host,
        prompter: &mut dyn SetupPrompter,
    ) -> Result<Option<Candidate>, ModelSetupError> {
        let name = match self {
            Self::Here(model) => model.name.clone(),
            Self::Fetch(model) => {
                let fetched = fetch(model, host, prompter).await;
                if let Err(problem) = fetched {
                    prompter.say(&format!("It could not be fetched: {problem}"))?;
                    return Ok(None);
                }
                model.name.to_owned()
            }
        };
        Ok(Some(of_engine(&name)))
    }

    /// How it is taken over where nobody can be asked.
    pub(super) fn way(&self) -> String {
        match self {
            Self::Here(model) => {
                format!(
                    "{} lies here: `hermes local use {}` has it answer",
                    model.owner, model.name
                )
            }
            Self::Fetch(model) => format!(
                "`hermes local get {0}` and `hermes local use {0}` have one answer here, without an account",
                model.name
            ),
        }
    }
}

async fn fetch(
    model: &CatalogueModel,
    host: &Host,
    prompter: &mut dyn SetupPrompter,
) -> Result<(), verbs::LocalError> {
    let verb = LocalVerb::Get {
        source: Some(model.name.to_owned()),
        name: None,
        sha256: None,
        member: String::new(),
    };
    let place =
        LocalContext { home: host.home(), config: host.config().value(), vars: host.vars() };
    verbs::run(&verb, &place, &mut Told { prompter }).await
}

/// What the download says goes to whoever is being asked.
struct Told<'a> {
    prompter: &'a mut dyn SetupPrompter,
}

impl LocalOutput for Told<'_> {
    fn line(&mut self, text: &str) -> io::Result<()> {
        self.prompter.say(text)
    }

    fn progress(&mut self, text: &str) {
        self.prompter.progress(text);
    }
}

fn of_engine(model: &str) -> Candidate {
    Candidate {
        choice: EndpointChoice {
            provider: Some(hermes_local::PROVIDER.to_owned()),
            model: Some(model.to_owned()),
            base_url: None,
            api_key: None,
        },
        settings: vec![
            ("model.provider", hermes_local::PROVIDER.to_owned()),
            ("model.default", model.to_owned()),
        ],
        secret: None,
    }
}

/// Memory that a new program could have, where the system tells.
fn available_memory_mb() -> Option<u64> {
    let told = fs::read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1_000)
}

/// Offers them one after another; the candidate that was taken.
pub(super) async fn take_one(
    host: &Host,
    prompter: &mut dyn SetupPrompter,
    offer: &BuiltIn,
) -> Result<Taken, ModelSetupError> {
    Ok(match yes(prompter, &offer.question(), true)? {
        None => Taken::Left,
        Some(false) => Taken::No,
        Some(true) => match offer.candidate(host, prompter).await? {
            Some(candidate) => Taken::Candidate(Box::new(candidate)),
            None => Taken::No,
        },
    })
}

/// What became of an offer.
pub(super) enum Taken {
    /// The person left.
    Left,
    /// It was declined, or could not be had.
    No,
    /// It is to be tried.
    Candidate(Box<Candidate>),
}
