//! What the gate is asked: a command, where it would run, what for, and who could be asked.

use std::path::Path;
use std::sync::Arc;

use hermes_guard::command::{CommandContext, KeptShell};
use hermes_guard::input::Listening;
use hermes_tool::{CallIds, ToolContext, Vars};
use tokio_util::sync::CancellationToken;

/// A command that wants to run.
///
/// [`CommandRequest::new`] assumes the least: the host itself, nobody there to ask. Set the fields that
/// are known to be otherwise.
#[derive(Clone, Debug)]
pub struct CommandRequest {
    /// The command, exactly as it would be given to the shell.
    pub command: String,
    /// The session whose approvals count.
    pub session: String,
    /// Where it would run.
    pub target: ExecutionTarget,
    /// On whose behalf it would run.
    pub purpose: Purpose,
    /// Who could be asked.
    pub audience: Audience,
    /// What is known about the machine it would run on.
    pub host: HostFacts,
    /// What earlier commands of the session left in the shell it would run in.
    pub shell: Option<Arc<KeptShell>>,
    /// The call it belongs to, told to hooks.
    pub call: CallIds,
    /// Cancelled when the caller no longer wants the command; a question is then answered with no.
    pub cancellation: CancellationToken,
}

impl CommandRequest {
    /// A foreground command on the host with nobody there to ask.
    #[must_use]
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            session: String::new(),
            target: ExecutionTarget::Local,
            purpose: Purpose::Foreground,
            audience: Audience::Nobody,
            host: HostFacts::default(),
            shell: None,
            call: CallIds::default(),
            cancellation: CancellationToken::new(),
        }
    }

    /// As the analysis wants it.
    #[must_use]
    pub fn command_context(&self) -> CommandContext<'_> {
        CommandContext { shell: self.shell.as_deref(), ..self.host.command_context() }
    }
}

/// A whole script that wants to run, for tools that execute code.
#[derive(Clone, Debug)]
pub struct ScriptRequest {
    /// The whole source, as it would run.
    pub code: String,
    /// The session whose approvals count.
    pub session: String,
    /// Where it would run.
    pub target: ExecutionTarget,
    /// What keeps it from doing harm there.
    pub confinement: ScriptConfinement,
    /// What is known about the machine it would run on.
    pub host: HostFacts,
    /// Who could be asked.
    pub audience: Audience,
    /// The call it belongs to, told to hooks.
    pub call: CallIds,
    /// Cancelled when the caller no longer wants the script.
    pub cancellation: CancellationToken,
}

/// What keeps a script from doing harm where it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptConfinement {
    /// Nothing does: it may write whatever the user may.
    None,
    /// The kernel, which lets it write in listed places only.
    Sandbox,
}

/// Text that would be typed to a program which already runs.
#[derive(Clone, Debug)]
pub struct InputRequest {
    /// The text, as the program would get it.
    pub text: String,
    /// What was typed to it before.
    pub before: String,
    /// The command it was started with.
    pub command: String,
    /// The names of the processes it consists of, as far as they can be seen.
    pub processes: Vec<String>,
    /// Whether it has a terminal.
    pub terminal: bool,
    /// Whether what is typed can be seen there.
    pub echo: InputEcho,
    /// The session whose approvals count.
    pub session: String,
    /// Where the program runs.
    pub target: ExecutionTarget,
    /// Who could be asked.
    pub audience: Audience,
    /// What is known about that machine.
    pub host: HostFacts,
    /// The call it belongs to, told to hooks.
    pub call: CallIds,
    /// Cancelled when the caller no longer wants it typed.
    pub cancellation: CancellationToken,
}

/// Whether a terminal shows what is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputEcho {
    /// It does, or there is none.
    Shown,
    /// The program asked for a password.
    Hidden,
}

impl InputRequest {
    pub(crate) fn listening(&self) -> Listening<'_> {
        Listening {
            command: &self.command,
            processes: &self.processes,
            before: &self.before,
            terminal: self.terminal,
        }
    }

    /// Its lines, and the line it completes.
    pub(crate) fn readings(&self) -> Vec<String> {
        let typed = self.text.replace('\r', "\n");
        let begun = self.before.rsplit('\n').next().unwrap_or_default();
        let line = format!("{begun}{typed}");
        typed.lines().chain(line.lines()).map(str::to_owned).chain([typed.clone()]).collect()
    }
}

