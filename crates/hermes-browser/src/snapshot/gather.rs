//! Fetches what a snapshot is made of, from all processes of a page.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::json;

use super::ax::{AxAnswer, AxTree};
use super::dom::{DomAnswer, DomFacts, STYLES};
use crate::browser::{Browser, PageHandle};
use crate::cdp::PendingCall;
use crate::error::BrowserError;
use crate::watch::SessionKind;

/// Most frames whose content is shown.
const MOST_FRAMES: usize = 30;

/// Everything known of a page.
#[derive(Default)]
pub(super) struct Gathered {
    /// What each session says of its documents.
    pub(super) documents: HashMap<String, DomFacts>,
    /// The tree of each frame.
    pub(super) trees: HashMap<String, FrameTreeOf>,
    /// Which frame with a process of its own is inside which element.
    pub(super) inside: HashMap<(String, i64), String>,
}

/// The tree of a frame, and who knows its nodes.
pub(super) struct FrameTreeOf {
    pub(super) session: String,
    pub(super) tree: AxTree,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameOwner {
    backend_node_id: i64,
}

struct Asked {
    session: String,
    frame: String,
    dom: PendingCall<DomAnswer>,
    ax: PendingCall<AxAnswer>,
    owner: Option<(String, PendingCall<FrameOwner>)>,
}

impl Browser {
    /// Asks all processes at once, then once more for the frames that share one of them.
    pub(super) async fn gather(&self, page: &PageHandle) -> Result<Gathered, BrowserError> {
        let mut asked = vec![self.ask(&page.session, &page.target, None)];
        for (session, parent, frame) in self.frames_apart(page).into_iter().take(MOST_FRAMES) {
            asked.push(self.ask(&session, &frame, Some(&parent)));
        }
        let mut gathered = Gathered::default();
        let mut more = Vec::new();
        for Asked { session, frame, dom, ax, owner } in asked {
            let is_page = session == page.session;
            let found = async {
                let dom = self.wait_for(page, dom).await?;
                let ax = self.wait_for(page, ax).await?;
                let owner = match owner {
                    Some((parent, pending)) => Some((parent, self.wait_for(page, pending).await?)),
                    None => None,
                };
                Ok((dom, ax, owner))
            };
            let (dom, ax, owner) = match found.await {
                Ok(found) => found,
                // A frame may go while it is looked at; the page itself must answer.
                Err(BrowserError::Protocol(error)) if !is_page => {
                    tracing::debug!(%error, "a frame is left out of a snapshot");
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some((parent, owner)) = owner {
                gathered.inside.insert((parent, owner.backend_node_id), frame.clone());
            }
            let facts = DomFacts::new(dom);
            for inner in facts.frames().skip(1).take(MOST_FRAMES) {
                let params = json!({"frameId": inner});
                let pending = self.connection.send::<AxAnswer>(
                    &session,
                    "Accessibility.getFullAXTree",
                    params,
                );
                more.push((session.clone(), inner.to_owned(), pending));
            }
            gathered.documents.insert(session.clone(), facts);
            gathered.trees.insert(frame, FrameTreeOf { session, tree: AxTree::new(ax) });
        }
        for (session, frame, pending) in more {
            match self.wait_for(page, pending).await {
                Ok(ax) => {
                    gathered.trees.insert(frame, FrameTreeOf { session, tree: AxTree::new(ax) });
                }
                Err(BrowserError::Protocol(error)) => {
                    tracing::debug!(%error, "a frame is left out of a snapshot");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(gathered)
    }

    fn ask(&self, session: &str, frame: &str, parent: Option<&str>) -> Asked {
        let styles = json!({"computedStyles": STYLES});
        Asked {
            session: session.to_owned(),
            frame: frame.to_owned(),
            dom: self.connection.send(session, "DOMSnapshot.captureSnapshot", styles),
            ax: self.connection.send(session, "Accessibility.getFullAXTree", json!({})),
            owner: parent.map(|parent| {
                let params = json!({"frameId": frame});
                (parent.to_owned(), self.connection.send(parent, "DOM.getFrameOwner", params))
            }),
        }
    }

    /// Frames of a page with a process of their own: session, session around it, frame.
    fn frames_apart(&self, page: &PageHandle) -> Vec<(String, String, String)> {
        let state = self.watcher.state();
        let of_page = state.sessions.iter().filter(|(_, info)| info.tab == page.target);
        let apart = of_page.filter_map(|(session, info)| match &info.kind {
            SessionKind::Page => None,
            SessionKind::Frame { parent, frame } => {
                Some((session.clone(), parent.clone(), frame.clone()))
            }
        });
        apart.collect()
    }
}
