//! What the terminal tools of one call work with: environments, the gate, whose call it is.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use hermes_approval::{
    ApprovalRefusal, ApprovalSettings, Approvals, Approved, Audience, CommandRequest,
    ConsentRequest, GrantScope, HostFacts, InputRequest, ProgramInput, Purpose, ScriptRequest,
    ScriptText, ShellLine, UnseenQuestion,
};
use hermes_exec::background::{ProcessKeyboard, Processes};
use hermes_exec::code::ScriptBackend;
use hermes_exec::manager::{Blueprint, EnvironmentLease, Environments};
use hermes_exec::{BackendKind, ExecError, SudoPassword};
use hermes_files::checkpoints::looks_destructive;
use hermes_guard::redact::RedactMode;
use hermes_runtime::hooks::{HookEvent, Hooks};
use hermes_store::config::Config;
use hermes_tool::{Availability, OutputTail, SessionVars, ToolContext, ToolError, Vars};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{checkpoints, host_services};

/// The place a call without a task or conversation belongs to.
const DEFAULT: &str = "default";

/// What a person is asked about that is no command.
pub(crate) struct Consent {
    pub(crate) key: &'static str,
    pub(crate) what: String,
    pub(crate) why: &'static str,
}

/// The terminal of one call.
pub(crate) struct TerminalContext {
    pub(crate) environments: Arc<Environments>,
    approvals: Arc<Approvals>,
    cx: ToolContext,
}

impl TerminalContext {
    /// The host's services where it offers them, those of the process otherwise.
    pub(crate) fn of(cx: &ToolContext) -> Result<Self, ToolError> {
        let environments = cx.service::<Environments>();
        let approvals = cx.service::<Approvals>();
        let (environments, approvals) = match (environments, approvals) {
            (Some(environments), Some(approvals)) => (environments, approvals),
            (environments, approvals) => {
                let own = own_services(cx)?;
                (environments.unwrap_or(own.0), approvals.unwrap_or(own.1))
            }
        };
        Ok(Self { environments, approvals, cx: cx.clone() })
    }

    pub(crate) fn task(&self) -> &str {
        or_default(&self.cx.ids().task_id)
    }

    /// By which directories and approvals are remembered.
    pub(crate) fn conversation(&self) -> &str {
        let ids = self.cx.ids();
        or_default(if ids.session_id.is_empty() { &ids.task_id } else { &ids.session_id })
    }

    /// Whether somebody looks at what commands write.
    pub(super) fn is_watched(&self) -> bool {
        self.cx.is_output_watched()
    }

