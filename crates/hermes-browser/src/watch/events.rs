//! Events, one function for each kind.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use serde_json::value::RawValue;

use super::state::{FrameState, Load, SessionInfo};
use super::{SessionKind, Tab, VIEWPORT, Watcher};
use crate::bridge::{self, DialogChannel, RequestPaused};
use crate::cdp::{Connection, EventSink};
use crate::dialogs::{ClosedBy, Dialog, OpenDialog, STORM};
use crate::references::References;
use crate::settings::DialogPolicy;

impl EventSink for Watcher {
    fn event(&self, connection: &Connection, session: &str, method: &str, params: &RawValue) {
        let known = match method {
            "Target.attachedToTarget" => {
                read(params).map(|event| self.attached(connection, session, event))
            }
            "Target.targetCreated" => {
                read(params).map(|event: Created| self.created(connection, &event.target_info))
            }
            "Target.detachedFromTarget" => read(params).map(|event| self.detached(&event)),
            "Target.targetCrashed" => read(params).map(|event: Crashed| {
                if let Some(tab) = self.state().tab_mut(&event.target_id) {
                    tab.crashed = true;
                }
            }),
            "Inspector.targetCrashed" => {
                if let Some(tab) = self.state().page_of_session(session) {
                    tab.crashed = true;
                }
                Some(())
            }
            "Page.frameRequestedNavigation" | "Page.frameScheduledNavigation" => {
                read(params).map(|event: OfFrame| self.requested(session, &event))
            }
            "Page.frameStartedNavigating" => {
                read(params).map(|event| self.started_navigating(session, event))
            }
            "Page.frameNavigated" => read(params).map(|event| self.navigated(session, event)),
            "Page.frameDetached" => read(params).map(|event| self.frame_detached(session, &event)),
            "Page.navigatedWithinDocument" => read(params).map(|event: WithinDocument| {
                if let Some(tab) = self.state().page_of_session(session)
                    && tab.target == event.frame_id
                {
                    tab.url = event.url;
                    tab.load.requested = None;
                }
            }),
            "Page.frameStoppedLoading" => read(params).map(|event: OfFrame| {
                if let Some(tab) = self.state().page_of_session(session)
                    && tab.target == event.frame_id
                {
                    tab.load.done = true;
                    // What was begun and never came (a download, no content) is over too.
                    tab.load.begun.clone_from(&tab.load.committed);
                    tab.load.requested = None;
                }
            }),
            "Page.lifecycleEvent" => read(params).map(|event| self.lifecycle(session, &event)),
            "Page.javascriptDialogOpening" => {
                read(params).map(|event| self.dialog_opened(connection, session, event))
            }
            "Fetch.requestPaused" => {
                read(params).map(|event| self.held_back(connection, session, event))
            }
            "Page.javascriptDialogClosed" => {
                self.state()
                    .dialogs
                    .close(|open| open.session == session && open.request.is_none());
                Some(())
            }
            "Runtime.consoleAPICalled" => {
                read(params).map(|event| self.state().console.api_called(event))
            }
            "Runtime.exceptionThrown" => {
                read(params).map(|event| self.state().console.thrown(event))
            }
            "Log.entryAdded" => read(params).map(|event| self.state().console.logged(event)),
            "Runtime.executionContextsCleared" => {
                self.state().worlds.retain(|(of, _), _| of != session);
                return;
            }
            "Browser.downloadWillBegin" => {
                read(params).map(|event| self.state().downloads.begun(event))
            }
            "Browser.downloadProgress" => {
                read(params).map(|event| self.state().downloads.progress(event))
            }
            "Network.responseReceived" => return self.response(session, params),
            _ => return,
        };
        match known {
            Some(()) => self.changed(),
            None => tracing::debug!(method, "an event of the browser has an unknown form"),
        }
    }

    fn closed(&self, reason: &str) {
        self.state().ended = Some(reason.to_owned());
        self.changed();
    }
}

impl Watcher {
    /// In a browser that is not ours only those windows are taken that one of our pages opened.
    fn created(&self, connection: &Connection, target: &TargetInfo) {
        let opener = target.opener_id.as_deref().unwrap_or_default();
        if target.kind == "page" && self.state().tab(opener).is_some() {
            let attach = json!({"targetId": target.target_id, "flatten": true});
            connection.tell("", "Target.attachToTarget", attach);
        }
    }

