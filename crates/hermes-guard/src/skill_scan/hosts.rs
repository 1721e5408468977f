//! Which machine an address means, and whom it belongs to.

/// A destination of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) host: String,
    pub(super) encrypted: bool,
}

/// Longest name of a machine, and how far before it the word stands that says so.
const MAX_HOST: usize = 253;
const NAME_BACK: usize = 40;

/// The addresses that are written out in a text.
pub(super) fn destinations(text: &str) -> Vec<Destination> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let scheme = rest[..at].bytes().rev().take_while(u8::is_ascii_alphabetic).count();
        let scheme = &rest[at - scheme..at];
        let behind = &rest[at + 3..];
        let end = behind
            .find(|character: char| {
                !(character.is_ascii_alphanumeric()
                    || matches!(character, '.' | '-' | '_' | '@' | '[' | ':' | '$' | '%'))
            })
            .unwrap_or(behind.len());
        // `user:password@host:port`
        let authority = &behind[..end];
        let host = authority.rsplit('@').next().unwrap_or(authority);
        let host = host.split([':', '$', '%']).next().unwrap_or(host).trim_end_matches('.');
        let is_web = ["http", "https", "ws", "wss", "ftp"]
            .iter()
            .any(|web| scheme.eq_ignore_ascii_case(web));
        if is_web && (host.contains('.') || host.eq_ignore_ascii_case("localhost")) {
            let encrypted =
                scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("wss");
            found.push(Destination { host: host.to_ascii_lowercase(), encrypted });
        }
        rest = behind;
    }
    found.extend(named_hosts(text));
    found
}

/// Hosts that a program names without a scheme: `hostname: "a.io"`, `HTTPSConnection("a.io")`, `connect(("a.io", 443))`.
fn named_hosts(text: &str) -> Vec<Destination> {
    const NAMES: &[&str] = &[
        "host",
        "hostname",
        "HTTPSConnection(",
        "HTTPConnection(",
        "connect((",
        "create_connection((",
    ];
    let mut found = Vec::new();
    for at in memchr::memchr2_iter(b'"', b'\'', text.as_bytes()) {
        let before = &text[text.ceil_char_boundary(at.saturating_sub(NAME_BACK))..at];
        let before = before.trim_end_matches([':', '=', ' ', '"', '\'']);
        if !NAMES.iter().any(|name| before.ends_with(name)) {
            continue;
        }
        let inside = &text[at + 1..text.floor_char_boundary(at + 2 + MAX_HOST)];
        let Some(end) = inside.find(&text[at..=at]) else { continue };
        let host = &inside[..end];
        let is_host = host.contains('.')
            && host.len() <= MAX_HOST
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
        if is_host {
            found.push(Destination { host: host.to_ascii_lowercase(), encrypted: true });
        }
    }
    found
}

pub(super) fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host.starts_with("127.")
        || host == "0.0.0.0"
        || host.ends_with(".localhost")
        || host == "host.docker.internal"
}

pub(super) fn is_private(host: &str) -> bool {
    host.starts_with("10.")
        || host.starts_with("192.168.")
        || host.ends_with(".local")
        || host.ends_with(".internal")
        || host.ends_with(".svc")
}

pub(super) fn is_address(host: &str) -> bool {
    host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok())
}

/// Names that stand for another one in documentation.
pub(super) fn is_placeholder(host: &str) -> bool {
    let reserved = ["example.com", "example.org", "example.net"];
    reserved
        .iter()
        .any(|name| host == *name || host == format!("api.{name}") || host == format!("www.{name}"))
        || host.contains("your")
        || host.contains("my-")
        || host.starts_with("api.domain")
}

/// Where packages and images are kept by those everybody gets them from.
pub(super) fn is_registry(host: &str) -> bool {
    const REGISTRIES: &[&str] = &[
        "npmjs.org",
        "npmjs.com",
        "pypi.org",
        "pythonhosted.org",
        "python.org",
        "crates.io",
        "rubygems.org",
        "golang.org",
        "go.dev",
        "goproxy.io",
        "goproxy.cn",
        "maven.org",
        "apache.org",
        "yarnpkg.com",
        "jsr.io",
        "docker.io",
        "docker.com",
        "ghcr.io",
        "gcr.io",
        "quay.io",
        "github.com",
        "gitlab.com",
        "debian.org",
        "ubuntu.com",
        "pytorch.org",
        "anaconda.org",
        "conda.io",
        "nuget.org",
        "packagist.org",
        "npmmirror.com",
        "tsinghua.edu.cn",
        "aliyun.com",
        "huggingface.co",
        "jfrog.io",
        "cloudsmith.io",
        "nvidia.com",
    ];
    REGISTRIES.contains(&registrable(host)) || REGISTRIES.contains(&host)
}

