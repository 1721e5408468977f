//! Ways for data to leave.

use super::super::finding::SkillRisk::Exfiltration;
use super::super::finding::SkillSeverity::{Critical, High, Medium};
use super::super::reading::StatementContext;
use super::{ScanRule, command, fixed, instruction};

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("dns_exfil", Exfiltration, Critical),
        &["dig ", "nslookup", "host ", "ping ", "drill ", "resolve-dnsname"],
        r"@(?:dig|nslookup|host|drill|ping|resolve-dnsname)\b[^\n|;&]*?(?:\$\([^)\n]*\)|\x60[^\x60\n]+\x60|\$\{?\w+\}?)[\w.$(){}-]*\.[\w-]+\.[a-z]{2,}",
        "Data is put into the name of a lookup.",
    )
    .also(&["$", "`"])
    .unless(r"\.local\b|\.svc\b|\.internal\b|\.cluster\b|\$\{?\w*(?:DOMAIN|HOST|SERVICE|NAMESPACE|REGION|SUBDOMAIN)\w*\}?\."),
    command(
        ("dns_exfil", Exfiltration, Critical),
        &["gethostbyname", "getaddrinfo", "dns.resolve", "resolver.resolve", "dns.lookup"],
        r#"\b(?:gethostbyname|getaddrinfo|dns\.resolve\w*|resolver\.(?:resolve|query)|dns\.lookup)\(\s*(?:f["'][^"'\n]*\{|\x60[^\x60\n]*\$\{|\w+\s*\+|["'][^"'\n]*["']\s*%|["'][^"'\n]*\{[^"'\n]*["']\.format)"#,
        "Data is put into the name of a lookup.",
    ),
    command(
        ("tmp_staging", Exfiltration, High),
        &["/tmp/"],
        r#"@(?:cp|tar|zip|cat|env|printenv|mysqldump|pg_dump|find|rsync|7z|gzip)\b[^\n]*/tmp/[^\n]*(?:\n[^\n]*){0,6}\b(?:curl|wget|scp|nc)\b[^\n]*(?:-T|-F|--upload-file|--post-file|--data-binary|<at>|<|scp)[^\n]*/tmp/"#,
        "Files are gathered and then uploaded.",
    )
    .reaching(6),
    fixed(
        ("tmp_staging", Exfiltration, High),
        &[".ssh", ".aws", ".gnupg", ".kube", ".env", ".netrc", "environ", "printenv"],
        r#"\b(?:cp|tar|zip|cat|rsync|7z|gzip)\b[^\n]*(?:\.ssh|\.aws|\.gnupg|\.kube|\.netrc|\.env)\b[^\n]*(?:\n[^\n]*){0,6}\b(?:curl|wget|scp|nc)\b[^\n]*(?:-T|-F|--upload-file|--post-file|--data-binary|<at>|<|scp)[^\n]*/tmp/"#,
        "Secrets are gathered and then uploaded.",
    )
    .reaching(6),
    fixed(
        ("md_image_exfil", Exfiltration, High),
        &["]("],
        r"!\[[^\]\n]*\]\(\s*<?https?://[^)\s]*(?:\$\{|\{\{|%7B)[^)]*\)|!\[[^\]\n]*\]\(\s*<?https?://[^)\s]*[?&][\w-]+=[<\[{](?:[\w ]*(?:data|secret|conversation|history|context|summary|key|token|message|content|answer|base64)[\w ]*)[>\]}]",
        "An image address carries text out when it is shown.",
    )
    .also(&["${", "{{", "%7b", "=<", "=[", "={"])
    .only(StatementContext::Prose),
    fixed(
        ("md_link_exfil", Exfiltration, High),
        &["]("],
        r"(?:^|[^!])\[[^\]\n]*\]\(\s*<?https?://[^)\s]*[?&][\w-]+=(?:\$\{|\{\{)[^)]*\)",
        "A link carries text out when it is followed.",
    )
    .also(&["${", "{{"])
    .only(StatementContext::Prose),
    instruction(
        ("context_exfil", Exfiltration, High),
        &["http", "webhook", "endpoint", "server", "channel", "bucket", "email"],
        r"\b(?:send|post|upload|forward|transmit|submit|sync|report|share|deliver|exfiltrate|push|copy|mirror|stream|append)\b[^!?\n]{0,60}?\b(?:(?:full|entire|whole|complete|all|every|each|raw) ~(?:conversations?|chats?|transcripts?|histor(?:y|ies)|messages?|context|prompts?|sessions?|answers?)|(?:conversation|chat|session) (?:history|transcript|log)s?)\b[^!?\n]{0,100}?(?:https?://|\bwebhook|\bendpoint\b|\bour server|\bremote server|\bs3 bucket)",
        "The text tells the agent to send the conversation away.",
    )
    .also(&["conversation", "chat", "transcript", "histor", "message", "context", "prompt", "session", "answer"]),
    instruction(
        ("send_to_url", Exfiltration, High),
        &["http"],
        r"\b(?:collect|gather|send|post|upload|forward|transmit|submit|sync|deliver|exfiltrate|copy|mirror|put)\b[^!?\n]{0,40}?\b(?:all|every|each|entire|whole|complete)\b[^!?\n]{0,40}?\b(?:files?|source(?: code)?|documents?|repositor(?:y|ies)|code ?base|project|folder|secrets?|credentials?|environment|keys?|e-?mails?|contacts?|photos?)\b[^!?\n]{0,60}?\b(?:to|at|via|with)\b[^!?\n]{0,30}?https?://",
        "The text tells the agent to send files away.",
    )
    .also(&["all ", "every ", "each ", "entire", "whole", "complete"]),
    instruction(
        ("send_to_url", Exfiltration, Medium),
        &["http"],
        r"\b(?:send|upload|transmit|forward|submit|exfiltrate) ~(?:results?|files?|data|output|report|logs?|text|code|content) ~(?:to|at) ~<?https?://",
        "The text tells the agent to send something to an address.",
    )
    .also(&["send", "upload", "transmit", "forward", "submit", "exfiltrate"]),
];
