//! Private things that a program gathers, and a way out in the same program.
//!
//! Secrets in variables are followed by name ([`super::flow`]). What lies in files cannot be: it passes
//! through loops, archives and functions. But a program that names a place where people keep what is
//! theirs, and sends something to a stranger, need not be followed step by step.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::document::Language;
use super::facts::SkillFacts;
use super::finding::{MAX_MATCH_CHARS, SkillFinding, SkillRisk, SkillSeverity, shown};
use super::flow::SENDS;
use super::hosts;
use super::matcher::weigh;
use super::reading::{Reading, Region};
use super::rules::RuleKind;

/// Names of places and calls by which a program comes by what is private.
const PRIVATE: &[&str] = &[
    "_history",
    "login data",
    "web data",
    "logins.json",
    "key4.db",
    "cookies.sqlite",
    "local state",
    ".netrc",
    ".git-credentials",
    ".pgpass",
    ".pypirc",
    ".npmrc",
    "id_rsa",
    "id_ed25519",
    ".aws",
    ".gnupg",
    ".kube",
    ".docker/config",
    ".config/gcloud",
    ".config/gh",
    ".azure",
    "wallet.dat",
    "keychain",
    "pbpaste",
    "xclip",
    "xsel",
    "wl-paste",
    "pyperclip",
    "get-clipboard",
    "clipboard.readtext",
    "imagegrab",
    "screencapture",
    ".screenshot(",
    "pynput",
    "on_press",
    ".claude/projects",
    ".claude.json",
    ".codex/sessions",
    ".hermes/",
    "memory.md",
    "documents",
    ".thunderbird",
    ".mozilla",
    "google-chrome",
    "google/chrome",
    ".env",
    "/dev/input",
    ".pem",
    "environ.items",
    "environ.keys",
    "diff --cached",
    "object.entries(process.env",
    "object.keys(process.env",
    "wp-config",
    ".htpasswd",
    "master.key",
    "database.yml",
    "secrets.y",
    "credentials.t",
    "credentials.tfrc",
    ".gem/credentials",
    ".composer/auth",
    ".m2/settings",
    "gradle.properties",
    ".nuget",
    "rclone.conf",
    ".password-store",
    "keyrings",
    ".s3cfg",
    ".boto",
    ".databrickscfg",
    ".oci/",
    ".vault-token",
    ".credentials.json",
    "tdata",
    "leveldb",
    ".kdbx",
    "1password",
    "bitwarden",
    "auth.json",
    "copyfromscreen",
    "arecord",
    "videocapture(",
    "sounddevice",
    "pyaudio",
    "avfoundation",
    "x11grab",
    "-window root",
    "scrot",
    "gnome-screenshot",
    "getasynckeystate",
    "setwindowshookex",
    ".ssh",
    "/etc/shadow",
    "/etc/passwd",
    "cookies",
    "identities",
    "signal/",
    "chat.db",
    "getallcookies",
    "cookies()",
    "in os.environ",
    "gh auth token",
    "heroku config",
    "ca.key",
    "document.cookie",
    "localstorage",
    "formdata(",
    "env::vars",
    "env.to_h",
    "env.to_a",
    "$_env",
    "getenv()",
    "stringify(process.env",
    "dict(os.environ",
    "dumps(os.environ",
    "os.environ()",
    "getenvironmentvariables",
    "env:",
    "key=clear",
    "lsass",
    ".hermes",
    "remote-debugging-port",
    "browser_cookie3",
    "browsercookie",
    "pycookiecheat",
    "root-state.json",
    "/slack/storage",
    "signal/config.json",
];

#[expect(clippy::expect_used, reason = "the words are constants and every test runs them")]
static NAMES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder().ascii_case_insensitive(true).build(PRIVATE).expect("constant words")
});

#[expect(clippy::expect_used, reason = "the patterns are constants and every test runs them")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("constant pattern")
}

