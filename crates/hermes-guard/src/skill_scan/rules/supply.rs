//! Code of others that is fetched when the skill is used.

use super::super::finding::SkillRisk::SupplyChain;
use super::super::finding::SkillSeverity::{Critical, High, Low, Medium};
use super::{ScanRule, command, instruction};

/// Installers that their projects recommend, by the address they are fetched from.
macro_rules! well_known {
    () => {
        r"https://(?:astral\.sh|sh\.rustup\.rs|get\.docker\.com|deb\.nodesource\.com|rpm\.nodesource\.com|raw\.githubusercontent\.com/|github\.com/|dl\.cloudsmith\.io|packagecloud\.io|example\.com|get\.helm\.sh|run\.linkerd\.io|brew\.sh|fluxcd\.io|get\.k3s\.io|bun\.sh|deno\.land|fnm\.vercel\.app|get\.pnpm\.io|install\.python-poetry\.org|pixi\.sh|mise\.run|mise\.jdx\.dev|starship\.rs|get\.volta\.sh|claude\.ai|cursor\.com|ollama\.com|ollama\.ai|cli\.github\.com|install\.determinate\.systems|nixos\.org|fly\.io|get\.sdkman\.io|get\.nextflow\.io|app\.getambassador\.io|proxy\.golang\.org|go\.dev|foundry\.paradigm\.xyz|release\.solana\.com|release\.anza\.xyz|cli\.run|micro\.mamba\.pm|get\.modular\.com|hf\.co|huggingface\.co|setup\.atuin\.sh|just\.systems|get\.jetify\.com|www\.googleapis\.com|sdk\.cloud\.google\.com|aka\.ms|awscli\.amazonaws\.com|supabase\.com|railway\.(?:app|com)|turso\.tech|get\.tur\.so|pnpm\.io|yarnpkg\.com|sentry\.io|grafana\.com|tailscale\.com|k6\.io|dl\.k8s\.io|istio\.io|kind\.sigs\.k8s\.io|developers\.cloudflare\.com|opencode\.ai|x\.ai|nextflow\.io|julialang\.org|install\.julialang\.org|moonrepo\.dev|proto\.moonrepo\.app|dot\.net|get\.scoop\.sh|chocolatey\.org|community\.chocolatey\.org)\S*"
    };
}

/// What a project recommends to pipe into a shell.
pub(super) const WELL_KNOWN: &str = well_known!();

macro_rules! shell {
    () => {
        r"(?:sudo (?:-\w+ )*)?(?:/(?:usr/)?bin/)?(?:env )?(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|node|perl|ruby|php|deno|bun)\b"
    };
}

