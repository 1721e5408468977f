//! What the terminal tools of one call work with: environments, the gate, whose call it is.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use hermes_approval::{
    Approvals, Approved, Around, Audience, Place, Purpose, Refusal, Request, Script, ScriptRequest,
    Settings, ShellLine,
};
use hermes_exec::background::Processes;
use hermes_exec::manager::{Blueprint, Environments, InUse};
use hermes_exec::{BackendKind, ExecError, SudoPassword};
use hermes_files::checkpoints::looks_destructive;
use hermes_guard::redact::{Mode, Redactor, Switch};
use hermes_runtime::hooks::{HookEvent, Hooks};
use hermes_store::config::Config;
use hermes_store::home::Home;
use hermes_tool::{Availability, ToolContext, ToolError, Vars};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::checkpoints;

/// The place a call without a task or conversation belongs to.
const DEFAULT: &str = "default";

/// The terminal of one call.
pub(crate) struct Site {
    pub(crate) environments: Arc<Environments>,
    approvals: Arc<Approvals>,
    cx: ToolContext,
}

impl Site {
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

    /// Asks the gate.
    pub(crate) async fn admit(
        &self,
        command: &str,
        environment: &InUse,
        cwd: Option<&str>,
        purpose: Purpose,
    ) -> Result<Approved<ShellLine>, Refusal> {
        let vars = self.cx.vars();
        let mut around = Around::from_vars(vars, &home_of(vars).unwrap_or_default());
        around.cwd = Some(cwd.map_or_else(|| environment.cwd(), str::to_owned));
        let mut request = Request::new(command);
        request.call = self.cx.ids().clone();
        request.session = self.conversation().to_owned();
        request.place = environment.backend().place();
        // Whoever calls on another's behalf says so; a script does.
        request.purpose = self.cx.service::<Purpose>().map_or(purpose, |behalf| *behalf);
        request.audience = self.audience();
        request.around = around;
        request.cancellation = self.cancellation();
        self.approvals.admit(request).await
    }

    /// Asks the gate about a whole script.
    pub(crate) async fn admit_script(
        &self,
        code: String,
        place: Place,
    ) -> Result<Approved<Script>, Refusal> {
        let request = ScriptRequest {
            code,
            session: self.conversation().to_owned(),
            place,
            audience: self.audience(),
            call: self.cx.ids().clone(),
            cancellation: self.cancellation(),
        };
        self.approvals.admit_script(request).await
    }

    /// Saves the directory of a command that looks as if it destroyed files, on this machine and if
    /// checkpoints are switched on.
    pub(crate) async fn checkpoint(&self, command: &str, environment: &InUse, cwd: Option<&str>) {
        if environment.kind() != BackendKind::Local || !looks_destructive(command) {
            return;
        }
        let Some(home) = home_of(self.cx.vars()) else { return };
        let Some(store) = checkpoints::store(&self.cx, &home) else { return };
        let folder = cwd.map_or_else(|| environment.cwd(), str::to_owned);
        let folder = BTreeSet::from([PathBuf::from(folder)]);
        checkpoints::take(&store, &self.cx.ids().turn_id, folder, "before terminal").await;
    }

    /// Variables that say whose command it is.
    pub(crate) fn exports(&self) -> Vec<(String, String)> {
        let ids = self.cx.ids();
        let bound = [("HERMES_SESSION_ID", &ids.session_id)];
        bound
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect()
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

    /// What plugins make of a command's output.
    pub(crate) async fn transformed(
        &self,
        environment: &InUse,
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
        redactor(self.cx.config(), self.cx.vars())
            .redact(text, Mode::Terminal { command })
            .into_owned()
    }

    /// What a script wrote, without secrets.
    pub(crate) fn redacted_code(&self, text: &str) -> String {
        redactor(self.cx.config(), self.cx.vars()).redact(text, Mode::CodeFile).into_owned()
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

/// Whether secrets are left out is decided once: a command must not be able to change it.
fn redactor(config: &Value, vars: &Vars) -> &'static Redactor {
    static REDACTOR: std::sync::OnceLock<Redactor> = std::sync::OnceLock::new();
    REDACTOR.get_or_init(|| {
        let off = ["0", "false", "no", "off"];
        let is_off = match vars.non_blank("HERMES_REDACT_SECRETS") {
            Some(word) => off.iter().any(|off| word.trim().eq_ignore_ascii_case(off)),
            None => config["security"]["redact_secrets"] == Value::Bool(false),
        };
        Redactor::new(if is_off { Switch::Off } else { Switch::On })
    })
}

/// What the settings say about where commands run, without starting anything.
pub(crate) fn blueprint(vars: &Vars) -> Result<Blueprint, Availability> {
    let Some(home) = home_of(vars) else {
        return Err(Availability::unavailable("HOME is not set", "set HOME or HERMES_HOME"));
    };
    let lookup = |name: &str| vars.get(name).map(str::to_owned);
    let (config, _) = Config::load_or_default(&Home::at(&home).config_file(), lookup);
    Ok(Blueprint {
        config: Arc::new(config.into_value()),
        vars: vars.clone(),
        process_vars: vars.clone(),
        home,
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
    let told = error.to_string();
    // What is wrong stands before the semicolon, what to do about it behind.
    let correct = "correct the terminal section of config.yaml";
    let (reason, fix) = told.split_once("; ").unwrap_or((&told, correct));
    Availability::unavailable(reason, fix)
}

fn home_of(vars: &Vars) -> Option<PathBuf> {
    let given = vars.non_blank("HERMES_HOME").map(PathBuf::from);
    given.or_else(|| Some(Path::new(vars.non_blank("HOME")?).join(".hermes")))
}

type Own = (Arc<Environments>, Arc<Approvals>);

/// Services for hosts that bring none: one set for each home. Nobody can be asked by them, so what
/// needs an answer is refused.
fn own_services(cx: &ToolContext) -> Result<Own, ToolError> {
    static OWN: LazyLock<Mutex<HashMap<PathBuf, Own>>> = LazyLock::new(Mutex::default);
    let vars = cx.vars();
    let home = home_of(vars).ok_or_else(|| {
        ToolError::answer("HOME is not set, so there is no place for the state; set HERMES_HOME")
    })?;
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((environments, approvals)) = own.get(&home) {
        return Ok((Arc::clone(environments), Arc::clone(approvals)));
    }
    let (settings, warnings) = Settings::read(cx.config(), vars);
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let approvals = Approvals::builder(settings).home(&Home::at(&home)).build();
    let processes = Processes::new(Some(home.join("processes.json")), Processes::DEFAULT_GRACE);
    let blueprint = Blueprint {
        config: Arc::new(cx.config().clone()),
        vars: vars.clone(),
        process_vars: Vars::from_process(),
        home: home.clone(),
        process_cwd: std::path::absolute(cx.cwd()).unwrap_or_default(),
    };
    let made = (Environments::new(blueprint, processes), approvals);
    own.insert(home, (Arc::clone(&made.0), Arc::clone(&made.1)));
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
