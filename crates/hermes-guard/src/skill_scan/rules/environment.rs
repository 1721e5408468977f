//! The whole environment, printed or sent.

use super::super::finding::SkillRisk::Exfiltration;
use super::super::finding::SkillSeverity::{Critical, High};
use super::{ScanRule, command};

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("dump_all_env", Exfiltration, Critical),
        &["tojson(secrets)", "tojson( secrets"],
        r"toJSON\(\s*secrets\s*\)",
        "All secrets of a pipeline are put into text.",
    ),
    command(
        ("dump_all_env", Exfiltration, Critical),
        &["env |", "env|", "env >", "env>", "printenv", "set |", "set|", "export -p", "declare -", "compgen -"],
        r"@(?:env|printenv|set|export -p|declare -[px]+|compgen -[ve])\s*(?:\d?>\s*\S+\s*[;&]+[^\n]*|\|[^\n]*?)(?:<net>|\bbase64\b|\bxxd\b|\bopenssl\b)",
        "The whole environment, with its secrets, is encoded or sent away.",
    ),
    command(
        ("dump_all_env", Exfiltration, High),
        &["printenv", "export -p", "declare -x", "env >", "env | tee", "get-childitem env:", "gci env:", "dir env:", "ls env:"],
        r"@printenv\s*(?:$|[;&>]|\| ?(?:tee|cat|less|sort|head)\b)|@export -p\s*(?:$|[>;&])|@declare -x\s*(?:$|[>;&|])|@env\s*(?:>|\| tee)\s*[\w./$~]|\b(?:get-childitem|gci|dir|ls) env:\s*(?:$|[|>;])",
        "The whole environment, with its secrets, is printed.",
    ),
    command(
        ("dump_all_env", Exfiltration, High),
        &["env |", "printenv |"],
        r#"@(?:env|printenv)\s*\|\s*(?:e?grep|rg|awk|sed)\b[^\n|]*(?:key|token|secret|passw|cred)"#,
        "The secrets in the environment are picked out and printed.",
    ),
    command(
        ("python_os_environ", Exfiltration, High),
        &["os.environ", "environ"],
        r"\b(?:print|pprint|json\.dumps?|repr|str|yaml\.dump|write)\(\s*(?:f?['\x22]\{)?(?:dict\(|str\(|list\(|sorted\()?\s*(?:os\.)?environ(?:\.items\(\)|\.values\(\))?\s*[,)}]",
        "The whole environment is printed or put into text.",
    ),
    command(
        ("python_os_environ", Exfiltration, High),
        &["os.environ"],
        r"\bfor [\w, ()]+ in (?:sorted\()?(?:dict\()?os\.environ(?:\.items\(\))?\)*\s*:[^\n]*\n?[^\n]*(?:print|write|append|send|post)\(",
        "The environment is gone through variable by variable.",
    )
    .unless(r"startswith|if (?:k|key|name) (?:not )?in|== ")
    .reaching(1),
    command(
        ("encoded_exfil", Exfiltration, Critical),
        &["os.environ", "process.env"],
        r"(?:b64encode|base64|hexlify|zlib\.compress|btoa|Buffer\.from)\([^\n]{0,60}(?:os\.environ\s*[,)]|dict\(os\.environ|process\.env\s*[,)]|stringify\(process\.env\))",
        "The whole environment is encoded.",
    ),
    command(
        ("node_process_env", Exfiltration, High),
        &["process.env"],
        r"\b(?:JSON\.stringify|console\.\w+|util\.inspect)\(\s*process\.env\s*[,)]",
        "The whole environment is printed or put into text.",
    ),
    command(
        ("dump_all_env", Exfiltration, High),
        &["env.to_h", "$_env", "getenv()", "system.getenv()", "os.environ()"],
        r"\bputs? ENV\.(?:to_h|inspect|to_a)|\b(?:print_r|var_dump|json_encode|serialize)\(\s*(?:\$_ENV|\$_SERVER|getenv\(\))|\bos\.Environ\(\)[^\n]*(?:Print|Post|Join|Write)|System\.getenv\(\)[.;)]",
        "The whole environment is printed or put into text.",
    ),
];