/// A name of a private place where a program means the place and not the word.
static GATHERS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?i)\bfind\b[^\n]*\*\.(?:pem|key|p12|pfx|kdbx)\b|\benviron\.(?:items|keys)\(\)[^\n]*(?:key|token|secret|pass)|\bobject\.(?:entries|keys)\(process\.env\)|\bdiff --cached[^\n]*\||/dev/input/(?:event|\{)|\bwp-config\.php|\.htpasswd\b|\bmaster\.key\b|\bdatabase\.yml|\bsecrets\.ya?ml|\.(?:bash|zsh|python|psql|mysql|node_repl|sh)_history\b|\blogin data\b|\bweb data["'/]|\blogins\.json|\bkey4\.db|\bcookies\.sqlite|["'/]local state["']|\.netrc\b|\.git-credentials\b|\.pgpass\b|\.pypirc\b|[~/"'](?:\.npmrc)\b|\bid_(?:rsa|ed25519)\b["'\s)\],;]|(?:~|home\w*\)?\}?|expanduser\S{0,6}|users/\w+)[/"'\\,\s)]{1,6}\.(?:aws|gnupg|kube|azure)\b|\.docker/config|\.config/(?:gcloud|gh)\b|\bwallet\.dat|\bfind-(?:generic|internet)-password|keychain-db|\bdump-keychain|\bpbpaste\b|\bxclip\b[^\n]*-o\b|\bxsel\b|\bwl-paste\b|\bpyperclip\.paste|\bget-clipboard\b|clipboard\.readText\(|\bImageGrab\.grab|\bscreencapture\b|\bpyautogui\.screenshot\(|\bpynput\b|\.claude/projects|\.claude\.json|\.codex/sessions|\.hermes/(?:sessions|memor|state|\.env|auth)|~/documents\b|home\(\)\s*/\s*["']documents|\.thunderbird\b|\.mozilla/firefox|google[-/]chrome/(?:default|\{|user)|\.cargo/credentials|\.gem/credentials|\.composer/auth\.json|\.m2/settings\.xml|\.gradle/gradle\.properties|\.terraform\.d/credentials|rclone/rclone\.conf|\.password-store\b|\.local/share/keyrings|\.s3cfg\b|\.boto\b|\.databrickscfg|\.oci/config|\.vault-token|\.credentials\.json|telegram[^\n]*tdata|(?:discord|slack)[^\n]*leveldb|browser_?cookie3?\.\w+\(|\bpycookiecheat\b|root-state\.json|/slack/storage|signal/config\.json|\.kdbx\b|\.config/op/|bitwarden cli/data|\.codex/auth\.json|network\.getallcookies|\.cookies\(\)|\bin os\.environ\b[^\n]*(?:token|key|secret|pass)|\bgh auth token\b|\bheroku config\b[^\n]*\||\bca\.key\b|\bdocument\.cookie\b|\blocalstorage\.getitem|addeventlistener\([^\n]*submit[^\n]*formdata|\benv::vars\(\)|\benv\.to_[ha]\b|\$_env\b|\bgetenv\(\)|stringify\(process\.env\)|(?:dict|dumps|urlencode|str|repr)\([^\n]{0,12}os\.environ\)|\bos\.environ\(\)|getenvironmentvariables\(\)|(?:get-childitem|gci|dir|ls) env:|\bkey=clear\b|\blsass\b|\.hermes/(?:logs|sessions)|copyfromscreen|\barecord\b|videocapture\(\s*0|sounddevice\.rec|pyaudio\.pyaudio|-f (?:avfoundation|x11grab|dshow|gdigrab)|-window root|\bscrot\b|gnome-screenshot|getasynckeystate|setwindowshookex|(?:~|home\w*\)?\}?|expanduser\S{0,6}|users/\w+|\broot|h)[/"'\\,\s)+]{1,8}\.ssh\b|/etc/shadow\b|(?:chrome|firefox|brave|edge|safari)[^\n]{0,60}\bcookies\b|library/(?:messages/chat\.db|cookies|application support/(?:signal|google/chrome))|(?:open\(|read_text|readfile\w*\(|cat |<\s*|path\(|glob\(|default=)[^\n]{0,40}["'/\s]\.env\b["'\s)]"#,
    )
});
/// Care for such a place: it is made, named or shut.
static TENDS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(?:touch|mkdir|chown|chmod|HISTFILE|gitignore)\b|\bignore\b|\bexclude")
});
/// Other ways out than those of [`SENDS`].
static LEAVES: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?i)\bpush\b[^\n]*(?:https?|ssh)://|\bgh gist create\b|\bapi\.github\.com/gists\b|\b(?:aws s3|gsutil|rclone) (?:cp|copy|sync|mv)\b|["']curl["']|["']wget["']|\bsmtplib\b|\bftplib\b|\bparamiko\b|\burllib\b|\burequest\b|\bnet\.connect|\bsocket\b|\bhttp\.client\b|\bUpload(?:File|String|Data|Values)(?:Async|TaskAsync)?\(|\bNet\.WebClient\b|\bHttpClient\b|\bLWP::|\bHTTP::Tiny\b|\bCommand::new\(\s*"(?:curl|wget|nc)"|\bexec\.Command\(\s*"(?:curl|wget|nc)"|\bureq\b|\bURLSession\b|\bTcpClient\b|\bTCPSocket\b|\bfsockopen\(|\bIO::Socket\b|\bTcpStream::connect|\bnet\.Dial|\bHttpURLConnection\b|\bOkHttp\w*|\bmail\(|\bURL\(\s*"http|\bopenConnection\(|\bSend-MailMessage\b|\bapi\.telegram\.org/bot|\bdiscord(?:app)?\.com/api/webhooks"#,
    )
});