/// Something else a person must agree to: a plugin's rule about a tool call, a question of an MCP
/// server.
#[derive(Clone, Debug)]
pub struct ConsentRequest {
    /// What a lasting yes covers, such as `plugin_rule:<rule>`.
    pub key: String,
    /// What would happen, for the person.
    pub what: String,
    /// Why somebody is asked.
    pub why: String,
    /// The longest-lasting yes that may be given.
    pub widest: GrantScope,
    /// The session whose approvals count.
    pub session: String,
    /// On whose behalf.
    pub purpose: Purpose,
    /// Who could be asked.
    pub audience: Audience,
    /// The call it belongs to, told to hooks.
    pub call: CallIds,
    /// Cancelled when the caller no longer wants an answer.
    pub cancellation: CancellationToken,
}

/// How long a yes lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrantScope {
    /// For this one command.
    Once,
    /// For this category until the session ends.
    Session,
    /// For this category, until it is revoked.
    Always,
}

impl GrantScope {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
        }
    }
}

/// Where a command would run, as far as the gate cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExecutionTarget {
    /// On this machine, as this user.
    Local,
    /// On another machine, over ssh.
    Ssh,
    /// In a sandbox that cannot reach this machine: nothing is asked there.
    Isolated,
    /// In a container that can change things outside itself.
    ContainerWithHostAccess,
}

/// Whether a container can change things outside itself: mounts of host folders, the engine's
/// socket, privileges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostAccess {
    /// It cannot.
    None,
    /// It can.
    Some,
}

impl ExecutionTarget {
    /// The target behind a backend's name. Only docker is asked about host access; a name nobody
    /// knows counts as this machine.
    #[must_use]
    pub fn of_backend(backend: &str, access: HostAccess) -> Self {
        match (backend, access) {
            ("singularity" | "apptainer" | "modal" | "daytona" | "vercel_sandbox", _)
            | ("docker" | "podman", HostAccess::None) => Self::Isolated,
            ("docker" | "podman", HostAccess::Some) => Self::ContainerWithHostAccess,
            ("ssh", _) => Self::Ssh,
            _ => Self::Local,
        }
    }

    /// Whether nothing done there reaches this machine.
    #[must_use]
    pub fn is_isolated(self) -> bool {
        self == Self::Isolated
    }
}

/// On whose behalf a command would run; told in the log and to the person asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A command whose end is waited for.
    Foreground,
    /// A command that keeps running.
    Background,
    /// A command with a terminal of its own.
    Pty,
    /// Text for a program that already runs.
    Input,
    /// A command that a running script asks for.
    ScriptRpc,
    /// A scheduled job.
    Cron,
    /// One of many runs in a batch.
    Batch,
    /// A client of the MCP server.
    Mcp,
    /// A plugin.
    Plugin,
    /// Typed by a person, as in `hermes tools call`.
    ByHand,
}

impl Purpose {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Foreground => "foreground",
            Self::Background => "background",
            Self::Pty => "pty",
            Self::Input => "input",
            Self::ScriptRpc => "script",
            Self::Cron => "cron",
            Self::Batch => "batch",
            Self::Mcp => "mcp",
            Self::Plugin => "plugin",
            Self::ByHand => "by hand",
        }
    }
}

/// Who could be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Audience {
    /// A person at a terminal.
    Terminal,
    /// A person at the other end of a messaging platform.
    Gateway,
    /// A person behind a program that calls us and can show them a question.
    Client,
    /// Nobody: a scheduled job.
    Cron,
    /// Nobody: no terminal, or a platform where nobody can answer.
    Nobody,
}

impl Audience {
    /// Who could be asked about a call: whoever the host has put into its services, else whoever
    /// its variables name.
    #[must_use]
    pub fn of_call(cx: &ToolContext) -> Self {
        cx.service::<Self>().map_or_else(|| Self::from_vars(cx.vars()), |known| *known)
    }

