//! The frames of a page, as a list for whoever wants to reach one.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::browser::Browser;
use crate::error::BrowserError;
use crate::watch::SessionKind;

/// Most frames that are listed.
const MOST: usize = 30;

/// A document within the page, as dialogs and `frame_id` arguments name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FrameInfo {
    /// Its id, by which it can be reached.
    pub frame_id: String,
    /// Its address.
    pub url: String,
    /// Where it comes from.
    pub origin: String,
    /// Whether it has a process of its own.
    pub is_oopif: bool,
    /// The session of that process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The frame around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_frame_id: Option<String>,
    /// The name the page gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The frames of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrameTree {
    /// The page itself.
    pub top: FrameInfo,
    /// The frames in it, in the order of the document.
    pub children: Vec<FrameInfo>,
    /// Whether there are more than are listed.
    pub truncated: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TreeAnswer {
    frame_tree: TreeNode,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TreeNode {
    frame: RawFrame,
    #[serde(default)]
    child_frames: Vec<TreeNode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawFrame {
    id: String,
    parent_id: Option<String>,
    name: Option<String>,
    #[serde(default)]
    url: String,
    #[serde(default)]
    security_origin: String,
}

impl Browser {
    /// The frames of the page in front, those with a process of their own included.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn frame_tree(&self) -> Result<FrameTree, BrowserError> {
        let page = self.page()?;
        let mut frames = Vec::new();
        let own: Vec<(String, String)> = {
            let state = self.watcher.state();
            let of_page = state.sessions.iter().filter(|(_, info)| info.tab == page.target);
            let frames = of_page.filter_map(|(session, info)| match &info.kind {
                SessionKind::Page => None,
                SessionKind::Frame { parent, .. } => Some((session.clone(), parent.clone())),
            });
            frames.collect()
        };
        let answer: TreeAnswer =
            self.call(&page, &page.session, "Page.getFrameTree", json!({})).await?;
        flatten(answer.frame_tree, None, &mut frames);
        for (session, _) in own {
            if frames.len() > MOST {
                break;
            }
            let answer: Result<TreeAnswer, BrowserError> =
                self.call(&page, &session, "Page.getFrameTree", json!({})).await;
            // A frame may go while it is looked at.
            let Ok(answer) = answer else { continue };
            flatten(answer.frame_tree, Some(&session), &mut frames);
        }
        let mut frames = frames.into_iter();
        let top = frames.next().unwrap_or_default();
        let children: Vec<FrameInfo> = frames.collect();
        let truncated = children.len() > MOST;
        Ok(FrameTree { top, children: children.into_iter().take(MOST).collect(), truncated })
    }
}

/// Adds a frame and those in it, without recursion: a page decides how deep they nest.
fn flatten(root: TreeNode, session: Option<&str>, frames: &mut Vec<FrameInfo>) {
    let mut waiting = vec![root];
    while let Some(TreeNode { frame, child_frames }) = waiting.pop() {
        waiting.extend(child_frames.into_iter().rev());
        if frames.len() > MOST {
            return;
        }
        frames.push(FrameInfo {
            frame_id: frame.id,
            url: frame.url,
            origin: frame.security_origin,
            is_oopif: session.is_some(),
            session_id: session.map(str::to_owned),
            parent_frame_id: frame.parent_id,
            name: frame.name.filter(|name| !name.is_empty()),
        });
    }
}
