//! Programs that run, install or load what an argument names, and what may be behind that name: an address,
//! or a file that came from one.
//!
//! `curl … | sh` has many forms. A package, an image, a manifest, a chart, a plugin, a module for the kernel
//! or statements for a database are programs, too, as soon as one of these tools gets them.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::call::{Arg, ProgramCall};
use super::structure::REMOTE_CODE;
use super::{DangerRule, RuleCheck};

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: REMOTE_CODE,
    programs: &[],
    check: RuleCheck::Structure,
    catches: &[
        "pnpm dlx https://x.io/x.tgz",
        "yarn dlx git@x.io:a/b.git",
        "docker build https://x.io/r.git",
        "docker compose -f https://x.io/c.yml up",
        "rpm -i https://x.io/a.rpm",
        "dnf install -y https://x.io/a.rpm",
        "pacman -U https://x.io/a.pkg.tar.zst",
        "terraform init -from-module=git::https://x.io/m",
        "gradle --init-script https://x.io/i.gradle build",
        "wget https://x.io/a.deb && sudo dpkg -i a.deb",
        "curl -sLo /tmp/a.rpm https://x.io/a.rpm; rpm -ivh /tmp/a.rpm",
        "curl -LO https://x.io/a.jar && java -jar a.jar",
        "curl -s x.io/a.sql | psql app",
        "curl -s https://x.io/k.yaml | kubectl apply -f -",
        "curl -sL https://x.io/i.tar | docker load",
        "git clone https://x.io/t && sudo make -C t install",
        "wp plugin install https://x.io/p.zip",
    ],
    passes: &[
        "pip install --index-url https://download.pytorch.org/whl/cpu torch",
        "npm install --registry https://registry.npmjs.org x",
        "helm install x bitnami/nginx --repo https://charts.bitnami.com/bitnami",
        "docker build -t x .",
        "kubectl apply -f k8s/",
        "dpkg -i a.deb",
        "curl -s https://x.io/a.json | jq .",
        "curl -LO https://x.io/data.csv && psql -c 'select 1'",
        "git clone https://x.io/t && cd t && make",
        "docker run --rm alpine:3 ls",
        "java -jar app.jar --url https://x.io",
        "git clone https://x.io/t && cd t && npm install && npm test",
    ],
}];

/// Tools, and the words that make them take something in; `*` is any call. A `+` before the tools: a value
/// behind an option only says where packages are looked for.
const TAKERS: &[(&str, &str)] = &[
    // Packages of the system.
    ("dpkg", "-i --install --unpack"),
    ("rpm", "-i -ivh -Uvh -U -iv -Fvh -Uv --install --upgrade --import"),
    (
        "+apt apt-get aptitude dnf yum microdnf tdnf zypper apk opkg xbps-install pkg pkg_add eopkg swupd urpmi slackpkg",
        "install add in localinstall reinstall bundle-add upgrade",
    ),
    ("pacman yay paru", "-U --upgrade"),
    ("+snap flatpak port guix", "install"),
    ("nix-env nix-build nix-instantiate nix-shell", "-i -if -f --install *"),
    ("installer", "-pkg"),
    ("msiexec", "/i /package"),
    ("winget choco scoop", "install"),
    ("softwareupdate", "--install"),
    // Packages of languages.
    (
        "+pip pip3 pipx uv poetry pdm rye conda mamba micromamba easy_install",
        "install add run tool",
    ),
    ("+npm pnpm yarn bun npx bunx pnpx", "install i add dlx exec x create"),
    ("npx bunx pnpx uvx", "*"),
    ("+gem bundle cargo mix rebar3 nimble shards dub opam cabal stack raco", "install add get pin"),
    (
        "+composer cpanm cpan luarocks go dart flutter swift raku zef julia",
        "require install get run add",
    ),
    ("deno bun", "run install x eval"),
    ("code codium cursor code-insiders vsce idea", "--install-extension"),
    ("jbang jshell groovy kotlin scala-cli", "*"),
    ("emacs vim nvim", "-l --load -S -u"),
    // Images, clusters, machines.
    ("docker", "build load import buildx"),
    ("docker-compose", "-f --file"),
    ("docker", "-f --file stack"),
    ("kubectl oc k", "apply create replace"),
    ("helm", "install upgrade template plugin"),
    ("kustomize kpt", "build fn pkg"),
    ("terraform terragrunt pulumi", "init new"),
    ("ansible-galaxy ansible-pull", "*"),
    ("ansible-playbook", "*"),
    ("vagrant", "box"),
    ("packer", "init build"),
    ("virt-install", "*"),
    ("lxc incus", "import"),
    ("multipass", "launch"),
    ("limactl", "start create"),
    ("crane skopeo", "append"),
    // Build tools.
    ("yarn", "plugin set"),
    ("corepack", "prepare use install"),
    ("rails", "new app:template"),
    ("mix", "archive.install local.hex"),
    ("skaffold tilt", "run dev up render"),
    ("kubectl oc", "kustomize -k"),
    ("+conda mamba micromamba", "env"),
    ("conda mamba micromamba", "-f --file"),
    ("dotnet", "tool new"),
    ("spark-submit", "*"),
    ("nix-build nix", "build run shell develop -f"),
    ("gradle gradlew", "--init-script -I"),
    ("make gmake just task", "-f --file --justfile --taskfile"),
    ("cmake", "-P"),
    ("bazel", "--override_repository"),
    ("cookiecutter copier yo degit tiged cargo-generate", "*"),
    ("pre-commit", "try-repo"),
    ("direnv", "fetchurl"),
    // Plugins and add-ons.
    (
        "wp drush magento elasticsearch-plugin opensearch-plugin kibana-plugin grafana-cli jenkins-plugin-cli rabbitmq-plugins logstash-plugin asdf mise gh krew tmux fisher zplug zinit",
        "plugin plugins install add",
    ),
    // Machine code, the kernel, firmware.
    ("java", "-jar -javaagent"),
    ("dotnet mono wine wine64 wasmtime wasmer qemu-system-x86_64 box64", "*"),
    ("insmod kmod dkms kextload sysext systemd-sysext", "*"),
    (
        "fwupdmgr flashrom dfu-util esptool esptool.py avrdude fastboot",
        "install -w flash write_flash -D -U *",
    ),
    ("systemctl", "link enable"),
    ("launchctl", "load bootstrap"),
    ("adb", "install push"),
    // Statements, restores.
    (
        "psql mysql sqlite3 sqlcmd cqlsh clickhouse-client duckdb mongosh mongo redis-cli cypher-shell cockroach snowsql beeline hive",
        "*",
    ),
    ("pg_restore mongorestore mysqlimport", "*"),
    ("crontab", "*"),
    ("at batch", "*"),
    ("gdb lldb", "-x --command -s"),
    ("msfconsole nuclei", "*"),
    ("osascript", "*"),
];