pub(super) fn find(
    file: &str,
    reading: &Reading,
    facts: &SkillFacts,
    findings: &mut Vec<SkillFinding>,
) {
    for region in &reading.regions {
        if region.language == Language::Data {
            continue;
        }
        let text = reading.region_text(region);
        pairs(file, reading, region, text, findings);
        obeys_what_it_fetched(file, reading, region, text, findings);
        reads_by_list(file, reading, region, text, facts, findings);
        if NAMES.is_match(text) && (leaves(text, facts) || KEYS.is_match(text) && sends_away(text))
        {
            report(file, reading, region, findings);
        }
    }
    inline(file, reading, facts, findings);
}

/// Programs of one line within sentences.
fn inline(file: &str, reading: &Reading, facts: &SkillFacts, findings: &mut Vec<SkillFinding>) {
    if facts.is_about_attacks() {
        return;
    }
    for code in &reading.inline {
        let text = &reading.text[code.clone()];
        if !text.contains("://") || !NAMES.is_match(text) || !leaves(text, facts) {
            continue;
        }
        let Some(found) = GATHERS.find(text) else { continue };
        findings.push(SkillFinding {
            pattern_id: "read_secrets_file",
            severity: SkillSeverity::High,
            category: SkillRisk::Exfiltration,
            file: file.to_owned(),
            line: reading.line_at(code.start),
            matched: shown(found.as_str(), MAX_MATCH_CHARS),
            description: "What is private is gathered by a program that sends to a stranger.",
        });
    }
}

/// Two things that mean harm in one program, in whatever order.
struct Pair {
    id: &'static str,
    risk: SkillRisk,
    severity: SkillSeverity,
    /// A word without which the first pattern need not be tried.
    sign: &'static str,
    first: LazyLock<Regex>,
    second: LazyLock<Regex>,
    about: &'static str,
}

