//! Whether a package that is about to be run is known to be malicious.
//!
//! Package runners fetch code and run it in one step. Before that, the public database of
//! vulnerabilities is asked about the package. Only reports of malice (`MAL-…`) stop the start; the
//! many reports of ordinary vulnerabilities do not. A database that does not answer stops nothing.
//! An answer is kept for a day below the cache folder.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hermes_store::atomic::{WriteOptions, write};
use hermes_store::home::ensure_private_dir;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Where the database answers, unless `OSV_ENDPOINT` says otherwise.
pub const ENDPOINT: &str = "https://api.osv.dev/v1/query";
/// The variable that says otherwise.
pub const ENDPOINT_VARIABLE: &str = "OSV_ENDPOINT";
/// How long the database may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// Reports named in a refusal.
const NAMED: usize = 3;

/// A package as its ecosystem knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// `npm` or `PyPI`.
    pub ecosystem: &'static str,
    /// As the registry writes it, with a scope if it has one.
    pub name: String,
    /// The version asked for, if one is.
    pub version: Option<String>,
}

/// The package a command would fetch and run; none for other commands.
#[must_use]
pub fn package_of(command: &str, args: &[String]) -> Option<Package> {
    let program = command.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
    let program = program.strip_suffix(".cmd").or(program.strip_suffix(".exe")).unwrap_or(&program);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (ecosystem, rest) = match (program, args.as_slice()) {
        ("npx" | "bunx", rest) => ("npm", rest),
        ("pnpm" | "yarn", ["dlx", rest @ ..]) | ("bun", ["x", rest @ ..]) => ("npm", rest),
        ("npm", ["exec" | "x", rest @ ..]) => ("npm", rest),
        ("uvx", rest) => ("PyPI", rest),
        ("uv", ["tool", "run", rest @ ..]) | ("pipx", ["run", rest @ ..]) => ("PyPI", rest),
        _ => return None,
    };
    let spec = named_package(rest)?;
    let (name, version) = if ecosystem == "npm" { npm(spec) } else { pypi(spec) };
    (!name.is_empty()).then_some(Package { ecosystem, name, version })
}

/// The value of an option that names the package, else the first word that is no option.
fn named_package<'a>(args: &[&'a str]) -> Option<&'a str> {
    const NAMING: [&str; 4] = ["-p", "--package", "--from", "--spec"];
    /// Options of the runners whose value is not the package.
    const VALUED: [&str; 8] = [
        "--with",
        "--python",
        "--index-url",
        "--extra-index-url",
        "--index",
        "--registry",
        "--cache",
        "--directory",
    ];
    let mut first = None;
    let mut words = args.iter().copied();
    while let Some(word) = words.next() {
        if word == "--" {
            first = first.or_else(|| words.next());
            break;
        }
        if NAMING.contains(&word) {
            return words.next();
        }
        if let Some((option, value)) = word.split_once('=')
            && NAMING.contains(&option)
        {
            return Some(value);
        }
        if VALUED.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            // What follows are the package's own arguments.
            first = Some(word);
            break;
        }
    }
    first
}

fn npm(spec: &str) -> (String, Option<String>) {
    let at = spec.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
    match at {
        None => (spec.to_owned(), None),
        Some(at) => {
            let (name, version) = spec.split_at(at);
            let version = version.trim_start_matches('@');
            let fixed = version.starts_with(|c: char| c.is_ascii_digit());
            (name.to_owned(), fixed.then(|| version.to_owned()))
        }
    }
}

fn pypi(spec: &str) -> (String, Option<String>) {
    let (name, version) = match spec.split_once("==").or_else(|| spec.split_once('@')) {
        Some((name, version)) => (name, Some(version.trim())),
        None => (spec.split(['<', '>', '!', '~', '=']).next().unwrap_or(spec), None),
    };
    let name = name.split('[').next().unwrap_or(name).trim();
    let fixed = version.filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
    (name.to_owned(), fixed.map(str::to_owned))
}

/// Asks the database, with a memory.
#[derive(Clone, Debug)]
pub struct Database {
    endpoint: String,
    cache: PathBuf,
}

impl Database {
    /// The database at this address, with its memory below a cache folder.
    #[must_use]
    pub fn new(endpoint: Option<&str>, cache_dir: &Path) -> Self {
        Self { endpoint: endpoint.unwrap_or(ENDPOINT).to_owned(), cache: cache_dir.join("osv") }
    }

    /// Why this package must not be run, if so.
    pub async fn malice(&self, http: &reqwest::Client, package: &Package) -> Option<String> {
        let file = self.cache.join(cache_name(package));
        if let Some(kept) = remembered(&file) {
            return kept;
        }
        match tokio::time::timeout(LIMIT, self.ask(http, package)).await {
            Ok(Ok(verdict)) => {
                remember(&file, verdict.as_deref());
                verdict
            }
            Ok(Err(error)) => {
                let error = error.without_url();
                tracing::debug!(package = package.name, %error, "the package database failed");
                None
            }
            Err(_) => {
                tracing::debug!(package = package.name, "the package database did not answer");
                None
            }
        }
    }

