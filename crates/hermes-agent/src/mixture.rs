//! A turn for which other models are asked first.

use std::sync::Arc;

use hermes_llm::{Content, Message, Model};
use hermes_tools::agent_level::{MoaSettings, ModelRef};
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, World};
use crate::event::{Event, Level};
use crate::moa::Mixture;
use crate::outcome::TurnResult;
use crate::seats::{Seat, Seats};

/// The models of the configured mixture.
pub(crate) struct Party {
    pub(crate) settings: MoaSettings,
    pub(crate) references: Vec<Arc<dyn Model>>,
    /// Who makes the answer, if not the model of the conversation.
    pub(crate) aggregator: Option<Arc<dyn Model>>,
}

impl Party {
    /// Finds them; an error says what is missing.
    pub(crate) fn gather(world: &World) -> Result<Self, String> {
        let settings = MoaSettings::from_config(&world.config, None)
            .filter(MoaSettings::is_usable)
            .ok_or("No mixture is set up: moa.presets in config.yaml names the models")?;
        let find = world.models.as_ref().ok_or("No models to ask")?;
        let named = |wanted: &ModelRef| {
            let provider = Some(wanted.provider.as_str()).filter(|name| !name.is_empty());
            find(provider, &wanted.model)
        };
        let references = settings.references.iter().map(named).collect::<Result<_, _>>()?;
        let aggregator = settings.aggregator.as_ref().map(named).transpose()?;
        Ok(Self { settings, references, aggregator })
    }
}

impl Agent {
    /// A turn in which other models are asked first. What they say goes to the model with the
    /// question, which then works as always; the mixture's own model answers if it names one.
    ///
    /// # Errors
    /// When no mixture is set up. Nothing was said then.
    pub async fn turn_as_mixture(
        &mut self,
        said: impl Into<Content>,
        cancel: &CancellationToken,
    ) -> Result<TurnResult, String> {
        let said = said.into();
        let party = Party::gather(&self.world)?;
        let own = Arc::clone(&self.seats.current().model);
        let mixture = Mixture {
            references: party.references.iter().map(|model| &**model).collect(),
            aggregator: party.aggregator.as_deref().unwrap_or(&*own),
            settings: &party.settings,
        };
        self.notice(Level::Info, format!("asking {} models first", party.references.len()));
        let mut asked = self.conversation.messages().to_vec();
        asked.push(Message::user(said.clone()));
        let advice = mixture.consult(&asked, cancel).await;
        for (model, problem) in &advice.failed {
            self.notice(Level::Warning, format!("{model} gave no advice: {problem}"));
        }
        if let Some(text) = advice.text() {
            self.tell(&text);
        }
        let stand_in = party.aggregator.map(|model| {
            let window = self.seats.primary().window.clone();
            std::mem::replace(&mut self.seats, Seats::new(Seat::new(model, window), Vec::new()))
        });
        let mut result = self.turn(said, cancel).await;
        if let Some(before) = stand_in {
            self.seats = before;
        }
        result.usage += advice.usage;
        Ok(result)
    }

    fn notice(&self, level: Level, text: String) {
        self.world.front.on_event(Event::Notice { level, text });
    }
}