static PAIRS: [Pair; 8] = [
    Pair {
        id: "wallet_swap",
        risk: SkillRisk::Exfiltration,
        severity: SkillSeverity::High,
        sign: "lip",
        first: LazyLock::new(|| {
            regex(
                r"(?i)\bxclip\b|\bxsel\b|\bwl-copy\b|\bpbcopy\b|pyperclip|set-clipboard|clipboard\.writeText|clipboardy",
            )
        }),
        second: LazyLock::new(|| {
            regex(
                r#"["'](?:bc1[a-z0-9]{20,}|0x[0-9a-fA-F]{40}|[13][a-km-zA-HJ-NP-Z1-9]{30,34}|T[A-Za-z1-9]{33})["']"#,
            )
        }),
        about: "Addresses of wallets are put into the clipboard.",
    },
    Pair {
        id: "reverse_shell",
        risk: SkillRisk::Network,
        severity: SkillSeverity::Critical,
        sign: "sh",
        first: LazyLock::new(|| {
            regex(
                r#"(?:spawn|exec|execFile|popen|Popen|run|call|Command|exec\.Command|ProcessBuilder)\(\s*\[?\s*["'](?:/bin/|/usr/bin/)?(?:ba|z|da)?sh["']|["']cmd\.exe["']"#,
            )
        }),
        second: LazyLock::new(|| {
            regex(
                r#"\bnet\b[^\n]*\bconnect\(|\b\w+\.connect\(\s*\(?\s*(?:\d+\s*,|["']\d|["'][\w.-]+["']\s*,\s*\d)|\bnet\.(?:connect|createConnection|Dial)\(|TCPSocket\.(?:new|open)|IO::Socket::INET"#,
            )
        }),
        about: "A shell is connected to another machine.",
    },
    Pair {
        id: "download_run",
        risk: SkillRisk::SupplyChain,
        severity: SkillSeverity::High,
        sign: "http",
        first: LazyLock::new(|| {
            regex(
                r"\bMSXML2\.|\bWinHttp\.|\bURLDownloadToFile|\burlretrieve\(|\bwget\.download\(|\bDownloadFile\(|\bcopyfileobj\(",
            )
        }),
        second: LazyLock::new(|| {
            regex(
                r"\bProcess\.Start\(|\bWScript\.Shell\b|\bShellExecute\w*\b|\bchmod\([^\n]*0o?[57][0-7]{2}|S_IEXEC|S_IXUSR|\bsys\.path\.(?:insert|append)\([^\n]*[\x22'](?:/tmp|/dev/shm|/var/tmp)|\bos\.startfile\(|\bos\.spawn\w*\(|\bos\.exec[lv]\w*\(|\bStart-Process\b",
            )
        }),
        about: "A program is fetched and run.",
    },
    Pair {
        id: "exec_string",
        risk: SkillRisk::Obfuscation,
        severity: SkillSeverity::High,
        sign: "(",
        first: LazyLock::new(|| {
            regex(
                r"(?:^|[^.\w])(?:exec|eval)\(\s*[a-z_]\w*\s*[,)]|new Function\(\s*(?:[a-z_]\w*|[^)\n]*,\s*[a-z_]\w*)\s*\)\s*\(|\bmarshal\.loads\(",
            )
        }),
        second: LazyLock::new(|| {
            regex(
                r"b64decode\(|b85decode\(|a85decode\(|\bunhexlify\(|bytes\.fromhex\(|zlib\.decompress\(|fromCharCode\(|[^.\w]atob\(|codecs\.decode\([^\n]*rot|Buffer\.from\([^\n]*(?:base64|hex)",
            )
        }),
        about: "Something is decoded, and text is run as code.",
    },
    Pair {
        id: "exec_string",
        risk: SkillRisk::Obfuscation,
        severity: SkillSeverity::High,
        sign: "ecode",
        first: LazyLock::new(|| {
            regex(
                r"\bqx\s*[{(/\[|]\s*\$|\b(?:system|exec|shell_exec|passthru|popen|proc_open|eval|assert|instance_eval|load|loadstring)\s*\(?\s*\$?[a-z_]\w*\s*\)?|`\$\w+`|\bsh\s*-c\b|Process\.Start\(|Runtime\.getRuntime\(\)\.exec\(",
            )
        }),
        second: LazyLock::new(|| {
            regex(
                r#"\bdecode_base64\(|\bMIME::Base64\b|\bBase64\.(?:strict_|urlsafe_)?decode64\b|\bbase64_decode\(|\bgzinflate\(|\bstr_rot13\(|\bpack\(\s*["']H\*|\bBase64\.getDecoder\(\)|\bFromBase64String\("#,
            )
        }),
        about: "Something is decoded, and text is run as code.",
    },
    Pair {
        id: "remote_shell_loop",
        risk: SkillRisk::Network,
        severity: SkillSeverity::Critical,
        sign: "(",
        first: LazyLock::new(|| {
            regex(
                r#"(?i)\b(?:popen|getoutput|check_output|subprocess\.\w+|os\.system|system|exec\w*|spawn\w*|shell_exec|passthru|invoke-expression|iex|Process\.Start|exec\.Command|eval|capture2e?|capture3)\s*\(\s*\[?(?:["'](?:/bin/)?(?:ba)?sh["']\s*,\s*["']-c["']\s*,\s*)?\$?(?:c|cmd|cmds|command|commands|line|l|d|data|msg|message|buf|buffer|m|input|payload|task|job|order|recv\w*|s\.(?:gets|recv)|sock\w*\.recv|resp\w*|reply|r)\b|exec\.Command\(\s*"(?:/bin/)?(?:ba)?sh"\s*,\s*"-c"\s*,\s*\w"#,
            )
        }),
        second: LazyLock::new(|| {
            regex(
                r#"(?i)\.recv\(|\bTCPSocket\b|\bUDPSocket\b|\.gets\b[^\n]*(?:sock|s\b)|\b(?:s|c|sock|socket|client|conn|ws)\.on\(\s*['"](?:data|message|cmd|command)|\bws\.on(?:message)?\b|\bfgets\(\s*\$s\w*|\bnet\.Dial\(|\bIO::Socket\b|\bTcpClient\b|\bGetStream\(|\bgetUpdates\b|\bPRIVMSG\b"#,
            )
        }),
        about: "What another machine says is run as a command.",
    },
    Pair {
        id: "download_run",
        risk: SkillRisk::SupplyChain,
        severity: SkillSeverity::High,
        sign: "http",
        first: LazyLock::new(|| {
            regex(
                r#"\bexec\.Command\(\s*"(?:ba)?sh"\s*,\s*"-c"\s*,\s*(?:string\()?[a-z]\w*|\bCommand::new\(\s*"(?:ba)?sh"\s*\)[^\n]*\.arg\(&?[a-z]\w*\)|\bCommand::new\(\s*"(?:chmod|/tmp/|/dev/shm/|/var/tmp/)|\bexec\.Command\(\s*"(?:chmod|/tmp/|/dev/shm/)|\b(?:spawn|execFile)(?:Sync)?\(\s*["'](?:/tmp/|/dev/shm/|/var/tmp/)|\bexecSync\(\s*(?:body|data|text|code|res\w*|d)\b|\bRuntime\.getRuntime\(\)\.exec\([a-z]\w*\)"#,
            )
        }),
        second: LazyLock::new(|| {
            regex(
                r"\bhttp\.Get\(|\breqwest::|\bureq::get|\bhttps?\.get\(|\bfetch\(|\bHttpClient\b|\burl\.openStream\(",
            )
        }),
        about: "What another machine says is run as a command.",
    },
    Pair {
        id: "ransom",
        risk: SkillRisk::Destructive,
        severity: SkillSeverity::Critical,
        sign: "crypt",
        first: LazyLock::new(|| {
            regex(
                r"(?i)\bos\.(?:remove|unlink)\(|\.unlink\(|\bunlinkSync\(|\bfs\.unlink|\bRemove-Item\b|\bFile\.delete\b|\bshred\b|\bos\.rename\(|\bos\.replace\(|\bfs::remove_file",
            )
        }),
        second: LazyLock::new(|| {
            regex(
                r#"(?is)(?:os\.walk|rglob|glob\(|walkdir|readdirSync|Get-ChildItem|Dir\.glob|filepath\.Walk)[^\n]{0,80}(?:expanduser|home|~|Documents|USERPROFILE|Desktop|Users)"#,
            )
        }),
        about: "Files of the user are locked away and deleted.",
    },
];

