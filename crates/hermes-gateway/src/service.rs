//! The gateway as a service of the system: a user unit of systemd, or an agent of launchd.
//!
//! The texts are made here and can be looked at without installing anything. What a service manager is asked to do goes through
//! its own command.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_host::Host;
use hermes_process::Command;
use hermes_store::atomic::{self, ExistingMode, WriteOptions};

/// How long a service manager may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Which manager looks after services here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manager {
    Systemd,
    Launchd,
}

/// Whose service it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServiceScope {
    /// The machine's, not the person's.
    pub(crate) system: bool,
    /// Whom it runs as, if it is the machine's.
    pub(crate) user: Option<String>,
}

/// The service of one home.
pub(crate) struct Service {
    manager: Manager,
    scope: ServiceScope,
    name: String,
    file: PathBuf,
    home: PathBuf,
    program: PathBuf,
    drain: Duration,
}

impl Service {
    /// The one of a home, whether or not it is installed.
    ///
    /// # Errors
    /// In words, where there is no manager of services.
    pub(crate) fn of(host: &Host, scope: ServiceScope) -> Result<Self, String> {
        let manager = manager(host).ok_or(
            "no service manager was found here (systemd or launchd); run `hermes gateway run` under \
             whatever starts programs on this machine",
        )?;
        let home = host.home().root().to_owned();
        let profile = home
            .parent()
            .filter(|parent| parent.ends_with("profiles"))
            .and_then(|_| home.file_name())
            .map(|name| format!("-{}", name.to_string_lossy()))
            .unwrap_or_default();
        let own = host.vars().non_blank("HOME").map(PathBuf::from).unwrap_or_default();
        let (name, file) = match manager {
            Manager::Systemd => {
                let name = format!("hermes-gateway{profile}.service");
                let folder = match scope.system {
                    true => PathBuf::from("/etc/systemd/system"),
                    false => host
                        .vars()
                        .non_blank("XDG_CONFIG_HOME")
                        .map_or_else(|| own.join(".config"), PathBuf::from)
                        .join("systemd/user"),
                };
                (name.clone(), folder.join(name))
            }
            Manager::Launchd => {
                let name = format!("ai.hermes.gateway{profile}");
                let file = own.join("Library/LaunchAgents").join(format!("{name}.plist"));
                (name, file)
            }
        };
        let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
        use hermes_tool::settings::Settings as _;
        let settings = crate::settings::GatewaySettings::read(host.config().value(), host.vars());
        let drain = settings.restart_drain_timeout.duration();
        Ok(Self { manager, scope, name, file, home, program, drain })
    }

    pub(crate) fn is_installed(&self) -> bool {
        self.file.exists()
    }

    /// What the manager reads.
    pub(crate) fn text(&self) -> String {
        match self.manager {
            Manager::Systemd => self.unit(),
            Manager::Launchd => self.plist(),
        }
    }

    fn unit(&self) -> String {
        let stop = (self.drain.as_secs() + 30).max(60);
        let (home, program) = (quoted(&self.home), quoted(&self.program));
        let user = match &self.scope.user {
            Some(user) if self.scope.system => format!("User={user}\nGroup={user}\n"),
            _ => String::new(),
        };
        let wanted_by = if self.scope.system { "multi-user.target" } else { "default.target" };
        format!(
            "[Unit]\nDescription=Hermes, the agent in chats\nAfter=network-online.target\n\
             Wants=network-online.target\n\n\
             [Service]\nType=simple\nExecStart={program} gateway run\nExecReload=/bin/kill -USR1 $MAINPID\n\
             WorkingDirectory={}\nEnvironment=\"HERMES_HOME={}\"\n{user}\
             Restart=always\nRestartSec=5\nRestartForceExitStatus=75\nRestartPreventExitStatus=78\n\
             KillMode=mixed\nKillSignal=SIGTERM\nTimeoutStopSec={stop}\n\n\
             [Install]\nWantedBy={wanted_by}\n",
            home.trim_matches('"'),
            self.home.display(),
        )
    }

