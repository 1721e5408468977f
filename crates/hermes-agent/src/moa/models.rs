//! From the configured preset to the models of a mixture.

use std::sync::Arc;

use hermes_llm::Model;
use hermes_tools::moa::{MoaSettings, ModelRef};

use crate::context::AgentContext;

/// The models that `moa.presets` names, found and ready to be asked.
pub(crate) struct MoaModels {
    pub(crate) settings: MoaSettings,
    pub(crate) references: Vec<Arc<dyn Model>>,
    /// Makes the answer in place of the conversation's own model, if the preset names one.
    pub(crate) aggregator: Option<Arc<dyn Model>>,
}

impl MoaModels {
    /// Finds them; the error is for the person and says what is missing.
    pub(crate) fn gather(context: &AgentContext) -> Result<Self, String> {
        let settings = MoaSettings::from_config(&context.config, None)
            .filter(MoaSettings::is_usable)
            .ok_or("No mixture is set up: moa.presets in config.yaml names the models")?;
        let find = context.models.as_ref().ok_or("No models to ask")?;
        let named = |wanted: &ModelRef| {
            let provider = Some(wanted.provider.as_str()).filter(|name| !name.is_empty());
            find(provider, &wanted.model)
        };
        let references = settings.references.iter().map(named).collect::<Result<_, _>>()?;
        let aggregator = settings.aggregator.as_ref().map(named).transpose()?;
        Ok(Self { settings, references, aggregator })
    }
}
