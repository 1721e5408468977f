//! What the configuration says about models and who serves them.
//!
//! Nothing here derives `Debug`: keys may be written beside addresses.

use std::collections::BTreeMap;

use hermes_tool::Vars;
use hermes_tool::settings::{Entries, KeyInfo, Kind, Seconds, SettingValue, Settings, TextOr};
use serde_json::{Map, Value};

use crate::endpoint::WireApi;

/// No answer is waited for less long than this.
const SHORTEST: Seconds = Seconds::new(0.001);

/// Which models there are, by the configuration.
#[derive(Clone, Settings)]
pub struct ModelSettings {
    /// The main model: a name, or a section with name and provider.
    pub(super) model: TextOr<MainModel>,
    /// Further model servers by name.
    pub(super) providers: BTreeMap<String, ProviderSection>,
    /// Older form of providers.
    #[setting(hidden)]
    pub(super) custom_providers: Entries<ListedProvider>,
    /// Models to try when the main one fails, in order.
    pub(super) fallback_providers: Entries<ModelEntry>,
    /// Older form of fallback_providers, with one entry.
    #[setting(hidden)]
    pub(super) fallback_model: Option<ModelEntry>,
    /// Options for OpenRouter.
    pub(super) openrouter: OpenRouterOptions,
    /// Whom OpenRouter may pass a question on to.
    pub(super) provider_routing: ProviderRouting,
    /// Models for side tasks, by task; the main model where none is named.
    auxiliary: BTreeMap<String, AuxiliaryModel>,
}

impl ModelSettings {
    /// Reads a configuration; what is absent or makes no sense has its default.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        Self::read(config, &Vars::default())
    }

    /// Whether something is said about the main model.
    #[must_use]
    pub fn has_main_model(&self) -> bool {
        match &self.model {
            TextOr::Text(_) => true,
            TextOr::Parts(main) => {
                [&main.default, &main.provider, &main.base_url].into_iter().any(Option::is_some)
            }
        }
    }

    /// What is said about a side task; nothing means that the main model does it.
    #[must_use]
    pub fn auxiliary(&self, task: &str) -> Option<&AuxiliaryModel> {
        self.auxiliary.get(task)
    }

    /// Everything but what is about the main model and its helpers.
    pub(super) fn of_others(&self) -> Self {
        Self {
            providers: self.providers.clone(),
            custom_providers: self.custom_providers.clone(),
            openrouter: self.openrouter.clone(),
            provider_routing: self.provider_routing.clone(),
            ..Self::default()
        }
    }

    /// What is written in full about the main model, if it is.
    pub(super) fn main(&self) -> Option<&MainModel> {
        match &self.model {
            TextOr::Text(_) => None,
            TextOr::Parts(main) => Some(main),
        }
    }

    /// Who serves the main model, as it is written.
    #[must_use]
    pub fn main_provider(&self) -> Option<&str> {
        given(&self.main()?.provider)
    }

    /// The main model's name.
    #[must_use]
    pub fn main_name(&self) -> Option<&str> {
        match &self.model {
            TextOr::Text(name) => Some(name.as_str()),
            TextOr::Parts(main) => given(&main.default),
        }
    }
}

/// The section `model`.
#[derive(Clone, Settings)]
#[settings(manual, open)]
pub(super) struct MainModel {
    /// Name of the main model.
    pub(super) default: Option<String>,
    /// Who serves the main model.
    pub(super) provider: Option<String>,
    /// Address of the server for the main model.
    pub(super) base_url: Option<String>,
    /// Key for that server; better kept in .env.
    pub(super) api_key: Option<String>,
    /// How that server is spoken to, where its address does not tell.
    pub(super) api_mode: Option<WireApi>,
    /// Context window in tokens, if the server does not say.
    #[setting(range = 1..)]
    pub(super) context_length: Option<u64>,
    /// Whether it sees pictures, if its name does not tell.
    pub(super) supports_vision: Option<bool>,
    /// Further headers of every request.
    pub(super) headers: BTreeMap<String, String>,
    /// Further fields of every request.
    pub(super) extra_body: Map<String, Value>,
}

/// One entry of `providers`.
#[derive(Clone, Settings)]
#[settings(manual, open, about = "One model server")]
pub(super) struct ProviderSection {
    /// Address of the server; without one the entry does not count.
    #[setting(older = "api")]
    pub(super) base_url: Option<String>,
    /// Key for that server; better kept in .env.
    pub(super) api_key: Option<String>,
    /// The variable that holds the key.
    #[setting(older = "api_key_env")]
    pub(super) key_env: Option<String>,
    /// How the server is spoken to, where its address does not tell.
    #[setting(older = "transport")]
    pub(super) api_mode: Option<WireApi>,
    /// The model to ask where none is named.
    #[setting(older = "model")]
    pub(super) default_model: Option<String>,
    /// Models it serves, as a list or by name; the first is asked where none is named.
    pub(super) models: Option<Value>,
    /// Further headers of every request.
    pub(super) headers: BTreeMap<String, String>,
    /// Further fields of every request.
    pub(super) extra_body: Map<String, Value>,
    /// Context window of its models in tokens, if the server does not say.
    #[setting(range = 1..)]
    pub(super) context_length: Option<u64>,
}