    fn plist(&self) -> String {
        let text = |value: &Path| xml(&value.to_string_lossy());
        let (program, home) = (text(&self.program), text(&self.home));
        let log = text(&self.home.join("logs/gateway.launchd.log"));
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
             <plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>{}</string>\n  \
             <key>ProgramArguments</key>\n  <array>\n    <string>{program}</string>\n    <string>gateway</string>\n    \
             <string>run</string>\n  </array>\n  <key>EnvironmentVariables</key>\n  <dict>\n    \
             <key>HERMES_HOME</key>\n    <string>{home}</string>\n  </dict>\n  <key>WorkingDirectory</key>\n  \
             <string>{home}</string>\n  <key>RunAtLoad</key>\n  <true/>\n  <key>KeepAlive</key>\n  <true/>\n  \
             <key>ThrottleInterval</key>\n  <integer>30</integer>\n  <key>StandardErrorPath</key>\n  \
             <string>{log}</string>\n</dict>\n</plist>\n",
            xml(&self.name),
        )
    }

    /// Writes the file and tells the manager of it.
    pub(crate) async fn install(&self, force: bool, start: bool) -> Result<String, String> {
        let text = self.text();
        let is_there = std::fs::read_to_string(&self.file).is_ok_and(|known| known == text);
        if self.is_installed() && !is_there && !force {
            return Err(format!(
                "{} is there already and says something else; --force replaces it",
                self.file.display()
            ));
        }
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        let options = WriteOptions { mode: 0o644, existing: ExistingMode::Replace };
        atomic::write(&self.file, text.as_bytes(), options).map_err(|error| error.to_string())?;
        let mut said = format!("Installed as {}.", self.file.display());
        if self.manager == Manager::Systemd {
            self.ask(&["daemon-reload"]).await?;
            self.ask(&["enable", &self.name]).await?;
            if !self.scope.system {
                said.push_str(" It runs while you are logged in; `loginctl enable-linger` lets it run always.");
            }
        }
        if start {
            self.start().await?;
            said.push_str(" It runs.");
        }
        Ok(said)
    }

    /// Ends it and takes its file away.
    pub(crate) async fn uninstall(&self) -> Result<String, String> {
        if !self.is_installed() {
            return Ok("It is not installed.".to_owned());
        }
        // One that does not run, or whose manager is gone, is taken away all the same.
        let _ = self.stop().await;
        if self.manager == Manager::Systemd {
            let _ = self.ask(&["disable", &self.name]).await;
        }
        std::fs::remove_file(&self.file)
            .map_err(|error| format!("{}: {error}", self.file.display()))?;
        if self.manager == Manager::Systemd {
            let _ = self.ask(&["daemon-reload"]).await;
        }
        Ok(format!("{} is gone.", self.file.display()))
    }

    pub(crate) async fn start(&self) -> Result<(), String> {
        match self.manager {
            Manager::Systemd => self.ask(&["start", &self.name]).await,
            Manager::Launchd => self.ask(&["load", "-w", &self.file.to_string_lossy()]).await,
        }
    }

    pub(crate) async fn stop(&self) -> Result<(), String> {
        match self.manager {
            Manager::Systemd => self.ask(&["stop", &self.name]).await,
            Manager::Launchd => self.ask(&["unload", &self.file.to_string_lossy()]).await,
        }
    }

    async fn ask(&self, words: &[&str]) -> Result<(), String> {
        let program = match self.manager {
            Manager::Systemd => "systemctl",
            Manager::Launchd => "launchctl",
        };
        let mut all: Vec<&str> = Vec::new();
        if self.manager == Manager::Systemd && !self.scope.system {
            all.push("--user");
        }
        all.extend(words);
        let names = ["PATH", "HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "USER"];
        let command = Command::new(program).args(all.clone()).env_inherit(names).deadline(PATIENCE);
        let done = command.run().await.map_err(|error| format!("{program}: {error}"))?;
        if done.success() {
            return Ok(());
        }
        let said = [done.stderr.text(), done.stdout.text()].join(" ");
        let said: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let said: String = said.chars().take(300).collect();
        Err(format!("`{program} {}` did not work: {said}", all.join(" ")))
    }
}

fn manager(host: &Host) -> Option<Manager> {
    if cfg!(target_os = "macos") {
        return Some(Manager::Launchd);
    }
    let path = host.vars().get("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(path).any(|folder| folder.join("systemctl").is_file());
    is_there.then_some(Manager::Systemd)
}

/// A path as a word of a unit: percent signs and backslashes have a meaning there.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy().replace('%', "%%").replace('\\', "\\\\");
    if text.contains([' ', '"', '\'']) {
        format!("\"{}\"", text.replace('"', "\\\""))
    } else {
        text
    }
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(manager: Manager, scope: ServiceScope) -> Service {
        Service {
            manager,
            scope,
            name: "ai.hermes.gateway".to_owned(),
            file: PathBuf::from("/nowhere"),
            home: PathBuf::from("/home/a & b/.hermes"),
            program: PathBuf::from("/opt/50% off/hermes"),
            drain: Duration::from_secs(100),
        }
    }

    #[test]
    fn a_unit_says_when_it_is_started_again_and_when_not() {
        let text = service(Manager::Systemd, ServiceScope::default()).text();
        for line in [
            "ExecStart=\"/opt/50%% off/hermes\" gateway run",
            "Environment=\"HERMES_HOME=/home/a & b/.hermes\"",
            "RestartForceExitStatus=75",
            "RestartPreventExitStatus=78",
            "KillMode=mixed",
            "TimeoutStopSec=130",
            "WantedBy=default.target",
        ] {
            assert!(text.lines().any(|known| known == line), "{line} in {text}");
        }
        assert!(!text.contains("User="));
        let scope = ServiceScope { system: true, user: Some("ann".to_owned()) };
        let text = service(Manager::Systemd, scope).text();
        assert!(text.contains("User=ann\nGroup=ann\n") && text.contains("multi-user.target"));
    }

    #[test]
    fn a_plist_is_well_formed() {
        let text = service(Manager::Launchd, ServiceScope::default()).text();
        assert!(text.contains("<string>/home/a &amp; b/.hermes</string>"));
        assert_eq!(text.matches("<key>").count(), text.matches("</key>").count());
        assert_eq!(text.matches("<dict>").count(), text.matches("</dict>").count());
        assert!(text.contains("<key>ThrottleInterval</key>\n  <integer>30</integer>"));
    }
}