/// The part of a host that somebody registered. Below institutions the whole name counts: not everybody
/// gets one there.
pub(super) fn registrable(host: &str) -> &str {
    let labels: Vec<&str> = host.split('.').collect();
    let count = labels.len();
    let institution = labels
        .iter()
        .rev()
        .take(2)
        .any(|label| matches!(*label, "gov" | "edu" | "mil" | "ac" | "int"));
    if count <= 2 || institution {
        return host;
    }
    let second = labels[count - 2];
    let keep = if labels[count - 1].len() == 2
        && matches!(second, "co" | "com" | "org" | "net" | "or" | "ne" | "gob")
    {
        3
    } else {
        2
    };
    let skipped: usize =
        labels[..count.saturating_sub(keep)].iter().map(|label| label.len() + 1).sum();
    &host[skipped..]
}

/// Vendors whose keys everybody has, with the words of their variables and where the keys belong.
const VENDORS: &[(&[&str], &[&str])] = &[
    (&["OPENAI"], &["openai.com", "azure.com", "openai.azure.com"]),
    (&["ANTHROPIC", "CLAUDE"], &["anthropic.com", "claude.ai"]),
    (&["OPENROUTER"], &["openrouter.ai"]),
    (
        &["GEMINI", "GOOGLE", "YOUTUBE", "GCP", "VERTEX", "PALM"],
        &[
            "googleapis.com",
            "google.com",
            "googlesource.com",
            "youtube.com",
            "serper.dev",
            "serpapi.com",
        ],
    ),
    (&["GITHUB", "GH"], &["github.com", "githubusercontent.com", "ghcr.io", "githubcopilot.com"]),
    (&["GITLAB"], &["gitlab.com"]),
    (&["AWS"], &["amazonaws.com", "aws.amazon.com", "amazon.com"]),
    (
        &["AZURE"],
        &[
            "microsoft.com",
            "windows.net",
            "azure.com",
            "microsoftonline.com",
            "azure.net",
            "visualstudio.com",
            "azurewebsites.net",
        ],
    ),
    (&["HF", "HUGGINGFACE", "HUGGING"], &["huggingface.co", "hf.co", "hf.space"]),
    (&["STRIPE"], &["stripe.com"]),
    (&["SLACK"], &["slack.com"]),
    (&["DISCORD"], &["discord.com", "discordapp.com"]),
    (&["TELEGRAM"], &["telegram.org"]),
    (&["NPM"], &["npmjs.org", "npmjs.com"]),
    (&["PYPI", "TWINE"], &["pypi.org"]),
    (&["CLOUDFLARE", "CF"], &["cloudflare.com"]),
    (&["DIGITALOCEAN"], &["digitalocean.com"]),
    (&["TWILIO"], &["twilio.com"]),
    (&["SENDGRID"], &["sendgrid.com"]),
    (&["MISTRAL"], &["mistral.ai"]),
    (&["XAI", "GROK"], &["x.ai"]),
    (&["DB", "DATABASE", "POSTGRES", "MYSQL", "PG"], &[]),
];

/// Other names of a vendor that share no letters with its domain.
const ALSO: &[(&str, &[&str])] = &[
    ("NCBI", &["nih.gov"]),
    ("NGC", &["nvidia.com", "nvcr.io"]),
    ("TWITTER", &["x.com"]),
    ("FACEBOOK", &["fbcdn.net"]),
    ("INSTAGRAM", &["facebook.com"]),
    ("WHATSAPP", &["facebook.com"]),
    ("META", &["facebook.com"]),
    ("XI", &["elevenlabs.io"]),
    ("JIRA", &["atlassian.net", "atlassian.com"]),
    ("CONFLUENCE", &["atlassian.net", "atlassian.com"]),
    ("S2", &["semanticscholar.org"]),
    ("LINKEDIN", &["licdn.com"]),
    ("WANDB", &["wandb.ai"]),
    ("BING", &["microsoft.com"]),
    ("OUTLOOK", &["microsoft.com"]),
    ("GRAPH", &["microsoft.com"]),
    ("MS", &["microsoft.com"]),
    ("FIGMA", &["figma.com"]),
    ("DEEPL", &["deepl.com"]),
    ("KIMI", &["moonshot.cn", "moonshot.ai"]),
    ("QWEN", &["aliyuncs.com"]),
    ("DASHSCOPE", &["aliyuncs.com"]),
    ("ARK", &["volces.com"]),
    ("ZHIPU", &["bigmodel.cn"]),
    ("GLM", &["bigmodel.cn", "z.ai"]),
];