/// One entry of the older list, which has its name inside.
#[derive(Clone)]
pub(super) struct ListedProvider {
    pub(super) name: String,
    pub(super) section: ProviderSection,
}

#[derive(Settings)]
#[settings(manual)]
struct ListedName {
    /// What the server is called.
    name: Option<String>,
}

impl SettingValue for ListedProvider {
    const KIND: Kind = Kind::Section;

    fn from_config(value: &Value) -> Option<Self> {
        let name = ListedName::from_config(value)?.name?;
        Some(Self { name, section: ProviderSection::from_config(value)? })
    }

    fn to_config(&self) -> String {
        self.name.clone()
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        let name = <ListedName as Settings>::keys_below(path);
        name.into_iter().chain(<ProviderSection as Settings>::keys_below(path)).collect()
    }
}

/// A model that steps in.
#[derive(Clone, Settings)]
#[settings(manual, about = "One of them")]
pub(super) struct ModelEntry {
    /// Who serves it.
    pub(super) provider: Option<String>,
    /// Its name there.
    pub(super) model: Option<String>,
    /// Address of the server.
    pub(super) base_url: Option<String>,
    /// Key for that server; better kept in .env.
    pub(super) api_key: Option<String>,
    /// The variable that holds the key.
    pub(super) key_env: Option<String>,
}

/// A model for work on the side.
#[derive(Clone, Settings)]
#[settings(manual, open, about = "The model for one side task")]
pub struct AuxiliaryModel {
    /// Who serves it; auto or main for the provider of the main model.
    provider: Option<String>,
    /// Its name there.
    model: Option<String>,
    /// Address of the server.
    base_url: Option<String>,
    /// Key for that server; better kept in .env.
    api_key: Option<String>,
    /// The variable that holds the key.
    key_env: Option<String>,
    /// How long its answer may take, in seconds.
    #[setting(range = SHORTEST..)]
    pub(super) timeout: Option<Seconds>,
}

impl AuxiliaryModel {
    /// The model's name, where one is given.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        given(&self.model)
    }

    /// The provider, where another than that of the main model may be meant.
    #[must_use]
    pub fn provider(&self) -> Option<&str> {
        given(&self.provider).filter(|name| !name.eq_ignore_ascii_case("auto"))
    }

    /// Whether another model than the main one is named for the task.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.model().is_some() || self.elsewhere().is_some()
    }

    /// As one that stands for itself, if it is another than the main model's server.
    pub(super) fn elsewhere(&self) -> Option<ModelEntry> {
        let elsewhere = self.provider().is_some_and(|name| name != "main");
        (elsewhere || given(&self.base_url).is_some()).then(|| ModelEntry {
            provider: self.provider.clone(),
            model: self.model.clone(),
            base_url: self.base_url.clone(),
            api_key: self.api_key.clone(),
            key_env: self.key_env.clone(),
        })
    }
}

/// The section `openrouter`.
#[derive(Clone, Settings)]
#[settings(manual, open)]
pub(super) struct OpenRouterOptions {
    /// Let it answer the same question from its cache.
    pub(super) response_cache: bool,
}

/// The section `provider_routing`.
#[derive(Clone, Settings)]
#[settings(manual, open)]
pub(super) struct ProviderRouting {
    /// The only ones that may answer.
    only: Vec<String>,
    /// Those that may not.
    ignore: Vec<String>,
    /// Whom to try first.
    order: Vec<String>,
    /// What counts among the others: price, throughput or latency.
    sort: Option<Value>,
    /// Only those that understand every parameter of a request.
    require_parameters: Option<bool>,
    /// Whether those that keep what they are sent may answer: allow or deny.
    data_collection: Option<String>,
}

impl ProviderRouting {
    /// As the aggregator takes it: without what is not given.
    pub(super) fn fields(&self) -> Map<String, Value> {
        let Self { only, ignore, order, sort, require_parameters, data_collection } = self;
        let list = |names: &Vec<String>| (!names.is_empty()).then(|| Value::from(names.clone()));
        let fields = [
            ("only", list(only)),
            ("ignore", list(ignore)),
            ("order", list(order)),
            ("sort", sort.clone()),
            ("require_parameters", require_parameters.map(Value::from)),
            ("data_collection", data_collection.clone().map(Value::from)),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// A text without the blanks around it.
pub(super) fn given(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}
