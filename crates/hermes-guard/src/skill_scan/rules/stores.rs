//! Places where people keep keys and passwords.

use super::super::finding::SkillRisk::Exfiltration;
use super::super::finding::SkillSeverity::{Critical, High, Low, Medium};
use super::{ScanRule, command, instruction};

const SSH: &[&str] = &[".ssh"];
const FILES: &[&str] = &[
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "_history",
    "credentials",
    ".config/gh",
    "hosts.yml",
    "gcloud",
    ".azure",
    "keystore",
    "wallet",
    ".my.cnf",
    ".vault-token",
    ".terraform.d",
    "keychain",
    "find-generic-password",
    "find-internet-password",
    "secret-tool",
    "keyring",
    "login data",
    "logins.json",
    "key4.db",
    "cookies",
    ".config/solana",
    ".cargo/credentials",
    ".boto",
];

/// Reading, copying, packing or sending, before a path in the same statement.
macro_rules! reads {
    ($path:expr) => {
        concat!(
            r"(?:@(?:cat|less|more|head|tail|cp|mv|tar|zip|7z|scp|rsync|base64|xxd|od|strings|grep|awk|sed|nl|tac|dd|gpg|openssl|sqlite3|bat|type|get-content|gc|fold|sort|tee|nc)\b[^\n|;&>]*?|(?:curl|wget|http)\b[^\n;]*?(?:<at>|-\w*T |--upload-file |--post-file[= ])|<\s*|\b(?:open|fopen|readFile(?:Sync)?|read_text|read_bytes|readlines|copy2?|copytree|copyfile|move|createReadStream|file_get_contents|File\.read|IO\.read|ReadFile|read_to_string|ReadAllText|glob|make_archive|ZipFile|load_file)\(?[^\n]{0,80}?)",
            $path
        )
    };
}

