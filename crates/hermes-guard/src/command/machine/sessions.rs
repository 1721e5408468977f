//! Dangers that only several steps make together: a remote that is changed and then pushed to, a file of
//! recipes that is edited, a watch over every command, a key that goes to somebody else's machine.

use super::{Machine, RunSite};
use crate::command::call::Arg;
use crate::command::rules;

/// Files whose text some tool runs on this machine.
const RECIPES: &[&str] = &[
    "package.json",
    "composer.json",
    "deno.json",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    "Taskfile.yml",
    "build.rs",
    "setup.py",
    "conftest.py",
    "noxfile.py",
    "tasks.py",
    "fabfile.py",
    "tox.ini",
    "Rakefile",
    "Gemfile",
    "Gruntfile.js",
    "gulpfile.js",
    "build.gradle",
    "pom.xml",
    "CMakeLists.txt",
    ".envrc",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "Procfile",
    "Vagrantfile",
    "tasks.json",
];

/// Names of keys, and what the machines of those who gave them are called.
const SERVICES: &[(&str, &[&str])] = &[
    ("GITHUB_", &["github", "ghe", "ghcr", "git", "azure"]),
    ("GH_", &["github", "ghe", "ghcr", "git"]),
    ("GITLAB_", &["gitlab", "git"]),
    ("CI_JOB_TOKEN", &["gitlab", "git"]),
    ("NPM_", &["npm", "registry"]),
    ("NODE_AUTH_", &["npm", "registry", "pkg"]),
    ("PYPI_", &["pypi", "python"]),
    ("TWINE_", &["pypi"]),
    ("CARGO_REGISTRY_", &["crates"]),
    ("AWS_", &["amazonaws", "aws"]),
    ("AZURE_", &["azure", "microsoft", "windows"]),
    ("GOOGLE_", &["google"]),
    ("GCP_", &["google"]),
    ("GEMINI_", &["google"]),
    ("OPENAI_", &["openai", "azure"]),
    ("ANTHROPIC_", &["anthropic"]),
    ("HF_", &["huggingface", "hf"]),
    ("HUGGING", &["huggingface", "hf"]),
    ("SLACK_", &["slack"]),
    ("DISCORD_", &["discord"]),
    ("STRIPE_", &["stripe"]),
    ("TWILIO_", &["twilio"]),
    ("SENDGRID_", &["sendgrid"]),
    ("HEROKU_", &["heroku"]),
    ("VERCEL_", &["vercel"]),
    ("NETLIFY_", &["netlify"]),
    ("CLOUDFLARE_", &["cloudflare"]),
    ("CF_API_", &["cloudflare"]),
    ("DIGITALOCEAN_", &["digitalocean"]),
    ("DOCKER_", &["docker"]),
    ("DOCKERHUB_", &["docker"]),
    ("SENTRY_", &["sentry"]),
    ("DD_", &["datadog"]),
    ("DATADOG_", &["datadog"]),
    ("VAULT_TOKEN", &["vault"]),
    ("KUBE_TOKEN", &["k8s", "kube"]),
    ("LINEAR_", &["linear"]),
    ("NOTION_", &["notion"]),
    ("DATABASE_", &[]),
    ("DB_PASS", &[]),
    ("PGPASSWORD", &[]),
    ("MYSQL_PWD", &[]),
    ("SSH_PRIVATE_", &[]),
    ("PRIVATE_KEY", &[]),
    ("MASTER_KEY", &[]),
    ("RAILS_MASTER_", &[]),
    ("ENCRYPTION_", &[]),
];