    fn attached(&self, connection: &Connection, parent: &str, event: Attached) {
        let Attached { session_id: session, target_info: target } = event;
        let mut state = self.state();
        let tab = match target.kind.as_str() {
            "page" => target.target_id.clone(),
            "iframe" => match state.tab_of_session(parent) {
                Some(tab) => tab,
                None => return,
            },
            _ => {
                connection.tell(&session, "Runtime.runIfWaitingForDebugger", json!({}));
                connection.tell("", "Target.detachFromTarget", json!({"sessionId": session}));
                return;
            }
        };
        let is_page = target.kind == "page";
        let kind = if is_page {
            SessionKind::Page
        } else {
            SessionKind::Frame { parent: parent.to_owned(), frame: target.target_id.clone() }
        };
        state.sessions.insert(session.clone(), SessionInfo { kind, tab });
        if is_page {
            state.tabs.push(Tab {
                target: target.target_id.clone(),
                session: session.clone(),
                url: target.url,
                crashed: false,
                hangs: false,
                load: Load::default(),
                references: References::default(),
                dialogs_opened: 0,
                server: None,
                frames: HashMap::new(),
            });
            // A window that a page opens is what the person would look at now.
            state.active = Some(target.target_id);
        }
        drop(state);
        self.set_up(connection, &session, is_page);
    }

    /// Everything that a new session needs, sent in one go.
    fn set_up(&self, connection: &Connection, session: &str, is_page: bool) {
        let tell = |method, params| connection.tell(session, method, params);
        tell("Page.enable", json!({}));
        tell("Page.setLifecycleEventsEnabled", json!({"enabled": true}));
        tell("Runtime.enable", json!({}));
        tell("Log.enable", json!({}));
        // Bodies are not asked for, so none need be kept.
        let buffers = json!({"maxTotalBufferSize": 0, "maxResourceBufferSize": 0});
        tell("Network.enable", buffers);
        if self.dialog_channel == DialogChannel::Requested {
            tell("Fetch.enable", bridge::held_back());
            let script = json!({"source": bridge::script(), "runImmediately": true});
            tell("Page.addScriptToEvaluateOnNewDocument", script);
        }
        if is_page && self.set_viewport {
            let (width, height) = VIEWPORT;
            let size =
                json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
            tell("Emulation.setDeviceMetricsOverride", size);
        }
        let frames = json!({
            "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
            "filter": [{"type": "iframe", "exclude": false}, {"exclude": true}],
        });
        tell("Target.setAutoAttach", frames);
        tell("Runtime.runIfWaitingForDebugger", json!({}));
    }

    fn detached(&self, event: &Detached) {
        let mut state = self.state();
        state.worlds.retain(|(of, _), _| *of != event.session_id);
        let Some(info) = state.sessions.remove(&event.session_id) else { return };
        if info.kind == SessionKind::Page {
            state.remove_tab(&info.tab);
        }
    }

    fn requested(&self, session: &str, event: &OfFrame) {
        if let Some(tab) = self.state().page_of_session(session)
            && tab.target == event.frame_id
        {
            tab.load.requested = Some(Instant::now());
        }
    }

    fn started_navigating(&self, session: &str, event: StartedNavigating) {
        if matches!(event.navigation_type.as_str(), "sameDocument" | "historySameDocument") {
            return;
        }
        if let Some(tab) = self.state().page_of_session(session)
            && tab.target == event.frame_id
        {
            tab.load.begun = Some(event.loader_id);
            tab.load.requested = None;
        }
    }

    fn navigated(&self, session: &str, event: Navigated) {
        let Navigated { frame } = event;
        let mut state = self.state();
        let Some(tab) = state.tab_of_session_mut(session) else { return };
        if tab.target != frame.id {
            if !frame.url.starts_with("http") {
                tab.frames.remove(&frame.id);
            }
            return;
        }
        tab.frames.clear();
        tab.url = frame.url + frame.url_fragment.as_deref().unwrap_or_default();
        tab.commit(&frame.loader_id);
        state.dialogs.close(|open| open.session == session && open.request.is_some());
    }

    fn frame_detached(&self, session: &str, event: &FrameDetached) {
        // One that goes on in another process is still there.
        if event.reason != "swap"
            && let Some(tab) = self.state().tab_of_session_mut(session)
        {
            tab.frames.remove(&event.frame_id);
        }
    }

    fn lifecycle(&self, session: &str, event: &Lifecycle) {
        let mut state = self.state();
        let Some(tab) = state.page_of_session(session) else { return };
        if tab.target != event.frame_id {
            return;
        }
        // A page that has just been attached to may not tell that another document is shown.
        if tab.load.begun.as_deref() == Some(&event.loader_id) {
            tab.commit(&event.loader_id);
        }
        if tab.load.committed.as_deref() != Some(&event.loader_id) {
            return;
        }
        match event.name.as_str() {
            "DOMContentLoaded" => tab.load.content = true,
            "networkAlmostIdle" => tab.load.quiet = true,
            "load" => tab.load.done = true,
            _ => {}
        }
    }

