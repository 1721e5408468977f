//! Code that hides what it does.

use super::super::finding::SkillRisk::Obfuscation;
use super::super::finding::SkillSeverity::{Critical, High, Low, Medium};
use super::{ScanRule, command};

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("base64_decode_pipe", Obfuscation, Critical),
        &["base64", "xxd", "openssl", "gunzip", "zcat", "| rev", "uudecode", "base32", "tr '"],
        r"(?:base64 (?:-\w*[dD]\w*|--decode)|xxd -\w*r\w*(?: -p)?|openssl (?:enc|base64)[^\n|]*-d|uudecode|base32 -d|\brev\b|gunzip|zcat)[^\n;]*\|\s*(?:sudo )?(?:(?:gunzip|zcat|gzip -d|xz -d)[^\n|]*\|\s*)?(?:/(?:usr/)?bin/)?(?:env )?(?:ba|z|da|k)?sh\b|(?:base64 (?:-\w*[dD]\w*|--decode)|xxd -\w*r\w*(?: -p)?)[^\n;]*\|\s*(?:sudo )?(?:python[\d.]*|perl|ruby|node|php)\s*(?:-\s*)?(?:$|[;&\n\x22'\x60])",
        "Code is decoded and run.",
    ),
    command(
        ("base64_decode_pipe", Obfuscation, Critical),
        &["base64", "xxd", "openssl"],
        r"\b(?:eval|source|bash -c|sh -c|exec|\. )\s*[\x22']?(?:\$\(|\x60|<\()[^\n]*(?:base64 (?:-\w*[dD]\w*|--decode)|xxd -\w*r|openssl (?:enc|base64))|(?:bash|sh|zsh) <\([^\n]*(?:base64|xxd)",
        "Code is decoded and run.",
    ),
    command(
        ("echo_pipe_exec", Obfuscation, Critical),
        &["printf", "echo"],
        r#"@(?:printf|echo)(?: -\w+)* \$?["'](?:\\{1,2}(?:x[0-9a-f]{2}|[0-3][0-7]{2})){3}[^\n]*\|\s*(?:ba|z|da)?sh\b"#,
        "Code is decoded and run.",
    )
    .also(&["|"]),
    command(
        ("echo_pipe_exec", Obfuscation, High),
        &["echo", "printf"],
        r#"@(?:echo|printf)\b[^\n|]*\|\s*(?:sudo )?(?:/bin/)?(?:ba|z|da)?sh(?: -s?)?\s*(?:$|[;&\n"'\x60)])"#,
        "Text is piped into a shell.",
    )
    .also(&["|"]),
    command(
        ("exec_string", Obfuscation, High),
        &["exec(", "eval(", "compile("],
        r#"(?:^|[^.\w])(?:exec|eval)\(\s*(?:compile\(\s*)?(?:[\w.]*(?:b64decode|b32decode|b85decode|decompress|unhexlify|fromhex|decode|loads|decrypt)\(|__import__\(|bytes\.fromhex|codecs\.|zlib\.|marshal\.|base64\.|["']{1,3}\s*\.join|["']["']\.join|bytes\(\[|bytearray\()"#,
        "Code is decoded and run.",
    ),
    command(
        ("exec_string", Obfuscation, Critical),
        &["exec(", "eval(", "function("],
        r"(?:^|[^.\w])(?:exec|eval|Function)\(\s*(?:await )?(?:\(?await )?(?:compile\()?(?:requests\.get|httpx\.get|urllib\.request\.urlopen|urlopen|fetch|axios\.get)\(",
        "Code is fetched and run.",
    ),
    command(
        ("exec_string", Obfuscation, Critical),
        &["exec(", "eval("],
        r#"(?:^|[^.\w])(?:exec|eval)\(\s*[\w.]+\(\s*["']https?://"#,
        "Code is fetched and run.",
    ),
    command(
        ("exec_string", Obfuscation, High),
        &["b64decode", "decompress", "unhexlify", "marshal.loads", "fromhex", "atob("],
        r"(\w+)\s?=\s?[^\n]*(?:b64decode|decompress|unhexlify|marshal\.loads|fromhex|atob)\([^\n]*(?:\n[^\n]*){0,4}(?:^|[^.\w])(?:exec|eval|Function)\(",
        "Code is decoded and run.",
    )
    .reaching(4),
    command(
        ("python_compile_exec", Obfuscation, High),
        &["compile("],
        r#"(?:^|[^.\w])(?:exec|eval)\(\s*compile\("#,
        "Code is made at run time.",
    ),
    command(
        ("js_base64", Obfuscation, High),
        &["eval(", "function(", "settimeout(", "settimeout ("],
        r#"(?:^|[^.\w])(?:eval|Function|setTimeout|setInterval)\s?\(\s*(?:window\.|global\.|globalThis\.)?(?:atob|unescape|decodeURIComponent|Buffer\.from|String\.fromCharCode)\s?\("#,
        "Code is decoded and run.",
    ),
    command(
        ("js_base64", Obfuscation, High),
        &["runin", "vm.script", "execsync(", "exec(", "_compile("],
        r#"(?:\brunIn\w*Context|\bvm\.Script|\bexecSync|(?:^|[^.\w])exec|\b_compile)\(\s*(?:Buffer\.from|atob|String\.fromCharCode)\("#,
        "Code is decoded and run.",
    ),
    command(
        ("js_char_code", Obfuscation, High),
        &["fromcharcode"],
        r"(?:\bFunction|[^.\w]eval|setTimeout)\([^\n]{0,80}fromCharCode|\beval\([^\n]*fromCharCode|fromCharCode\((?:\s*\d+\s*,){8}",
        "Text is put together from numbers.",
    ),
    command(
        ("hex_encoded_string", Obfuscation, High),
        &["eval(", "exec(", "function("],
        r#"(?:^|[^.\w])(?:eval|exec|Function)\(\s*["'\x60](?:\\{1,2}x[0-9a-f]{2}|\\{1,2}u[0-9a-f]{4}){4}"#,
        "Code is written in escapes and run.",
    ),
    command(
        ("hex_encoded_string", Obfuscation, Medium),
        &["\\x"],
        r"(?:\\x[0-9a-f]{2}){12}",
        "Text is written in escapes.",
    ),
    command(
        ("unicode_escape_chain", Obfuscation, Medium),
        &["\\u00"],
        r"(?:\\u00[2-7][0-9a-f]){6}",
        "Text is written in escapes.",
    ),
    command(
        ("chr_building", Obfuscation, High),
        &["chr("],
        r#"\bexec\([^\n]*\bchr\(|\beval\([^\n]*\bchr\(|(?:chr\(\d+\)\s?[+.]\s?){4}"#,
        "Text is put together from numbers.",
    ),
    command(
        ("powershell_encoded", Obfuscation, Critical),
        &["-enc", "-e ", "-ec "],
        r"\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]*\s-e(?:nc(?:odedcommand)?|c)?\s+[A-Za-z0-9+/=]{16}",
        "PowerShell runs an encoded command.",
    ),
    command(
        ("powershell_iex", Obfuscation, Critical),
        &["iex", "invoke-expression", "downloadstring"],
        r"(?:\biex\b|\binvoke-expression\b)[^\n]*(?:downloadstring|downloadfile|\biwr\b|\birm\b|invoke-webrequest|invoke-restmethod|frombase64string|net\.webclient)|(?:downloadstring|\biwr\b|\birm\b|invoke-webrequest|invoke-restmethod|frombase64string)[^\n]*\|\s*(?:iex\b|invoke-expression)",
        "PowerShell runs what it fetched or decoded.",
    )
    .unless(r"https://(?:astral\.sh|get\.scoop\.sh|bun\.sh|deno\.land|community\.chocolatey\.org|chocolatey\.org|claude\.ai|ollama\.com|get\.pnpm\.io|win\.rustup\.rs|raw\.githubusercontent\.com/[\w-]+/[\w-]+/)"),
    command(
        ("powershell_iex", Obfuscation, Medium),
        &["| iex", "|iex", "invoke-expression"],
        r"\|\s*(?:iex\b|invoke-expression)",
        "PowerShell runs text.",
    ),
    command(
        ("python_getattr_builtins", Obfuscation, High),
        &["getattr(", "__builtins__", "__dict__", "builtins", "globals()"],
        r#"\bgetattr\(\s*(?:__builtins__|builtins)\s*,|\bgetattr\(\s*(?:os|subprocess|sys|__import__\([^\n)]*\))\s*,\s*(?:["'][^"'\n]*["']\s*\+|["']{2}\.join|\w+\[|chr\(|["'](?:eval|exec|system|popen)["'])|__builtins__(?:\.__dict__)?\[|__dict__\[\s*["'][^"'\n]*["']\s*\+|globals\(\)\[\s*["'][^"'\n]*["']\s*\+"#,
        "A function is looked up under a made-up name.",
    ),
    command(
        ("python_import_os", Obfuscation, High),
        &["__import__"],
        r#"__import__\(\s*(?:["'][^"'\n]*["']\s*\+|chr\(|["']{2}\.join|bytes|base64|\w+\[::-1\])|__import__\(\s*["'](?:os|subprocess|pty|socket|builtins)["']\s*\)\s*\.\s*(?:system|popen|call|run|spawn|exec\w*|__dict__)"#,
        "A module is loaded in a roundabout way.",
    ),
    command(
        ("python_pickle_remote", Obfuscation, High),
        &["pickle.load", "dill.load", "cloudpickle", "marshal.load", "joblib.load", "yaml.load("],
        r"\b(?:pickle|dill|cloudpickle|marshal)\.loads?\([^\n]*(?:urlopen|requests\.|httpx\.|\.content\b|recv\(|b64decode|decompress)",
        "Objects from elsewhere are loaded, which runs their code.",
    ),
    command(
        ("python_codecs_decode", Obfuscation, Medium),
        &["rot13", "rot_13", "codecs.decode"],
        r#"\bcodecs\.decode\([^\n]*rot_?13|["']rot_?13["']"#,
        "Text is hidden by shifted letters.",
    ),
    command(
        ("string_reversal", Obfuscation, Medium),
        &["[::-1]"],
        r#"["'][^"'\n]{8,}["']\[::-1\]"#,
        "Text is written backwards.",
    ),
    command(
        ("eval_string", Obfuscation, Medium),
        &["eval "],
        r#"@eval ["']?\$\{?\w"#,
        "A variable is run as code.",
    ),
    command(
        ("eval_string", Obfuscation, Low),
        &["eval(", "exec("],
        r"(?:^|[^.\w])(?:eval|exec)\(\s*\w",
        "Text is run as code.",
    ),
];
