//! publish, snapshot, tap.

use hermes_store::atomic::{self, AtomicError, WriteOptions};

use serde_json::json;

use super::{PublishArgs, SnapshotVerb, TapVerb, VerbFront};
use crate::hub::HubContext;
use crate::hub::error::HubError;
use crate::hub::state::taps;
use crate::hub::{publish, snapshot};
use crate::layout::SKILL_FILE;
use crate::report::{ReportPart, VerbReport, VerbStatus};

pub(super) async fn publish(
    hub: &HubContext,
    args: &PublishArgs,
    front: &dyn VerbFront,
) -> Result<VerbReport, HubError> {
    let prepared = publish::prepare(hub, &args.path).await?;
    if args.to == "clawhub" {
        return Err(HubError::Usage(
            "the skill is fit to be published, but ClawHub takes skills only from its own program: `clawhub publish`"
                .to_owned(),
        ));
    }
    let Some(repo) = &args.repo else {
        return Err(HubError::Usage(
            "say which repository is to take it: --repo owner/name".to_owned(),
        ));
    };
    let tell = |text: &str| front.progress(text);
    let address = publish::to_github(hub, &prepared, repo, &tell).await?;
    let hints = prepared.conformance.iter();
    let hints = hints.map(|one| format!("{SKILL_FILE}:{}: {}", one.line, one.message));
    Ok(VerbReport::text(format!("{address}\n")).warned(hints))
}

pub(super) async fn snapshot(
    hub: &HubContext,
    verb: &SnapshotVerb,
    front: &dyn VerbFront,
) -> Result<VerbReport, HubError> {
    match verb {
        SnapshotVerb::Export { file } => {
            let text = snapshot::export(hub)?;
            if file.as_os_str() == "-" {
                return Ok(VerbReport::text(format!("{text}\n")));
            }
            atomic::write(
                file,
                format!("{text}\n").as_bytes(),
                WriteOptions::new_file_mode(0o644),
            )?;
            Ok(VerbReport::ended(VerbStatus::Done)
                .noted([format!("written to {}", file.display())]))
        }
        SnapshotVerb::Import { file, force } => {
            let text = std::fs::read_to_string(file).map_err(AtomicError::when("read", file))?;
            let tell = |text: &str| front.progress(text);
            let lines = snapshot::import(hub, &text, *force, &tell).await?;
            let failed = lines.iter().filter(|line| line.result.is_err()).count();
            let mut out = String::new();
            let mut notes = Vec::new();
            for line in &lines {
                match &line.result {
                    Ok(what) => out.push_str(&format!("{}: {what}\n", line.name)),
                    Err(error) => notes.push(format!("{}: {error}", line.name)),
                }
            }
            let status = match failed {
                0 => VerbStatus::Done,
                count if count == lines.len() => VerbStatus::Failed,
                _ => VerbStatus::Partly,
            };
            Ok(VerbReport::ended(status).with(ReportPart::Text(out)).noted(notes))
        }
    }
}

pub(super) fn tap(hub: &HubContext, verb: &TapVerb) -> Result<VerbReport, HubError> {
    match verb {
        TapVerb::List { json: true } => {
            let tap = |repo: &str, path: &str, always: bool| json!({"repo": repo, "path": path, "always": always});
            let always = taps::default_taps();
            let always = always.iter().map(|one| tap(&one.repo, &one.path, true));
            let own = taps::read(&hub.state)?;
            let own = own.iter().map(|one| tap(&one.repo, &one.path, false));
            Ok(VerbReport::json(&always.chain(own).collect::<Vec<_>>()))
        }
        TapVerb::List { json: false } => {
            let mut out = String::new();
            for tap in taps::default_taps() {
                out.push_str(&format!("{} {} (always)\n", tap.repo, tap.path));
            }
            for tap in taps::read(&hub.state)? {
                out.push_str(&format!("{} {}\n", tap.repo, tap.path));
            }
            Ok(VerbReport::text(out))
        }
        TapVerb::Add { repo, path } => {
            let (tap, is_new) = taps::add(&hub.state, repo, path.as_deref())?;
            let word = if is_new { "added" } else { "is there already:" };
            Ok(VerbReport::text(format!("{word} {} {}\n", tap.repo, tap.path)))
        }
        TapVerb::Remove { repo } => {
            if taps::remove(&hub.state, repo)? {
                return Ok(VerbReport::text(format!("removed {repo}\n")));
            }
            Err(HubError::Usage(format!(
                "{repo} is none of your taps; `hermes skills tap list` lists them"
            )))
        }
    }
}