fn pairs(
    file: &str,
    reading: &Reading,
    region: &Region,
    text: &str,
    findings: &mut Vec<SkillFinding>,
) {
    for pair in &PAIRS {
        if !text.contains(pair.sign) {
            continue;
        }
        let Some(found) = pair.first.find(text) else { continue };
        if !pair.second.is_match(text) {
            continue;
        }
        let at = reading.statements[region.statements.start].range.start + found.start();
        let index = reading.statements.partition_point(|statement| statement.range.end <= at);
        let Some(statement) = reading.statements.get(index) else { continue };
        let start = statement.range.start;
        findings.push(SkillFinding {
            pattern_id: pair.id,
            severity: weigh(RuleKind::Command, pair.severity, reading, statement, &(start..start)),
            category: pair.risk,
            file: file.to_owned(),
            line: reading.line_at(at),
            matched: shown(found.as_str().trim(), MAX_MATCH_CHARS),
            description: pair.about,
        });
    }
}

/// A name that gets what another machine answers.
static FETCHED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?:^|[\s;{])(?:const |let |var |\$)?(\w+)\s*:?=\s*[^\n=;]{0,24}?(?:requests\.(?:get|post)|httpx\.(?:get|post)|urlopen|fetch|axios(?:\.get)?|https?\.get|URI\.open|Net::HTTP\.get|file_get_contents|Invoke-WebRequest|Invoke-RestMethod|curl_exec|\.Download(?:String|Data)|popen\(["'](?:curl|wget)\b|check_output\(\[?["'](?:curl|wget)\b|(?:execSync|shell_exec|system|capture)\(["'](?:curl|wget)\b|`(?:curl|wget)\b)(?:\s*[( ]|["',])"#,
    )
});
/// A call that runs a text, and the name it is given.
static RUN: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?:\b|&\s*\(?)(?:os\.system|os\.popen|popen|getoutput|getstatusoutput|check_output|check_call|subprocess\.(?:run|call|Popen)|exec|eval|execSync|spawnSync|execFile|shell_exec|passthru|system|Invoke-Expression|iex|new Function|load|loadstring|instance_eval|\[scriptblock\]::Create)\s*[( ]\s*\[?(?:["'](?:/bin/)?(?:ba)?sh["']\s*,\s*["']-c["']\s*,\s*)?\$?(\w+)(?:\.text|\.content|\.strip\(\)|\.decode\(\)|\[[^\]\n]{0,24}\]|\.get\([^)\n]{0,24}\)|\.trim\(\))*\s*[,)\]\n]"#,
    )
});
/// A name that gets what is made of another one.
static MADE_OF: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:^|[\s;{])(?:const |let |var |\$)?(\w+)\s*:?=\s*(?:await\s+)?(?:[\w.]*(?:compile|decode|loads?|parse|text|json|str|bytes|b64decode|strip|decompress)\(\s*)?\$?(\w+)\s*(?:\.(?:text|content|json|decode|strip|read)\b|[,)])",
    )
});
/// A variable of the environment whose name stands elsewhere, and a list of names of secrets.
static READ_BY_NAME: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:getenv|environ\.get|env::var)\(\s*&?[a-z_]\w*\s*[,)]|\benviron\[\s*[a-z_]\w*\s*\]|\bprocess\.env\[\s*[a-z_]\w*\s*\]|\bENV\[\s*[a-z_]\w*\s*\]",
    )
});
static SECRET_NAMES: LazyLock<Regex> = LazyLock::new(|| {
    regex(r#"["'][A-Z][A-Z0-9_]*(?:API_KEY|TOKEN|SECRET|PASSWORD|ACCESS_KEY)["']"#)
});
/// So many names of secrets make a list.
const LISTED: usize = 2;

/// Secrets of several services, read by name from a list, in a program that sends to a stranger.
fn reads_by_list(
    file: &str,
    reading: &Reading,
    region: &Region,
    text: &str,
    facts: &SkillFacts,
    findings: &mut Vec<SkillFinding>,
) {
    let Some(found) = READ_BY_NAME.find(text) else { return };
    if SECRET_NAMES.find_iter(text).take(LISTED).count() < LISTED || !leaves(text, facts) {
        return;
    }
    let at = reading.statements[region.statements.start].range.start + found.start();
    let index = reading.statements.partition_point(|statement| statement.range.end <= at);
    let Some(statement) = reading.statements.get(index) else { return };
    let start = statement.range.start;
    findings.push(SkillFinding {
        pattern_id: "env_exfil",
        severity: weigh(
            RuleKind::Command,
            SkillSeverity::High,
            reading,
            statement,
            &(start..start),
        ),
        category: SkillRisk::Exfiltration,
        file: file.to_owned(),
        line: reading.line_at(at),
        matched: shown(found.as_str().trim(), MAX_MATCH_CHARS),
        description: "Keys of several services are read in a program that sends to a stranger.",
    });
}

/// Names that are followed in one program.
const MAX_FETCHED: usize = 64;

/// What another machine answers is run as it is, whether as a command or as code.
fn obeys_what_it_fetched(
    file: &str,
    reading: &Reading,
    region: &Region,
    text: &str,
    findings: &mut Vec<SkillFinding>,
) {
    if !text.contains("http") {
        return;
    }
    let mut fetched: Vec<&str> = FETCHED
        .captures_iter(text)
        .take(MAX_FETCHED)
        .filter_map(|found| found.get(1))
        .map(|name| name.as_str())
        .collect();
    if fetched.is_empty() {
        return;
    }
    // What is made of it is no better: `code = compile(fetched, …)`.
    let made: Vec<&str> = MADE_OF
        .captures_iter(text)
        .take(MAX_FETCHED)
        .filter(|made| made.get(2).is_some_and(|source| fetched.contains(&source.as_str())))
        .filter_map(|made| made.get(1))
        .map(|name| name.as_str())
        .collect();
    fetched.extend(made);
    fetched.sort_unstable();
    let run = RUN.captures_iter(text).find(|found| {
        found.get(1).is_some_and(|name| fetched.binary_search(&name.as_str()).is_ok())
    });
    let Some(found) = run.and_then(|found| found.get(0)) else { return };
    let at = reading.statements[region.statements.start].range.start + found.start();
    let index = reading.statements.partition_point(|statement| statement.range.end <= at);
    let Some(statement) = reading.statements.get(index) else { return };
    let start = statement.range.start;
    let severity =
        weigh(RuleKind::Command, SkillSeverity::Critical, reading, statement, &(start..start));
    findings.push(SkillFinding {
        pattern_id: "download_run",
        severity,
        category: SkillRisk::SupplyChain,
        file: file.to_owned(),
        line: reading.line_at(at),
        matched: shown(found.as_str().trim(), MAX_MATCH_CHARS),
        description: "What another machine says is run as a command.",
    });
}

/// Keys that belong to no service.
static KEYS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\bmaster\.key\b|\bid_(?:rsa|ed25519)\b|\bwallet\.dat|\blogins\.json|\bkey4\.db|\blogin data\b|\bprivate\.key\b|\bca\.key\b|\.kube/config|\.aws/credentials|\.netrc\b|\bcookies\(\)|\bdocument\.cookie|getallcookies|\bgh auth token|\bheroku config\b|\benv::vars\(\)|\benv\.to_[ha]\b|\bin os\.environ\b|os\.environ\.items|stringify\(process\.env\)|_history\b|keychain|\.git-credentials|\bpynput\b|getasynckeystate|setwindowshookex|/dev/input/event|browser_?cookie3?\.|pycookiecheat|root-state\.json|/slack/storage",
    )
});

/// Whether a program sends something to another machine.
fn sends_away(text: &str) -> bool {
    (SENDS.is_match(text) || LEAVES.is_match(text))
        && hosts::destinations(text)
            .iter()
            .any(|to| !hosts::is_loopback(&to.host) && !hosts::is_placeholder(&to.host))
}

/// Whether a program sends something to a host that has nothing to do with the skill.
fn leaves(text: &str, facts: &SkillFacts) -> bool {
    if !SENDS.is_match(text) && !LEAVES.is_match(text) {
        return false;
    }
    text.contains("gh gist create")
        || hosts::destinations(text).iter().any(|to| {
            !hosts::is_loopback(&to.host)
                && !hosts::is_placeholder(&to.host)
                && (hosts::is_address(&to.host)
                    || hosts::is_drop(&to.host)
                    || !to.encrypted
                    || !hosts::is_named_in(&to.host, &facts.words) && !hosts::is_vendor(&to.host))
        })
}

fn report(file: &str, reading: &Reading, region: &Region, findings: &mut Vec<SkillFinding>) {
    for statement in &reading.statements[region.statements.clone()] {
        let text = &reading.text[statement.range.clone()];
        if TENDS.is_match(text) {
            continue;
        }
        let Some(found) = NAMES.find(text).and_then(|_| GATHERS.find(text)) else { continue };
        let at = statement.range.start + found.start();
        findings.push(SkillFinding {
            pattern_id: "read_secrets_file",
            severity: weigh(
                RuleKind::Command,
                SkillSeverity::High,
                reading,
                statement,
                &(statement.range.start..at),
            ),
            category: SkillRisk::Exfiltration,
            file: file.to_owned(),
            line: reading.line_at(at),
            matched: shown(found.as_str(), MAX_MATCH_CHARS),
            description: "What is private is gathered by a program that sends to a stranger.",
        });
        return;
    }
}