    pub(super) fn show(&self, tail: OutputTail) {
        self.cx.show_output(tail);
    }

    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.cx.cancellation().clone()
    }

    /// Where this conversation's commands run.
    pub(crate) fn directory(&self) -> Option<String> {
        self.environments.directory(self.conversation(), self.task())
    }

    pub(crate) fn remember_directory(&self, cwd: String) {
        self.environments.remember_directory(self.conversation(), cwd);
    }

    /// Whether the caller can call this tool too; whoever was offered nothing in particular can call all.
    pub(super) fn offers(&self, tool: &str) -> bool {
        let offered = self.cx.enabled_tools();
        offered.is_empty() || offered.iter().any(|name| name.as_ref() == tool)
    }

    pub(crate) fn is_gateway(&self) -> bool {
        self.cx.vars().is_on("_HERMES_GATEWAY")
    }

    /// Whether somebody will be there to hear of a background process later.
    pub(crate) fn delivers_later(&self) -> bool {
        matches!(self.audience(), Audience::Terminal | Audience::Gateway)
    }

    fn audience(&self) -> Audience {
        Audience::of_call(&self.cx)
    }

    /// What the gate is told of the machine, for something that begins in this directory.
    fn host_facts(&self, cwd: String) -> HostFacts {
        let home = host_services::home(&self.cx).map(|home| home.root().to_owned());
        let facts = HostFacts::from_vars(self.cx.vars(), &home.unwrap_or_default());
        HostFacts { cwd: Some(cwd), ..facts }
    }

    /// Asks the gate.
    pub(crate) async fn admit(
        &self,
        command: &str,
        environment: &EnvironmentLease,
        cwd: Option<&str>,
        purpose: Purpose,
    ) -> Result<Approved<ShellLine>, ApprovalRefusal> {
        let host = self.host_facts(cwd.map_or_else(|| environment.cwd(), str::to_owned));
        let mut request = CommandRequest::new(command);
        request.call = self.cx.ids().clone();
        request.session = self.conversation().to_owned();
        request.target = environment.backend().target();
        // Whoever calls on another's behalf says so; a script does.
        request.purpose = self.cx.service::<Purpose>().map_or(purpose, |behalf| *behalf);
        request.audience = self.audience();
        request.host = host;
        request.shell = environment.kept_shell(self.conversation());
        request.cancellation = self.cancellation();
        self.approvals.admit(request).await
    }

    /// A question about something that is started on this machine itself, whatever backend commands have; only its text
    /// is missing.
    pub(crate) fn host_request(&self) -> CommandRequest {
        let cwd = std::env::current_dir().unwrap_or_default().display().to_string();
        let mut request = CommandRequest::new("");
        request.call = self.cx.ids().clone();
        request.session = self.conversation().to_owned();
        request.purpose =
            self.cx.service::<Purpose>().map_or(Purpose::Background, |behalf| *behalf);
        request.audience = self.audience();
        request.host = self.host_facts(cwd);
        request.cancellation = self.cancellation();
        request
    }

    pub(crate) fn approvals(&self) -> Arc<Approvals> {
        Arc::clone(&self.approvals)
    }

    /// Asks a person about something that is no command; where nobody is there the answer is no.
    pub(crate) async fn consent(&self, consent: Consent) -> Result<(), ApprovalRefusal> {
        let request = ConsentRequest {
            key: consent.key.to_owned(),
            what: consent.what,
            why: consent.why.to_owned(),
            widest: GrantScope::Once,
            session: self.conversation().to_owned(),
            purpose: Purpose::Foreground,
            audience: self.audience(),
            call: self.cx.ids().clone(),
            cancellation: self.cancellation(),
        };
        self.approvals.consult(request).await.map(drop)
    }

    /// Asks the gate about a whole script.
    pub(crate) async fn admit_script(
        &self,
        code: String,
        place: &ScriptBackend,
    ) -> Result<Approved<ScriptText>, ApprovalRefusal> {
        let request = ScriptRequest {
            code,
            session: self.conversation().to_owned(),
            target: place.target(),
            confinement: place.confinement(),
            host: self.host_facts(self.directory().unwrap_or_else(|| place.cwd())),
            audience: self.audience(),
            call: self.cx.ids().clone(),
            cancellation: self.cancellation(),
        };
        self.approvals.admit_script(request).await
    }

    /// Asks the gate about text for a background process.
    pub(crate) async fn admit_input(
        &self,
        text: String,
        keyboard: &ProcessKeyboard,
    ) -> Result<Approved<ProgramInput>, ApprovalRefusal> {
        let start = keyboard.start();
        let request = InputRequest {
            text,
            before: keyboard.before().to_owned(),
            command: start.command.clone(),
            processes: keyboard.processes(),
            terminal: start.pty.is_some(),
            echo: keyboard.echo(),
            session: self.conversation().to_owned(),
            target: keyboard.target(),
            audience: self.audience(),
            host: self.host_facts(start.cwd.clone()),
            call: self.cx.ids().clone(),
            cancellation: self.cancellation(),
        };
        self.approvals.admit_input(request).await
    }

    /// Tells the gate that a tool wrote a file where this conversation's commands run.
    pub(crate) fn file_written(&self, path: &Path, text: Option<String>) {
        let host = self.host_facts(String::new());
        self.approvals.file_written(self.conversation(), path, text, &host);
    }

    /// Saves the directory of a command that looks as if it destroyed files, on this machine and if
    /// checkpoints are switched on.
    pub(crate) async fn checkpoint(
        &self,
        command: &str,
        environment: &EnvironmentLease,
        cwd: Option<&str>,
    ) {
        if environment.kind() != BackendKind::Local || !looks_destructive(command) {
            return;
        }
        let Some(home) = host_services::home(&self.cx) else { return };
        let Some(store) = checkpoints::store(&self.cx, &home) else { return };
        let folder = cwd.map_or_else(|| environment.cwd(), str::to_owned);
        let folder = BTreeSet::from([PathBuf::from(folder)]);
        checkpoints::take(&store, &self.cx.ids().turn_id, folder, "before terminal").await;
    }

    /// Variables that say whose command it is.
    pub(crate) fn exports(&self) -> Vec<(String, String)> {
        let ids = self.cx.ids();
        let id = ("HERMES_SESSION_ID".to_owned(), ids.session_id.clone());
        let of_session = self.cx.service::<SessionVars>();
        let of_session = of_session.iter().flat_map(|vars| vars.0.iter().cloned());
        of_session.chain([id]).filter(|(_, value)| !value.is_empty()).collect()
    }

    /// Who knows the password for sudo.
    pub(crate) fn sudo(&self) -> Sudo {
        Sudo {
            configured: self.cx.vars().get("SUDO_PASSWORD").map(str::to_owned),
            approvals: Arc::clone(&self.approvals),
            conversation: self.conversation().to_owned(),
            audience: self.audience(),
            cancellation: self.cancellation(),
        }
    }

    /// Whether somebody could type something unseen.
    pub(crate) fn can_ask_unseen(&self) -> bool {
        self.approvals.can_ask_unseen(self.audience())
    }

    /// What the person at the terminal types unseen, unless it is known when it is this question's turn.
    pub(crate) async fn ask_unseen(
        &self,
        text: String,
        wait: Duration,
        known: impl Fn() -> Option<String>,
    ) -> Option<String> {
        let asked = UnseenQuestion { text, wait, audience: self.audience() };
        self.approvals.ask_unseen(asked, known, self.cx.cancellation()).await
    }

    /// What plugins make of a command's output.
    pub(crate) async fn transformed(
        &self,
        environment: &EnvironmentLease,
        command: &str,
        code: i32,
        output: String,
    ) -> String {
        let Some(hooks) = self.cx.service::<Hooks>() else { return output };
        if !hooks.listens(HookEvent::TransformTerminalOutput) {
            return output;
        }
        let payload = json!({
            "command": command,
            "output": output,
            "returncode": code,
            "task_id": self.task(),
            "env_type": environment.kind().name(),
        });
        let Value::Object(payload) = payload else { return output };
        let returned = hooks.raise(HookEvent::TransformTerminalOutput, payload).await;
        returned.iter().find_map(Value::as_str).map_or(output, str::to_owned)
    }

    /// Text without secrets.
    pub(crate) fn redacted(&self, text: &str, command: &str) -> String {
        host_services::redactor(&self.cx)
            .redact(text, RedactMode::Terminal { command })
            .into_owned()
    }

    /// What a script wrote, without secrets.
    pub(crate) fn redacted_code(&self, text: &str) -> String {
        host_services::redactor(&self.cx).redact(text, RedactMode::CodeFile).into_owned()
    }
}

