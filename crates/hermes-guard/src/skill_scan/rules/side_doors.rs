//! Settings and options that make an honest tool start foreign code, send what it sees through strangers, or stop
//! asking: what a tool is told on the side rather than what it is run for.

use super::super::finding::SkillRisk::{
    Destructive, Exfiltration, Injection, Network, Obfuscation, Persistence, SupplyChain, Traversal,
};
use super::super::finding::SkillSeverity::{High, Medium};
use super::{ScanRule, command, fixed, instruction};

/// What a setting has in it that is more than the name of a program.
macro_rules! runs_something {
    () => {
        r"(?:\b(?:ba|z|da)?sh -c|\btee\b|\bcurl\b|\bwget\b|\bnc\b|\bncat\b|\||/tmp/|/dev/shm|base64|\beval\b|https?://)"
    };
}

const HONEST: &str =
    r"\b(?:never|do not|don'?t|avoid|attackers?|malicious|exploit\w*|vulnerab\w+|detect\w*)\b";

pub(super) const RULES: &[ScanRule] = &[
    fixed(
        ("tool_hook", Persistence, High),
        &["pager", "editor", "lessopen", "browser", "askpass", "bash_env", "pythonstartup", "prompt_command", "node_options", "perl5opt", "rubyopt", "java_tool_options", "rustc_wrapper", "ssh_command", "external_diff", "breakpoint"],
        concat!(r#"\b(?:GIT_PAGER|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_SSH_COMMAND|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|GIT_EXTERNAL_DIFF|LESSOPEN|LESSCLOSE|MANPAGER|PAGER|EDITOR|VISUAL|BROWSER|BASH_ENV|PYTHONSTARTUP|PYTHONBREAKPOINT|PROMPT_COMMAND|NODE_OPTIONS|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|RUSTC_WRAPPER)\s?=\s?["']?[^\n]{0,120}"#, runs_something!()),
        "A tool is made to start something else each time.",
    )
    .unless(r"LESSOPEN=\S*lesspipe|\b(?:never|do not|don'?t|avoid|attackers?|malicious|exploit\w*|vulnerab\w+|detect\w*)\b"),
    fixed(
        ("tool_hook", Persistence, High),
        &["core.", "diff.external", "filter.", "alias.", "ext.allow"],
        r#"\bgit (?:-\S+ |config ){0,4}[^\n;&|]{0,60}\b(?:core\.fsmonitor[= ]["']?[.~/$]|core\.(?:pager|editor|sshCommand|gitProxy)[= ]["']?[^\n]{0,80}(?:sh -c|\.sh\b|curl|\bnc\b|/tmp/)|diff\.external[= ]["']?[.~/$]|filter\.[\w-]+\.(?:clean|smudge|process)[= ]["']?[^\n]{0,80}(?:sh -c|curl|\bnc\b|/tmp/|\.sh\b)|alias\.[\w-]+[= ]["']?![^\n]{0,80}(?:curl|wget|\bnc\b|/tmp/|https?://)|protocol\.ext\.allow)"#,
        "Git is made to start something else.",
    )
    .unless(HONEST),
    fixed(
        ("tool_hook", Obfuscation, High),
        &["checkpoint-action", "to-command", "use-compress-program", "-tt ", "-c '!", "-c ':!", "rsync -e", "--rsh="],
        r#"--checkpoint-action=["']?exec|--to-command=|--use-compress-program=["']?[^\n"']{0,40}(?:sh -c|curl|/tmp/|\.sh\b)|\bzip\b[^\n]*-TT ["']?(?:ba)?sh|\b(?:vim?|ex|ed)\b[^\n]{0,60}-c ["']:?!|\brsync\b[^\n]{0,80}(?:-e|--rsh=) ?["']?(?:ba)?sh -c"#,
        "An option of a tool starts something else.",
    )
    .unless(HONEST),
    fixed(
        ("sed_executes", Obfuscation, High),
        &["sed "],
        r#"\bsed\b[^\n|]{0,40}["']s([/|\x23,<at>:])[^"'\n]*[/|\x23,<at>:][gipIm0-9]*e[gipIm0-9]*["']|\bsed\b[^\n|]{0,40}["'](?:\d+|\$)?e [a-z]"#,
        "What sed writes is run as a command.",
    )
    .unless(HONEST),
    fixed(
        ("ssh_through_stranger", Network, High),
        &["proxycommand", "proxyjump"],
        r"\bProxyCommand[ =]+[^\n]{0,60}(?:-x ?|CONNECT:?|SOCKS\w*:|proxy-host )\s?[\w-]+(?:\.[\w-]+)+|\bProxyCommand[ =]+[^\n]{0,40}(?:curl|wget|\bsh -c|/tmp/)",
        "Connections to servers lead through a stranger.",
    )
    .unless(r"\b(?:127\.0\.0\.1|localhost|cloudflared|amazonaws|your|corp|internal|bastion\.example\.com)\b|\b(?:never|do not|don'?t|avoid)\b"),
    fixed(
        ("ssh_agent_lent", Network, High),
        &["forwardagent"],
        r"\bHost \*[^\n]*(?:\n[^\n]*){0,8}?\bForwardAgent yes\b|\bForwardAgent yes\b[^\n]*(?:\n[^\n]*){0,4}?\bHost \*",
        "Every server may use the user's keys.",
    )
    .reaching(8)
    .unless(r"\b(?:never|do not|don'?t|avoid|risky|dangerous)\b"),
    fixed(
        ("ssh_agent_lent", Network, High),
        &["host *"],
        r"\bHost \*\s*\n(?:[^\n]*\n){0,8}?[^\n]*\bForwardAgent yes\b",
        "Every server may use the user's keys.",
    )
    .reaching(8)
    .unless(r"\b(?:never|do not|don'?t|avoid|risky|dangerous)\b"),
    command(
        ("tmp_staging", Exfiltration, High),
        &["/tmp/.", "/var/tmp/.", "/dev/shm/."],
        r#"(?:\b(?:curl|wget|scp|rsync|nc|ncat)\b[^\n]*(?:<at>|<\s?|-T ?|--upload-file[= ]|--post-file[= ]|\s)["']?(?:/tmp|/var/tmp|/dev/shm)/\.\w)"#,
        "A hidden file is sent away.",
    )
    .unless(r"\s-[a-zA-Z]*[oO] ?[\x22']?(?:/tmp|/var/tmp|/dev/shm)/\.|--output"),
    fixed(
        ("approval_bypass", Injection, High),
        &["approvals", "redact_secrets", "skip-permissions", "skip_permissions", "bypasspermissions", "auto_approve", "autoapprove", "yolo", "guard_agent_created", "permission_mode"],
        r#"\bapprovals["']?\s?:(?:\\n|\s|\{)*["']?mode["']?\s?:\s?\\?["']?(?:off|never|yolo|none|auto)\b|\bapprovals\.mode["']?[ =:]+["']?(?:off|never|yolo|none)\b|\bredact_secrets["']?\s?[:=]\s?["']?(?:false|off|no|0)\b|["']bypassPermissions["']|\bauto_?approve["']?\s?[:=]\s?["']?(?:true|on|yes|all|\*)|\byolo["']?\s?:\s?["']?(?:true|on)\b|\bguard_agent_created["']?\s?[:=]\s?["']?(?:false|off)\b"#,
        "The agent is set to ask nobody.",
    )
    .only(super::StatementContext::Code)
    .reaching(2),
    instruction(
        ("html_comment_injection", Injection, High),
        &["assistant", "agent", "system", "llm", "model", "copilot"],
        r#"(?:\x23|//|/\*|--|;|<!--|\x22{3})\s?\W{0,3}(?:note (?:to|for) (?:the |any |all )?)?@?(?:system|assistant|agent|ai agent|ai|llm|language model|model|copilot)s?(?:[ _-](?:instructions?|directives?|orders?|notes?|prompt|task|only|override))?\W{0,4}[:,]\W{0,3}[^\n]{0,160}\b(?:run|execute|curl|wget|chmod|send|upload|ignore|delete|obey|install|stop review\w*|skip|approve|do not (?:tell|show|report|mention)|keep (?:it|this) (?:out|from))\b"#,
        "A comment speaks to the agent.",
    )
    .only(super::StatementContext::Code)
    .unless(r"\b(?:def|class|fn|function|const|prompt|template|role|example|docs?)\b"),
    command(
        ("insecure_perms", Destructive, High),
        &["chmod"],
        r#"\bchmod (?:-\w*R\w*|--recursive)(?: -\S+)* (?:0?[0-7]?77[67]|a\+rwx|ugo\+rwx|o\+rwx?|a=rwx) ["']?<home>["']?(?:\s|$|[;&|)"'\x60])"#,
        "Everybody may change what is the user's.",
    ),
    command(
        ("home_upload", Exfiltration, High),
        &["rclone", "rsync", "restic", "s3 cp", "s3 sync", "gsutil", "scp "],
        r#"\b(?:rclone (?:copy|sync|move)|rsync|scp|aws s3 (?:cp|sync)|gsutil(?: -m)? (?:cp|rsync))\b(?: -\S+)* ["']?<home>["']?\s+["']?(?:[\w.<at>-]+:|s3://|gs://)"#,
        "The whole home goes to another machine.",
    ),
    command(
        ("remote_manifest", SupplyChain, High),
        &["kubectl", "helm ", "terraform", "docker-compose", "docker compose", "ansible-pull", "ansible-galaxy", "npx ", "uvx ", "pipx "],
        r"\bkubectl (?:apply|create|replace) (?:-\S+ )*(?:-f|--filename)[= ]?https?://|\bhelm (?:install|upgrade)\b[^\n]{0,80}https?://|\bansible-pull\b[^\n]{0,60}https?://|\b(?:npx|uvx|pipx run|bunx)\b (?:-\S+ )*(?:--from )?(?:git\+)?https?://",
        "What runs is decided elsewhere.",
    )
    .unless(r"https?://(?:[\w.-]+\.)?(?:githubusercontent\.com|github\.com|gitlab\.com|k8s\.io|kubernetes\.io|amazonaws\.com|googleapis\.com|google\.com|microsoft\.com|azure\.com|nvidia\.com|elastic\.co|hashicorp\.com|projectcalico\.org|cert-manager\.io|istio\.io|linkerd\.io|argoproj\.io|jetstack\.io|bitnami\.com|helm\.sh|grafana\.com|prometheus\.io|cncf\.io|rancher\.com|redhat\.com|tigera\.io|metallb\.io|knative\.dev|example\.com|localhost)"),
    instruction(
        ("scanner_addressed", Injection, High),
        &["scanner", "scanning", "auditor", "verdict", "security tool"],
        r"\b(?:scanners?|auditors?|security tools?)\s?[:,] ?(?:please )?(?:stop|skip|ignore|report no|return|mark|treat|do not|don'?t|rate)\b|\bverdict\s?[:=]\s?(?:safe|clean|benign|trusted)\b|\bscanning is (?:not|un)\s?(?:needed|necessary|required)\b",
        "The text speaks to whoever judges it.",
    )
    .unless(r"\b(?:never|returns?|prints?|output|example|json)\b"),
    fixed(
        ("path_traversal_deep", Traversal, High),
        &["../../../"],
        r"(?:\.\./){3,}\.(?:hermes|ssh|aws|config|claude|codex|bashrc|zshrc|profile|bash_profile|gitconfig|npmrc|netrc|kube|gnupg)\b",
        "A file of the home is reached from inside the skill.",
    )
    .unless(HONEST),
    command(
        ("foreign_resolver", Network, Medium),
        &["/etc/hosts", "resolv.conf"],
        r"(?:>>?|\btee\b[^\n]*) ?/etc/(?:hosts|resolv\.conf)\b",
        "Names of machines are made to mean others.",
    ),
];
