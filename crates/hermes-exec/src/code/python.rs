//! Which Python runs a script on this machine.
//!
//! The first that works of: the configured one, that of the environment the project is in, those in
//! `PATH`. Each is asked once what it is and where it really lies; so a launcher that looks for the
//! right version every time is passed over from then on. Answers are kept while we run.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use hermes_process::Command;
use nix::unistd::{AccessFlags, access};

use super::ScriptMode;
use crate::backend::BackendKind;
use crate::error::ExecError;

/// The oldest Python scripts run with.
const OLDEST: (u32, u32) = (3, 8);
/// How long a Python may take to say what it is.
const PROBE_LIMIT: Duration = Duration::from_secs(20);
/// Says version and location, without reading anything.
const PROBE: &str =
    "import sys; print(sys.version_info[0], sys.version_info[1]); print(sys.executable)";
/// The names in `PATH`.
const NAMES: [&str; 2] = ["python3", "python"];
/// The variables that name the environment a project is in.
const ENVIRONMENTS: [&str; 2] = ["VIRTUAL_ENV", "CONDA_PREFIX"];

static KNOWN: LazyLock<Mutex<HashMap<PathBuf, PathBuf>>> = LazyLock::new(Mutex::default);

/// The Pythons to try, best first. Only files that may be executed are among them.
pub(super) fn candidates(
    configured: Option<&Path>,
    mode: ScriptMode,
    variables: &BTreeMap<String, String>,
) -> Vec<PathBuf> {
    if let Some(configured) = configured {
        return vec![configured.to_owned()];
    }
    let value = |name: &str| variables.get(name).filter(|value| !value.trim().is_empty());
    let mut found = Vec::new();
    if mode == ScriptMode::Project {
        let environments = ENVIRONMENTS.iter().filter_map(|name| value(name));
        found.extend(environments.map(|folder| Path::new(folder).join("bin/python")));
    }
    let path = value("PATH").map_or("", String::as_str);
    for name in NAMES {
        found.extend(std::env::split_paths(path).map(|folder| folder.join(name)));
    }
    found.retain(|file| file.is_absolute() && is_program(file));
    found
}

/// Whether a file may be executed.
pub(super) fn is_program(file: &Path) -> bool {
    file.is_file() && access(file, AccessFlags::X_OK).is_ok()
}

/// The Python to run, asked if it is not known yet.
pub(super) async fn choose(
    configured: Option<&Path>,
    mode: ScriptMode,
    variables: &BTreeMap<String, String>,
) -> Result<PathBuf, ExecError> {
    let mut complaints = Vec::new();
    for candidate in candidates(configured, mode, variables) {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&candidate).cloned();
        if let Some(python) = known {
            return Ok(python);
        }
        match probe(&candidate, variables).await {
            Ok(python) => {
                let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
                known.insert(candidate, python.clone());
                return Ok(python);
            }
            Err(complaint) => complaints.push(format!("{}: {complaint}", candidate.display())),
        }
    }
    let (major, minor) = OLDEST;
    let mut why = format!(
        "no Python {major}.{minor} or newer was found; install python3, or name one with \
         code_execution.python"
    );
    if !complaints.is_empty() {
        why = format!("{why} (tried {})", complaints.join("; "));
    }
    Err(ExecError::Unavailable { backend: BackendKind::Local, why })
}

async fn probe(file: &Path, variables: &BTreeMap<String, String>) -> Result<PathBuf, String> {
    let asked = Command::new(file)
        .args(["-I", "-S", "-c", PROBE])
        .envs(variables)
        .deadline(PROBE_LIMIT)
        .run()
        .await
        .map_err(|error| error.to_string())?;
    if !asked.success() {
        return Err("it does not run".to_owned());
    }
    let said = asked.stdout.text();
    let mut lines = said.lines();
    let version = lines.next().and_then(|line| {
        let (major, minor) = line.split_once(' ')?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    });
    match version {
        Some(version) if version >= OLDEST => {}
        Some((major, minor)) => return Err(format!("it is Python {major}.{minor}")),
        None => return Err("it does not say what it is".to_owned()),
    }
    let real =
        lines.next().map(PathBuf::from).filter(|real| real.is_absolute() && is_program(real));
    Ok(real.unwrap_or_else(|| file.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn write(file: &Path, text: &str) {
        std::fs::File::create_new(file).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn program(file: &Path, text: &str) {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        write(file, &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn variables(pairs: &[(&str, &Path)]) -> BTreeMap<String, String> {
        let pair = |(name, path): &(&str, &Path)| ((*name).to_owned(), path.display().to_string());
        pairs.iter().map(pair).collect()
    }

    #[tokio::test]
    async fn the_first_that_works_is_chosen_and_asked_once() {
        let folder = tempfile::tempdir().unwrap();
        let (venv, bin) = (folder.path().join("venv"), folder.path().join("bin"));
        let real = bin.join("python-real");
        program(&real, "");
        program(&venv.join("bin/python"), "echo 2 7; echo /nowhere");
        let answer = format!("echo asked >>$0.log; echo 3 12; echo {}", real.display());
        program(&bin.join("python3"), &answer);
        let vars = variables(&[("VIRTUAL_ENV", &venv), ("PATH", &bin)]);
        for _ in 0..2 {
            assert_eq!(choose(None, ScriptMode::Project, &vars).await.unwrap(), real);
        }
        let asked = std::fs::read_to_string(bin.join("python3.log")).unwrap();
        assert_eq!(asked, "asked\n", "its answer is remembered");
    }

    #[test]
    fn the_environment_of_a_project_counts_in_project_mode_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (venv, bin) = (folder.path().join("venv"), folder.path().join("bin"));
        program(&venv.join("bin/python"), "");
        program(&bin.join("python"), "");
        write(&bin.join("python3"), "not a program");
        let vars = variables(&[("CONDA_PREFIX", &venv), ("PATH", &bin)]);
        let both = [venv.join("bin/python"), bin.join("python")];
        assert_eq!(candidates(None, ScriptMode::Project, &vars), both);
        assert_eq!(candidates(None, ScriptMode::Strict, &vars), both[1..]);
        let own = Path::new("/opt/python");
        assert_eq!(candidates(Some(own), ScriptMode::Strict, &vars), [own]);
    }

    #[tokio::test]
    async fn without_any_it_is_told_what_was_tried() {
        let folder = tempfile::tempdir().unwrap();
        program(&folder.path().join("python3"), "echo 3 7");
        let vars = variables(&[("PATH", folder.path())]);
        let error = choose(None, ScriptMode::Project, &vars).await.unwrap_err().to_string();
        assert!(
            error.contains("Python 3.8 or newer") && error.contains("it is Python 3.7"),
            "{error}"
        );
    }
}
