//! What a server's program may know of our environment, and where it is.

use std::path::{Path, PathBuf};

use hermes_tool::Vars;

use crate::client::settings::StdioSettings;

/// Handed on under exactly these names.
const EXACT: [&str; 8] = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR"];
/// Handed on in any case: what programs on Windows cannot do without.
const ANY_CASE: [&str; 27] = [
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "COMMONPROGRAMW6432",
    "COMPUTERNAME",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "PUBLIC",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERDOMAIN",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];
/// Where programs are looked for without a `PATH`.
const FALLBACK_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Programs that are often installed where `PATH` does not lead.
const NODE: [&str; 3] = ["npx", "npm", "node"];

/// A program ready to be started.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ServerProgram {
    pub(crate) file: PathBuf,
    pub(crate) env: Vec<(String, String)>,
}

/// The variables a server gets: a few of ours, and its own on top.
pub(crate) fn filtered(vars: &Vars, own: &[(String, String)]) -> Vec<(String, String)> {
    let passes = |name: &str| {
        EXACT.contains(&name)
            || name.starts_with("XDG_")
            || ANY_CASE.iter().any(|known| known.eq_ignore_ascii_case(name))
    };
    let mut env: Vec<(String, String)> = vars
        .iter()
        .filter(|(name, _)| passes(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    for (name, value) in own {
        env.retain(|(known, _)| known != name);
        env.push((name.clone(), value.clone()));
    }
    env
}

/// Finds the program and completes its environment.
///
/// # Errors
/// What to tell the user when there is no such program.
pub(crate) fn find(
    settings: &StdioSettings,
    vars: &Vars,
    home_dir: &Path,
) -> Result<ServerProgram, String> {
    let mut env = filtered(vars, &settings.env);
    let user_home = env.iter().find(|(name, _)| name == "HOME").map(|(_, home)| home.clone());
    let command = expand(settings.command.trim(), user_home.as_deref());
    // An empty entry would mean the current folder, and a PATH of nothing else finds no program at all.
    let given = env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, path)| path);
    let entries: Vec<&str> = given.split(':').filter(|entry| !entry.is_empty()).collect();
    let path = if entries.is_empty() { FALLBACK_PATH.to_owned() } else { entries.join(":") };
    let file = if command.contains('/') {
        let file = PathBuf::from(&command);
        if !file.exists() {
            return Err(format!("its program {command} does not exist; check `command`"));
        }
        file
    } else {
        on_path(&command, &path)
            .or_else(|| elsewhere(&command, home_dir, user_home.as_deref()))
            .ok_or_else(|| missing(&command))?
    };
    let own = file.parent().filter(|dir| dir.is_absolute()).map(Path::to_string_lossy);
    let path = match own {
        Some(dir) if !path.split(':').any(|entry| entry == dir) => format!("{dir}:{path}"),
        _ => path,
    };
    env.retain(|(name, _)| name != "PATH");
    env.push(("PATH".to_owned(), path));
    Ok(ServerProgram { file, env })
}

fn missing(command: &str) -> String {
    let mut text =
        format!("its program `{command}` is not on the PATH; install it or give its full path");
    if NODE.contains(&command) {
        text.push_str(
            " (Node.js installed by a version manager is often on the PATH of login shells only: \
             set `env: {PATH: …}` for this server)",
        );
    }
    text
}

/// A path of the user's with `~` filled in.
pub(crate) fn expand(path: &str, user_home: Option<&str>) -> String {
    match (path.strip_prefix('~'), user_home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", home.trim_end_matches('/'))
        }
        _ => path.to_owned(),
    }
}

fn on_path(command: &str, path: &str) -> Option<PathBuf> {
    path.split(':')
        .filter(|dir| dir.starts_with('/'))
        .map(|dir| Path::new(dir).join(command))
        .find(|file| is_program(file))
}

