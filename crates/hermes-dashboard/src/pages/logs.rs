//! The last lines of the log files.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use axum::Extension;
use axum::extract::{Query, State};
use axum::response::{Html, IntoResponse as _};
use hermes_guard::redact::RedactMode;
use hermes_host::Host;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::problem::{PageProblem, PageResult};
use crate::view::{Page, part};
use crate::visitor::Visitor;

/// Bytes of a file's end that are looked at.
const MAX_TAIL: u64 = 512 * 1024;
/// Lines that are shown.
const MAX_LINES: usize = 400;

/// Which lines.
#[derive(Default, Deserialize)]
pub(crate) struct Wanted {
    #[serde(default)]
    file: String,
    #[serde(default)]
    q: String,
    #[serde(default)]
    level: String,
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Wanted>,
) -> PageResult {
    let data = app.look(move |host| gather(host, &wanted)).await?.map_err(PageProblem::missing)?;
    Ok(Page { template: "page_logs", title: "Logs", here: "/logs", data }.show(&visitor))
}

/// The lines alone, for the script.
pub(crate) async fn lines(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Wanted>,
) -> PageResult {
    let mut data =
        app.look(move |host| gather(host, &wanted)).await?.map_err(PageProblem::missing)?;
    data["only"] = "lines".into();
    Ok(Html(part("parts", &visitor, &data)).into_response())
}

fn gather(host: &Host, wanted: &Wanted) -> Result<Value, String> {
    let mut files: Vec<(String, u64)> = std::fs::read_dir(host.home().logs())
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            let size = entry.metadata().map(|one| one.len()).unwrap_or(0);
            Some((entry.file_name().into_string().ok()?, size))
                .filter(|(name, _)| name.contains(".log"))
        })
        .collect();
    files.sort();
    let chosen = match wanted.file.is_empty() {
        true => files.first().map(|(name, _)| name.clone()),
        // Only a file of the list: a name is no path.
        false => Some(
            files
                .iter()
                .find(|(name, _)| *name == wanted.file)
                .ok_or("There is no log of this name.")?
                .0
                .clone(),
        ),
    };
    let text = chosen.as_ref().map(|name| tail(&host.home().logs().join(name)));
    let text = text.transpose().map_err(|problem| problem.to_string())?.unwrap_or_default();
    let text = host.redactor().redact(&text, RedactMode::Full);
    let (needle, level) = (wanted.q.trim().to_lowercase(), wanted.level.to_uppercase());
    let mut lines: Vec<Value> = text
        .lines()
        .rev()
        .filter(|line| needle.is_empty() || line.to_lowercase().contains(&needle))
        .filter(|line| level.is_empty() || level_of(line) == level)
        .take(MAX_LINES)
        .map(|line| json!({"text": line, "level": level_of(line)}))
        .collect();
    lines.reverse();
    let files: Vec<Value> =
        files.iter().map(|(name, size)| json!({"name": name, "size": size})).collect();
    Ok(
        json!({"files": files, "file": chosen, "lines": lines, "q": wanted.q, "level": wanted.level}),
    )
}

fn tail(path: &std::path::Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let from = size.saturating_sub(MAX_TAIL);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(MAX_TAIL).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // The first line is not whole.
    Ok(if from > 0 {
        text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned())
    } else {
        text
    })
}

fn level_of(line: &str) -> &'static str {
    let head: String = line.chars().take(60).collect::<String>().to_uppercase();
    ["ERROR", "WARN", "INFO", "DEBUG"].into_iter().find(|word| head.contains(word)).unwrap_or("")
}