/// The password for sudo: the one configured, the one this conversation gave before, or the one the
/// person at the terminal types now.
pub(crate) struct Sudo {
    configured: Option<String>,
    approvals: Arc<Approvals>,
    conversation: String,
    audience: Audience,
    cancellation: CancellationToken,
}

impl Sudo {
    /// Forgets a password that was typed. Whether there was one.
    pub(crate) fn forget(&self) -> bool {
        self.configured.is_none() && self.approvals.forget_sudo_password(&self.conversation)
    }
}

impl SudoPassword for Sudo {
    fn password(&self) -> Pin<Box<dyn Future<Output = Option<String>> + Send + '_>> {
        Box::pin(async {
            let Self { configured, approvals, conversation, audience, cancellation } = self;
            match configured {
                Some(configured) => Some(configured.clone()),
                None => approvals.sudo_password(conversation, *audience, cancellation).await,
            }
        })
    }
}

fn or_default(text: &str) -> &str {
    if text.is_empty() { DEFAULT } else { text }
}

/// What the settings say about where commands run, without starting anything.
pub(crate) fn blueprint(vars: &Vars) -> Result<Blueprint, Availability> {
    let Some(home) = host_services::located(vars) else {
        return Err(Availability::unavailable("HOME is not set", "set HOME or HERMES_HOME"));
    };
    let lookup = |name: &str| vars.get(name).map(str::to_owned);
    let (config, _) = Config::load_or_default(&home.config_file(), lookup);
    Ok(Blueprint {
        config: Arc::new(config.into_value()),
        vars: vars.clone(),
        process_vars: vars.clone(),
        home: home.root().to_owned(),
        process_cwd: PathBuf::from("/"),
    })
}

