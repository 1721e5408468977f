//! Choosing one.
//!
//! The provider is, first of these: the flag, `model.provider`, `HERMES_INFERENCE_PROVIDER`, or what can be
//! concluded from addresses and keys. Address, key and model are then looked for in the same spirit: what
//! the person said now, what the configuration says *about this provider*, what the environment holds, what
//! the table knows. A configuration's address and key belong to the configuration's provider; they are not
//! taken when another is chosen.

use serde_json::{Map, Value};
use url::Url;

use super::named::{self, Named};
use super::settings::{MainModel, ModelSettings, given};
use super::table::{self, KeyNeed, PROVIDERS, ProviderEntry};
use super::{ResolveError, keys, var};
use crate::endpoint::{Endpoint, NO_KEY, WireApi};
use crate::http::Lookup;
use crate::secret::Secret;

/// What the person says now, over everything else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndpointChoice {
    /// Who serves it; none: as configured, or found by the model's name.
    pub provider: Option<String>,
    /// As the provider names it; none: as configured.
    pub model: Option<String>,
    /// The address.
    pub base_url: Option<String>,
    /// Instead of the one the provider's variable holds.
    pub api_key: Option<Secret>,
}

/// A provider, known or of the configuration.
enum Who {
    Known(&'static ProviderEntry),
    Named(Box<Named>),
}

/// The endpoint to ask.
///
/// # Errors
///
/// Nothing says whom to ask, or something that is needed is missing.
pub fn resolve(
    choice: &EndpointChoice,
    config: &Value,
    lookup: &Lookup<'_>,
) -> Result<Endpoint, ResolveError> {
    resolve_by(choice, &ModelSettings::from_config(config), lookup)
}

/// The same for a configuration that was read.
pub(super) fn resolve_by(
    choice: &EndpointChoice,
    settings: &ModelSettings,
    lookup: &Lookup<'_>,
) -> Result<Endpoint, ResolveError> {
    let resolver = Resolver { choice, settings, lookup };
    let mut endpoint = match resolver.who()? {
        Who::Named(named) => resolver.named(*named)?,
        Who::Known(provider) => resolver.known(provider)?,
    };
    resolver.extras(&mut endpoint);
    Ok(endpoint)
}

struct Resolver<'a> {
    choice: &'a EndpointChoice,
    settings: &'a ModelSettings,
    lookup: &'a Lookup<'a>,
}

