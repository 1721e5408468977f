//! Text and commands that make a machine, its records or its guards unreliable: trust is given to strangers,
//! backups and traces go, judgements are bought, builds start foreign code.

use super::super::finding::SkillRisk::{
    Destructive, Exfiltration, Injection, Network, Persistence, SupplyChain,
};
use super::super::finding::SkillSeverity::{Critical, High, Medium};
use super::{ScanRule, command, fixed, instruction};

/// Where build tools, interpreters and desktops look for what to start by themselves.
macro_rules! started_places {
    () => {
        r"(?:\.gradle/init\.d|\.m2/extensions|\bsitecustomize\.py|\busercustomize\.py|site-packages/[\w.-]+\.pth|\.config/autostart|\.config/fish/conf\.d|\.ssh/rc\b|\.vim/plugin|\.config/nvim/plugin|\.bash_logout|\.zlogout|apt\.conf\.d/|/etc/ld\.so\.preload|/etc/update-motd\.d|/etc/NetworkManager/dispatcher\.d|/etc/udev/rules\.d|Microsoft\.PowerShell_profile\.ps1|\\Start Menu\\Programs\\Startup|\.ipython/profile_default/startup|\.jupyter/\w+_config\.py|\.Rprofile|\.irbrc|\.pryrc|\.psqlrc|\.gdbinit|\.lldbinit|\.pdbrc|\.node_repl_history\.js|\.yarn/plugins)"
    };
}

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("tls_trust", Network, Critical),
        &["ca-certificates", "update-ca", "add-trusted-cert", "addstore", "trust anchor", "import-certificate"],
        r"(?:\b(?:curl|wget|iwr|invoke-webrequest)\b|https?://)[^\n]*(?:\n[^\n]*){0,3}(?:update-ca-certificates|update-ca-trust|trust anchor|add-trusted-cert|-addstore|import-certificate)|\bcertutil\b[^\n]*-addstore[^\n]*\broot\b|\bsecurity add-trusted-cert\b[^\n]*-d\b",
        "A certificate from elsewhere is trusted by the whole machine.",
    )
    .reaching(3)
    .unless(r"mkcert|https://(?:letsencrypt\.org|curl\.se|pki\.goog)"),
    command(
        ("tls_trust", Network, High),
        &["sslverify", "strict-ssl", "reject_unauthorized", "httpsverify", "trusted-host"],
        r"\bgit config --global http\.sslVerify (?:false|0)|\b(?:npm|yarn|pnpm) (?:config )?set strict-ssl (?:false|0)|(?:^|[;&\n]\s*|export )(?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY)=0\b[^\n]*>>",
        "Connections are no longer checked.",
    ),
    command(
        ("backups_deleted", Destructive, Critical),
        &["shadow", "wbadmin", "deletelocalsnapshots", "recoveryenabled", "deletebackup"],
        r"\bvssadmin(?:\.exe)? (?:delete|resize) shadow|\bwmic\b[^\n]*shadowcopy delete|\bwbadmin delete\b|\btmutil deletelocalsnapshots\b|\btmutil delete\b[^\n]*-a\b|\bbcdedit\b[^\n]*recoveryenabled no|\bWin32_Shadowcopy\b[^\n]*(?:Delete|Remove)",
        "Backups are deleted.",
    ),
    command(
        ("destructive_home_rm", Destructive, Critical),
        &["rm -", "remove-item", "rd /s", "rmdir /s"],
        r#"@rm (?:-\S+ )*(?:-\w*[rR]\w*|--recursive)(?: -\S+)*[^\n;|&]* ["']?<home>(?:Documents|Desktop|Pictures|Photos|Music|Movies|Videos|Library|Mail|Dropbox|OneDrive|backups?|\.ssh|\.aws|\.gnupg|\.kube|\.config)/?\*?["']?(?:\s|$|[;&|)"'\x60])|\bRemove-Item\b[^\n]*(?:Documents|Desktop|Pictures|Photos)["'\\*]*[^\n]*-Recurse|\b(?:rd|rmdir) /s[^\n]*(?:%USERPROFILE%|Users)\\"#,
        "Files of the user are deleted.",
    ),
    command(
        ("history_wipe", Destructive, High),
        &[".git/logs", "reflog expire"],
        r"@rm (?:-\S+ )*[^\n;|&]*\.git/logs\b",
        "Traces of what was done are wiped.",
    ),
    instruction(
        ("history_wipe", Injection, High),
        &["trace", "tracks", "evidence", "footprint"],
        r"\b(?:hid(?:e|ing)|cover(?:ing)?(?: up)?|eras(?:e|ing)|remov(?:e|ing)|wip(?:e|ing)|delet(?:e|ing)|destroy(?:ing)?|clean(?:ing)? up) (?:the |all |any |your |our |its |every )?(?:traces?|tracks|evidence|footprints?)\b|\bclear(?:ing)? (?:the |all |any |your |our )(?:traces?|tracks|evidence)\b",
        "Traces are to be hidden.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|attackers?|malware|adversar\w+|stack traces?|track(?:ing|er)|detect\w*|forensic\w*|evidence-based|span|opentelemetry|langfuse|tracing)\b"),
    instruction(
        ("deception_hide", Injection, High),
        &["nobody sees", "no one sees", "nobody can see", "nobody will", "no one will", "won't notice", "will not notice", "unnoticed", "without anyone", "never notice", "not be noticed", "suspicio", "unaware"],
        r"\b(?:so|and|then|which means)(?: that)? (?:nobody|no one|users?|the (?:user|owner|team|reviewers?)|they|it) (?:can |will |would |ever |never |not )*(?:sees?|notices?|finds? out|realis\w+|realiz\w+|learns?|(?:goes|remains?|stays?|passes) unnoticed)\b|\b(?:users?|reviewers?|they|nobody|no one|the (?:user|owner|team)) (?:won'?t|will not|should not|must not|will never|will) (?:notice|see|realis\w+|realiz\w+|find out)\b|\bwithout (?:anyone|anybody|the (?:user|owner|team)|them|users?) (?:noticing|knowing|seeing|realis\w+|realiz\w+)\b|\b(?:without|avoid) (?:raising|arousing) suspicio",
        "Something is done so that nobody notices.",
    )
    .unless(r"\b(?:never|do not|don'?t|if|when|might|may|could|otherwise|silently (?:fail|break|drop)|bug|regression|attackers?|typo|downtime|latency|migration|deploy\w*|rollback|accessib\w*)\b"),
    instruction(
        ("deception_hide", Injection, High),
        &["tell the user", "tell users", "tell them", "tell him", "inform the user", "say to the user"],
        r"\b(?:tell|inform|assure|say to) (?:the )?(?:users?|them|him|her|owner|customer)\b[^.!?\n]{0,120}\b(?:but|while|and) (?:actually|in (?:reality|fact|truth)|really|secretly|meanwhile|instead|quietly|in the background)\b",
        "The user is told one thing while another is done.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not)\b"),
    instruction(
        ("sabotage", Injection, High),
        &["as safe", "as clean", "as benign", "as trusted", "as harmless", "no findings", "no issues found", "as low risk"],
        r"\b(?:rate|mark|classify|label|report|score|judge|grade|treat|declare|flag) (?:it|them|this|these|every|all|any|other|each)\b[^.!?\n]{0,50}\bas (?:safe|clean|benign|trusted|harmless|low[- ]risk|verified)\b|\b(?:scanners?|auditors?|reviewers?|audit|security (?:team|review|tool)|moderators?|guard)\b[^.!?\n]{0,60}\b(?:answer|reply|say|respond|report|return|tell (?:it|them))\b[^.!?\n]{0,30}\b(?:no (?:findings?|issues?|problems?|threats?)|safe|clean|signed|verified|approved)\b",
        "The text decides the judgement beforehand.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|if (?:there|no|it|all|every|they)|when (?:there|no|it|all|every)|only|unless|after (?:review|checking|testing|fixing)|false positives?)\b"),
    instruction(
        ("approval_bypass", Injection, High),
        &["deny rule", "deny list", "denylist", "block list", "blocklist", "blocked command", "allowlist", "allow list", "allow rule"],
        r"\b(?:remove|delete|drop|clear|empty|comment out|disable|edit out) (?:the |any |every |all |each )?~(?:deny|block(?:ed|ing)?)[ -]?(?:rules?|lists?|entries|commands?)\b|\badd (?:the (?:entry|rule|pattern) )?(?:[\x60\x22'*]|bash|curl|rm|sudo|everything|all commands)[^.!?\n]{0,30}\bto (?:the |your |its )?(?:agent'?s? |command )?allow[ -]?(?:list|rules?)\b",
        "The rules about commands are loosened.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|firewall|dns|spam|email|domain|ip addresses|cors|ad ?block|pi-?hole|waf|security group|iptables)\b"),
    instruction(
        ("prompt_injection_ignore", Injection, High),
        &["as command", "as instruction", "as order", "as directive", "as an instruction", "as an order", "as a command", "as your instruction", "as binding", "as authoritative"],
        r"\b(?:treat|regard|consider|take|handle|interpret|accept|read|use) ~(?:texts?|contents?|comments?|messages?|tickets?|issues?|e-?mails?|pages?|output|replies|body|bodies|descriptions?|responses?|whatever|anything|everything|files?|documents?|titles?|names?)\b[^.!?\n]{0,40}\bas ~(?:commands?|instructions?|orders?|directives?|binding|authoritative)\b",
        "The text gives strangers the user's word.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|not|rather than|instead of|user'?s (?:request|message|input)|attackers?|malicious|vulnerab\w+|risk|llms?|models?) \b|\bas data\b|\bjson\b|\bcpu\b|\bshell\b"),
    instruction(
        ("sys_prompt_override", Injection, High),
        &["highest priority", "top priority", "above the user", "over the user", "above the system", "above system", "over the system", "before the user's", "outranks"],
        r"\b(?:highest|top|absolute) priority\b[^.!?\n]{0,40}\b(?:above|over|before|than) ~(?:user|system|operator|developer)\b|\b(?:rank|stand|come|go|are|is|placed?|put)s? (?:them |it )?(?:above|over) (?:the |your |any )?(?:user|system prompt|operator|developer)(?:'s)?\b ?(?:instructions?|wishes|requests?|prompt|orders?)?",
        "The text sets itself above the user and the system.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|user instructions)\b"),
    instruction(
        ("translate_execute", Injection, High),
        &["decode", "decrypt", "unscramble", "deobfuscat", "decipher", "rot13", "rot-13", "base64", "reverse the"],
        r"\b(?:decode|decrypt|unscramble|de-?obfuscate|decipher|un-?reverse|reverse|rot-?13)\b[^.!?\n]{0,80}\b(?:and|then|,)\W+(?:\w+ ){0,2}?(?:run|execute|follow|obey|carry out|act on|eval(?:uate)?|do (?:what|as)|comply|apply) (?:it|them|the (?:result|output|text|command|instructions?|content|decoded)|what|its|whatever)\b",
        "Text in disguise is to be followed.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|jwt|token|ciphertext|attackers?|malware|sandbox|suspicious)\b"),
    instruction(
        ("package_source", SupplyChain, High),
        &["git+http", "index-url", "registry", "mirror", "replace ", "hash check", "checksum", "signature", "integrity"],
        r"\b(?:replace|swap|rewrite|point|redirect|change) ~(?:packages?|dependenc(?:y|ies)|modules?|requirements?|imports?|registr(?:y|ies))\b[^!?\n]{0,90}(?:git\+https?://|https?://)|\b(?:skip|disable|ignore|turn off|omit) (?:the |all |any |every )?(?:package )?(?:hash(?:es)?|checksum|signature|integrity|gpg|provenance)[ -](?:checks?|checking|verification|validation|errors?)\b",
        "Packages come from somebody else, or unchecked.",
    )
    .unless(r"https?://(?:[\w.-]+\.)?(?:github\.com|gitlab\.com|pypi\.org|npmjs\.(?:org|com)|python\.org|crates\.io|rubygems\.org|docs\.|readthedocs|maven|apache\.org|mozilla\.org|microsoft\.com|google\.com|jsr\.io|deno\.land|huggingface\.co|anthropic\.com|openai\.com)|\b(?:never|do not|don'?t|must not|avoid|artifactory|nexus|internal|localhost|your|deprecated|migrat\w+|fuzz\w*|harness)\b"),
    instruction(
        ("hidden_access", Injection, High),
        &["device code", "one-time code", "verification code", "2fa code", "mfa code", "otp", "sms code", "login code"],
        r"\b(?:copy|send|submit|forward|post|collect|pass|enter|give|report|relay) ~(?:device|one-time|verification|2fa|mfa|otp|sms|login|authenticator) codes?\b[^.!?\n]{0,80}(?:https?://|curl|\bto (?:us|our|me|the (?:vendor|support|author))|\bwith \x60)",
        "Codes that only the user may have are passed on.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not)\b"),
    command(
        ("startup_place", Persistence, Critical),
        &[".gradle/init.d", ".m2/ext", "sitecustomize", "usercustomize", ".pth", "autostart", "conf.d", ".ssh/rc", ".vim/plugin", "nvim/plugin", "logout", "ld.so.preload", "motd.d", "dispatcher.d", "rules.d", "powershell_profile", "startup", ".jupyter", ".rprofile", ".irbrc", ".pryrc", ".psqlrc", ".gdbinit", ".lldbinit", ".pdbrc", ".yarn/plugins"],
        concat!(r#"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|ln)\b[^\n|;&]* |\b(?:open|write\w*|appendFile\w*|copyfile|copy2?|Path|PathBuf|join)\(|\b(?:Set|Add|Out)-(?:Content|File)\b[^\n]*|\bNew-Item\b[^\n]*)["'\w./~${}()\\:,+ -]{0,80}"#, started_places!()),
        "Foreign code is started by a tool or with each login.",
    )
    .unless(r"\btailwind|\b(?:never|don'?t) "),
    instruction(
        ("startup_place", Persistence, High),
        &[".gradle/init.d", "sitecustomize", "usercustomize", ".pth", "autostart", ".ssh/rc", "ld.so.preload", "motd.d", "powershell_profile", "programs\\startup", ".ipython", ".rprofile", ".gdbinit", "hookspath", "core.fsmonitor"],
        concat!(r"\b(?:write|add|put|create|append|save|drop|install|place|copy) (?:\S+ ){0,8}?\W?(?:~/|\$HOME/|/)?\S{0,40}", started_places!()),
        "Foreign code is started by a tool or with each login.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|if the user|ask)\b"),
    command(
        ("git_hook", Persistence, Critical),
        &["hookspath", "fsmonitor", "core.sshcommand", "core.pager", "core.editor", "credential.helper"],
        r"\bgit config (?:--global |--system )+(?:--\S+ )*(?:core\.hooksPath|core\.fsmonitor|core\.sshCommand|core\.pager|core\.editor|credential\.helper) [^\n]*(?:curl|wget|/tmp/|nc |bash -c|sh -c|python|!|https?://)",
        "Git runs foreign code from now on.",
    )
    .unless(r"credential\.helper ['\x22]?(?:store|cache|osxkeychain|manager|!gh auth|!aws|!gcloud|libsecret)"),
    command(
        ("windows_autostart", Persistence, Critical),
        &["currentversion\\run", "schtasks", "scheduledtask", "winlogon", "image file execution", "__eventfilter", "new-service", "sc create"],
        r"\bCurrentVersion\\+(?:Run|RunOnce)\b[^\n]*(?:/d|-Value|-PropertyType|SetValue)|(?:\breg add\b|New-ItemProperty|Set-ItemProperty|SetValueEx)[^\n]*CurrentVersion\\+Run|\bschtasks(?:\.exe)? /create\b|\bRegister-ScheduledTask\b|Winlogon\\+(?:Shell|Userinit)|Image File Execution Options|__EventFilter",
        "Foreign code is started with each login.",
    ),
    command(
        ("service_takeover", Network, Critical),
        &["config set dir", "config set dbfilename", "slaveof", "replicaof", "module load", "xp_cmdshell", "into outfile", "into dumpfile"],
        r#"\bconfig set dir ["']?(?:/root|/home|/etc|/var/(?:www|spool)|~)|\bconfig set dbfilename ["']?(?:authorized_keys|root|\w+\.php)|\bxp_cmdshell\b|\binto (?:out|dump)file ['"](?:/var/www|/etc|/root)"#,
        "A service is made to write what opens the machine.",
    ),
    command(
        ("download_run", SupplyChain, Critical),
        &["/tmp/", "/dev/shm", "/var/tmp", "~/.", "%temp%", "$env:temp"],
        r#"\b(?:curl|wget)\b[^\n]*(?:-[a-zA-Z]*[oO] ?|--output[= ]|>\s?)["']?(?:/tmp/|/var/tmp/|/dev/shm/|~/\.|\$HOME/\.)[\w./-]+[^\n]*(?:\n[^\n]*){0,3}?(?:[\s;&"'\x60(]|&& )(?:(?:ba|z|da)?sh|python3?|perl|node|ruby|php|source) (?:-\w+ )*["']?(?:/tmp/|/var/tmp/|/dev/shm/|~/\.|\$HOME/\.)[\w./-]+"#,
        "A program is fetched and run.",
    )
    .reaching(3)
    .unless(r"https://(?:raw\.githubusercontent\.com|github\.com|bootstrap\.pypa\.io|repo\.anaconda\.com|astral\.sh|sh\.rustup\.rs|get\.docker\.com|install\.python-poetry\.org)/"),
    command(
        ("decode_run", SupplyChain, Critical),
        &["eval pack", "eval unpack", "decode_base64", "base64.decode64", "base64_decode", "loadstring", "gzinflate", "str_rot13", "frombase64string", "unescape("],
        r#"\beval(?:\s*\(|\s+)\s*(?:pack|unpack|decode_base64|Base64\.(?:strict_)?decode64|base64_decode|gzinflate|gzuncompress|str_rot13|unescape|atob)\b|\b(?:qx|system|exec|`)\W{0,3}(?:decode_base64|Base64\.(?:strict_)?decode64|base64_decode)\b|\b(?:loadstring|load)\(\s*(?:base64|dec|unb64|string\.char)|\b(?:assert|create_function|preg_replace)\([^\n]*base64_decode\(|\b(?:Assembly\]?::Load|Invoke-Expression|iex)\b[^\n]*FromBase64String"#,
        "Something is decoded and run.",
    ),
    fixed(
        ("ransom", Destructive, High),
        &["btc", "bitcoin", "monero", "xmr", "usdt", "ransom"],
        r"\b(?:pay|send|transfer) (?:\S+ ){0,4}?(?:[\d.,]+ ?)?(?:btc|bitcoins?|monero|xmr|usdt)\b|\byour files (?:have been|are|were) (?:encrypted|locked)\b",
        "Somebody is to pay for what was taken.",
    )
    .unless(r"\b(?:invoice|checkout|payment (?:gateway|processor|api)|lightning|wallet (?:sdk|app)|customers?|never|detect\w*|malware|incident)\b"),
    fixed(
        ("md_image_exfil", Exfiltration, High),
        &["](http"],
        r"!\[[^\]\n]*\]\(\s*<?https?://[^)\s]*[?&/][\w-]*=?[<\[{][^)\n]{0,60}(?:user|message|question|prompt|answer|conversation|secret|token|key|data|context|summary|content|file|base64|encoded)[^)\n]{0,60}[>\]}]",
        "An image address carries text out when it is shown.",
    )
    .also(&["=<", "=[", "={", "/<", "/{"]),
    instruction(
        ("md_image_exfil", Exfiltration, High),
        &["invisible image", "hidden image", "tracking pixel", "1x1", "transparent image", "transparent pixel", "invisible pixel", "beacon image"],
        r"\b(?:add|append|include|insert|embed|end|render|put|place|attach) ~(?:invisible|hidden|transparent|tracking|1x1|beacon)[ -](?:images?|pixels?|gif|png)\b",
        "An image that nobody sees carries text out.",
    )
    .unless(r"\b(?:never|do not|don'?t|placeholder|lazy|sprite|layout|canvas|opengl|texture)\b"),
    command(
        ("crypto_mining", SupplyChain, Critical),
        &["nicehash", "--donate-level", "xmrig", "minerd", "cpuminer", "ethminer", "t-rex ", "nbminer", "hashvault", "minexmr", "supportxmr", "nanopool", "2miners", "unmineable", "coinhive", "cryptonight", "randomx"],
        r"--donate-level|\b(?:xmrig|minerd|cpuminer|ethminer|nbminer)\b[^\n]*\s-(?:o|u|a)\s|\b(?:pool|xmr|rx|gulf|stratum)[\w.-]*\.(?:hashvault|minexmr|supportxmr|nanopool|2miners|nicehash|unmineable|moneroocean)\.\w+|\bcoinhive\b[^\n]*(?:Anonymous|User)\(",
        "Coins are mined.",
    ),
    command(
        ("preload_hijack", Persistence, High),
        &["path=", "$path"],
        r#"\b(?:export )?PATH=["']?(?:/tmp|/dev/shm|/var/tmp|\./\.|~/\.(?:cache|hidden|\.))[\w./-]*:\$\{?PATH"#,
        "Commands are taken from a place that anybody can write to.",
    ),
    instruction(
        ("agent_memory", Persistence, Medium),
        &["remember"],
        r"\bremember (?:permanently|forever|for (?:all|every) (?:future )?sessions?)\b",
        "Something is to be remembered for good.",
    ),
];