    async fn ask(
        &self,
        http: &reqwest::Client,
        package: &Package,
    ) -> Result<Option<String>, reqwest::Error> {
        let mut query = json!({"package": {"name": package.name, "ecosystem": package.ecosystem}});
        if let Some(version) = &package.version {
            query["version"] = version.as_str().into();
        }
        let answer = http.post(&self.endpoint).json(&query).send().await?.error_for_status()?;
        Ok(verdict(package, &answer.json().await?))
    }
}

fn verdict(package: &Package, answer: &Value) -> Option<String> {
    let reports: Vec<&Value> = answer["vulns"]
        .as_array()?
        .iter()
        .filter(|report| report["id"].as_str().is_some_and(|id| id.starts_with("MAL-")))
        .collect();
    if reports.is_empty() {
        return None;
    }
    let named: Vec<String> = reports
        .iter()
        .take(NAMED)
        .map(|report| {
            let id = report["id"].as_str().unwrap_or_default();
            let summary: String =
                report["summary"].as_str().unwrap_or("no summary").chars().take(200).collect();
            format!("{id} ({summary})")
        })
        .collect();
    let Package { name, ecosystem, .. } = package;
    Some(format!("the {ecosystem} package '{name}' is reported as malicious: {}", named.join("; ")))
}

fn cache_name(package: &Package) -> String {
    let Package { ecosystem, name, version } = package;
    let digest = Sha256::digest(format!("{ecosystem}\0{name}\0{version:?}"));
    let digits: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("{digits}.json")
}

/// A kept answer that is not too old.
fn remembered(file: &Path) -> Option<Option<String>> {
    let written = std::fs::metadata(file).ok()?.modified().ok()?;
    let age = SystemTime::now().duration_since(written).ok()?;
    if age > KEPT {
        return None;
    }
    let kept: Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    Some(kept["malice"].as_str().map(str::to_owned))
}

fn remember(file: &Path, verdict: Option<&str>) {
    let text = json!({"malice": verdict}).to_string();
    let Some(dir) = file.parent() else { return };
    let kept =
        ensure_private_dir(dir).and_then(|()| write(file, text.as_bytes(), WriteOptions::KEEP));
    if let Err(error) = kept {
        tracing::debug!(%error, "the answer of the package database is not kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(line: &str) -> Option<(String, String, Option<String>)> {
        let mut words = line.split_whitespace().map(str::to_owned);
        let command = words.next().unwrap();
        let args: Vec<String> = words.collect();
        package_of(&command, &args)
            .map(|found| (found.ecosystem.to_owned(), found.name, found.version))
    }

    #[test]
    fn every_runner_is_understood() {
        for (line, ecosystem, name, version) in [
            ("npx -y @scope/name@1.2.3 dir", "npm", "@scope/name", Some("1.2.3")),
            ("npx name@latest", "npm", "name", None),
            ("/usr/bin/npx.cmd -p left-pad cmd", "npm", "left-pad", None),
            ("npx --package=left-pad@2.0.0 cmd", "npm", "left-pad", Some("2.0.0")),
            ("bunx name", "npm", "name", None),
            ("pnpm dlx name", "npm", "name", None),
            ("yarn dlx name", "npm", "name", None),
            ("uvx mcp-server-git --repository x", "PyPI", "mcp-server-git", None),
            ("uvx --from pkg[extra]==1.0 tool", "PyPI", "pkg", Some("1.0")),
            ("uvx --python 3.12 name@2.0", "PyPI", "name", Some("2.0")),
            ("uv tool run name", "PyPI", "name", None),
            ("pipx run name==3", "PyPI", "name", Some("3")),
            ("pipx run --spec other name", "PyPI", "other", None),
        ] {
            let expected = (ecosystem.to_owned(), name.to_owned(), version.map(str::to_owned));
            assert_eq!(package(line), Some(expected), "{line}");
        }
        for line in ["node x.js", "uv run x", "pnpm install", "python3 -m x", "npx"] {
            assert_eq!(package(line), None, "{line}");
        }
    }

    #[test]
    fn only_malice_blocks() {
        let package = Package { ecosystem: "npm", name: "x".into(), version: None };
        let harmless = json!({"vulns": [{"id": "GHSA-1"}]});
        assert_eq!(verdict(&package, &harmless), None);
        assert_eq!(verdict(&package, &json!({})), None);
        let malicious = json!({"vulns": [{"id": "GHSA-1"}, {"id": "MAL-7", "summary": "steals"}]});
        let text = verdict(&package, &malicious).unwrap();
        assert!(text.contains("MAL-7 (steals)") && !text.contains("GHSA"), "{text}");
    }
}