/// Fetched into a file that is then made executable and run.
const DOWNLOAD_RUN: &str = r#"\b(?:curl\b[^\n]*(?:-o|--output|>)\s?|wget\b[^\n]*(?:-O|--output-document[= ])\s?)["']?(?:/tmp/|/var/tmp/|/dev/shm/|\./)?[\w.-]+[^\n]*(?:\n[^\n]*){0,4}\bchmod [^\n]*(?:\+x|[0-7]?7[0-7][0-7])[^\n]*(?:\n[^\n]*){0,3}(?:^|[\n;&]\s*)(?:sudo |nohup )?(?:\./|/tmp/|/var/tmp/|/dev/shm/|~/\.)[\w./-]+"#;

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("curl_pipe_shell", SupplyChain, High),
        &["curl", "wget"],
        concat!(r"\b(?:curl|wget)\b[^\n|;]*", well_known!(), r"[^\n|;]*\|\s*", shell!(), r"|\b(?:(?:ba|z|da|k)?sh|source|eval|\.)\s+(?:-\w+ )*[\x22']?(?:\$\(|<\(|\x60)\s*(?:curl|wget)\b[^\n]*", well_known!()),
        "An installer is fetched and run; its project recommends that.",
    )
    .also(&["|", "$(", "<(", "`"])
    .unless(r"\|\s*python[\d.]* -(?:m json|c)\b"),
    command(
        ("curl_pipe_shell", SupplyChain, Critical),
        &["curl", "wget"],
        concat!(r"\b(?:curl|wget|fetch|http)\b[^\n|;]*(?:://|\$\{?\w|-O ?-|\w\.\w)[^\n|;]*\|\s*(?:tee \S+ ?\|\s*|tr [^\n|]*\|\s*|base64 [^\n|]*\|\s*|gunzip[^\n|]*\|\s*)?", shell!()),
        "Code is fetched and run unseen.",
    )
    .also(&["|"])
    .unless(concat!(well_known!(), r"[^\n|;]*\|\s*", shell!(), r"|\|\s*(?:python[\d.]*|node|perl|ruby|php|deno|bun) (?:-m json|-c\b|-e\b|-p\b|-n?[ple]+\b|[\w./]+\.\w+|- <<)|\|\s*perl -\w|\|\s*(?:python[\d.]*|node) -\w")),
    command(
        ("curl_pipe_shell", SupplyChain, Critical),
        &["curl", "wget"],
        r"\b(?:(?:ba|z|da|k)?sh|source|eval|python[\d.]*|\.)\s+(?:-\w+ )*\\?[\x22']?(?:\$\(|<\(|\x60|<<<\s*[\x22']?\$\()\s*(?:curl|wget)\b",
        "Code is fetched and run unseen.",
    )
    .also(&["$(", "<(", "`"])
    .unless(concat!(r"(?:curl|wget)\b[^\n]*", well_known!())),
    command(
        ("download_run", SupplyChain, Critical),
        &["curl", "wget"],
        DOWNLOAD_RUN,
        "A program is fetched, made executable and run.",
    )
    .also(&["chmod"])
    .unless(r"https://")
    .reaching(6),
    command(
        ("download_run", SupplyChain, High),
        &["curl", "wget"],
        DOWNLOAD_RUN,
        "A program is fetched, made executable and run.",
    )
    .also(&["chmod"])
    .unless(concat!(r"https://(?:github\.com|objects\.githubusercontent\.com|dl\.google\.com|releases\.hashicorp\.com|storage\.googleapis\.com|repo\.anaconda\.com|download\.\w+\.org|ftp\.ncbi\.nlm\.nih\.gov|[\w.-]+\.(?:edu|gov|ac\.uk))/|", well_known!()))
    .reaching(6),
    command(
        ("download_run", SupplyChain, Critical),
        &["outfile", "downloadfile", "start-bitstransfer", "certutil", "bitsadmin"],
        r"(?:-OutFile|DownloadFile|Start-BitsTransfer|certutil\b[^\n]*-urlcache|bitsadmin\b[^\n]*/transfer)[^\n]*(?:\n[^\n]*){0,3}(?:Start-Process|Invoke-Item|&\s*[\x22']?\$|\bstart |\.exe\b[^\n]*(?:\n|;)\s*[.&]?\\?[\w$:\\.]+\.exe)",
        "A program is fetched and run.",
    )
    .unless(concat!(r"https://(?:github\.com|aka\.ms|[\w.]+\.microsoft\.com)/|", well_known!()))
    .reaching(4),
    command(
        ("download_run", SupplyChain, High),
        &["urlretrieve", "urlopen", "requests.get", "createwritestream", "httpx.get", "downloadfile"],
        r"(?:urlretrieve|urlopen|requests\.get|httpx\.get|createWriteStream)\([^\n]*(?:\n[^\n]*){0,8}(?:os\.chmod\([^\n]*0o?7|fs\.chmod\w*\([^\n]*0o?7|\.chmod\(0o?7)[^\n]*(?:\n[^\n]*){0,4}(?:subprocess\.|os\.system|os\.exec|os\.startfile|spawn\(|exec\w*\()",
        "A program is fetched and run.",
    )
    .also(&["chmod"])
    .unless(r"https://(?:github\.com|objects\.githubusercontent\.com|storage\.googleapis\.com|dl\.google\.com)/")
    .reaching(12),
    instruction(
        ("curl_pipe_shell", SupplyChain, High),
        &["pipe", "feed"],
        r"\b(?:download|fetch|get|grab|load|take)\b[^!?\n]{0,60}https?://[^!?\n]{0,120}\b(?:pipe|feed)s? (?:it|them|that|the (?:output|result|script|file|contents?))?\s*(?:in)?to (?:a )?(?:bash|sh|zsh|shell|python\d?|node)\b",
        "The text asks to fetch code and run it unseen.",
    ),
    command(
        ("foreign_index", SupplyChain, High),
        &["index-url", "--registry", "trusted-host", "git+http://", "http://", "-i http", "find-links"],
        r#"@(?:pip[\d.]*|uv(?: pip)?|python[\d.]* -m pip|npm|yarn|pnpm|npx|gem|cargo|go)\b[^\n;&|]*(?:(?:-i|--index-url|--extra-index-url|--registry|--find-links)[= ]["']?http://|git\+http://|\bhttp://[^\s"']+\.(?:tgz|tar\.gz|whl|zip))|\b(?:pip|npm|gem)[\d.]* install (?:-\S+ )*["']?https?://\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"#,
        "Packages come from a foreign place over an open line.",
    )
    .unless(r"http://(?:localhost|127\.0\.0\.1)"),
    command(
        ("foreign_index", SupplyChain, High),
        &["config set", "insteadof", "index-url", "registry="],
        r#"@(?:pip[\d.]*|npm|yarn|pnpm|uv|gem|poetry) config (?:--\S+ )*set\b[^\n]*http://|\bgit config [^\n]*insteadOf|(?:^|\n)\s*(?:index-url|extra-index-url|registry)\s*=\s*http://"#,
        "Packages or code come from a foreign place from now on.",
    )
    .unless(r#"http://(?:localhost|127\.0\.0\.1)|insteadOf\s+["']?(?:git<at>|ssh://|git://|https://github\.com/["']?\s*$)|url\.["']?(?:git<at>|ssh://|https://(?:\S+<at>)?(?:github|gitlab)\.com)"#),
    command(
        ("foreign_index", SupplyChain, Medium),
        &["index-url", "--registry"],
        r#"@(?:pip[\d.]*|uv|npm|yarn|pnpm)\b[^\n;&|]*(?:--index-url|--extra-index-url|--registry)[= ]["']?https://"#,
        "Packages come from an index of its own.",
    )
    .unless(r"https://(?:download\.pytorch\.org|pypi\.org|test\.pypi\.org|registry\.npmjs\.org|npm\.pkg\.github\.com|pypi\.nvidia\.com)"),
    command(
        ("unpinned_pip_install", SupplyChain, Low),
        &["pip install", "pip3 install"],
        r"@(?:python[\d.]* -m )?(?:uv )?pip3? install (?:-\S+ )*[a-z][\w-]*(?:\[[\w,-]+\])?(?:\s|$)",
        "A package without a version is installed.",
    ),
    command(
        ("unpinned_npm_install", SupplyChain, Low),
        &["npm install", "npm i ", "npx ", "yarn add", "pnpm add"],
        r"@(?:npm (?:install|i)|yarn add|pnpm add|npx(?: -y| --yes)?) (?:-\S+ )*(?:<at>[\w-]+/)?[a-z][\w-]*(?:\s|$)",
        "A package without a version is installed.",
    ),
    command(("uv_run", SupplyChain, Low), &["uv run", "uvx "], r"@(?:uv run|uvx) ", "Packages are fetched when the script runs."),
    command(("git_clone", SupplyChain, Low), &["git clone"], r"@git clone ", "A repository is fetched."),
    command(("docker_pull", SupplyChain, Low), &["docker pull", "docker run"], r"@docker (?:pull|run) ", "A container image is fetched."),
    command(
        ("pep723_inline_deps", SupplyChain, Low),
        &["/// script"],
        r"# /// script",
        "The script names packages that are fetched when it runs.",
    ),
];