    /// Who is there according to the variables a host sets. A scheduled job is never a chat, even
    /// if the platform that started it is.
    #[must_use]
    pub fn from_vars(vars: &Vars) -> Self {
        let is_cron = vars.is_on("HERMES_CRON_SESSION");
        let is_chat = vars.is_on("HERMES_GATEWAY_SESSION")
            || vars.is_on("HERMES_EXEC_ASK")
            || vars.non_blank("HERMES_SESSION_PLATFORM").is_some();
        match (is_cron, is_chat, vars.is_on("HERMES_INTERACTIVE")) {
            (false, true, _) => Self::Gateway,
            (_, _, true) => Self::Terminal,
            (true, _, false) => Self::Cron,
            (false, false, false) => Self::Nobody,
        }
    }
}

/// What is known about the machine a command would run on. What is not known is not guessed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// The user's home.
    pub home: Option<String>,
    /// Where Hermes keeps its state.
    pub hermes_home: Option<String>,
    /// The user's name.
    pub user: Option<String>,
    /// The directory the command starts in.
    pub cwd: Option<String>,
    /// The folder for temporary files.
    pub temp_dir: Option<String>,
}

impl HostFacts {
    /// This machine, for commands that run here; the directory they start in is the caller's to
    /// add.
    #[must_use]
    pub fn from_vars(vars: &Vars, hermes_home: &Path) -> Self {
        let var = |name| vars.non_blank(name).map(str::to_owned);
        let hermes_home = hermes_home.to_string_lossy().into_owned();
        Self {
            home: var("HOME"),
            hermes_home: (!hermes_home.is_empty()).then_some(hermes_home),
            user: var("USER").or_else(|| var("LOGNAME")),
            cwd: None,
            temp_dir: var("TMPDIR").or_else(|| Some("/tmp".to_owned())),
        }
    }

    /// As the analysis wants it.
    #[must_use]
    pub fn command_context(&self) -> CommandContext<'_> {
        CommandContext {
            home: self.home.as_deref(),
            hermes_home: self.hermes_home.as_deref(),
            user: self.user.as_deref(),
            cwd: self.cwd.as_deref(),
            temp_dir: self.temp_dir.as_deref(),
            shell: None,
            earlier: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audience(vars: &[&str]) -> Audience {
        let vars: Vars = vars.iter().map(|name| ((*name).to_owned(), "1".to_owned())).collect();
        Audience::from_vars(&vars)
    }

    #[test]
    fn a_scheduled_job_is_never_a_chat() {
        assert_eq!(audience(&["HERMES_CRON_SESSION", "HERMES_GATEWAY_SESSION"]), Audience::Cron);
        assert_eq!(audience(&["HERMES_CRON_SESSION", "HERMES_SESSION_PLATFORM"]), Audience::Cron);
        assert_eq!(audience(&["HERMES_SESSION_PLATFORM"]), Audience::Gateway);
        assert_eq!(audience(&["HERMES_EXEC_ASK", "HERMES_INTERACTIVE"]), Audience::Gateway);
        assert_eq!(audience(&["HERMES_INTERACTIVE"]), Audience::Terminal);
        assert_eq!(audience(&[]), Audience::Nobody);
    }

    #[test]
    fn a_host_can_say_who_is_there_for_one_call() {
        use hermes_tool::{ContextParts, Services};
        let services = Services::default().with(std::sync::Arc::new(Audience::Client));
        let cx = ContextParts { services, ..ContextParts::default() }.into();
        assert_eq!(Audience::of_call(&cx), Audience::Client);
        assert_eq!(Audience::of_call(&ToolContext::default()), Audience::Nobody);
    }

    #[test]
    fn only_sandboxes_without_a_way_out_are_isolated() {
        for backend in ["singularity", "apptainer", "modal", "daytona", "vercel_sandbox"] {
            assert!(
                ExecutionTarget::of_backend(backend, HostAccess::Some).is_isolated(),
                "{backend}"
            );
        }
        assert!(ExecutionTarget::of_backend("docker", HostAccess::None).is_isolated());
        for backend in ["docker", "ssh", "local", "", "something new"] {
            assert!(
                !ExecutionTarget::of_backend(backend, HostAccess::Some).is_isolated(),
                "{backend}"
            );
        }
        for backend in ["ssh", "local", "something new"] {
            assert!(
                !ExecutionTarget::of_backend(backend, HostAccess::None).is_isolated(),
                "{backend}"
            );
        }
    }
}
