//! Commands that are put together from text of others.

use super::super::finding::SkillRisk::Execution;
use super::super::finding::SkillSeverity::{Critical, High, Low, Medium};
use super::{ScanRule, command};

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("python_subprocess", Execution, Critical),
        &["requests.get", "urlopen", "httpx.get"],
        r"(\w+)\s?=\s?[^\n]*(?:requests\.get|urlopen|httpx\.get)\([^\n]*(?:\n[^\n]*){0,5}(?:os\.system|os\.popen|subprocess\.\w+|(?:^|[^.\w])exec|(?:^|[^.\w])eval)\(\s*(?:\w*cmd\w*|\w*code\w*|\w*script\w*|\w*payload\w*|\w*command\w*)\b[^\n]*",
        "A command is fetched and run.",
    )
    .unless(r"\[\s*['\x22]")
    .reaching(5),
    command(
        ("python_os_system", Execution, High),
        &["os.system", "os.popen", "commands.getoutput", "subprocess.getoutput"],
        r#"\b(?:os\.system|os\.popen|commands\.getoutput|subprocess\.getoutput)\(\s*(?:["'][^"'\n]*["']\s*(?:\+|%)[^\n]*(?:argv|input|request|args|param|url|\w)|\w+\s*\+)"#,
        "A shell command is put together from other text.",
    )
    .unless(r"\+\s*\$[A-Z]"),
    command(
        ("python_os_system", Execution, Medium),
        &["os.system", "os.popen", "getoutput"],
        r#"\b(?:os\.system|os\.popen|getoutput)\(\s*(?:f["']|\w)"#,
        "A shell command is put together.",
    ),
    command(
        ("python_os_system", Execution, Low),
        &["os.system", "os.popen"],
        r"\bos\.(?:system|popen)\(",
        "A shell command is run.",
    ),
    command(
        ("python_subprocess", Execution, High),
        &["shell=true", "shell = true"],
        r#"\bsubprocess\.\w+\(\s*(?:["'][^"'\n]*["']\s*(?:\+|%)|\w+\s*\+)[^\n]*shell\s?=\s?True"#,
        "A shell command is put together from other text.",
    ),
    command(
        ("python_subprocess", Execution, Medium),
        &["shell=true", "shell = true"],
        r"\bshell\s?=\s?True",
        "A shell runs a command.",
    ),
    command(
        ("python_subprocess", Execution, Low),
        &["subprocess."],
        r"\bsubprocess\.(?:run|call|Popen|check_\w+)\(",
        "A program is run.",
    ),
    command(
        ("node_child_process", Execution, High),
        &["exec(", "execsync("],
        r#"(?:^|[^.\w]|child_process\.|cp\.)exec(?:Sync)?\(\s*(?:["'][^"'\n]*["']\s*\+[^\n]*(?:argv|req\.|query|params|input|\w)|\w+\s*\+|\x60[^\x60\n]*\$\{(?:process\.argv|req\.|args\[))"#,
        "A shell command is put together from other text.",
    ),
    command(
        ("node_child_process", Execution, Low),
        &["child_process"],
        r"\bchild_process\b",
        "Programs are run.",
    ),
    command(
        ("node_child_process", Execution, Critical),
        &["eval(", "function(", "runin", "_compile("],
        r#"\b(?:https?\.get|fetch|axios(?:\.get)?|got|require\(\s*\\?["']https?\\?["']\s*\)\.get)\([^\n]*(?:[^.\w]eval|new Function|\bFunction|\brunIn\w*Context|\._compile)\("#,
        "Code is fetched and run.",
    )
    .also(&["http", "fetch", "axios", "got("]),
    command(
        ("lifecycle_script", Execution, High),
        &["install\"", "prepare\""],
        r#""(?:pre|post)?(?:install|prepare)"\s*:\s*"[^\n]*(?:\bcurl\b|\bwget\b|node -e|https?://|\bsh -c|python\d? -c|powershell|base64|\beval\b|/dev/tcp)"#,
        "Installing the package runs code that comes from elsewhere or hides.",
    ),
    command(
        ("java_runtime_exec", Execution, Medium),
        &["getruntime()"],
        r"getRuntime\(\)\.exec\(",
        "A program is run.",
    ),
];
