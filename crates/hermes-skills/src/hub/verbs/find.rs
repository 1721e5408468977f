//! search, browse, inspect.

use serde_json::{Value, json};

use super::show::{records, shown};
use super::{BrowseArgs, SearchArgs, VerbFront};
use crate::conformance::{self, LintFinding};
use crate::hub::HubContext;
use crate::hub::error::HubError;
use crate::hub::install;
use crate::hub::record::HubRecord;
use crate::hub::search::{self, SEARCH_TIME, SearchOutcome};
use crate::layout::SKILL_FILE;
use crate::report::{VerbReport, VerbStatus};

/// Lines of a document that `inspect` shows.
const SHOWN_LINES: usize = 50;
/// Most skills a browse pages through.
const BROWSED: usize = 2000;

pub(super) async fn search(
    hub: &HubContext,
    args: &SearchArgs,
    front: &dyn VerbFront,
) -> Result<VerbReport, HubError> {
    front.progress("searching");
    let query = args.query.join(" ");
    let is_site = query.starts_with("https://")
        || query.starts_with("http://")
        || query.starts_with("well-known:");
    let source = if is_site { "well-known" } else { args.source.as_str() };
    let outcome =
        search::search(hub, &query, Some(source), usize::from(args.limit), SEARCH_TIME).await?;
    Ok(found(&outcome, args.json))
}

pub(super) async fn browse(
    hub: &HubContext,
    args: &BrowseArgs,
    front: &dyn VerbFront,
) -> Result<VerbReport, HubError> {
    front.progress("asking the sources");
    let mut outcome = search::browse(hub, Some(&args.source), BROWSED, SEARCH_TIME).await?;
    let size = usize::from(args.size);
    let all = outcome.records.len();
    let pages = all.div_ceil(size).max(1);
    let page = usize::from(args.page).min(pages);
    outcome.records = outcome.records.into_iter().skip((page - 1) * size).take(size).collect();
    let mut report = found(&outcome, args.json);
    if !args.json {
        report.notes.push(format!("page {page} of {pages}, {all} skills; --page N shows another"));
    }
    Ok(report)
}

fn found(outcome: &SearchOutcome, as_json: bool) -> VerbReport {
    let notes = outcome.notes();
    let report = match (as_json, outcome.records.is_empty()) {
        (true, _) => VerbReport::json(&list_json(&outcome.records)),
        (false, true) => VerbReport::ended(VerbStatus::Done),
        (false, false) => VerbReport::table(records(&outcome.records)),
    };
    if !outcome.records.is_empty() {
        return report.noted(notes);
    }
    let status = if notes.is_empty() { VerbStatus::Done } else { VerbStatus::Failed };
    report.noted(notes).noted(["nothing was found"]).ending(status)
}

fn list_json(records: &[HubRecord]) -> Vec<Value> {
    records
        .iter()
        .map(|record| {
            json!({"name": record.name, "identifier": record.identifier, "source": record.source,
                   "trust_level": record.trust_level, "description": record.description})
        })
        .collect()
}

pub(super) async fn inspect(
    hub: &HubContext,
    identifier: &str,
    as_json: bool,
    front: &dyn VerbFront,
) -> Result<VerbReport, HubError> {
    front.progress(&format!("fetching {identifier}"));
    let bundle = install::without_ignored(install::fetch(hub, identifier).await?);
    let document = bundle.document()?;
    let report = hub.examine(&bundle).await;
    let conformance = conformance::report(&document.text, &bundle.name);
    let name = if bundle.name.is_empty() { "(unnamed)".to_owned() } else { bundle.name.clone() };
    if as_json {
        let value = json!({
            "name": name, "identifier": bundle.identifier, "source": bundle.source, "trust_level": bundle.trust,
            "description": document.description(), "files": bundle.files.paths(), "metadata": bundle.metadata,
            "content_hash": bundle.files.content_hash(), "bundle_hash": bundle.files.full_hash(),
            "warnings": bundle.warnings, "scan": report.json(), "conformance": conformance,
        });
        return Ok(VerbReport::json(&value));
    }
    let mut out = format!(
        "{}: {}\nidentifier: {}\nsource:     {} ({})\n",
        shown(&name, 80),
        shown(&document.description(), 1024),
        shown(&bundle.identifier, 300),
        bundle.source,
        bundle.trust.as_str()
    );
    if let Some(url) = bundle.said("source_url") {
        out.push_str(&format!("from:       {}\n", shown(url, 300)));
    }
    out.push_str(&format!("files:      {}\n", bundle.files.len()));
    for path in bundle.files.paths() {
        out.push_str(&format!("  {}\n", shown(&path, 200)));
    }
    out.push('\n');
    out.push_str(&report.text(&name, bundle.source, bundle.trust));
    out.push_str(&format!("\nOpen specification: {}\n", verdict_on(&conformance)));
    for one in &conformance {
        out.push_str(&format!("  {SKILL_FILE}:{}: {}\n", one.line, shown(&one.message, 300)));
    }
    let lines: Vec<String> = document.text.lines().take(SHOWN_LINES).map(shown_line).collect();
    out.push_str(&format!(
        "\n{SKILL_FILE}, first {} lines:\n\n{}\n",
        lines.len(),
        lines.join("\n")
    ));
    Ok(VerbReport::text(out).noted(bundle.warnings.clone()))
}

/// How a document fares, in a few words.
pub(super) fn verdict_on(findings: &[LintFinding]) -> String {
    match findings.len() {
        0 => "as it should be".to_owned(),
        1 => "1 warning".to_owned(),
        more => format!("{more} warnings"),
    }
}

/// A line of a document: its blanks kept, control characters taken out.
fn shown_line(line: &str) -> String {
    line.chars().filter(|c| *c == '\t' || !c.is_control()).take(400).collect()
}