impl<'a> Resolver<'a> {
    /// A word that may also be `auto`, which says nothing.
    fn stated(word: Option<&str>) -> Option<&str> {
        word.map(str::trim).filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("auto"))
    }

    /// What the configuration says about the main model, text by text.
    fn configured(&self, text: impl Fn(&MainModel) -> &Option<String>) -> Option<&'a str> {
        given(text(self.settings.main()?))
    }

    fn configured_provider(&self) -> Option<&str> {
        Self::stated(self.configured(|main| &main.provider))
    }

    fn configured_address(&self) -> Option<&'a str> {
        self.configured(|main| &main.base_url)
    }

    /// The name by which a provider is asked for, if one is.
    fn stated_name(&self) -> Option<String> {
        let from_env = var(self.lookup, "HERMES_INFERENCE_PROVIDER");
        let stated = Self::stated(self.choice.provider.as_deref())
            .or_else(|| self.configured_provider())
            .or_else(|| Self::stated(from_env.as_deref()));
        stated.map(str::to_owned)
    }

    fn who(&self) -> Result<Who, ResolveError> {
        match self.stated_name() {
            Some(name) => self.by_name(&name),
            None => self.automatic().map(Who::Known),
        }
    }

    fn by_name(&self, name: &str) -> Result<Who, ResolveError> {
        if let Some(named) = named::find(self.settings, name, self.lookup) {
            return Ok(Who::Named(Box::new(named)));
        }
        if let Some(provider) = table::find(name) {
            return Ok(Who::Known(provider));
        }
        let mut known: Vec<String> = PROVIDERS.iter().map(|known| known.name.to_owned()).collect();
        known.extend(named::names(self.settings));
        let close = |known: &&String| {
            let name = name.to_lowercase();
            known.starts_with(&name)
                || name.starts_with(known.as_str())
                || differs_little(known, &name)
        };
        Err(ResolveError::UnknownProvider {
            name: name.to_owned(),
            nearest: known.iter().find(close).cloned(),
            known: known.join(", "),
        })
    }

    fn automatic(&self) -> Result<&'static ProviderEntry, ResolveError> {
        let custom = table::find("custom").ok_or(ResolveError::NothingSetUp)?;
        let of_address = |url: &str| table::at(url).unwrap_or(custom);
        if let Some(url) = self.choice.base_url.as_deref() {
            return Ok(of_address(url));
        }
        if let Some(name) =
            self.choice.api_key.as_ref().and_then(|key| keys::provider_of(key.expose()))
        {
            return table::find(name).ok_or(ResolveError::NothingSetUp);
        }
        if let Some(url) = self.configured_address() {
            return Ok(of_address(url));
        }
        if var(self.lookup, "CUSTOM_BASE_URL").is_some() {
            return Ok(custom);
        }
        let has_key = |provider: &&ProviderEntry| {
            !provider.key_vars.is_empty() && keys::own(provider, self.lookup).is_some()
        };
        PROVIDERS.iter().find(has_key).ok_or(ResolveError::NothingSetUp)
    }

    /// Whether what the configuration says under `model` is about this provider.
    fn is_configured(&self, provider: &ProviderEntry) -> bool {
        match self.configured_provider() {
            Some(name) => {
                table::find(name).is_some_and(|configured| configured.name == provider.name)
            }
            None => match self.configured_address() {
                Some(url) => table::at(url).map_or("custom", |known| known.name) == provider.name,
                None => true,
            },
        }
    }

    fn known(&self, provider: &'static ProviderEntry) -> Result<Endpoint, ResolveError> {
        let about_it = self.is_configured(provider);
        // The engine is nowhere else: an address that is left of another server is not its own.
        let is_built_in = provider.name == table::BUILT_IN;
        let main = self.settings.main().filter(|_| about_it && !is_built_in);
        // Where the address comes from decides which key may go there.
        let mut from_its_var = false;
        let base_url = match (&self.choice.base_url, main.and_then(|main| given(&main.base_url))) {
            (Some(url), _) => url.clone(),
            (None, Some(url)) => url.to_owned(),
            (None, None) => match provider.base_url_var.and_then(|name| var(self.lookup, name)) {
                Some(url) => {
                    from_its_var = true;
                    url
                }
                None => self.usual_address(provider).to_owned(),
            },
        };
        if base_url.is_empty() {
            return Err(ResolveError::NoAddress { provider: provider.name.to_owned() });
        }
        let own_host = from_its_var || base_url == provider.base_url || provider.serves(&base_url);
        let found = if own_host && !provider.key_vars.is_empty() {
            keys::own(provider, self.lookup)
        } else {
            keys::for_address(&base_url, self.lookup)
        };
        let written = main.and_then(|main| given(&main.api_key)).map(str::to_owned);
        let given = self.choice.api_key.as_ref().map(|key| key.expose().to_owned());
        let key = given.or(written);
        let key_var = match &found {
            Some(found) => Some(found.var.clone()),
            None if own_host => provider.key_vars.first().map(|name| (*name).to_owned()),
            None => keys::var_for(&base_url),
        };
        let key = key.or_else(|| found.map(|found| found.key));
        if key.is_none() && provider.key == KeyNeed::Required && own_host {
            let vars = provider.key_vars.join(" or ");
            return Err(ResolveError::NoKey { provider: provider.title.to_owned(), vars });
        }
        let wire = main.and_then(|main| main.api_mode);
        let wire = wire.unwrap_or(match provider.wire {
            WireApi::Chat => named::wire_of(&base_url),
            wire => wire,
        });
        self.check_address(&base_url, provider.name)?;
        Ok(Endpoint {
            provider: provider.name.to_owned(),
            api_key: Some(Secret::new(key.as_deref().unwrap_or(NO_KEY))),
            headers: main
                .map(|main| main.headers.clone().into_iter().collect())
                .unwrap_or_default(),
            extra_body: main.map(|main| main.extra_body.clone()).unwrap_or_default(),
            context_length: self.window(about_it),
            sees_images: self.sees_images(about_it),
            key_var,
            ..Endpoint::new(wire, &base_url, &self.model(about_it, provider.default_model))
        })
    }

    /// A provider's own address; one's own servers are where their kind usually is.
    fn usual_address(&self, provider: &'static ProviderEntry) -> &'static str {
        let stated = self.stated_name();
        let usual = stated.as_deref().and_then(table::usual_address);
        usual.filter(|_| provider.base_url.is_empty()).unwrap_or(provider.base_url)
    }

    fn named(&self, named: Named) -> Result<Endpoint, ResolveError> {
        let about_it = self.configured_provider().is_some_and(|name| {
            let name = name.strip_prefix("custom:").unwrap_or(name);
            name.eq_ignore_ascii_case(&named.name)
        });
        let base_url = self.choice.base_url.clone().unwrap_or_else(|| named.base_url.clone());
        self.check_address(&base_url, &format!("providers.{}.base_url", named.name))?;
        let key = self.choice.api_key.as_ref().map(|key| key.expose().to_owned());
        // An entry's key belongs to the entry's address.
        let own = named.api_key.clone().filter(|_| base_url == named.base_url);
        let key = key.or(own);
        let key = key.or_else(|| keys::for_address(&base_url, self.lookup).map(|found| found.key));
        let wire = named.wire.unwrap_or_else(|| named::wire_of(&base_url));
        let model = self.model(about_it, named.default_model.as_deref().unwrap_or_default());
        Ok(Endpoint {
            provider: named.name,
            api_key: Some(Secret::new(key.as_deref().unwrap_or(NO_KEY))),
            headers: named.headers,
            extra_body: named.extra_body,
            context_length: self.window(about_it).or(named.context_length),
            sees_images: self.sees_images(about_it),
            key_var: named.key_var.or_else(|| keys::var_for(&base_url)),
            ..Endpoint::new(wire, &base_url, &model)
        })
    }

    fn check_address(&self, url: &str, place: &str) -> Result<(), ResolveError> {
        let fits = Url::parse(url.trim()).is_ok_and(|parsed| {
            matches!(parsed.scheme(), "http" | "https") && parsed.host_str().is_some()
        });
        if fits {
            return Ok(());
        }
        Err(ResolveError::BadAddress { url: url.to_owned(), place: place.to_owned() })
    }

    /// The model: said now, in the environment, in the configuration, or the provider's usual one.
    fn model(&self, about_it: bool, usual: &str) -> String {
        let configured = self.settings.main_name();
        let said = self.choice.model.clone().filter(|model| !model.trim().is_empty());
        let said = said.or_else(|| var(self.lookup, "HERMES_INFERENCE_MODEL"));
        let usual = Some(usual).filter(|model| !model.is_empty());
        // A model's name means nothing to another provider, unless there is no better guess.
        let guess = if about_it { configured.or(usual) } else { usual.or(configured) };
        said.or_else(|| guess.map(str::to_owned)).unwrap_or_default()
    }

    fn window(&self, about_it: bool) -> Option<u64> {
        let window = self.settings.main()?.context_length;
        window.filter(|_| about_it && !self.is_other_model())
    }

    fn sees_images(&self, about_it: bool) -> Option<bool> {
        let sees = self.settings.main()?.supports_vision;
        sees.filter(|_| about_it && !self.is_other_model())
    }

    /// Whether another model than the configured one is chosen, about which the settings say nothing.
    fn is_other_model(&self) -> bool {
        let usual = self.settings.main_name();
        self.choice.model.as_deref().is_some_and(|model| usual.is_some_and(|usual| usual != model))
    }

    /// What an aggregator takes besides: who we are, and whom it may pass the question to.
    fn extras(&self, endpoint: &mut Endpoint) {
        if !endpoint.is_at("openrouter.ai") {
            return;
        }
        endpoint.headers.push(("http-referer".to_owned(), env!("CARGO_PKG_REPOSITORY").to_owned()));
        endpoint.headers.push(("x-title".to_owned(), "Hermes".to_owned()));
        if self.settings.openrouter.response_cache {
            endpoint.headers.push(("x-openrouter-cache".to_owned(), "true".to_owned()));
        }
        let routing: Map<String, Value> = self.settings.provider_routing.fields();
        if !routing.is_empty() {
            endpoint.extra_body.entry("provider").or_insert(Value::Object(routing));
        }
    }
}

/// Whether two names differ by one letter put in, left out or changed.
fn differs_little(a: &str, b: &str) -> bool {
    let same_start = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let same_end = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).count();
    let (long, short) =
        (a.chars().count().max(b.chars().count()), a.chars().count().min(b.chars().count()));
    long - short <= 1 && same_start + same_end + 1 >= long
}
