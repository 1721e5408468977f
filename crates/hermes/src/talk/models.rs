//! Which models a conversation uses, from flags, settings and variables.

use std::sync::Arc;

use hermes_agent::agent::FindModel;
use hermes_agent::{Seat, Seats, Window};
use hermes_approval::Reviewer;
use hermes_llm::discover::{self, ContextCache, Source};
use hermes_llm::http::Proxies;
use hermes_llm::metadata::{self, Cost};
use hermes_llm::provider::{self, ResolveError};
use hermes_llm::{Choice, Client, Endpoint, Model, Options, Usage};
use hermes_store::config_edit;
use hermes_store::home::Home;
use hermes_store::key_path::KeyPath;
use hermes_tool::Vars;
use serde_json::Value;

use super::review::ModelReviewer;
use crate::cli::TalkFlags;
use crate::exit::UsageError;
use crate::host::Host;

/// The file in which windows are remembered.
const CONTEXT_CACHE: &str = "context_length_cache.yaml";
/// With a smaller window a conversation that works with tools is made shorter every few steps.
const COMFORTABLE_WINDOW: u64 = 64_000;

/// The models of a conversation.
pub(crate) struct Models {
    main: Endpoint,
    client: Arc<Client>,
    stand_ins: Vec<Endpoint>,
    summariser: Option<Endpoint>,
    reviewer: Option<Endpoint>,
    options: Options,
    seat: Seat,
    cache: Arc<ContextCache>,
    problems: Vec<String>,
}

/// What models are chosen from.
#[derive(Clone)]
pub(crate) struct Sources {
    config: Arc<Value>,
    vars: Vars,
    home: Home,
}

impl Sources {
    pub(crate) fn of(host: &Host) -> Self {
        Self {
            config: Arc::new(host.config.value().clone()),
            vars: host.vars.clone(),
            home: host.home.clone(),
        }
    }

    /// Finds models by name.
    pub(crate) fn finder(self) -> FindModel {
        Arc::new(move |provider, model| {
            let lookup = |name: &str| self.vars.get(name).map(str::to_owned);
            let choice = Choice {
                provider: provider.map(str::to_owned),
                model: Some(model.to_owned()),
                ..Choice::default()
            };
            let endpoint = provider::resolve(&choice, &self.config, &lookup)
                .map_err(|problem| problem.to_string())?;
            let options = Options::read(&self.config, &lookup);
            Ok(Arc::new(Client::new(endpoint, options)) as Arc<dyn Model>)
        })
    }

    /// The model for work on the side of this name.
    pub(super) fn for_task(&self, task: &str) -> Result<Endpoint, String> {
        let lookup = |name: &str| self.vars.get(name).map(str::to_owned);
        provider::resolve(&Choice::default(), &self.config, &lookup)
            .and_then(|main| provider::auxiliary(task, &self.config, &lookup, &main))
            .map(|found| found.endpoint)
            .map_err(|problem| problem.to_string())
    }

    /// How models are talked to.
    pub(super) fn options(&self) -> Options {
        Options::read(&self.config, &|name| self.vars.get(name).map(str::to_owned))
    }

    /// Who does a side task, if somebody else than the conversation's own model is named for it.
    pub(crate) fn on_the_side(&self, task: &str, own: &dyn Model) -> Option<Arc<dyn Model>> {
        let settings = &self.config["auxiliary"][task];
        let named = settings["model"].as_str().filter(|name| !name.is_empty())?;
        let provider = settings["provider"].as_str();
        let provider = provider.filter(|name| !matches!(*name, "" | "auto"));
        let found = self.clone().finder()(Some(provider.unwrap_or(own.provider())), named);
        found.ok()
    }

    /// Makes a model the one that later conversations begin with.
    pub(crate) fn remember(&self, model: &str, provider: &str) -> anyhow::Result<()> {
        for (key, value) in [("model.default", model), ("model.provider", provider)] {
            let path = KeyPath::parse(key)?;
            config_edit::set(&self.home.config_file(), &path, Value::from(value))?;
        }
        Ok(())
    }
}

/// Nobody can be asked.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoModel(pub(crate) ResolveError);

impl Models {
    /// Finds out who is asked. A server of one's own may be asked which model it has.
    pub(crate) async fn choose(sources: &Sources, flags: &TalkFlags) -> anyhow::Result<Self> {
        if flags.provider.is_some() && flags.model.is_none() && sources.config["model"].is_null() {
            let known = flags.provider.as_deref().and_then(provider::find);
            if known.is_none_or(|known| known.default_model.is_empty()) {
                return Err(UsageError::new("--provider without a model: add -m MODEL").into());
            }
        }
        let choice = Choice {
            provider: flags.provider.clone(),
            model: flags.model.clone(),
            ..Choice::default()
        };
        Self::of(sources, &choice).await
    }

