//! Clicking an element.

use serde::Deserialize;
use serde_json::json;

use super::scripts::gone;
use crate::browser::{Browser, PageHandle};
use crate::dialogs::Dialog;
use crate::error::BrowserError;
use crate::references::ElementInfo;
use crate::watch::SessionKind;

/// Brings an element into view and finds a point on it that a click would reach.
const FIND_POINT: &str = include_str!("find_point.js");
/// Clicks without a mouse: for elements without a place on the screen.
const CLICK: &str = "function() { this.click() }";

/// What a click did beside what the page shows now.
#[derive(Clone, Debug, Default)]
pub struct Clicked {
    /// The dialog it opened, which waits for an answer.
    pub dialog: Option<Dialog>,
}

/// What [`FIND_POINT`] found.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spot {
    kind: SpotKind,
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    /// Left and top of the element in its own frame.
    #[serde(default)]
    left: f64,
    #[serde(default)]
    top: f64,
    cover: Option<String>,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
enum SpotKind {
    /// A point can be clicked.
    Point,
    /// The element is no longer part of the page.
    Gone,
    /// The element has no box.
    NoBox,
    /// An option of a list was chosen, which no mouse could.
    Chosen,
    /// Another element is in front.
    Covered,
    /// It is switched off.
    Disabled,
}

impl Browser {
    /// Clicks the element that a reference means, and waits for the page it leads to, if it leads to one.
    ///
    /// # Errors
    /// There is no such element, another one covers it, it is switched off.
    pub async fn click(&self, reference: &str) -> Result<Clicked, BrowserError> {
        let page = self.page()?;
        let element = self.element(&page, reference)?;
        match self.click_element(&page, &element).await {
            Ok(()) => {}
            Err(BrowserError::Dialog(dialog)) => return Ok(Clicked { dialog: Some(*dialog) }),
            Err(error) => return Err(error),
        }
        if element.key.session != page.session {
            // A frame with a process of its own does what was clicked in its own time.
            self.flush_session(&page, &element.key.session).await.or_else(only_trouble)?;
        }
        match self.settle(&page).await {
            Err(BrowserError::Dialog(dialog)) => Ok(Clicked { dialog: Some(*dialog) }),
            Err(error) => Err(error),
            Ok(()) => Ok(Clicked::default()),
        }
    }

    async fn click_element(
        &self,
        page: &PageHandle,
        element: &ElementInfo,
    ) -> Result<(), BrowserError> {
        let spot: Spot = self.call_on(page, element, FIND_POINT, &[]).await?;
        let shown = |what: &str| {
            BrowserError::Element(format!("the {} {:?} {what}", element.role, element.name))
        };
        match spot.kind {
            SpotKind::Chosen => return Ok(()),
            SpotKind::Gone => return Err(gone(element)),
            SpotKind::Disabled => return Err(shown("is disabled and cannot be clicked")),
            SpotKind::NoBox => {
                return self.call_on::<()>(page, element, CLICK, &[]).await;
            }
            SpotKind::Covered => {
                let cover = spot.cover.unwrap_or_default();
                return Err(shown(&format!("is covered by {cover}; close or move that first")));
            }
            SpotKind::Point => {}
        }
        let (dx, dy) = self.frame_offset(page, element, spot.left, spot.top).await?;
        let (x, y) = (spot.x + dx, spot.y + dy);
        let event = |kind: &str, buttons: u8| {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let params = json!({
                "type": kind, "x": x, "y": y, "button": button, "buttons": buttons,
                "clickCount": u8::from(kind != "mouseMoved"),
            });
            self.connection.send::<serde::de::IgnoredAny>(
                &page.session,
                "Input.dispatchMouseEvent",
                params,
            )
        };
        // Sent together: a movement alone would be held back until the next picture is drawn.
        let moved = event("mouseMoved", 0);
        let pressed = event("mousePressed", 1);
        let released = event("mouseReleased", 0);
        for pending in [moved, pressed, released] {
            self.wait_for(page, pending).await?;
        }
        Ok(())
    }

    /// How far an element's own frame is from the corner of the page.
    async fn frame_offset(
        &self,
        page: &PageHandle,
        element: &ElementInfo,
        left: f64,
        top: f64,
    ) -> Result<(f64, f64), BrowserError> {
        if element.key.session == page.session && element.frame == page.target {
            return Ok((0.0, 0.0));
        }
        // A frame in the same process: the browser knows where the element is in the whole of it.
        let node = json!({"backendNodeId": element.key.node});
        let quads: Quads =
            self.call(page, &element.key.session, "DOM.getContentQuads", node).await?;
        let first = quads.quads.first().map(Vec::as_slice).unwrap_or_default();
        let (mut dx, mut dy) = match corner(first) {
            Some((x, y)) => (x - left, y - top),
            None => (0.0, 0.0),
        };
        // A frame in another process knows nothing of what is around it.
        let mut session = element.key.session.clone();
        while let Some((parent, frame)) = self.around(&session) {
            let owner: FrameOwner =
                self.call(page, &parent, "DOM.getFrameOwner", json!({"frameId": frame})).await?;
            let node = json!({"backendNodeId": owner.backend_node_id});
            let boxes: BoxModel = self.call(page, &parent, "DOM.getBoxModel", node).await?;
            if let Some((x, y)) = corner(&boxes.model.content) {
                dx += x;
                dy += y;
            }
            session = parent;
        }
        Ok((dx, dy))
    }

    /// The session around that of a frame, and the frame's name there.
    pub(crate) fn around(&self, session: &str) -> Option<(String, String)> {
        match &self.watcher.state().sessions.get(session)?.kind {
            SessionKind::Page => None,
            SessionKind::Frame { parent, frame } => Some((parent.clone(), frame.clone())),
        }
    }
}

/// A frame may be gone after a click; that is no failure.
fn only_trouble(error: BrowserError) -> Result<(), BrowserError> {
    match error {
        BrowserError::Protocol(_) | BrowserError::Dialog(_) => Ok(()),
        error => Err(error),
    }
}

/// The corner of a shape that is given by its four corners: the smallest of each.
fn corner(quad: &[f64]) -> Option<(f64, f64)> {
    let smallest = |from: usize| quad.iter().skip(from).step_by(2).copied().reduce(f64::min);
    Some((smallest(0)?, smallest(1)?))
}

#[derive(Deserialize)]
struct Quads {
    quads: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameOwner {
    backend_node_id: i64,
}

#[derive(Deserialize)]
struct BoxModel {
    model: Model,
}

#[derive(Deserialize)]
struct Model {
    content: Vec<f64>,
}