impl Machine<'_> {
    /// `git remote set-url`, and pushing to what it changed.
    pub(super) fn remotes(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
        let words: Vec<&str> =
            args.iter().map(Arg::as_str).filter(|text| !text.starts_with('-')).collect();
        let at = |wanted: &str| words.iter().position(|word| *word == wanted);
        let changed = match (at("remote"), at("config")) {
            (Some(at), _) => match words.get(at + 1..).unwrap_or_default() {
                ["set-url", name, ..] => Some((*name).to_owned()),
                // The first remote of a project is how everybody begins.
                ["add", name, ..] if *name != "origin" => Some((*name).to_owned()),
                _ => None,
            },
            (None, Some(at)) => words.get(at + 1).and_then(|key| {
                let name = key.strip_prefix("remote.")?;
                let name = name.strip_suffix(".url").or_else(|| name.strip_suffix(".pushurl"))?;
                words.get(at + 2).map(|_| name.to_owned())
            }),
            _ => None,
        };
        if let Some(name) = changed
            && self.state.remotes.len() < 32
            && !self.state.remotes.contains(&name)
        {
            self.state.remotes.push(name);
        }
        let pushes = words.iter().take(3).any(|word| *word == "push") && at("stash").is_none();
        if pushes && !self.state.remotes.is_empty() {
            let to = at("push").and_then(|at| words.get(at + 1)).copied().unwrap_or("origin");
            if self.state.remotes.iter().any(|name| name == to) {
                self.report(rules::PUSH, site);
            }
        }
    }

    /// A file that some tool runs is edited in place: what is put there is judged.
    pub(super) fn edits_recipe(&mut self, name: &str, args: &[Arg<'_>], site: RunSite<'_>) {
        if !matches!(name, "sed" | "perl" | "jq" | "yq" | "ex" | "ed" | "dasel" | "json" | "patch")
        {
            return;
        }
        let is_recipe = |arg: &Arg<'_>| {
            let file = arg.text.rsplit('/').next().unwrap_or_default();
            RECIPES.contains(&file)
                || [".sh", ".bash", ".zsh", ".fish", ".command"]
                    .iter()
                    .any(|end| file.ends_with(end))
        };
        let in_place =
            args.iter().any(|arg| arg.text.starts_with("-i") || arg.text.starts_with("-pi"));
        let edits = in_place || !matches!(name, "sed" | "perl");
        if edits && args.iter().any(is_recipe) {
            // In what is put in, a slash has a backslash before it.
            let texts: Vec<String> = args
                .iter()
                .filter(|arg| !is_recipe(arg))
                .map(|arg| arg.text.replace("\\/", "/"))
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            self.carried_in(&texts, site);
        }
    }

    /// `trap '…' DEBUG`: a program that gets every command that follows.
    pub(super) fn watches_commands(&mut self, text: &str, args: &[Arg<'_>], site: RunSite<'_>) {
        const SENDERS: &[&str] = &[
            "curl",
            "wget",
            "nc",
            "ncat",
            "socat",
            "/dev/tcp/",
            "ssh ",
            "logger",
            "python",
            "mail",
        ];
        let always = args.iter().any(|arg| matches!(arg.as_str(), "DEBUG" | "RETURN" | "SIGCHLD"));
        if always && SENDERS.iter().any(|sender| text.contains(sender)) {
            self.report(rules::indirect::INDIRECT, site);
        }
    }

    /// A key of one service, sent to the machine of another.
    pub(super) fn named_keys(&mut self, name: &str, args: &[Arg<'_>], site: RunSite<'_>) {
        if !matches!(name, "curl" | "wget" | "http" | "https" | "xh" | "curlie" | "websocat" | "nc")
            || !site.words.contains('$')
        {
            return;
        }
        let hosts: Vec<String> = args
            .iter()
            .filter_map(|arg| host(&arg.text))
            .map(|host| host.to_ascii_lowercase())
            .collect();
        if hosts.is_empty() {
            return;
        }
        let is_near = |host: &String| {
            matches!(host.as_str(), "localhost" | "127.0.0.1" | "0.0.0.0" | "[::1]")
                || host.ends_with(".local")
                || host.ends_with(".internal")
                || host.contains(crate::command::facts::HOLE)
        };
        let leaks = variables(site.words).any(|variable| {
            super::parameters::names_key(variable)
                && SERVICES.iter().find(|(begin, _)| variable.starts_with(begin)).is_some_and(
                    |(_, known)| {
                        !hosts.iter().any(|host| {
                            is_near(host) || known.iter().any(|part| host.contains(part))
                        })
                    },
                )
        });
        if leaks {
            self.report(rules::UPLOAD, site);
        }
    }
}

/// The machine that an address names.
fn host(text: &str) -> Option<&str> {
    let at = text.find("://")?;
    if at > 8 {
        return None;
    }
    let authority = text[at + 3..].split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or(authority);
    Some(host.split(':').next().unwrap_or(host)).filter(|host| !host.is_empty())
}

/// The names of variables in a text.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).filter_map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest
            .find(|char: char| !char.is_ascii_alphanumeric() && char != '_')
            .unwrap_or(rest.len());
        (end > 2).then(|| &rest[..end])
    })
}
