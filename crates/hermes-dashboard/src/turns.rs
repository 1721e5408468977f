//! The turns of rooms.

use std::sync::Arc;
use std::time::Duration;

use hermes_agent::{FrontEnd, TurnResult};
use hermes_approval::Audience;
use hermes_host::{
    AgentFactory, AgentRequest, Interaction, MemoryAccess, PLATFORM, SessionOptions,
};
use hermes_llm::message::ImageUrl;
use hermes_llm::{ContentPart, MessageContent};
use hermes_protocol::text::{amount, dollars};
use tokio_util::sync::CancellationToken;

use crate::app::{App, Dashboard};
use crate::chat::{BlockKind, DashboardPrompter, Heard, Room, Said, Teller};

/// Where our sessions come from, in lists.
const SOURCE: &str = "dashboard";
/// How long MCP servers are waited for before the first turn.
const SERVER_PATIENCE: Duration = Duration::from_secs(10);
/// Rooms that are kept; of those nobody uses, the rest go.
const MOST_ROOMS: usize = 64;

impl Dashboard {
    /// The room of a session.
    pub(crate) fn room(&self, session: &str) -> Arc<Room> {
        let mut rooms = self.rooms.lock();
        if let Some(room) = rooms.get(session) {
            return Arc::clone(room);
        }
        if rooms.len() >= MOST_ROOMS {
            rooms.retain(|_, room| !room.is_idle());
        }
        let room = Arc::new(Room::new(session.to_owned(), self.redactor()));
        rooms.insert(session.to_owned(), Arc::clone(&room));
        room
    }

    async fn factory(&self) -> Result<Arc<AgentFactory>, String> {
        let mut kept = self.rooms.workshop.lock().await;
        if let Some(factory) = &*kept {
            return Ok(Arc::clone(factory));
        }
        let interaction = Interaction {
            asker: Some(Arc::new(DashboardPrompter(Arc::clone(&self.questions)))),
            ..Interaction::unattended()
        };
        let made = self.host().agent_factory(&interaction).await;
        let factory = Arc::new(made.map_err(|problem| problem.to_string())?);
        if let Some(servers) = factory.tools().servers() {
            servers.wait_ready(servers.discovery_timeout().max(SERVER_PATIENCE)).await;
        }
        *kept = Some(Arc::clone(&factory));
        Ok(factory)
    }

    /// Ends what was started; what is returned a person should know.
    pub(crate) async fn close(&self) -> Option<String> {
        let rooms: Vec<Arc<Room>> = self.rooms.lock().values().cloned().collect();
        for room in rooms {
            room.stop();
        }
        let factory = self.rooms.workshop.lock().await.take();
        match factory {
            Some(factory) => factory.close().await,
            None => None,
        }
    }
}

/// Says something in a room; the turn goes on by itself.
pub(crate) fn say(app: &App, room: &Arc<Room>, said: Said) -> Heard {
    let heard = room.say(said);
    if heard == Heard::Begin {
        let (app, room) = (Arc::clone(app), Arc::clone(room));
        tokio::spawn(async move {
            while let Some((said, stop)) = room.next_said() {
                let (state, text) = match turn(&app, &room, said, &stop).await {
                    Ok(result) => told(&result, &stop),
                    Err(problem) => ("failed", problem),
                };
                if !room.finish(BlockKind::End { state, text }) {
                    break;
                }
            }
        });
    }
    heard
}

async fn turn(
    app: &App,
    room: &Arc<Room>,
    said: Said,
    stop: &CancellationToken,
) -> Result<TurnResult, String> {
    let session = room.session.clone();
    let last = app.store.read(move |database| {
        let tip = database.tip(&session)?;
        Ok(database.messages(&tip)?.last().map_or(0, |message| message.id))
    });
    room.begins_after(last.await.unwrap_or(0));
    let factory = app.factory().await?;
    let host = app.host();
    host.require_sound_config().map_err(|problem| problem.to_string())?;
    let (model, provider) = match said.model.as_deref().map(|named| named.split_once(' ')) {
        None => (None, None),
        Some(Some((provider, model))) => (Some(model.to_owned()), Some(provider.to_owned())),
        Some(None) => (said.model.clone(), None),
    };
    let named = |name: &str, value: &str| (format!("HERMES_SESSION_{name}"), value.to_owned());
    let request = AgentRequest {
        session: room.session.clone(),
        options: SessionOptions {
            platform: PLATFORM.to_owned(),
            source: Some(SOURCE.to_owned()),
            model,
            provider,
            ..SessionOptions::default()
        },
        vars: vec![named("PLATFORM", SOURCE), named("SOURCE", SOURCE), named("ID", &room.session)],
        memory: MemoryAccess::Owner,
        audience: Audience::Client,
        more_toolsets: Vec::new(),
    };
    let teller = Arc::new(Teller::new(Arc::clone(room), Arc::clone(&app.questions)));
    let made = factory.agent(&host, &request, teller as Arc<dyn FrontEnd>).await;
    let mut agent = made.map_err(|problem| problem.to_string())?;
    let _open = app.questions.open(agent.conversation().id(), room);
    let both = stop.child_token();
    let ended = app.stop.clone();
    let ends = both.clone();
    let watch = tokio::spawn(async move {
        ended.cancelled().await;
        ends.cancel();
    });
    let result = agent.turn(content(said), &both).await;
    watch.abort();
    Ok(result)
}

fn content(said: Said) -> MessageContent {
    if said.pictures.is_empty() {
        return MessageContent::Text(said.text);
    }
    let picture = |url| ContentPart::ImageUrl { image_url: ImageUrl { url } };
    let text = Some(ContentPart::Text { text: said.text });
    MessageContent::Parts(text.into_iter().chain(said.pictures.into_iter().map(picture)).collect())
}

/// How a turn ended, in a word and a line.
fn told(result: &TurnResult, stop: &CancellationToken) -> (&'static str, String) {
    if stop.is_cancelled() {
        return ("stopped", "Stopped.".to_owned());
    }
    if result.exit.is_failure() {
        let why = result.error.clone().unwrap_or_else(|| result.final_response.clone());
        let advice = result.advice.as_deref().map(|advice| format!(" {advice}"));
        return ("failed", format!("{why}{}", advice.unwrap_or_default()));
    }
    let usage = &result.usage;
    let mut line = format!(
        "{} · {} in, {} out",
        result.model,
        amount(usage.prompt_tokens()),
        amount(usage.output_tokens)
    );
    if let Some(cost) = result.cost_usd.filter(|cost| *cost > 0.0) {
        line.push_str(&format!(" · {}", dollars(cost)));
    }
    ("done", line)
}