/// Whether commands could run where the settings say, without starting anything.
pub(crate) fn available(vars: &Vars) -> Availability {
    match blueprint(vars).map(|blueprint| blueprint.check()) {
        Ok(Ok(())) => Availability::Available,
        Ok(Err(error)) => unavailable(&error),
        Err(missing) => missing,
    }
}

/// What a place lacks, with the remedy.
pub(crate) fn unavailable(error: &ExecError) -> Availability {
    let message = error.to_string();
    // What is wrong stands before the semicolon, what to do about it behind.
    let correct = "correct the terminal section of config.yaml";
    let (reason, fix) = message.split_once("; ").unwrap_or((&message, correct));
    Availability::unavailable(reason, fix)
}

type Own = (Arc<Environments>, Arc<Approvals>);

/// Services for hosts that bring none: one set for each home. Nobody can be asked by them, so what
/// needs an answer is refused.
fn own_services(cx: &ToolContext) -> Result<Own, ToolError> {
    static OWN: LazyLock<Mutex<HashMap<PathBuf, Own>>> = LazyLock::new(Mutex::default);
    let vars = cx.vars();
    let home = host_services::home(cx).ok_or_else(|| {
        ToolError::answer("HOME is not set, so there is no place for the state; set HERMES_HOME")
    })?;
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((environments, approvals)) = own.get(home.root()) {
        return Ok((Arc::clone(environments), Arc::clone(approvals)));
    }
    // Whoever put the runtime together may have taken defaults for a file that cannot be read. What it
    // says about sandboxes, rules and places is then unknown, so nothing runs.
    if let Err(problem) = Config::load_unexpanded(&home.config_file()) {
        let message = format!("nothing runs until the configuration is mended: {problem}");
        return Err(ToolError::answer(message));
    }
    let (settings, warnings) = ApprovalSettings::read(cx.config(), vars);
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let approvals = Approvals::builder(settings).home(&home).build();
    let processes =
        Processes::new(Some(home.root().join("processes.json")), Processes::DEFAULT_GRACE);
    let blueprint = Blueprint {
        config: Arc::new(cx.config().clone()),
        vars: vars.clone(),
        process_vars: Vars::from_process(),
        home: home.root().to_owned(),
        process_cwd: std::path::absolute(cx.cwd()).unwrap_or_default(),
    };
    let made = (Environments::new(blueprint, processes), approvals);
    own.insert(home.root().to_owned(), (Arc::clone(&made.0), Arc::clone(&made.1)));
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn availability(config: &str) -> Availability {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("config.yaml");
        std::io::Write::write_all(&mut std::fs::File::create_new(file).unwrap(), config.as_bytes())
            .unwrap();
        let vars = [("HERMES_HOME", home.path().to_str().unwrap()), ("PATH", "/nonexistent")];
        available(
            &vars.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect(),
        )
    }

    #[test]
    fn what_the_backend_lacks_is_told_with_the_remedy() {
        assert_eq!(availability(""), Availability::Available);
        let Availability::Unavailable { reason, fix } =
            availability("terminal: {backend: singularity}")
        else {
            panic!("there is no client in that PATH")
        };
        assert!(reason.contains("neither apptainer nor singularity"), "{reason}");
        assert_eq!(fix, "install one of them");
        let Availability::Unavailable { reason, fix } = availability("terminal: {backend: ssh}")
        else {
            panic!("no host is configured")
        };
        assert!(format!("{reason} {fix}").contains("ssh_host"), "{reason} {fix}");
    }
}
