//! The person's word, asked for in the editor.
//!
//! Two things ask: the gate for commands, and changes to files. A yes to a change may be for this one, for every change of the
//! session, or for those below a folder; the mode of the session may say it beforehand. Whatever is no clear yes is a no.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    SessionId, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use hermes_approval::{
    ApprovalAnswer, ApprovalPrompter, ApprovalQuestion, AskPatience, GrantScope,
};
use hermes_protocol::ApprovalPrompt;
use hermes_tool::BoxFuture;
use serde_json::Value;

use crate::front::EditorFront;
use crate::options::EditMode;
use crate::tool_calls;

/// How long a dialog may stay open.
const PATIENCE: Duration = Duration::from_secs(3_600);
/// What an edit is refused with where the person said no.
const NO_EDIT: &str = "The user does not want this change. Ask what they want instead.";

const ONCE: &str = "allow_once";
const SESSION: &str = "allow_session";
const FOLDER: &str = "allow_folder";
const ALWAYS: &str = "allow_always";
const DENY: &str = "deny";

/// What the person agreed to for longer than one change.
#[derive(Default)]
struct Agreed {
    mode: EditMode,
    all_edits: bool,
    folders: Vec<PathBuf>,
}

/// Who is asked about what in one session.
pub(crate) struct Consent {
    connection: ConnectionTo<Client>,
    session: OnceLock<SessionId>,
    /// The folders of the session, the working one first.
    workspace: Vec<PathBuf>,
    agreed: Mutex<Agreed>,
    front: OnceLock<Weak<EditorFront>>,
}

impl Consent {
    pub(crate) fn new(connection: ConnectionTo<Client>, workspace: Vec<PathBuf>) -> Arc<Self> {
        Arc::new(Self {
            connection,
            session: OnceLock::new(),
            workspace,
            agreed: Mutex::default(),
            front: OnceLock::new(),
        })
    }

    /// Names the session once it has an id, and who shows its calls.
    pub(crate) fn belongs_to(&self, session: SessionId, front: &Arc<EditorFront>) {
        let _ = self.session.set(session);
        let _ = self.front.set(Arc::downgrade(front));
    }

