//! `hermes uninstall`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use hermes_host::Host;
use hermes_skills::report::{VerbReport, VerbStatus};

use super::origin::Installed;
use crate::profiles::Profiles;
use crate::verbs::HomesPrompter;

/// Where services of ours are described, below a person's folder.
const SERVICE_FOLDERS: &[&str] = &[".config/systemd/user", "Library/LaunchAgents"];
/// How the names of those descriptions begin.
const SERVICE_NAMES: &[&str] = &["hermes-gateway", "ai.hermes."];

/// What is removed, and who is asked.
#[derive(Clone, Debug, Args)]
pub struct UninstallArgs {
    /// The home with all settings, keys, sessions and notes, too
    #[arg(long)]
    full: bool,
    /// Do not ask; with --full the home's name is wanted as well
    #[arg(short, long)]
    yes: bool,
    /// The name of the home's folder, as a sign that --full is meant
    #[arg(long, value_name = "NAME", requires = "full")]
    home_name: Option<String>,
    /// Say what would be removed and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// What of the program is on this machine.
struct Leftovers {
    /// The program and the one before it; none if a package manager looks after it.
    programs: Vec<PathBuf>,
    /// Commands of profiles.
    aliases: Vec<PathBuf>,
    /// Descriptions of services.
    services: Vec<PathBuf>,
}

impl UninstallArgs {
    pub(super) fn run(
        &self,
        installed: &Installed,
        host: &Host,
        out: &mut dyn HomesPrompter,
    ) -> anyhow::Result<VerbReport> {
        let home = host.home().of_default_profile().unwrap_or_else(|| host.home().clone());
        let root = home.root();
        let user = host.vars().non_blank("HOME").map(PathBuf::from);
        let found = Leftovers::find(installed, host, user.as_deref());
        let list = self.list(&found, root, installed);
        if self.dry_run {
            return Ok(VerbReport::text(list).noted(["(nothing was changed)"]));
        }
        if let Some(service) = found.services.first() {
            bail!(
                "{} describes a service of ours; `hermes gateway uninstall` removes it, then this goes on",
                service.display()
            );
        }
        let profiles = Profiles::around(host.home()).list();
        if let Some((name, pid)) =
            profiles.iter().find_map(|one| Some((&one.name, one.gateway_pid?)))
        {
            bail!(
                "the gateway of `{name}` runs (process {pid}); `hermes -p {name} gateway stop` ends it"
            );
        }
        let refused = |why: &str| {
            Ok(VerbReport::text(list.clone()).ending(VerbStatus::Usage).warned([why.to_owned()]))
        };
        let yes = self.yes
            || out
                .ask(&format!("{list}\nRemove this? [y/N] "))
                .is_some_and(|answer| ["y", "yes"].contains(&answer.as_str()));
        if !yes {
            return refused("nothing was removed; `hermes uninstall --yes` does not ask");
        }
        if self.full && root.exists() && !self.means_home(root, out) {
            return refused(
                "nothing was removed: for --full, type the name of the home's folder, or give it with --home-name",
            );
        }
        for file in found.aliases.iter().chain(&found.programs) {
            fs::remove_file(file).with_context(|| format!("remove {}", file.display()))?;
        }
        let mut lines =
            vec![format!("{} files were removed.", found.aliases.len() + found.programs.len())];
        if self.full && root.exists() {
            fs::remove_dir_all(root).with_context(|| format!("remove {}", root.display()))?;
            lines.push(format!("{} is gone.", root.display()));
        } else if root.exists() {
            lines.push(format!("{} is as it was.", root.display()));
        }
        if let Some(command) = installed.remove_command() {
            lines.push(format!("The program itself is removed by\n  {command}"));
        }
        Ok(VerbReport::text(lines.join("\n")))
    }

    fn means_home(&self, root: &Path, out: &mut dyn HomesPrompter) -> bool {
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let typed = match &self.home_name {
            Some(typed) => Some(typed.clone()),
            None => out.ask(&format!(
                "All settings, keys, sessions and notes in {} are deleted for good.\nType {name} if you mean that: ",
                root.display()
            )),
        };
        typed.is_some_and(|typed| typed.trim().eq_ignore_ascii_case(&name))
    }

    fn list(&self, found: &Leftovers, root: &Path, installed: &Installed) -> String {
        let mut rows: Vec<(&str, String)> = Vec::new();
        let paths = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.display().to_string()).collect()
        };
        rows.extend(paths(&found.programs).into_iter().map(|path| ("program", path)));
        if let Some(command) = installed.remove_command() {
            rows.push(("program", format!("{}, by `{command}`", installed.program.display())));
        }
        rows.extend(paths(&found.aliases).into_iter().map(|path| ("command", path)));
        rows.extend(paths(&found.services).into_iter().map(|path| ("service", path)));
        let fate = if self.full { "deleted for good" } else { "stays" };
        if root.exists() {
            rows.push(("home", format!("{} ({fate})", root.display())));
        }
        let lines = rows.into_iter().map(|(what, text)| format!("{what:<9} {text}"));
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl Leftovers {
    fn find(installed: &Installed, host: &Host, user: Option<&Path>) -> Self {
        let mut programs = Vec::new();
        if installed.remove_command().is_none() {
            programs.push(installed.program.clone());
            let name =
                installed.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
            programs.extend(
                [installed.program.with_file_name(format!("{name}.old"))]
                    .into_iter()
                    .filter(|old| old.is_file()),
            );
        }
        let aliases =
            user.map(|user| Profiles::around(host.home()).aliases(user)).unwrap_or_default();
        let services = SERVICE_FOLDERS
            .iter()
            .filter_map(|folder| fs::read_dir(user?.join(folder)).ok())
            .flat_map(Iterator::flatten)
            .map(|entry| entry.path())
            .filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                SERVICE_NAMES.iter().any(|begin| name.starts_with(begin))
            })
            .collect();
        Self { programs, aliases, services }
    }
}