    /// The models for a choice.
    pub(crate) async fn of(sources: &Sources, choice: &Choice) -> anyhow::Result<Self> {
        let lookup = |name: &str| sources.vars.get(name).map(str::to_owned);
        let config = &*sources.config;
        let mut main =
            provider::resolve(choice, config, &lookup).map_err(|problem| match problem {
                ResolveError::UnknownProvider { .. } => {
                    anyhow::Error::from(UsageError::new(problem.to_string()))
                }
                other => NoModel(other).into(),
            })?;
        let options = Options::read(config, &lookup);
        if main.model.is_empty() {
            main.model = the_only_model(&main, &options.proxies).await?;
        }
        let fallbacks = provider::fallbacks(config, &lookup, &main);
        let mut problems = fallbacks.problems;
        let mut on_the_side = |name: &str| {
            if config["auxiliary"][name] == Value::Null {
                return None;
            }
            match provider::auxiliary(name, config, &lookup, &main) {
                Ok(found) => Some(found.endpoint),
                Err(problem) => {
                    problems.push(format!("auxiliary.{name}: {problem}"));
                    None
                }
            }
        };
        let (summariser, reviewer) = (on_the_side("compression"), on_the_side("approval"));
        let cache = Arc::new(ContextCache::at(sources.home.root().join(CONTEXT_CACHE)));
        let client = Arc::new(Client::new(main.clone(), options.clone()));
        let seat = seat(Arc::clone(&client), &cache);
        Ok(Self {
            stand_ins: fallbacks.endpoints,
            summariser,
            reviewer: reviewer.or_else(|| Some(main.clone())),
            options,
            seat,
            cache,
            problems,
            client,
            main,
        })
    }

    /// The model and its provider.
    pub(crate) fn names(&self) -> (&str, &str) {
        (&self.main.model, &self.main.provider)
    }

    /// Tokens the model can look at, as far as is known.
    pub(crate) fn window(&self) -> u64 {
        self.seat.window.tokens()
    }

    /// What is wrong with the settings of models that may be needed later.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    /// The model and its stand-ins.
    pub(crate) fn seats(&self) -> Seats {
        let stand_ins = self.stand_ins.iter().cloned();
        Seats::new(self.seat.clone(), stand_ins.map(|endpoint| self.other_seat(endpoint)).collect())
    }

    /// Who writes summaries, if somebody else than the model itself.
    pub(crate) fn summariser(&self) -> Option<Seat> {
        let endpoint = self.summariser.clone()?;
        Some(self.other_seat(endpoint))
    }

    fn other_seat(&self, endpoint: Endpoint) -> Seat {
        seat(Arc::new(Client::new(endpoint, self.options.clone())), &self.cache)
    }

    /// Who looks at flagged commands.
    pub(crate) fn reviewer(&self) -> Option<Arc<dyn Reviewer>> {
        let endpoint = self.reviewer.clone()?;
        let client = Client::new(endpoint, self.options.clone());
        Some(Arc::new(ModelReviewer(Arc::new(client))))
    }

    /// Finds out how large the window is, if nobody knows yet: beside the first question, or before it
    /// where the question has to say. Returns what the person should know about it.
    pub(crate) async fn learn_window(&self) -> Option<String> {
        if self.main.is_ollama() {
            return self.learn_ollama_window().await;
        }
        if discover::known_context(&self.main, &self.cache).is_some() {
            return None;
        }
        let (main, cache) = (self.main.clone(), Arc::clone(&self.cache));
        let (proxies, window) = (self.options.proxies.clone(), self.seat.window.clone());
        tokio::spawn(async move {
            window.learn(discover::context_length(&main, &cache, &proxies).await.tokens);
        });
        None
    }

    /// Ollama cuts what it is sent to a few thousand tokens, without a word, unless each question says
    /// how much of it is to be looked at.
    async fn learn_ollama_window(&self) -> Option<String> {
        let found = discover::context_length(&self.main, &self.cache, &self.options.proxies).await;
        self.seat.window.learn(found.tokens);
        tell_window(&self.client, found);
        (found.tokens < COMFORTABLE_WINDOW).then(|| {
            format!(
                "{} looks at {} tokens at a time; long work goes better with a model of {} or more",
                self.main.model, found.tokens, COMFORTABLE_WINDOW
            )
        })
    }
}

/// A server of one's own that has one model need not be told which.
async fn the_only_model(endpoint: &Endpoint, proxies: &Proxies) -> anyhow::Result<String> {
    match discover::only_model(endpoint, proxies).await {
        Some(model) => Ok(model.id),
        None => Err(UsageError::new(format!(
            "which model at {}? Say it with -m, or set model.default in config.yaml",
            endpoint.base_url
        ))
        .into()),
    }
}

/// Lets a client say how large the window is, if somebody has told.
fn tell_window(client: &Client, window: discover::Window) {
    let is_told = !matches!(window.source, Source::Family | Source::Guess);
    if is_told && client.endpoint().is_ollama() {
        client.change(|adaptations| adaptations.num_ctx = Some(window.tokens));
    }
}

fn seat(client: Arc<Client>, cache: &ContextCache) -> Seat {
    let endpoint = client.endpoint().clone();
    let known = discover::known_context(&endpoint, cache);
    if let Some(window) = known {
        tell_window(&client, window);
    }
    let known = known.map(|window| window.tokens);
    let family = metadata::family(&endpoint.model).map(|family| family.context);
    let window = known.or(family).unwrap_or(metadata::DEFAULT_CONTEXT);
    let priced = endpoint;
    Seat {
        model: client,
        window: Window::new(window),
        pricing: Some(Arc::new(move |usage: &Usage| match metadata::cost(&priced, usage) {
            Cost::Known { usd } => Some(usd),
            Cost::Free => Some(0.0),
            Cost::Unknown => None,
        })),
    }
}
