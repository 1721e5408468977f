//! The built-in engine as one provider among others: an endpoint that names it gets a server that is started when it is
//! asked, shared by all who ask the same model of the same home.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_llm::Endpoint;
use hermes_llm::discover::ModelInfo;
use hermes_llm::on_demand::EndpointServer;
use hermes_local::engine::SharedEngine;
use hermes_local::library::{Library, window_of};
use hermes_local::{ModelSourceSettings, PROVIDER};
use hermes_store::home::Home;
use hermes_tool::Vars;
use serde_json::Value;

/// What engines are started with.
#[derive(Clone)]
pub(crate) struct EngineStarter {
    home: Home,
    /// The program, where the settings name another than this one.
    program: Option<PathBuf>,
}

impl EngineStarter {
    pub(crate) fn of(home: &Home, config: &Value, vars: &Vars) -> Self {
        let program = ModelSourceSettings::from_config(config, vars).engine.map(PathBuf::from);
        Self { home: home.clone(), program }
    }

    /// The engine for an endpoint, if that is who it names.
    pub(crate) fn engine(&self, endpoint: &Endpoint) -> Option<Arc<SharedEngine>> {
        if endpoint.provider != PROVIDER {
            return None;
        }
        // Without a path of our own there is nothing to start; the request then says that nobody listens.
        let program = self.program.clone().or_else(|| std::env::current_exe().ok())?;
        Some(SharedEngine::of(&program, self.home.root(), &endpoint.model))
    }

    /// Gives an endpoint of the engine its server, and the window its model is likely to have.
    pub(crate) fn give(&self, endpoint: &mut Endpoint) {
        if let Some(engine) = self.engine(endpoint) {
            endpoint.server = Some(EndpointServer(engine));
            endpoint.context_length =
                endpoint.context_length.or_else(|| Some(u64::from(window_of(&endpoint.model))));
        }
    }

    /// The models that it could run.
    pub(crate) fn models(&self, vars: &Vars) -> Vec<ModelInfo> {
        let own = Library::of(&self.home).usable_models(vars).into_iter();
        own.map(|model| ModelInfo {
            context_length: Some(u64::from(window_of(&model.name))),
            id: model.name,
        })
        .collect()
    }

    /// The model of the home, if it has exactly one.
    pub(crate) fn only_model(&self) -> Option<String> {
        let mut models = Library::of(&self.home).models();
        (models.len() == 1).then(|| models.remove(0).name)
    }

    /// Whether a model of this name is here.
    pub(crate) fn has(&self, model: &str, vars: &Vars) -> bool {
        Library::of(&self.home).find(model, vars).is_some()
    }
}