/// Words of variables that name nobody.
const GENERIC: &[&str] = &[
    "API",
    "KEY",
    "KEYS",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASS",
    "CREDENTIAL",
    "CREDENTIALS",
    "ACCESS",
    "AUTH",
    "BEARER",
    "CLIENT",
    "APP",
    "BOT",
    "USER",
    "ADMIN",
    "SERVICE",
    "ROLE",
    "PRIVATE",
    "PUBLIC",
    "MASTER",
    "ROOT",
    "SESSION",
    "REFRESH",
    "ID",
    "LOGIN",
    "ACCOUNT",
    "PERSONAL",
    "PAT",
    "JWT",
    "OAUTH",
    "MY",
    "THE",
    "PROD",
    "DEV",
    "TEST",
    "LIVE",
    "WEBHOOK",
    "SIGNING",
    "ENCRYPTION",
    "READ",
    "WRITE",
    "REST",
    "V1",
    "V2",
    "URL",
    "HTTP",
    "PWD",
    "LOCAL",
    "DEPLOY",
];

/// The words of a variable that name whom its value belongs to.
pub(super) fn names_in(variable: &str) -> impl Iterator<Item = &str> {
    variable.split('_').filter(|word| !word.is_empty() && !GENERIC.contains(word))
}

/// Whether a variable holds a key that everybody has, so that any other host is a stranger.
pub(super) fn vendor_of(variable: &str) -> Option<&'static [&'static str]> {
    let words = || variable.split('_');
    VENDORS
        .iter()
        .find(|(names, _)| words().any(|word| names.contains(&word)))
        .map(|(_, hosts)| *hosts)
}

/// Whether a host belongs to whom a variable names.
pub(super) fn belongs(host: &str, variable: &str) -> bool {
    let domain = registrable(host);
    let ends = |known: &&str| host == *known || host.ends_with(&format!(".{known}"));
    if vendor_of(variable).is_some_and(|hosts| hosts.iter().any(ends)) {
        return true;
    }
    names_in(variable).any(|word| {
        let lower = word.to_ascii_lowercase();
        let is_label = domain.split(['.', '-']).any(|label| label == lower);
        lower.len() >= 4 && domain.contains(&lower)
            || lower.len() >= 2 && is_label
            || ALSO.iter().any(|(name, hosts)| *name == word && hosts.iter().any(ends))
    })
}

/// Whether a host belongs to a vendor whose services everybody uses.
pub(super) fn is_vendor(host: &str) -> bool {
    let ends = |known: &&str| host == *known || host.ends_with(&format!(".{known}"));
    let known = VENDORS.iter().flat_map(|(_, hosts)| hosts.iter());
    known.chain(ALSO.iter().flat_map(|(_, hosts)| hosts.iter())).any(ends) && !is_drop(host)
}

/// Whether anybody can have things sent to themselves at a host.
pub(super) fn is_drop(host: &str) -> bool {
    const DROPS: &[&str] = &[
        "discord.com",
        "discordapp.com",
        "telegram.org",
        "hooks.slack.com",
        "webhook.site",
        "pastebin.com",
        "transfer.sh",
        "0x0.st",
        "file.io",
        "ngrok.io",
        "ngrok-free.app",
        "ngrok.app",
        "trycloudflare.com",
        "workers.dev",
        "requestbin.com",
        "pipedream.net",
        "duckdns.org",
        "script.google.com",
        "gist.github.com",
        "gists",
    ];
    DROPS.iter().any(|drop| host == *drop || host.ends_with(&format!(".{drop}")))
}

/// Whether a host has a word of a text in its name.
pub(super) fn is_named_in(host: &str, words: &[String]) -> bool {
    let domain = registrable(host);
    words.iter().any(|word| domain.contains(word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_from_addresses() {
        let found = destinations("curl -x https://u@api.a.co.uk:8080/x http://10.0.0.1/");
        assert_eq!(found[0], Destination { host: "api.a.co.uk".into(), encrypted: true });
        assert_eq!(found[1], Destination { host: "10.0.0.1".into(), encrypted: false });
        assert_eq!(registrable("api.a.co.uk"), "a.co.uk");
        assert_eq!(registrable("x.y.notion.com"), "notion.com");
        assert_eq!(registrable("eutils.ncbi.nlm.nih.gov"), "eutils.ncbi.nlm.nih.gov");
    }

    #[test]
    fn hosts_are_read_where_a_program_names_them() {
        for program in [
            "https.request({hostname:\"a.io\",path:\"/\"})",
            "{'host': 'a.io'}",
            "http.client.HTTPSConnection(\"a.io\")",
            "s.connect((\"a.io\", 443))",
        ] {
            assert_eq!(destinations(program).len(), 1, "{program}");
            assert_eq!(destinations(program)[0].host, "a.io");
        }
        assert!(destinations("{\"host\": \"localhost\", \"ghost\": 'nobody'}").is_empty());
    }

    #[test]
    fn keys_belong_to_their_vendors() {
        assert!(belongs("api.notion.com", "NOTION_TOKEN"));
        assert!(belongs("api.github.com", "GH_TOKEN"));
        assert!(belongs("api.exa.ai", "EXA_API_KEY"));
        assert!(!belongs("notion.evil.com", "NOTION_TOKEN"));
        assert!(!belongs("api.openai.com.evil.io", "OPENAI_API_KEY"));
        assert!(!belongs("example.com", "API_KEY"));
    }
}