fn elsewhere(command: &str, home_dir: &Path, user_home: Option<&str>) -> Option<PathBuf> {
    if !NODE.contains(&command) {
        return None;
    }
    let own = Some(home_dir.join("node/bin"));
    let local = user_home.map(|home| Path::new(home).join(".local/bin"));
    [own, local, Some(PathBuf::from("/usr/local/bin"))]
        .into_iter()
        .flatten()
        .map(|dir| dir.join(command))
        .find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::OpenOptionsExt as _;

    fn vars(pairs: &[(&str, &str)]) -> Vars {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn program(dir: &Path, name: &str) {
        std::fs::create_dir_all(dir).unwrap();
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).mode(0o755).open(dir.join(name)).unwrap();
    }

    fn entry(command: &str) -> StdioSettings {
        StdioSettings { command: command.to_owned(), args: Vec::new(), env: Vec::new() }
    }

    #[test]
    fn only_the_few_variables_pass_and_the_entrys_own_win() {
        let ours = vars(&[
            ("PATH", "/bin"),
            ("path", "/no"),
            ("OPENAI_API_KEY", "s3cret"),
            ("XDG_DATA_HOME", "/d"),
            ("SystemRoot", "C:"),
            ("HOME", "/h"),
            ("LC_CTYPE", "x"),
        ]);
        let own = [("HOME".to_owned(), "/other".to_owned()), ("TOKEN".to_owned(), "t".to_owned())];
        let mut names: Vec<String> = filtered(&ours, &own)
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        names.sort();
        assert_eq!(
            names,
            ["HOME=/other", "PATH=/bin", "SystemRoot=C:", "TOKEN=t", "XDG_DATA_HOME=/d"]
        );
    }

    #[test]
    fn node_tools_are_found_where_they_are_often_put() {
        let folder = tempfile::tempdir().unwrap();
        program(&folder.path().join("node/bin"), "npx");
        let found = find(&entry("npx"), &vars(&[("PATH", "/nowhere")]), folder.path()).unwrap();
        assert_eq!(found.file, folder.path().join("node/bin/npx"));
        let path = &found.env.iter().find(|(name, _)| name == "PATH").unwrap().1;
        assert!(path.ends_with("node/bin:/nowhere"), "{path}");
        let other = find(&entry("nope"), &vars(&[("PATH", "/nowhere")]), folder.path());
        assert!(other.unwrap_err().contains("`nope`"));
        let empty = tempfile::tempdir().unwrap();
        if let Err(text) = find(&entry("npx"), &vars(&[("PATH", "/nowhere")]), empty.path()) {
            assert!(text.contains("Node.js"), "{text}");
        }
    }

    #[test]
    fn an_empty_path_still_finds_programs_and_never_means_the_current_folder() {
        for path in [Some(""), Some(":"), Some("::"), None] {
            let given: Vec<(&str, &str)> = path.map(|path| ("PATH", path)).into_iter().collect();
            let found = find(&entry("sh"), &vars(&given), Path::new("/x")).unwrap();
            assert!(found.file.ends_with("sh"), "{path:?}: {found:?}");
            let path = &found.env.iter().find(|(name, _)| name == "PATH").unwrap().1;
            assert!(!path.is_empty() && path.split(':').all(|entry| !entry.is_empty()), "{path}");
        }
        let found =
            find(&entry("sh"), &vars(&[("PATH", ":/bin::/usr/bin:")]), Path::new("/x")).unwrap();
        let path = &found.env.iter().find(|(name, _)| name == "PATH").unwrap().1;
        assert_eq!(path, "/bin:/usr/bin");
    }

    #[test]
    fn a_tilde_is_the_childs_home() {
        let folder = tempfile::tempdir().unwrap();
        program(&folder.path().join("bin"), "server");
        let home = folder.path().to_string_lossy().into_owned();
        let found = find(&entry("~/bin/server"), &vars(&[("HOME", &home)]), Path::new("/x"));
        assert_eq!(found.unwrap().file, folder.path().join("bin/server"));
        assert_eq!(expand("~user/x", Some("/h")), "~user/x");
    }
}
