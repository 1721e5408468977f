//! Who carries messages, and where a session may have them carried without asking.

use std::sync::Arc;

use hermes_approval::{Approvals, Audience, ConsentRequest, GrantScope, Purpose};
use hermes_cron::{Deliveries, DeliveryTarget, Destination};
use hermes_tool::{ToolContext, ToolError};

/// The platforms of a home, for the tool that writes to people.
#[derive(Clone, Debug, Default)]
pub struct Messenger {
    /// Those that are set up.
    pub deliveries: Deliveries,
}

/// The places of an automatic delivery, in the variables of a scheduled job: platform and place, commas between.
pub const DELIVERED_ANYWAY: &str = "HERMES_CRON_DELIVERS_TO";

impl Messenger {
    /// The chats a text means.
    pub(super) fn chats(&self, targets: &str) -> Result<Vec<(String, String)>, ToolError> {
        let found = self.deliveries.destinations(targets, None);
        let found = found.map_err(|problem| {
            failed(&format!("{problem}. The action list shows where can be written to"))
        })?;
        let chats = found.into_iter().filter_map(|one| match one {
            Destination::Chat { platform, place } => Some((platform, place)),
            Destination::Local => None,
        });
        let chats: Vec<_> = chats.collect();
        match chats.is_empty() {
            true => {
                Err(failed("That names no chat. The action list shows where can be written to"))
            }
            false => Ok(chats),
        }
    }

    /// The platform of a chat.
    pub(super) fn target(&self, platform: &str) -> Result<&Arc<dyn DeliveryTarget>, ToolError> {
        self.deliveries.target(platform).ok_or_else(|| failed("It is not set up any more"))
    }

    /// Lets a person decide, unless it is the chat of this session or a home chat. A yes lasts for the session.
    pub(super) async fn permitted(
        &self,
        chat: &(String, String),
        what: &str,
        cx: &ToolContext,
    ) -> Result<(), ToolError> {
        let (platform, place) = chat;
        let is_home = self.target(platform)?.home_chat().as_ref() == Some(place);
        if is_home || is_here(chat, cx) {
            return Ok(());
        }
        let Some(approvals) = cx.service::<Approvals>() else {
            return Err(failed("Nobody can be asked whether that chat may be written to"));
        };
        let ids = cx.ids();
        let session = if ids.session_id.is_empty() { &ids.task_id } else { &ids.session_id };
        let request = ConsentRequest {
            key: format!("send_message:{platform}:{place}"),
            what: format!("to {platform}:{place}\n{what}"),
            why: "It writes to people in your name, in a chat other than this one.".to_owned(),
            widest: GrantScope::Session,
            session: session.clone(),
            purpose: Purpose::Foreground,
            audience: Audience::of_call(cx),
            call: ids.clone(),
            cancellation: cx.cancellation().clone(),
        };
        let decided = approvals.consult(request).await;
        decided.map(drop).map_err(|refusal| failed(&refusal.to_string()))
    }
}

/// Whether a chat is the one this session talks in.
fn is_here((platform, place): &(String, String), cx: &ToolContext) -> bool {
    let var = |name: &str| cx.vars().non_blank(name);
    let here = var("HERMES_SESSION_CHAT_ID").map(|chat| match var("HERMES_SESSION_THREAD_ID") {
        Some(thread) => format!("{chat}:{thread}"),
        None => chat.to_owned(),
    });
    var("HERMES_SESSION_PLATFORM") == Some(platform) && here.as_ref() == Some(place)
}

/// Whether what the job says at its end goes there by itself.
pub(super) fn is_delivered_anyway(chat: &(String, String), cx: &ToolContext) -> bool {
    let places = cx.vars().get(DELIVERED_ANYWAY).unwrap_or_default();
    let whole = format!("{}:{}", chat.0, chat.1);
    places.split(',').any(|place| place == whole)
}

pub(super) fn failed(text: &str) -> ToolError {
    ToolError::answer(text.to_owned()).with("success", false)
}