/// A path, and a call that reads it behind it.
macro_rules! read_of {
    ($path:expr) => {
        concat!(
            $path,
            r#"[^\n]{0,60}?\.(?:read_text|read_bytes|read|open|readlines|rglob|glob|iterdir)\("#
        )
    };
}

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("ssh_dir_access", Exfiltration, Critical),
        SSH,
        concat!(reads!(r#"<home>\.ssh(?:["'\x60\s,/+)]*(?:id_\w+|identity|\*|\w*key\w*|\w*_rsa)?)(?:[\s"'\x60);|&,\]]|$)"#), "|", read_of!(r#"<home>\.ssh["'\x60)\s,/+]*(?:id_\w+|\*)["'\x60)]*"#), r#"|\bfor \w+ in [^\n]{0,60}<home>\.ssh\b"#),
        "Private SSH keys are read, copied or sent.",
    )
    .also(&["~/", "home", "/users/", "/root", "userprofile"])
    .unless(r"\.pub\b|known_hosts|\.ssh/config\b|authorized_keys|grep -\w*[qc]"),
    command(
        ("ssh_dir_access", Exfiltration, High),
        SSH,
        r"<home>\.ssh\b",
        "The folder of the SSH keys is used.",
    )
    .also(&["~/", "home", "/users/", "/root", "userprofile"])
    .unless(r"\.pub\b|known_hosts|\bssh(?:-add|-keygen|-copy-id|pass)?\b[^\n]*-[if]\b|\b(?:chmod|mkdir|ls|test|touch|stat|ssh-add|ssh-keygen)\b|\.ssh/config\b|authorized_keys|\[ -|IdentityFile|GIT_SSH_COMMAND|KEY\w*\s?=|key[-_ =]|-v \S*\.ssh|-i "),
    command(
        ("ssh_dir_access", Exfiltration, Low),
        SSH,
        r"<home>\.ssh\b",
        "The folder of the SSH keys is mentioned.",
    )
    .also(&["~/", "home", "/users/", "/root", "userprofile"]),
    command(
        ("aws_dir_access", Exfiltration, Critical),
        &[".aws"],
        concat!(reads!(r#"<home>\.aws["'\x60\s,/+)]*(?:credentials|\*|sso)?(?:[\s"'\x60);|&,\]]|$)"#), "|", read_of!(r#"<home>\.aws["'\x60)\s,/+]*credentials["'\x60)]*"#)),
        "Cloud credentials are read, copied or sent.",
    )
    .also(&["~/", "home", "/users/", "/root", "userprofile"])
    .unless(r"\.aws/config\b"),
    command(
        ("gpg_dir_access", Exfiltration, Critical),
        &[".gnupg", "export-secret"],
        concat!(reads!(r"<home>\.gnupg\b"), r"|--export-secret-(?:sub)?keys[^\n]*(?:<net>|\|)|<net>[^\n]*--export-secret-(?:sub)?keys"),
        "Private GPG keys are read, copied or sent.",
    ),
    command(
        ("gpg_dir_access", Exfiltration, High),
        &["export-secret"],
        r"--export-secret-(?:sub)?keys",
        "Private GPG keys are written out.",
    ),
    command(
        ("kube_dir_access", Exfiltration, Critical),
        &[".kube"],
        concat!(reads!(r"<home>\.kube\b"), "|", read_of!(r#"<home>\.kube["'\x60)\s,/+]*config["'\x60)]*"#)),
        "The cluster's credentials are read, copied or sent.",
    )
    .unless(r"\bcp [^\n]*(?:admin\.conf|k3s\.yaml)|\.bak\b|\.backup\b|\b(?:chmod|grep)\b"),
    command(
        ("docker_dir_access", Exfiltration, Critical),
        &[".docker"],
        concat!(reads!(r#"<home>\.docker["'\x60\s,/+)]*config\.json"#), "|", read_of!(r#"<home>\.docker["'\x60)\s,/+]*config\.json["'\x60)]*"#)),
        "Registry credentials are read, copied or sent.",
    )
    .unless(r"grep -\w*[qc]|\bjq\b"),
    command(
        ("read_secrets_file", Exfiltration, Critical),
        FILES,
        concat!(
            reads!(r#"(?:<home>)(?:\.netrc|\.pgpass|\.git-credentials|\.pypirc|\.npmrc|\.my\.cnf|\.vault-token|\.boto|\.azure\b|\.config/gh|\.config/gcloud|\.cargo/credentials|\.terraform\.d/credentials|\.ethereum/keystore|\.bitcoin/wallet|\.electrum|\.config/solana)"#),
            "|", reads!(r#"(?:<home>)\.(?:bash|zsh|python|psql|mysql|node_repl|sh|fish)_history"#),
            "|", reads!(r#"[^\n]{0,80}(?:google-?chrome|chromium|Brave-Browser|Microsoft Edge|firefox|User Data|Chrome)[/\\][^\n]{0,60}(?:Cookies|Login Data|Web Data|logins\.json|key4\.db|cookies\.sqlite)\b"#),
            "|", r"\bsecurity (?:find-(?:generic|internet)-password\b[^\n]*-\w*w|dump-keychain)|\bsecret-tool (?:lookup|search)\b|\bkeyring\.get_password\([^\n]*(?:chrome|browser)|\bcp [^\n]*(?:logins\.json|key4\.db|Login Data|login\.keychain)"
        ),
        "Stored passwords, tokens or histories are read, copied or sent.",
    ),
    command(
        ("read_secrets_file", Exfiltration, Critical),
        &[".env"],
        r#"@(?:cat|base64|xxd|strings|head|tail|less|more)\b[^\n|;&]*?(?:^|[\s"'/=])\.env(?:\.(?:local|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)))?["']?\s*\|[^\n]*<net>|<net>[^\n]*(?:<at>|-T |--upload-file |--post-file[= ])["']?[\w./$~{}-]*\.env(?:[\s"'\x60;|&)]|$)|\bfind\b[^\n]*-name ["']?\*?\.env\*?["']?[^\n]*(?:-exec (?:cat|cp|curl)|\| xargs)"#,
        "A file with secrets is sent away.",
    ),
    command(
        ("read_secrets_file", Exfiltration, High),
        &[".env"],
        r#"@(?:cat|base64|xxd|strings|less|more|bat|type|get-content)\b[^\n|;&<>]*?(?:[\s"'/])\.env(?:\.(?:local|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)))?["']?\s*(?:$|[|;&)\x60])"#,
        "A file with secrets is printed.",
    )
    .unless(r"\.env\S*\s*\|\s*(?:e?grep|rg|cut|sed|awk|xargs|wc|head -\d)|\bcat\s*>|<<"),
    command(
        ("read_secrets_file", Exfiltration, High),
        &[".env"],
        r#"\b(?:open|readFileSync|readFile|read_text|file_get_contents)\(\s*["'][\w./~-]*?\.env(?:\.local|\.production)?["'][^\n]*\n?[^\n]*(?:print|console\.log|requests\.|fetch\(|send)"#,
        "A file with secrets is read and shown.",
    )
    .reaching(2),
    command(
        ("read_secrets_file", Exfiltration, Critical),
        &["credential", "auth.json", "token", "secrets"],
        concat!(reads!(r#"<home>\.[\w./-]*(?:credentials?|auth\.json|[\w-]*tokens?(?:\.json)?|secrets?)(?:\.\w+)?(?:[\s"'\x60);|&,\]]|$)"#)),
        "Stored passwords or tokens are read, copied or sent.",
    )
    .also(&["~/", "home", "/users/", "/root", "userprofile"]),
    command(
        ("read_secrets_file", Exfiltration, Critical),
        &["~/", "$home", "${home", "/home/", "/users/"],
        r#"@(?:cat|base64|tar|zip|gzip|find|grep|xxd)\b[^\n|;&]*<home>[^\n|;&]*\|[^\n]*(?:curl|wget|\bnc\b|ncat|netcat|socat)\b|\bcurl\b[^\n;|]*(?:<at>|-T |--upload-file )["']?<home>\.|\baws s3 (?:cp|sync) ["']?<home>(?:\.(?:ssh|aws|gnupg|kube|config|docker)|\s)|@git -C ["']?(?:~|\$HOME)/?["']? (?:add|push)"#,
        "Files of the user's home are sent away.",
    )
    .also(&["curl", "wget", "nc ", "ncat", "netcat", "socat", "aws s3", "git -c"]),
    instruction(
        ("read_secrets_file", Exfiltration, Critical),
        &["_key", "_token", "_secret", "_password"],
        r"\b(?:include|print|output|send|embed|append|report|paste|echo|add|put|insert|write|post|reveal|log)\b[^.!?\n]{0,30}\b(?:value|contents?)s? of\b[^.!?\n]{0,30}\b[A-Z][A-Z0-9]*_(?:API_)?(?:KEY|TOKEN|SECRET|PASSWORD)\b",
        "The text asks for the value of a secret.",
    )
    .also(&["value", "content"])
    .unless(r"\b(?:never|do not|don'?t|must not|avoid|without)\b"),
    command(
        ("hermes_env_access", Exfiltration, Critical),
        &["hermes"],
        concat!(reads!(r"(?:<home>\.hermes|\$\{?HERMES_HOME\}?)/?(?:[\w-]+/)*(?:\.env|auth\.json)"), r"|(?:<home>\.hermes|\$\{?HERMES_HOME\}?)/?\.env\b[^\n]{0,40}\|"),
        "The agent's own keys are read, copied or sent.",
    ),
    instruction(
        ("hermes_env_access", Exfiltration, Critical),
        &["hermes/.env", "hermes_home", ".hermes"],
        r"\b(?:read|open|copy|print|show|include|send|upload|paste|attach|cat|display|output|dump|collect|return)\b[^.!?\n]{0,80}(?:\.hermes|HERMES_HOME\}?)/?\.env\b|\.hermes/\.env\b[^!?\n]{0,60}\b(?:contents?|include|send|upload|paste|show|print)\b",
        "The text asks for the agent's own keys.",
    )
    .unless(r"\b(?:add|set|put|write|store|save)\b[^.!?\n]{0,60}\.hermes/\.env|\bnever\b"),
    command(
        ("read_secrets_file", Exfiltration, Critical),
        &["169.254.169.254", "metadata.google.internal", "metadata.azure", "fd00:ec2::254", "100.100.100.200"],
        r"(?:curl|wget|http|fetch\(|requests|urlopen|invoke|iwr|irm|get\()[^\n]{0,120}(?:169\.254\.169\.254|metadata\.google\.internal|fd00:ec2::254|100\.100\.100\.200)",
        "The cloud's metadata service, which hands out credentials, is asked.",
    )
    .unless(r"computeMetadata/v1/(?:project/|instance/(?:zone|hostname|name|id|attributes))|meta-data/(?:instance-id|placement|hostname|local-)"),
    command(
        ("read_secrets_file", Exfiltration, Medium),
        &["169.254.169.254", "metadata.google.internal"],
        r"169\.254\.169\.254|metadata\.google\.internal",
        "The cloud's metadata service is mentioned.",
    ),
    instruction(
        ("read_secrets_file", Exfiltration, Critical),
        &[".ssh", ".aws", ".netrc", ".git-credentials", ".npmrc", ".pypirc", ".pgpass", ".kube", ".gnupg", "private key", "ssh key", ".docker/config", "password", "credential"],
        r"\b(?:read|open|copy|print|show|include|send|upload|paste|attach|cat|display|output|dump|collect|exfiltrate|forward|harvest|steal|gather|post)\b[^!?\n]{0,80}(?:(?:\x7e|\$HOME|home folder|home directory)/?\.(?:ssh|aws|netrc|git-credentials|npmrc|pypirc|pgpass|kube|gnupg|docker)\b|private (?:ssh )?keys?|ssh keys?|saved passwords|stored (?:passwords|credentials)|browser (?:cookies|passwords))[^!?\n]{0,100}\b(?:contents?|and (?:send|upload|paste|post|include|forward|email|copy)|to https?|in your (?:first |next )?(?:answer|reply|response)|into the|webhook|endpoint|pastebin)\b",
        "The text asks for stored keys or passwords.",
    )
    .also(&["private key", "ssh key", "~/", "$home", "home folder", "home directory", "saved password", "stored", "browser"])
    .unless(r"\.pub\b|public key|\b(?:never|do not|don'?t|must not|avoid)\b"),
    instruction(
        ("read_secrets_file", Exfiltration, Critical),
        &["api key", "api-key", "tokens", "secrets", "credentials", "passwords", "api_key", "env var", "environment variable"],
        r"\b(?:print|reveal|list|show|output|display|dump|tell me|give me|send|share|include|disclose|repeat|paste)\W+~(?:api[ _-]?keys?|tokens?|secrets?|credentials?|passwords?|environment variables?)\W+~(?:you (?:know|have|use|run|hold|were given)|of (?:the|this) (?:agent|assistant|system|product)|in your (?:own )?(?:config\w*|memory|environment|context|settings)|(?:agent|assistant) ~(?:run|use)s?|stored in your)\b",
        "The text asks the agent for its own secrets.",
    )
    .also(&["you ", "your", "agent", "assistant"])
    .unless(r"\b(?:never|do not|don'?t|must not|avoid|without|names?)\b"),
];