    fn lock(&self) -> MutexGuard<'_, Agreed> {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn mode(&self) -> EditMode {
        self.lock().mode
    }

    pub(crate) fn set_mode(&self, mode: EditMode) {
        self.lock().mode = mode;
    }

    fn cwd(&self) -> &Path {
        self.workspace.first().map_or(Path::new("/"), PathBuf::as_path)
    }

    /// Puts a question; the id of what was chosen among the options that were offered.
    async fn put(&self, call: ToolCallUpdate, options: Vec<PermissionOption>) -> Option<String> {
        let session = self.session.get()?.clone();
        let offered: Vec<String> = options.iter().map(|one| one.option_id.to_string()).collect();
        let request = RequestPermissionRequest::new(session, call, options);
        let asked = self.connection.send_request(request).block_task();
        let answer = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()?;
        match answer.outcome {
            RequestPermissionOutcome::Selected(chosen) => {
                Some(chosen.option_id.to_string()).filter(|id| offered.contains(id))
            }
            _ => None,
        }
    }

    /// Whether a change needs nobody's word any more.
    fn is_agreed(&self, paths: &[PathBuf]) -> bool {
        let agreed = self.lock();
        let all_below = |folders: &[PathBuf]| {
            !paths.is_empty()
                && paths.iter().all(|path| {
                    let path = plain(path);
                    folders.iter().any(|folder| path.starts_with(folder))
                })
        };
        match agreed.mode {
            EditMode::DontAsk => true,
            _ if agreed.all_edits || all_below(&agreed.folders) => true,
            EditMode::AcceptEdits => {
                let mut near = self.workspace.clone();
                near.push(std::env::temp_dir());
                all_below(&near)
            }
            EditMode::Ask => false,
        }
    }

    /// Asks about a change to files, with the change itself to look at.
    pub(crate) async fn edit(self: Arc<Self>, tool: String, args: Value) -> Result<(), String> {
        let cwd = self.cwd().to_owned();
        let paths = tool_calls::paths(&args, &cwd);
        let front = self.front.get().and_then(Weak::upgrade).ok_or(NO_EDIT)?;
        let id = front.announce(&tool, &args);
        if self.is_agreed(&paths) {
            return Ok(());
        }
        let folder = paths.first().and_then(|path| path.parent()).map(Path::to_owned);
        let mut options = vec![
            option(ONCE, "Allow this change", PermissionOptionKind::AllowOnce),
            option(SESSION, "Allow all changes in this session", PermissionOptionKind::AllowAlways),
        ];
        if let Some(folder) = &folder {
            let words = format!("Allow changes in {} in this session", folder.display());
            options.push(option(FOLDER, &words, PermissionOptionKind::AllowAlways));
        }
        options.push(option(DENY, "Do not change it", PermissionOptionKind::RejectOnce));
        let shown = front.changes(&args);
        let fields = ToolCallUpdateFields::new()
            .title(front.title(&tool, &args))
            .kind(ToolKind::Edit)
            .status(ToolCallStatus::Pending)
            .content(shown)
            .locations(tool_calls::locations(&args, &cwd))
            .raw_input(args.clone());
        let chosen = self.put(ToolCallUpdate::new(id.clone(), fields), options).await;
        match chosen.as_deref() {
            Some(ONCE) => {}
            Some(SESSION) => self.lock().all_edits = true,
            Some(FOLDER) => self.lock().folders.extend(folder.map(|folder| plain(&folder))),
            _ => {
                front.refused(&id);
                return Err(NO_EDIT.to_owned());
            }
        }
        Ok(())
    }

    async fn command(self: Arc<Self>, question: ApprovalQuestion) -> ApprovalAnswer {
        let prompt = ApprovalPrompt::about_command(&question);
        let mut options = vec![option(ONCE, "Allow once", PermissionOptionKind::AllowOnce)];
        if question.widest >= GrantScope::Session {
            let words = "Allow the like in this session";
            options.push(option(SESSION, words, PermissionOptionKind::AllowAlways));
        }
        if question.widest >= GrantScope::Always {
            options.push(option(
                ALWAYS,
                "Always allow the like",
                PermissionOptionKind::AllowAlways,
            ));
        }
        options.push(option(DENY, "Do not run it", PermissionOptionKind::RejectOnce));
        let front = self.front.get().and_then(Weak::upgrade);
        let id = front.and_then(|front| front.shown_id(&question.call.tool_call_id));
        let fields = ToolCallUpdateFields::new()
            .title(prompt.subject.lines().next().unwrap_or_default().to_owned())
            .kind(ToolKind::Execute)
            .status(ToolCallStatus::Pending)
            .content(vec![prompt.statement().into()]);
        let call = ToolCallUpdate::new(id.unwrap_or_else(crate::front::new_call_id), fields);
        let cancelled = question.cancellation.clone();
        let chosen = tokio::select! {
            chosen = self.put(call, options) => chosen,
            () = cancelled.cancelled() => None,
        };
        match chosen.as_deref() {
            Some(ONCE) => ApprovalAnswer::Allowed(GrantScope::Once),
            Some(SESSION) => ApprovalAnswer::Allowed(GrantScope::Session),
            Some(ALWAYS) => ApprovalAnswer::Allowed(GrantScope::Always),
            _ => ApprovalAnswer::no(),
        }
    }
}

/// The path with `.` and `..` worked out and links followed as far as it exists: a folder that was agreed to is not left by
/// a spelling.
fn plain(path: &Path) -> PathBuf {
    let mut known = path.to_owned();
    let mut rest = Vec::new();
    loop {
        if let Ok(real) = known.canonicalize() {
            return rest.iter().rev().fold(real, |path, part| path.join(part));
        }
        match (known.parent().map(Path::to_owned), known.file_name().map(ToOwned::to_owned)) {
            (Some(parent), Some(name)) => {
                rest.push(name);
                known = parent;
            }
            // `..` below something that does not exist: nothing is known to lie above it.
            _ => return PathBuf::new(),
        }
    }
}

fn option(id: &str, words: &str, kind: PermissionOptionKind) -> PermissionOption {
    PermissionOption::new(id.to_owned(), words, kind)
}

/// The gate's questions, put to the editor.
pub(crate) struct EditorAsker(pub(crate) Arc<Consent>);

impl ApprovalPrompter for EditorAsker {
    fn ask(&self, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer> {
        let consent = Arc::clone(&self.0);
        Box::pin(async move { consent.command(question).await })
    }

    fn patience(&self) -> AskPatience {
        // The dialog stays open; it has a limit of its own.
        AskPatience::UntilAnswered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_not_left_by_a_spelling() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("in")).unwrap();
        assert_eq!(plain(&root.join("in/../in/new.txt")), root.join("in/new.txt"));
        std::os::unix::fs::symlink("/", root.join("in/out")).unwrap();
        assert!(!plain(&root.join("in/out/etc/passwd")).starts_with(root.join("in")));
        assert!(!plain(&root.join("in/none/../../x")).starts_with(root.join("in")));
    }
}
