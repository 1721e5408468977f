//! Programs that run what stands in a file: build tools with their recipes, compilers and clients with
//! files whose text is known.

use super::{Machine, RunSite};
use crate::command::call::{Arg, Channel, Taint, TextFlow};
use crate::command::recipes;
use crate::command::rules::structure;

/// Clients that run the file behind an option as if it came in.
const SCRIPT_FILES: &[(&str, &[&str])] = &[
    ("psql", &["-f", "--file"]),
    ("pgcli", &["-f"]),
    ("cockroach", &["-f", "--file"]),
    ("sqlcmd", &["-i"]),
    ("cqlsh", &["-f", "--file"]),
    ("clickhouse-client", &["--queries-file"]),
    ("snowsql", &["-f"]),
    ("sqlite3", &["-init"]),
    ("duckdb", &["-init", "-f"]),
    ("mongosh", &["-f", "--file"]),
    ("mongo", &["--file"]),
    ("hive", &["-f"]),
    ("beeline", &["-f"]),
    ("spark-sql", &["-f"]),
    ("cypher-shell", &["-f", "--file"]),
    ("redis-cli", &["--eval"]),
    ("at", &["-f"]),
    ("batch", &["-f"]),
];

impl Machine<'_> {
    /// What a build tool would run, if its file was written by this text or an earlier one.
    pub(super) fn recipes(&mut self, name: &str, args: &[Arg<'_>], site: RunSite<'_>) {
        let names = recipes::file_names(name);
        if names.is_empty() || !self.state.knows_files() {
            return;
        }
        let behind = |flags: &[&str]| {
            let at = args.iter().position(|arg| flags.contains(&arg.as_str()))?;
            args.get(at + 1).map(Arg::as_str)
        };
        let folder = behind(&["-C", "--directory", "--prefix", "--cwd", "-d", "--dir"]);
        let is_playbook = |text: &&str| text.ends_with(".yml") || text.ends_with(".yaml");
        let operand = args.iter().map(Arg::as_str).find(is_playbook);
        let named = behind(&["-f", "--file", "--makefile", "--justfile", "-t", "--taskfile"]);
        let named = named.or(operand.filter(|_| name == "ansible-playbook"));
        let places: Vec<String> = match (named, folder) {
            (Some(file), _) => vec![file.to_owned()],
            (None, Some(folder)) => names.iter().map(|file| format!("{folder}/{file}")).collect(),
            (None, None) => names.iter().map(|file| (*file).to_owned()).collect(),
        };
        let found = places.iter().find_map(|place| {
            let path = self.facts.path(place);
            self.state.origin(&path)
        });
        let Some(file) = found else { return };
        if let Some(category) = structure::evaluating(file.taint) {
            self.report(category, site);
        }
        let Some(text) = file.text.filter(|text| self.charge(text.len())) else { return };
        let words: Vec<&str> = args.iter().map(Arg::as_str).collect();
        for command in recipes::commands(name, &text, &words) {
            self.subshell_text(&command, site, &TextFlow::default());
        }
    }

    /// `npm pkg set scripts.x='text'`, `npm set-script x 'text'`: judged when it is set.
    pub(super) fn package_scripts(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
        let words: Vec<&str> = args.iter().map(Arg::as_str).collect();
        let texts: Vec<String> = match words.as_slice() {
            ["pkg", "set", pairs @ ..] => pairs
                .iter()
                .filter_map(|pair| pair.split_once('='))
                .filter(|(key, _)| key.starts_with("scripts"))
                .map(|(_, text)| text.to_owned())
                .collect(),
            ["set-script", _, text] => vec![(*text).to_owned()],
            _ => return,
        };
        for text in texts {
            self.subshell_text(&text, site, &TextFlow::default());
        }
    }

    /// The input of a client that is told to read a file whose text is known, instead of its own.
    pub(super) fn file_as_input(&mut self, name: &str, args: &[Arg<'_>]) -> Option<TextFlow> {
        if !self.state.knows_files() {
            return None;
        }
        let (_, flags) = SCRIPT_FILES.iter().find(|(client, _)| *client == name)?;
        let file = args.iter().enumerate().find_map(|(at, arg)| {
            if flags.contains(&arg.as_str()) {
                return args.get(at + 1).map(|file| file.text.to_string());
            }
            // `mongosh file.js`, `.read file.sql`
            if matches!(name, "mongosh" | "mongo") && arg.text.ends_with(".js") {
                return Some(arg.text.to_string());
            }
            if let Some(file) = arg.text.strip_prefix(".read ") {
                return Some(file.trim().to_owned());
            }
            let (flag, file) = arg.text.split_once('=')?;
            flags.contains(&flag).then(|| file.to_owned())
        })?;
        let flow = self.read_file(&Arg::new(file));
        flow.text.is_some().then(|| flow.through(Channel::File))
    }

    /// Manifests whose text is known, for a cluster or an engine: what they ask for.
    pub(super) fn manifests(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) {
        const REACHES: &[(&str, &str)] = &[
            ("privileged: true", "docker run --privileged x"),
            ("- /:/", "docker run -v /:/host x"),
            ("docker.sock", "docker run -v /var/run/docker.sock:/s x"),
            ("hostpath:", "docker run -v /:/host x"),
            ("hostpid: true", "docker run --pid=host x"),
            ("hostnetwork: true", "docker run --net=host --privileged x"),
            ("hostipc: true", "docker run --ipc=host --privileged x"),
            ("allowprivilegeescalation: true", "docker run --privileged x"),
            ("sys_admin", "docker run --cap-add SYS_ADMIN x"),
            ("cluster-admin", "kubectl create clusterrolebinding x"),
            ("replicas: 0", "kubectl scale x --replicas=0"),
        ];
        let acts = ["apply", "create", "replace", "up", "run", "start"];
        let known = self.state.knows_files() || stdin.text.is_some();
        if !known || !args.iter().any(|arg| acts.contains(&arg.as_str())) {
            return;
        }
        let behind =
            args.windows(2).filter(|two| matches!(two[0].as_str(), "-f" | "--filename" | "--file"));
        let mut files: Vec<String> = behind.map(|two| two[1].text.to_string()).collect();
        if files.is_empty() && name != "kubectl" {
            let usual =
                ["docker-compose.yml", "compose.yml", "compose.yaml", "docker-compose.yaml"];
            files.extend(usual.map(str::to_owned));
        }
        for file in files {
            let text = match file.as_str() {
                "-" | "/dev/stdin" => stdin.text.clone(),
                _ => self.read_file(&Arg::new(file)).text,
            };
            let Some(text) = text.filter(|text| self.charge(text.len())) else { continue };
            let text = text.to_ascii_lowercase();
            for (mark, means) in REACHES {
                if text.contains(mark) {
                    self.subshell_text(means, site, &TextFlow::default());
                }
            }
        }
    }

    /// `bats file`: tests that are shell texts.
    pub(super) fn shell_tests(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
        for arg in args.iter().filter(|arg| arg.text.ends_with(".bats")) {
            let Some(text) = self.read_file(&Arg::new(arg.as_str())).text else { continue };
            let bodies = text.split("@test").skip(1).filter_map(|test| test.split_once('{'));
            let bodies: Vec<String> = bodies
                .map(|(_, body)| body.rsplit_once('}').map_or(body, |(body, _)| body).to_owned())
                .collect();
            for body in bodies {
                self.subshell_text(&body, site, &TextFlow::default());
            }
        }
    }

    /// `python -m name`, `tsx file.ts`: a program of which the text is known.
    pub(super) fn named_program(&mut self, name: &str, args: &[Arg<'_>], site: RunSite<'_>) {
        if !self.state.knows_files() {
            return;
        }
        let mut files: Vec<(String, &str)> = Vec::new();
        if name == "python" {
            let module = args
                .windows(2)
                .find(|two| two[0].text == "-m")
                .map(|two| two[1].text.replace('.', "/"));
            files.extend(module.iter().map(|module| (format!("{module}.py"), "python")));
            files.extend(module.iter().map(|module| (format!("{module}/__main__.py"), "python")));
        }
        if matches!(
            name,
            "deno" | "tsx" | "ts-node" | "npx" | "bunx" | "bun" | "esbuild-runner" | "vite-node"
        ) {
            let is_script = |text: &str| {
                [".ts", ".js", ".mjs", ".mts", ".tsx"].iter().any(|end| text.ends_with(end))
            };
            let scripts = args.iter().filter(|arg| is_script(&arg.text));
            files.extend(scripts.map(|arg| (arg.text.to_string(), "node")));
        }
        for (file, language) in files {
            let path = self.facts.path(&file).into_owned();
            if self.state.origin(&path).is_some() {
                let flow = self.read_file(&Arg::new(file));
                self.run_code(language, &flow, site);
            }
        }
    }

    /// Modules that a program imports, where this text or an earlier one wrote them. Each is read once.
    pub(super) fn imported(&mut self, language: &str, modules: &[String], site: RunSite<'_>) {
        if modules.is_empty() || !self.state.knows_files() {
            return;
        }
        let endings: &[&str] = match language {
            "python" | "pypy" | "ipython" => &[".py", "/__init__.py"],
            "node" | "bun" | "deno" => &["", ".js", ".mjs", ".cjs", ".ts", "/index.js"],
            "ruby" => &["", ".rb"],
            _ => return,
        };
        for module in modules {
            for ending in endings {
                let file = format!("{module}{ending}");
                let path = self.facts.path(&file).into_owned();
                if self.state.origin(&path).is_some() && !self.imported.contains(&path) {
                    self.imported.push(path);
                    let flow = self.read_file(&Arg::new(file));
                    self.deeper(|machine| {
                        machine.run_code(language, &flow, site);
                        TextFlow::default()
                    });
                }
            }
        }
    }

    /// Programs that a tool runs by itself, where this text or an earlier one wrote them.
    pub(super) fn implied_code(&mut self, name: &str, site: RunSite<'_>) {
        if !self.state.knows_files() {
            return;
        }
        for (file, language) in recipes::code_files(name) {
            let path = self.facts.path(file).into_owned();
            if self.state.origin(&path).is_some() {
                let flow = self.read_file(&Arg::new(*file));
                self.run_code(language, &flow, site);
            }
        }
    }

    /// `ssh -F file`: the commands in settings whose text is known.
    pub(super) fn ssh_settings(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
        let at = args.iter().position(|arg| arg.text == "-F");
        let Some(file) = at.and_then(|at| args.get(at + 1)) else { return };
        let Some(text) = self.read_file(file).text else { return };
        for line in text.lines() {
            let (key, value) = line.trim().split_once([' ', '=']).unwrap_or_default();
            let runs =
                ["proxycommand", "localcommand", "knownhostscommand", "remotecommand", "match"];
            if runs.contains(&key.to_ascii_lowercase().as_str()) {
                self.subshell_text(value.trim_start_matches("exec "), site, &TextFlow::default());
            }
        }
    }

    /// A compiler is given a program whose text is known: it is judged as if it ran.
    pub(super) fn compiled(&mut self, name: &str, args: &[Arg<'_>], site: RunSite<'_>) {
        const ENDINGS: &[&str] =
            &[".c", ".cc", ".cpp", ".rs", ".go", ".java", ".kt", ".swift", ".zig", ".nim"];
        if !self.state.knows_files() {
            return;
        }
        for arg in args {
            if !ENDINGS.iter().any(|ending| arg.text.ends_with(ending)) {
                continue;
            }
            let flow = self.read_file(&Arg { taint: Taint::NONE, ..Arg::new(arg.as_str()) });
            self.run_code(name, &flow, site);
        }
    }
}