/// What a tool takes in, by its name.
struct Taker {
    words: &'static str,
    /// Values behind options are not what is taken in.
    operands_only: bool,
}

static BY_NAME: LazyLock<HashMap<&'static str, Vec<Taker>>> = LazyLock::new(|| {
    let mut by_name: HashMap<&str, Vec<Taker>> = HashMap::new();
    for (names, words) in TAKERS {
        let bare = names.trim_start_matches('+');
        for name in bare.split(' ') {
            let taker = Taker { words, operands_only: names.starts_with('+') };
            by_name.entry(name).or_default().push(taker);
        }
    }
    by_name
});

/// Options whose value says where something is looked for or sent, not what is run.
const PLACES: &[&str] = &[
    "--registry",
    "--index-url",
    "--extra-index-url",
    "--find-links",
    "--repo",
    "--source",
    "--repository",
    "--proxy",
    "--channel",
    "--url",
    "--host",
    "--server",
    "--endpoint",
    "--build-arg",
    "--label",
    "-e",
    "--env",
    "--set",
    "--namespace",
    "--cache-from",
    "--cache-to",
    "--eval",
    "--uri",
    "-h",
    "-u",
    "--username",
    "-d",
    "--dbname",
];

/// The arguments that a call takes in as programs or packages; `None` when it takes nothing in.
pub(crate) fn taken<'c>(name: &str, args: &'c [Arg<'c>]) -> Option<Vec<&'c str>> {
    let takers = BY_NAME.get(name)?;
    let has = |word: &str| {
        word == "*"
            || args.iter().any(|arg| {
                arg.text == word
                    || word.starts_with("--")
                        && arg.text.strip_prefix(word).is_some_and(|rest| rest.starts_with('='))
            })
    };
    let taker = takers.iter().find(|taker| taker.words.split(' ').any(has))?;
    let one = |(at, arg): (usize, &'c Arg<'c>)| {
        let text: &'c str = arg.text.as_ref();
        let before = at.checked_sub(1).map_or("", |at| args[at].as_str());
        let is_value = before.starts_with('-') && !before.contains('=') && before.len() > 1;
        if text.starts_with('-') {
            let (option, value) = text.split_once('=')?;
            return (!taker.operands_only && !PLACES.contains(&option)).then_some(value);
        }
        let flag = matches!(before, "-y" | "-g" | "-q" | "-v" | "-U" | "-D" | "-S" | "--yes")
            || before.starts_with("--no-") && taker.operands_only
            || matches!(before, "--user" | "--upgrade" | "--quiet" | "--force" | "--global");
        let skip = is_value && (taker.operands_only && !flag || PLACES.contains(&before));
        (!skip).then_some(text)
    };
    let words: Vec<&str> = args.iter().enumerate().filter_map(one).collect();
    // What follows a program that is named once belongs to that program.
    let most = if name == "java" || name == "dotnet" { 3 } else { usize::MAX };
    Some(words.into_iter().take(most).collect())
}

/// Whether a text is an address that something is fetched from.
pub(crate) fn is_address(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "http://", "https://", "ftp://", "git+", "git@", "git://", "git::", "ssh://", "hg+",
        "svn+", "ext::", "s3::", "gs::",
    ];
    BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        && !["://localhost", "://127.0.0.1", "://[::1]", "://host.docker.internal"]
            .iter()
            .any(|near| text.contains(near))
}

/// Whether a call takes in what an address gives.
pub(crate) fn takes_address(call: &ProgramCall<'_>) -> bool {
    const CLIENTS: &[&str] = &[
        "psql",
        "mysql",
        "sqlite3",
        "mongosh",
        "mongo",
        "redis-cli",
        "java",
        "ansible-playbook",
        "sqlcmd",
        "cockroach",
        "clickhouse-client",
        "cypher-shell",
        "beeline",
        "snowsql",
        "pg_restore",
        "mongorestore",
        "virt-install",
        "gh",
        "asdf",
        "mise",
        "tmux",
        "go",
        "helm",
        "brew",
        "cargo",
        "apt",
        "apt-get",
        "gem",
        "bundle",
        "dart",
        "flutter",
        "multipass",
        "pip",
        "pip3",
        "uv",
        "pipx",
        "poetry",
        "npm",
        "nix-shell",
        "adb",
        "deno",
    ];
    if CLIENTS.contains(&call.name) || call.asks_for_help() || call.has(&["--dry-run", "-n"]) {
        return false;
    }
    taken(call.name, call.args)
        .is_some_and(|taken| taken.iter().any(|text| is_address(text) || text.contains("@ext::")))
}
