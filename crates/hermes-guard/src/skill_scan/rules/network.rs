//! Doors into the machine, and places where stolen data is collected.

use super::super::finding::SkillRisk::Network;
use super::super::finding::SkillSeverity::{Critical, High, Medium};
use super::{ScanRule, command};

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("bash_reverse_shell", Network, Critical),
        &["/dev/tcp/", "/dev/udp/"],
        r"(?:>&|<>|>|<|\d>)\s?/dev/(?:tcp|udp)/|\b(?:bash|sh|exec)\b[^\n]*/dev/(?:tcp|udp)/",
        "A shell is connected to another machine.",
    )
    .unless(r"/dev/tcp/(?:localhost|127\.0\.0\.1|\$\{?\w*host\w*\}?/\$\{?\w*port)"),
    command(
        ("reverse_shell", Network, Critical),
        &["nc ", "ncat", "netcat", "mkfifo", "socat", "busybox nc"],
        r"@(?:busybox )?(?:nc|ncat|netcat)(?:\.\w+)?\b[^\n|;]*\s-\w*[ec]\w*\s+['\x22]?(?:/bin/|/usr/bin/)?(?:ba|z|da)?sh\b|@(?:busybox )?(?:nc|ncat|netcat)\b[^\n|;]*\s-\w*l\w*[^\n]*\s-\w*e|@(?:busybox )?(?:nc|ncat|netcat)\b[^\n|;]*--(?:sh-)?exec|\bmkfifo\b[^\n]*(?:\bnc\b|ncat|netcat|openssl s_client|telnet)|@socat\b[^\n]*\b(?:exec|system):|@(?:busybox )?(?:nc|ncat|netcat)\b[^\n|;]*\|\s*(?:/bin/)?(?:ba)?sh\b",
        "A shell is connected to another machine.",
    ),
    command(
        ("reverse_shell", Network, Critical),
        &["mkfifo"],
        r"\bmkfifo\b[^\n]*\n[^\n]*(?:\bnc\b|ncat|netcat)",
        "A shell is connected to another machine.",
    )
    .reaching(1),
    command(
        ("python_socket_oneliner", Network, Critical),
        &["socket"],
        r#"\b(?:python[\d.]*|perl|ruby|php|lua|node|awk|gawk)(?: -\S+){0,4} -\w*[cer]\w*\b[^\n]*(?:socket|tcpsocket|fsockopen|net\.connect)[^\n]*(?:exec|dup2|/bin/(?:ba)?sh|subprocess|spawn|cmd\.exe|popen|system)"#,
        "A shell is connected to another machine.",
    ),
    command(
        ("python_socket_connect", Network, Critical),
        &["socket"],
        r"\bsocket\b[^\n]*(?:\n[^\n]*){0,8}\.connect\([^\n]*(?:\n[^\n]*){0,8}(?:os\.dup2|pty\.spawn|subprocess\.\w+\(\s*\[?\s*['\x22]/bin/(?:ba)?sh|/bin/sh['\x22]\s*,\s*['\x22]-i)",
        "A shell is connected to another machine.",
    )
    .reaching(12),
    command(
        ("python_socket_connect", Network, Critical),
        &["net.socket", "net.connect", "new socket(", "tcpclient"],
        r"(?:net\.Socket|net\.connect|new Socket\(|TCPClient\()[^\n]*(?:\n[^\n]*){0,8}(?:\.pipe\(\s*\w*sh\w*\.stdin|spawn\(\s*['\x22](?:/bin/)?(?:ba)?sh|cmd\.exe|powershell|getRuntime)",
        "A shell is connected to another machine.",
    )
    .reaching(8),
    command(
        ("reverse_shell", Network, Critical),
        &["$_get", "$_post", "$_request", "$_cookie"],
        r"\b(?:system|exec|shell_exec|passthru|popen|eval|assert|proc_open)\s?\([^;\n]{0,60}\$_(?:GET|POST|REQUEST|COOKIE)\b",
        "A page that runs what its visitors send.",
    ),
    command(
        ("reverse_shell", Network, High),
        &["nc ", "ncat", "netcat"],
        r"(?:\||<)\s?(?:nc|ncat|netcat)(?: -\S+)* (?:\d{1,3}(?:\.\d{1,3}){3}|[\w.-]+\.[a-z]{2,}|\$\{?\w+\}?) \d+|@(?:nc|ncat|netcat)(?: -\S+)* [\w.$-]+ \d+ ?<|@(?:nc|ncat|netcat)(?: -\S+)* -\w*l\w*p? ?\d+\s*\|",
        "Data is piped to another machine.",
    )
    .unless(r"\b(?:localhost|127\.0\.0\.1)\b"),
    command(
        ("reverse_shell", Network, High),
        &["nc -l", "ncat -l", "nc -nl"],
        r"@(?:nc|ncat|netcat)(?: -\S+)* -\w*l\w*v?\w*\b",
        "A listener waits for others.",
    ),
    command(
        ("reverse_shell", Network, Critical),
        &["telnet", "s_client", "tcpclient", "mknod"],
        r"@(?:telnet|openssl s_client)\b[^\n]*\|\s*(?:/bin/)?(?:ba|z|da)?sh\b|TCPClient\([^\n]*(?:GetStream|iex\b|invoke-expression)|\bmknod \S+ p\b[^\n]*(?:telnet|nc|ncat)\b",
        "A shell is connected to another machine.",
    ),
    command(
        ("reverse_shell", Network, High),
        &["| ssh ", "|ssh "],
        r#"@(?:tar|zip|cat|dd|pg_dump|mysqldump|gzip)\b[^\n|]*(?:<home>|/etc|/home)[^\n|]*\|(?:[^\n|]*\|)?\s*ssh (?:-\S+ )*\S+<at>\S+ ["']?(?:cat|dd|tee)\b"#,
        "Files of the user are piped to another machine.",
    ),
    command(
        ("bind_all_interfaces", Network, High),
        &["http.server", "simplehttpserver", "php -s"],
        r#"(?:cd ["']?(?:~|/|\$HOME)["']?\s*(?:&&|;)\s*|--directory[= ]["']?(?:~|/|\$HOME)["']?(?:\s|$)[^\n]*)[^\n]*(?:http\.server|SimpleHTTPServer)|http\.server[^\n]*(?:--directory|-d)[= ]["']?(?:~|/|\$HOME)/?["']?(?:\s|$)"#,
        "The home folder is served to every machine around.",
    ),
    command(
        ("tunnel_service", Network, High),
        &["ssh ", "autossh"],
        r"@(?:auto)?ssh\b[^\n]* -\w*R\w* ?(?:\S+:)?\d+:[\w.]+:\d+",
        "A tunnel lets another machine in.",
    ),
    command(
        ("tunnel_service", Network, High),
        &["ngrok", "cloudflared", "localtunnel", "bore local", "serveo.net", "localhost.run", "pagekite", "tailscale funnel", "chisel", "frpc"],
        r"@ngrok (?:tcp|start)\b|@cloudflared tunnel\b[^\n]*(?:ssh|tcp|rdp|smb)://|\bssh\b[^\n]*(?:serveo\.net|localhost\.run)|@bore local\b|@(?:chisel (?:client|server)|frpc)\b",
        "A tunnel lets others in.",
    ),
    command(
        ("tunnel_service", Network, Medium),
        &["ngrok", "cloudflared", "localtunnel", "tailscale funnel"],
        r"@(?:ngrok http|cloudflared tunnel|npx localtunnel|lt --port|tailscale funnel)",
        "A tunnel makes a local server public.",
    ),
    command(
        ("exfil_service", Network, High),
        &["webhook.site", "requestbin", "pipedream.net", "burpcollaborator", "oast.", "interact.sh", "beeceptor", "requestcatcher", "dnslog", "ngrok.io", "ngrok-free", "canarytokens", "hookbin", "postb.in", "ceye.io"],
        r"\b[\w.-]*(?:webhook\.site|requestbin\.\w+|pipedream\.net|burpcollaborator\.net|oast\.(?:fun|me|pro|live|online|site)|interact\.sh|beeceptor\.com|requestcatcher\.com|dnslog\.cn|canarytokens\.com|hookbin\.com|postb\.in|ceye\.io)\b",
        "An address at a service that collects requests.",
    ),
    command(
        ("paste_service", Network, Critical),
        &["transfer.sh", "0x0.st", "file.io", "termbin", "bashupload", "anonfiles", "catbox.moe", "gofile", "temp.sh"],
        r"(?:curl|wget|nc|ncat|http)\b[^\n]*(?:-T|-F|--upload-file|--data-binary|-d|\bnc\b|\bncat\b)[^\n]*\b(?:transfer\.sh|0x0\.st|file\.io|termbin\.com|bashupload\.com|anonfiles\.com|catbox\.moe|gofile\.io|temp\.sh)\b",
        "A file is put on a public drop.",
    ),
    command(
        ("paste_service", Network, Medium),
        &["pastebin.com", "hastebin", "paste.ee", "ghostbin", "rentry.co", "transfer.sh", "0x0.st", "termbin"],
        r"\b(?:pastebin\.com|hastebin\.com|paste\.ee|ghostbin\.\w+|rentry\.co|transfer\.sh|0x0\.st|termbin\.com)\b",
        "An address at a paste service.",
    ),
    command(
        ("bind_all_interfaces", Network, Medium),
        &["0.0.0.0", "inaddr_any"],
        r#"(?:--host[= ]|--bind[= ]|host\s?=\s?|bind\(\s*\(?|listen\([^\n]{0,20}|-b )["']?0\.0\.0\.0|INADDR_ANY"#,
        "A server that every machine around can reach.",
    ),
    command(
        ("hardcoded_ip_port", Network, Medium),
        &["://1", "://2", "://3", "://4", "://5", "://6", "://7", "://8", "://9", "connect((", "('1", "('2", "(\"1", "(\"2"],
        r"\b(?:https?://|tcp://|\(\s*['\x22])(?:[1-9]\d{0,2})\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d{2,5}|['\x22]\s*,\s*\d{2,5})",
        "A fixed address with a port.",
    )
    .unless(r"//(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0)|['\x22](?:127\.|10\.|192\.168\.|0\.0\.0\.0)"),
];
