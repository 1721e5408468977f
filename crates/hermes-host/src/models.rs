//! Which models a conversation uses, from flags, settings and variables.

use std::sync::Arc;

use hermes_agent::context::FindModel;
use hermes_agent::{ChainModel, ContextWindow, ModelChain};
use hermes_approval::Reviewer;
use hermes_cron::PinnedModel;
use hermes_llm::discover::{self, ContextCache, WindowSource};
use hermes_llm::http::Proxies;
use hermes_llm::metadata::{self, CallCost};
use hermes_llm::provider::{self, ModelSettings, ResolveError};
use hermes_llm::{ClientOptions, Endpoint, EndpointChoice, Model, ModelClient, Secret, TokenUsage};
use hermes_local::engine::{EngineAddress, EngineChild};
use hermes_store::config_edit;
use hermes_store::home::Home;
use hermes_store::key_path::KeyPath;
use hermes_tool::Vars;
use serde_json::Value;

use crate::reviewer::ModelReviewer;
use crate::{Host, HostError};

/// The file in which windows are remembered.
const CONTEXT_CACHE: &str = "context_length_cache.yaml";
/// With a smaller window a conversation that works with tools is made shorter every few steps.
const COMFORTABLE_WINDOW: u64 = 64_000;

/// The models of a conversation.
pub struct SessionModels {
    main: Endpoint,
    client: Arc<ModelClient>,
    fallbacks: Vec<Endpoint>,
    summariser: Option<Endpoint>,
    reviewer: Option<Endpoint>,
    options: ClientOptions,
    main_entry: ChainModel,
    cache: Arc<ContextCache>,
    problems: Vec<String>,
    /// Lives as long as its model is asked.
    _engine: Option<EngineChild>,
}

/// What models are chosen from.
#[derive(Clone)]
pub struct ModelSources {
    config: Arc<Value>,
    vars: Vars,
    home: Home,
}

impl ModelSources {
    /// The settings, keys and home of a host as it was read.
    #[must_use]
    pub fn of(host: &Host) -> Self {
        Self { config: host.config_value(), vars: host.vars().clone(), home: host.home().clone() }
    }

    /// Finds models by name.
    pub fn finder(self) -> FindModel {
        Arc::new(move |provider, model| {
            let lookup = |name: &str| self.vars.get(name).map(str::to_owned);
            let choice = EndpointChoice {
                provider: provider.map(str::to_owned),
                model: Some(model.to_owned()),
                ..EndpointChoice::default()
            };
            let endpoint = provider::resolve(&choice, &self.config, &lookup)
                .map_err(|problem| problem.to_string())?;
            let options = ClientOptions::read(&self.config, &lookup);
            Ok(Arc::new(ModelClient::new(endpoint, options)) as Arc<dyn Model>)
        })
    }

    /// The model that is configured now, for work that keeps it; none if that is not known without asking a server.
    #[must_use]
    pub fn pinned(&self) -> Option<PinnedModel> {
        let lookup = |name: &str| self.vars.get(name).map(str::to_owned);
        let main = provider::resolve(&EndpointChoice::default(), &self.config, &lookup).ok()?;
        let pinned = PinnedModel { model: main.model, provider: main.provider };
        (!pinned.model.is_empty()).then_some(pinned)
    }

    /// The model for work on the side of this name.
    pub(crate) fn for_task(&self, task: &str) -> Result<Endpoint, String> {
        let lookup = |name: &str| self.vars.get(name).map(str::to_owned);
        provider::resolve(&EndpointChoice::default(), &self.config, &lookup)
            .and_then(|main| provider::auxiliary(task, &self.config, &lookup, &main))
            .map(|found| found.endpoint)
            .map_err(|problem| problem.to_string())
    }

    /// How models are talked to.
    pub(crate) fn options(&self) -> ClientOptions {
        ClientOptions::read(&self.config, &|name| self.vars.get(name).map(str::to_owned))
    }

    /// Who does a side task, if somebody else than the conversation's own model is named for it.
    pub fn on_the_side(&self, task: &str, own: &dyn Model) -> Option<Arc<dyn Model>> {
        let settings = ModelSettings::from_config(&self.config);
        let named = settings.auxiliary(task)?;
        let provider = named.provider().unwrap_or(own.provider());
        self.clone().finder()(Some(provider), named.model()?).ok()
    }

    /// Makes a model the one that later conversations begin with.
    pub fn remember(&self, model: &str, provider: &str) -> Result<(), HostError> {
        for (key, value) in [("model.default", model), ("model.provider", provider)] {
            let path = KeyPath::parse(key)?;
            config_edit::set(&self.home.config_file(), &path, Value::from(value))?;
        }
        Ok(())
    }
}

