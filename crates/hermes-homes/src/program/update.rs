//! `hermes update`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Args;
use hermes_host::Host;
use hermes_llm::http::Proxies;
use hermes_process::{Command, End};
use hermes_skills::report::{VerbReport, VerbStatus};
use serde_json::json;

use super::origin::Installed;
use super::release::{OWN_VERSION, RELEASES, Release, ReleaseVersion};
use crate::verbs::HomesPrompter;

/// How long a new program may take to say its version.
const TRIAL: Duration = Duration::from_secs(60);

/// What is wanted of an update.
#[derive(Clone, Debug, Args)]
pub struct UpdateArgs {
    /// Only say whether there is a newer version
    #[arg(long)]
    check: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// A folder with archives of a release, or an address that tells of one in the form of GitHub
    #[arg(long, value_name = "PLACE", default_value = RELEASES)]
    from: String,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

impl UpdateArgs {
    /// Whether nothing is changed by it.
    pub(super) fn only_looks(&self) -> bool {
        self.check
    }

    pub(super) fn run(
        &self,
        installed: &Installed,
        host: &Host,
        out: &mut dyn HomesPrompter,
    ) -> anyhow::Result<VerbReport> {
        let proxies = Proxies::from_vars(&|name| host.vars().get(name).map(str::to_owned));
        let release = Release::newest(&self.from, &proxies)?;
        let is_newer = release.version > ReleaseVersion::own();
        let command = installed.update_command();
        let told = |updated: bool| {
            json!({
                "installed": OWN_VERSION, "latest": release.version.to_string(), "newer": is_newer,
                "origin": installed.origin.name(), "command": command, "updated": updated,
            })
        };
        let said = |text: String, updated: bool| match self.json {
            true => VerbReport::json(&told(updated)),
            false => VerbReport::text(text),
        };
        if !is_newer {
            let text =
                format!("hermes {OWN_VERSION} is up to date ({} is the newest).", release.version);
            return Ok(said(text, false));
        }
        let news = format!("hermes {} is there; this is {OWN_VERSION}.", release.version);
        if let Some(command) = &command {
            let text = format!(
                "{news} It came from {}, which brings the new one:\n  {command}",
                installed.origin.words()
            );
            return Ok(said(text, false));
        }
        if self.check {
            return Ok(said(format!("{news} `hermes update` takes it."), false));
        }
        let question =
            format!("{news}\nPut it in the place of {}? [y/N] ", installed.program.display());
        let is_wanted = self.yes
            || out.ask(&question).is_some_and(|answer| ["y", "yes"].contains(&answer.as_str()));
        if !is_wanted {
            let report = said(news, false).ending(VerbStatus::Usage);
            return Ok(report.warned(["nothing was changed; `hermes update --yes` does not ask"]));
        }
        let old = replace(&installed.program, &release, &proxies)?;
        let text = format!(
            "{} is hermes {} now; {OWN_VERSION} is kept as {}.",
            installed.program.display(),
            release.version,
            old.display()
        );
        let gateway = hermes_gateway::running(host.home().root());
        let note = gateway.map(|pid| {
            format!("the gateway (process {pid}) is still the old one; `hermes gateway restart` begins it anew")
        });
        Ok(said(text, true).noted(note))
    }
}

/// Puts the program of a release in the place of another, which is kept beside it.
fn replace(program: &Path, release: &Release, proxies: &Proxies) -> anyhow::Result<PathBuf> {
    let name =
        program.file_name().and_then(|name| name.to_str()).context("the program has no name")?;
    let beside = |end: &str| program.with_file_name(format!(".{name}.{end}"));
    let new = NewProgram(beside(&format!("new-{}", std::process::id())));
    release.unpack_program(&new.0, proxies)?;
    try_out(&new.0, release.version)?;
    let old = program.with_file_name(format!("{name}.old"));
    // The old one is under both names until the new one has its place, so that there is always a program.
    let _ = fs::remove_file(&old);
    if fs::hard_link(program, &old).is_err() {
        fs::copy(program, &old).with_context(|| format!("keep {}", old.display()))?;
    }
    fs::rename(&new.0, program).with_context(|| format!("replace {}", program.display()))?;
    Ok(old)
}

/// A program that goes again unless it got its place.
struct NewProgram(PathBuf);

impl Drop for NewProgram {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A new program that does not start here must not take the place of one that does.
fn try_out(program: &Path, version: ReleaseVersion) -> anyhow::Result<()> {
    let tried = Command::new(program).arg("--version").deadline(TRIAL).run_blocking();
    let tried = tried.with_context(|| format!("start {}", program.display()))?;
    let said = tried.stdout.text();
    ensure!(
        tried.end == End::Exited(0) && said.trim() == format!("hermes {version}"),
        "the new program does not run here ({:?}: {}); nothing was changed",
        tried.end,
        format!("{} {}", said.trim(), tried.stderr.text().trim()).trim()
    );
    Ok(())
}