    fn response(&self, session: &str, params: &RawValue) {
        // Most responses are not documents; those are told apart without reading all of it.
        if !params.get().contains(r#""type":"Document""#) {
            return;
        }
        let Some(event) = read::<ResponseReceived>(params) else { return };
        let mut state = self.state();
        let Some(tab) = state.tab_of_session_mut(session) else { return };
        let Response { url, remote_ip_address: server } = event.response;
        if tab.target == event.frame_id {
            tab.server = server;
        } else {
            let id = event.frame_id;
            tab.frames.insert(id.clone(), FrameState { id, url, server });
        }
    }

    /// A page asks for a dialog, or for something at the host that is kept for dialogs.
    fn held_back(&self, connection: &Connection, session: &str, event: RequestPaused) {
        let Some(asked) = event.asked() else {
            let refusal = json!({"requestId": event.request_id, "errorReason": "BlockedByClient"});
            connection.tell(session, "Fetch.failRequest", refusal);
            return;
        };
        let opening = DialogOpening {
            kind: asked.kind,
            message: asked.message,
            default_prompt: asked.default_prompt,
            frame_id: event.frame_id,
            request: Some(event.request_id),
        };
        self.dialog_opened(connection, session, opening);
    }

    fn dialog_opened(&self, connection: &Connection, session: &str, event: DialogOpening) {
        let mut state = self.state();
        let Some(tab) = state.tab_of_session(session) else { return };
        let opened = state.tab_mut(&tab).map_or(0, |known| {
            known.dialogs_opened += 1;
            known.dialogs_opened
        });
        let policy = match event.kind.as_str() {
            // Whoever leads the browser elsewhere has decided to leave.
            "beforeunload" => DialogPolicy::AutoAccept,
            _ if opened > STORM => DialogPolicy::AutoDismiss,
            _ => self.policy,
        };
        let closing = (policy != DialogPolicy::MustRespond).then_some(ClosedBy::AutoPolicy);
        let id = state.dialogs.next_id();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let dialog = Dialog {
            id: id.clone(),
            kind: event.kind,
            message: event.message,
            default_prompt: event.default_prompt,
            opened_at: since.as_secs_f64(),
            frame_id: event.frame_id,
            closed_by: None,
        };
        let session = session.to_owned();
        let expires = Instant::now() + self.dialog_timeout;
        let request = event.request;
        let open = OpenDialog { dialog, session, request, tab, closing, expires };
        state.dialogs.open.push(open.clone());
        drop(state);
        match policy {
            // Beyond that the page is closed; answering on would only keep it going.
            _ if opened > STORM => {}
            DialogPolicy::MustRespond => self.watch_dialog(connection, open),
            DialogPolicy::AutoAccept => self.answer(connection, &open, true),
            DialogPolicy::AutoDismiss => self.answer(connection, &open, false),
        }
    }

    fn answer(&self, connection: &Connection, open: &OpenDialog, accept: bool) {
        let (method, params) = open.answer(accept, None);
        connection.tell(&open.session, method, params);
        // The browser says when one of its own is closed.
        if open.request.is_some() {
            let id = &open.dialog.id;
            self.state().dialogs.close(|known| known.dialog.id == *id);
        }
    }

    /// Dismisses a dialog if it is still open when its time is over.
    fn watch_dialog(&self, connection: &Connection, open: OpenDialog) {
        let (connection, limit) = (connection.downgrade(), self.dialog_timeout);
        let this = self.this.clone();
        tokio::spawn(async move {
            tokio::time::sleep(limit).await;
            let (Some(connection), Some(this)) = (connection.upgrade(), this.upgrade()) else {
                return;
            };
            // If another one of the browser's own is open by now, it waited for as long behind the first.
            this.answer(&connection, &open, false);
        });
    }
}

fn read<T: DeserializeOwned>(params: &RawValue) -> Option<T> {
    serde_json::from_str(params.get()).ok()
}

/// How long a load that was asked for may take to begin.
pub(crate) const REQUEST_COUNTS: Duration = Duration::from_millis(500);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    url: String,
    opener_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detached {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Crashed {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfFrame {
    frame_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StartedNavigating {
    frame_id: String,
    #[serde(default)]
    loader_id: String,
    #[serde(default)]
    navigation_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameDetached {
    frame_id: String,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithinDocument {
    frame_id: String,
    url: String,
}

#[derive(Deserialize)]
struct Navigated {
    frame: Frame,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    id: String,
    #[serde(default)]
    loader_id: String,
    #[serde(default)]
    url: String,
    url_fragment: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lifecycle {
    frame_id: String,
    #[serde(default)]
    loader_id: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DialogOpening {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    default_prompt: String,
    frame_id: Option<String>,
    /// The request of a page that asks for the dialog.
    #[serde(skip)]
    request: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseReceived {
    #[serde(default)]
    frame_id: String,
    response: Response,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    url: String,
    #[serde(rename = "remoteIPAddress")]
    remote_ip_address: Option<String>,
}
