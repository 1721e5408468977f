//! What came from elsewhere and is then installed, loaded or handed to a database.

use super::{Machine, RunSite};
use crate::command::call::{Arg, Taint, TextFlow};
use crate::command::names;
use crate::command::rules::{arrivals, structure};

impl Machine<'_> {
    /// A tool takes in a file, or what comes in, that the network gave.
    pub(super) fn takes_arrival(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) {
        let fed = stdin.taint.has(Taint::NETWORK);
        if !fed && !self.state.knows_files() {
            return;
        }
        let Some(taken) = arrivals::taken(name, args) else { return };
        // Words of the tool itself are no files.
        let arrived = |text: &&str| {
            let path = self.facts.path(text.trim_start_matches('@'));
            self.state.file(&path).is_some_and(|origin| origin.taint.has(Taint::NETWORK))
        };
        let reads_input = || {
            taken.iter().any(|text| matches!(*text, "-" | "/dev/stdin"))
                || args.iter().any(|arg| arg.text == "-")
                || matches!(
                    name,
                    "psql"
                        | "mysql"
                        | "sqlite3"
                        | "mongosh"
                        | "mongo"
                        | "docker"
                        | "crontab"
                        | "at"
                        | "batch"
                        | "redis-cli"
                        | "clickhouse-client"
                        | "cqlsh"
                        | "osascript"
                        | "pg_restore"
                        | "duckdb"
                )
        };
        if taken.iter().any(arrived) || fed && reads_input() {
            self.report(structure::REMOTE_CODE, site);
        }
    }

    /// As root, in a folder that was cloned just before: what its recipes do, nobody has read.
    pub(super) fn root_in_clone(&mut self, inner: &[Arg<'_>], site: RunSite<'_>) {
        let Some((word, rest)) = inner.split_first() else { return };
        let name = names::canonical(&word.text);
        let builds = matches!(
            name.as_ref(),
            "make"
                | "gmake"
                | "ninja"
                | "meson"
                | "cmake"
                | "pip"
                | "pip3"
                | "python"
                | "npm"
                | "sh"
                | "bash"
        ) || word.text.starts_with("./");
        let folder = rest.windows(2).find(|two| matches!(two[0].as_str(), "-C" | "--prefix"));
        let place = match folder {
            Some(two) => Some(self.facts.path(&two[1].text).into_owned()),
            None => self.facts.cwd.as_deref().map(str::to_owned),
        };
        if builds && place.is_some_and(|place| self.state.is_cloned(&format!("{place}/"))) {
            self.report(structure::REMOTE_CODE, site);
        }
    }

    /// A tool that runs what it finds in a folder, where something came from elsewhere.
    pub(super) fn builds_foreign(&mut self, name: &str, args: &[Arg<'_>], site: RunSite<'_>) {
        const TOOLS: &[&str] = &[
            "make",
            "gmake",
            "ninja",
            "just",
            "task",
            "npm",
            "pnpm",
            "yarn",
            "bun",
            "npx",
            "bunx",
            "pip",
            "pip3",
            "uv",
            "poetry",
            "pytest",
            "tox",
            "nox",
            "cargo",
            "go",
            "gradle",
            "gradlew",
            "mvn",
            "sbt",
            "rake",
            "bundle",
            "rspec",
            "composer",
            "php",
            "mix",
            "cmake",
            "meson",
            "bazel",
            "jest",
            "vitest",
            "eslint",
            "webpack",
            "vite",
            "rollup",
            "gulp",
            "grunt",
            "mocha",
            "next",
            "nuxt",
            "ng",
            "vue",
            "dotnet",
            "swift",
            "vagrant",
            "terraform",
            "ansible-playbook",
            "docker",
            "docker-compose",
            "sphinx-build",
            "mkdocs",
            "jupyter",
            "airflow",
            "flask",
            "rails",
            "direnv",
            "pre-commit",
            "scons",
            "zig",
            "nim",
            "lein",
            "stack",
            "cabal",
            "dune",
            "rebar3",
            "deno",
            "tsx",
            "ts-node",
            "tsc",
            "prettier",
            "stylelint",
            "babel",
            "python",
        ];
        if !self.state.knows_files() || !TOOLS.contains(&name) {
            return;
        }
        let looks = args.iter().any(|arg| {
            matches!(
                arg.as_str(),
                "--version"
                    | "-v"
                    | "-V"
                    | "--help"
                    | "help"
                    | "version"
                    | "ps"
                    | "images"
                    | "logs"
                    | "view"
                    | "info"
                    | "ls"
                    | "list"
                    | "fmt"
                    | "-n"
                    | "--dry-run"
                    | "pull"
                    | "login"
            )
        });
        let runs_file = name == "python" && !args.iter().any(|arg| arg.text == "-m");
        if looks || runs_file {
            return;
        }
        let place = self.facts.cwd.as_deref().unwrap_or_default().to_owned();
        let folder =
            args.windows(2).find(|two| matches!(two[0].as_str(), "-C" | "--prefix" | "--cwd"));
        let place = folder.map_or(place, |two| self.facts.path(&two[1].text).into_owned());
        let inside = format!("{place}/");
        let in_clone = self.state.strange_clones.iter().any(|begin| inside.starts_with(begin));
        if in_clone || self.state.holds_foreign_code(&place) {
            self.report(structure::REMOTE_CODE, site);
        }
    }

    /// A program by its bare name, where this text or an earlier one wrote a file of that name into a folder
    /// of programs.
    pub(super) fn run_from_path(&mut self, name: &Arg<'_>, site: RunSite<'_>) {
        const FOLDERS: &[&str] = &[
            "~/.local/bin",
            "~/bin",
            "/usr/local/bin",
            "/usr/bin",
            "node_modules/.bin",
            ".venv/bin",
            "venv/bin",
            "bin",
        ];
        if name.text.is_empty() || name.text.contains('/') || !self.state.knows_files() {
            return;
        }
        let added: Vec<String> = match self.state.get("PATH").map(|path| &path.value) {
            Some(super::state::HeldValue::Text(path)) => {
                path.split(':').take(8).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        let all = FOLDERS.iter().copied().chain(added.iter().map(String::as_str));
        let found = all.map(|folder| format!("{folder}/{}", name.text)).find(|path| {
            let path = self.facts.path(path);
            self.state.file(&path).is_some()
        });
        if let Some(path) = found {
            self.run_file(&Arg::new(path), site);
        }
    }
}