impl SessionModels {
    /// The models for a choice.
    pub async fn of(sources: &ModelSources, choice: &EndpointChoice) -> Result<Self, HostError> {
        let lookup = |name: &str| sources.vars.get(name).map(str::to_owned);
        let config = &*sources.config;
        let settings = ModelSettings::from_config(config);
        if let (Some(provider), None) = (&choice.provider, &choice.model)
            && !settings.has_main_model()
            && provider::find(provider).is_none_or(|known| known.default_model.is_empty())
        {
            return Err(HostError::ModelNotNamed { provider: provider.clone() });
        }
        let engine = engine(sources, choice, &settings).await?;
        let own = engine.as_ref().map(|engine| at_engine(engine.address()));
        let choice = own.as_ref().unwrap_or(choice);
        let mut main =
            provider::resolve(choice, config, &lookup).map_err(|problem| match problem {
                ResolveError::UnknownProvider { .. } => HostError::UnknownProvider(problem),
                other => HostError::NoModel(other),
            })?;
        if let Some(engine) = &engine {
            main.context_length = Some(engine.address().window);
        }
        let options = ClientOptions::read(config, &lookup);
        if main.model.is_empty() {
            main.model = the_only_model(&main, &options.proxies).await?;
        }
        let fallbacks = provider::fallbacks(config, &lookup, &main);
        let mut problems = fallbacks.problems;
        let mut on_the_side = |name: &str| {
            settings.auxiliary(name)?;
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
        let client = Arc::new(ModelClient::new(main.clone(), options.clone()));
        let main_entry = chain_model(Arc::clone(&client), &cache);
        Ok(Self {
            fallbacks: fallbacks.endpoints,
            summariser,
            reviewer: reviewer.or_else(|| Some(main.clone())),
            options,
            main_entry,
            cache,
            problems,
            client,
            main,
            _engine: engine,
        })
    }

    /// The models of the same provider; none if it does not tell.
    pub async fn offered(&self) -> Vec<discover::ModelInfo> {
        discover::models(&self.main, &self.options.proxies).await
    }

    /// Whether the server of the main model answers and takes the key.
    pub(crate) async fn ask_server(&self) -> discover::ServerAnswer {
        discover::ask_server(&self.main, &self.options.proxies).await
    }

    /// Where the main model is asked, with its key: for workers elsewhere that have no configuration of their own.
    pub fn endpoint(&self) -> &Endpoint {
        &self.main
    }

    /// The model and its provider.
    pub fn names(&self) -> (&str, &str) {
        (&self.main.model, &self.main.provider)
    }

    /// Tokens the model can look at, as far as is known.
    pub fn window(&self) -> u64 {
        self.main_entry.window.tokens()
    }

    /// What is wrong with the settings of models that may be needed later.
    pub fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    /// The model and its fallbacks.
    pub fn chain(&self) -> ModelChain {
        let fallbacks = self.fallbacks.iter().cloned();
        let fallbacks = fallbacks.map(|endpoint| self.chain_model_at(endpoint)).collect();
        ModelChain::new(self.main_entry.clone(), fallbacks)
    }

    /// Who writes summaries, if somebody else than the model itself.
    pub(crate) fn summariser(&self) -> Option<ChainModel> {
        let endpoint = self.summariser.clone()?;
        Some(self.chain_model_at(endpoint))
    }

    fn chain_model_at(&self, endpoint: Endpoint) -> ChainModel {
        chain_model(Arc::new(ModelClient::new(endpoint, self.options.clone())), &self.cache)
    }

    /// Who looks at flagged commands.
    pub(crate) fn reviewer(&self) -> Option<Arc<dyn Reviewer>> {
        let endpoint = self.reviewer.clone()?;
        let client = ModelClient::new(endpoint, self.options.clone());
        Some(Arc::new(ModelReviewer(Arc::new(client))))
    }

    /// Finds out how large the window is, if nobody knows yet: beside the first question, or before it
    /// where the question has to say. Returns what the person should know about it.
    pub async fn learn_window(&self) -> Option<String> {
        if self.main.is_ollama() {
            return self.learn_ollama_window().await;
        }
        if discover::known_context(&self.main, &self.cache).is_some() {
            return None;
        }
        let (main, cache) = (self.main.clone(), Arc::clone(&self.cache));
        let (proxies, window) = (self.options.proxies.clone(), self.main_entry.window.clone());
        tokio::spawn(async move {
            window.learn(discover::context_length(&main, &cache, &proxies).await.tokens);
        });
        None
    }

    /// Whether the model is served by this machine or another in the house.
    pub(crate) fn is_own_server(&self) -> bool {
        self.main.is_local()
    }

    /// The window as somebody has told it: the configuration, an earlier answer, or one's own server, which
    /// is asked if nobody else knows.
    pub(crate) async fn told_window(&self) -> Option<u64> {
        let known = discover::known_context(&self.main, &self.cache);
        if known.is_some() || !self.is_own_server() {
            return known.map(|window| window.tokens);
        }
        let found = discover::context_length(&self.main, &self.cache, &self.options.proxies).await;
        let is_told = !matches!(found.source, WindowSource::Family | WindowSource::Guess);
        is_told.then(|| {
            self.main_entry.window.learn(found.tokens);
            tell_window(&self.client, found);
            found.tokens
        })
    }

    /// Ollama cuts what it is sent to a few thousand tokens, without a word, unless each question says
    /// how much of it is to be looked at.
    async fn learn_ollama_window(&self) -> Option<String> {
        let found = discover::context_length(&self.main, &self.cache, &self.options.proxies).await;
        self.main_entry.window.learn(found.tokens);
        tell_window(&self.client, found);
        (found.tokens < COMFORTABLE_WINDOW).then(|| {
            format!(
                "{} looks at {} tokens at a time; long work goes better with a model of {} or more",
                self.main.model, found.tokens, COMFORTABLE_WINDOW
            )
        })
    }
}

/// The built-in engine, started for its model, if that is who is to be asked.
async fn engine(
    sources: &ModelSources,
    choice: &EndpointChoice,
    settings: &ModelSettings,
) -> Result<Option<EngineChild>, HostError> {
    let provider = choice.provider.as_deref().or_else(|| settings.main_provider());
    if provider != Some(hermes_local::PROVIDER) {
        return Ok(None);
    }
    let named = choice.model.as_deref().or_else(|| settings.main_name());
    let Some(model) = named else {
        return Err(HostError::ModelNotNamed { provider: hermes_local::PROVIDER.to_owned() });
    };
    start_engine(&sources.home, model).await.map(Some)
}

/// The built-in engine for a choice that names it, before anything is stored.
pub(crate) async fn engine_of(
    home: &Home,
    choice: &EndpointChoice,
) -> Result<Option<EngineChild>, String> {
    match (choice.provider.as_deref(), &choice.model) {
        (Some(hermes_local::PROVIDER), Some(model)) => {
            start_engine(home, model).await.map(Some).map_err(|error| error.to_string())
        }
        _ => Ok(None),
    }
}

async fn start_engine(home: &Home, model: &str) -> Result<EngineChild, HostError> {
    let program = std::env::current_exe().map_err(HostError::CurrentDirectory)?;
    let started = EngineChild::start(&program, home.root(), model).await;
    started.map_err(|problem| HostError::Engine(problem.to_string()))
}

/// How the engine is asked.
pub(crate) fn at_engine(address: &EngineAddress) -> EndpointChoice {
    EndpointChoice {
        provider: Some("custom".to_owned()),
        model: Some(address.model.clone()),
        base_url: Some(address.base_url.clone()),
        api_key: Some(Secret::new(address.key.clone())),
    }
}

/// A server of one's own that has one model need not be told which.
async fn the_only_model(endpoint: &Endpoint, proxies: &Proxies) -> Result<String, HostError> {
    match discover::only_model(endpoint, proxies).await {
        Some(model) => Ok(model.id),
        None => Err(HostError::WhichModel { base_url: endpoint.base_url.clone() }),
    }
}

/// Lets a client say how large the window is, if somebody has told.
fn tell_window(client: &ModelClient, window: discover::WindowSize) {
    let is_told = !matches!(window.source, WindowSource::Family | WindowSource::Guess);
    if is_told && client.endpoint().is_ollama() {
        client.change(|adaptations| adaptations.num_ctx = Some(window.tokens));
    }
}

fn chain_model(client: Arc<ModelClient>, cache: &ContextCache) -> ChainModel {
    let endpoint = client.endpoint().clone();
    let known = discover::known_context(&endpoint, cache);
    if let Some(window) = known {
        tell_window(&client, window);
    }
    let known = known.map(|window| window.tokens);
    let family = metadata::family(&endpoint.model).map(|family| family.context);
    let window = known.or(family).unwrap_or(metadata::DEFAULT_CONTEXT);
    let priced = endpoint;
    ChainModel {
        model: client,
        window: ContextWindow::new(window),
        pricing: Some(Arc::new(move |usage: &TokenUsage| match metadata::cost(&priced, usage) {
            CallCost::Known { usd } => Some(usd),
            CallCost::Free => Some(0.0),
            CallCost::Unknown => None,
        })),
    }
}
