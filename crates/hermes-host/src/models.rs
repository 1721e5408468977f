//! Which models a conversation uses, from flags, settings and variables.

use std::sync::Arc;

use hermes_agent::context::FindModel;
use hermes_agent::{ChainModel, ContextWindow, ModelChain};
use hermes_approval::Reviewer;
use hermes_cron::PinnedModel;
use hermes_llm::discover::{self, ContextCache, ModelInfo, WindowSource};
use hermes_llm::endpoint::OnDemandServers;
use hermes_llm::http::Proxies;
use hermes_llm::metadata::{self, CallCost};
use hermes_llm::provider::{self, ModelSettings, ResolveError};
use hermes_llm::{ClientOptions, Endpoint, EndpointChoice, Model, ModelClient, TokenUsage};
use hermes_store::config_edit::{self, Edit};
use hermes_store::home::Home;
use hermes_store::key_path::KeyPath;
use hermes_tool::Vars;
use serde_json::{Map, Value};

use crate::engine::EngineStarter;
use crate::reviewer::ModelReviewer;
use crate::{Host, HostError};

/// The file in which windows are remembered.
const CONTEXT_CACHE: &str = "context_length_cache.yaml";
/// With a smaller window a conversation that works with tools is made shorter every few steps.
const COMFORTABLE_WINDOW: u64 = 64_000;
/// The provider whose address stands in the settings.
const CUSTOM: &str = "custom";
/// What the settings say of a provider, and of no other.
const OF_ONE_PROVIDER: [&str; 6] =
    ["base_url", "api_key", "api_mode", "context_length", "headers", "extra_body"];

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
    sources: ModelSources,
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

    /// The same with other values for some keys of a section of the settings.
    #[must_use]
    pub fn with_section(&self, section: &str, values: Map<String, Value>) -> Self {
        let mut config = (*self.config).clone();
        if !config[section].is_object() {
            config[section] = Value::Object(Map::new());
        }
        if let Value::Object(known) = &mut config[section] {
            known.extend(values);
        }
        Self { config: Arc::new(config), ..self.clone() }
    }

    /// The endpoint of a choice, with its server where that runs only while it is asked. Nothing is started.
    ///
    /// # Errors
    /// If nothing says whom to ask, or something that is needed is missing.
    pub fn endpoint(&self, choice: &EndpointChoice) -> Result<Endpoint, ResolveError> {
        let lookup = |name: &str| self.vars.get(name).map(str::to_owned);
        let mut endpoint = provider::resolve(choice, &self.config, &lookup)?;
        let engines = self.engines();
        if endpoint.provider == hermes_local::PROVIDER
            && choice.model.is_none()
            && !engines.has(&endpoint.model, &self.vars)
            && let Some(only) = engines.only_model()
            && (endpoint.model.is_empty() || !self.is_for_engine())
        {
            // What is configured is another provider's model.
            endpoint.model = only;
        }
        engines.give(&mut endpoint);
        Ok(endpoint)
    }

    /// Whether the configured model is one of the engine.
    fn is_for_engine(&self) -> bool {
        ModelSettings::from_config(&self.config).main_provider() == Some(hermes_local::PROVIDER)
    }

    fn engines(&self) -> EngineStarter {
        EngineStarter::of(&self.home, &self.config, &self.vars)
    }

    /// An endpoint that somebody else made, with its server.
    pub(crate) fn with_server(&self, mut endpoint: Endpoint) -> Endpoint {
        self.engines().give(&mut endpoint);
        endpoint
    }

    /// Gives servers to the endpoints that tools make for themselves.
    pub(crate) fn servers(&self) -> OnDemandServers {
        let engines = self.engines();
        OnDemandServers::new(move |endpoint| engines.give(endpoint))
    }

    /// The models that the provider of a choice has; none if it does not tell. No engine is started for it.
    pub async fn offered(&self, choice: &EndpointChoice) -> Result<Vec<ModelInfo>, HostError> {
        let endpoint = self.endpoint(choice).map_err(HostError::from_resolve)?;
        Ok(self.models_of(&endpoint).await)
    }

    async fn models_of(&self, endpoint: &Endpoint) -> Vec<ModelInfo> {
        match endpoint.provider == hermes_local::PROVIDER {
            true => self.engines().models(&self.vars),
            false => discover::models(endpoint, &self.options().proxies).await,
        }
    }

    /// Finds models by name.
    pub fn finder(self) -> FindModel {
        Arc::new(move |provider, model| {
            let choice = EndpointChoice {
                provider: provider.map(str::to_owned),
                model: Some(model.to_owned()),
                ..EndpointChoice::default()
            };
            let endpoint = self.endpoint(&choice).map_err(|problem| problem.to_string())?;
            Ok(Arc::new(ModelClient::new(endpoint, self.options())) as Arc<dyn Model>)
        })
    }

    /// The model that is configured now, for work that keeps it; none if that is not known without asking a server.
    #[must_use]
    pub fn pinned(&self) -> Option<PinnedModel> {
        let main = self.endpoint(&EndpointChoice::default()).ok()?;
        let pinned = PinnedModel { model: main.model, provider: main.provider };
        (!pinned.model.is_empty()).then_some(pinned)
    }

    /// The model for work on the side of this name.
    pub(crate) fn for_task(&self, task: &str) -> Result<Endpoint, String> {
        let lookup = |name: &str| self.vars.get(name).map(str::to_owned);
        self.endpoint(&EndpointChoice::default())
            .and_then(|main| provider::auxiliary(task, &self.config, &lookup, &main))
            .map(|found| self.with_server(found.endpoint))
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

    /// Makes a model the one that later conversations begin with. What the settings say about the provider before it does
    /// not stay: its address and key are not the new one's.
    pub fn remember(&self, endpoint: &Endpoint) -> Result<(), HostError> {
        let mut settings = vec![
            ("model.default", endpoint.model.as_str()),
            ("model.provider", endpoint.provider.as_str()),
        ];
        if endpoint.provider == CUSTOM {
            settings.push(("model.base_url", &endpoint.base_url));
        }
        let stays = self.configured_provider().is_none_or(|before| before == endpoint.provider);
        self.store(&settings, stays)
    }

    /// Writes settings of the main model; those that only its provider before has are taken out, unless it stays.
    pub(crate) fn store(&self, settings: &[(&str, &str)], stays: bool) -> Result<(), HostError> {
        let mut edits = Vec::new();
        for key in OF_ONE_PROVIDER.iter().filter(|_| !stays) {
            let path = format!("model.{key}");
            if !settings.iter().any(|(name, _)| *name == path) {
                edits.push(Edit::Unset(KeyPath::parse(&path)?));
            }
        }
        for (key, value) in settings {
            edits.push(Edit::Set(KeyPath::parse(key)?, Value::from(*value)));
        }
        config_edit::apply(&self.home.config_file(), &edits)?;
        Ok(())
    }

    /// The provider that the settings are about, by the name it has in the table or in the settings.
    fn configured_provider(&self) -> Option<String> {
        let lookup = |name: &str| self.vars.get(name).map(str::to_owned);
        let settings = ModelSettings::from_config(&self.config);
        if !settings.has_main_model() && settings.main_provider().is_none() {
            return None;
        }
        let found = provider::resolve(&EndpointChoice::default(), &self.config, &lookup).ok();
        let named = || {
            let name = settings.main_provider()?;
            Some(provider::find(name).map_or(name, |known| known.name).to_owned())
        };
        found.map(|endpoint| endpoint.provider).or_else(named)
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
            && provider::find(provider).is_none_or(|known| {
                known.default_model.is_empty() && known.name != hermes_local::PROVIDER
            })
        {
            return Err(HostError::ModelNotNamed { provider: provider.clone() });
        }
        let mut main = sources.endpoint(choice).map_err(HostError::from_resolve)?;
        if let Some(engine) = sources.engines().engine(&main) {
            if main.model.is_empty() {
                return Err(HostError::ModelNotNamed { provider: main.provider });
            }
            // Started before anybody waits for an answer: what is in its way shows at once, and it tells its window.
            let started = engine.address().await;
            let address = started.map_err(|problem| HostError::Engine(problem.to_string()))?;
            main.context_length = Some(address.window);
        }
        let options = ClientOptions::read(config, &lookup);
        if main.model.is_empty() {
            main.model = the_only_model(&main, &options.proxies).await?;
        }
        let mut fallbacks = provider::fallbacks(config, &lookup, &main);
        for endpoint in &mut fallbacks.endpoints {
            sources.engines().give(endpoint);
        }
        let mut problems = fallbacks.problems;
        let mut on_the_side = |name: &str| {
            settings.auxiliary(name)?;
            match provider::auxiliary(name, config, &lookup, &main) {
                Ok(found) => Some(sources.with_server(found.endpoint)),
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
            sources: sources.clone(),
        })
    }

    /// The models of the same provider; none if it does not tell.
    pub async fn offered(&self) -> Vec<ModelInfo> {
        self.sources.models_of(&self.main).await
    }

    /// Whether the server of the main model answers and takes the key.
    pub(crate) async fn ask_server(&self) -> discover::ServerAnswer {
        let mut main = self.main.clone();
        if let Some(server) = &self.main.server {
            match server.0.place().await {
                Ok(place) => (main.base_url, main.api_key) = (place.base_url, Some(place.key)),
                Err(why) => return discover::ServerAnswer::Unreachable(why),
            }
        }
        discover::ask_server(&main, &self.options.proxies).await
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
