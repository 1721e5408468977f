//! What is done in the user's name where it cannot be taken back: accounts at hosts of code and clouds, money, other
//! people's machines, the work itself.

use super::super::finding::SkillRisk::{
    Destructive, Exfiltration, Injection, Network, Persistence, PrivilegeEscalation, SupplyChain,
};
use super::super::finding::SkillSeverity::{Critical, High};
use super::{ScanRule, command, fixed, instruction};

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("account_access", Persistence, High),
        &["ssh-key add", "deploy-key add", "collaborators", "deploy-keys", "/keys -", "user/keys", "add-collaborator", "/members/", "invitations", "gpg-key add"],
        r"\b(?:curl|wget|cat|echo)\b[^\n]*\|\s*(?:gh|glab) (?:ssh|gpg)-key add|\b(?:gh|glab) (?:repo )?deploy-key add\b[^\n]*(?:--allow-write|-w\b|--can-push)|\b(?:gh|glab) api\b[^\n]*(?:/collaborators/[\w$-]+|/members/|user/keys|/keys\b)[^\n]*(?:-X ?(?:PUT|POST)|-f |--field|--method (?:PUT|POST))|\b(?:gh|glab) api\b[^\n]*(?:-X ?(?:PUT|POST)|--method (?:PUT|POST))[^\n]*(?:/collaborators/[\w$-]+|/members/|user/keys)",
        "Somebody is let into the user's repositories.",
    ),
    command(
        ("account_access", PrivilegeEscalation, High),
        &["visibility public", "--public", "branches/", "protection"],
        r"\bgh repo edit\b[^\n]*--visibility[= ]public[^\n]*--accept-visibility|\bgh repo edit\b[^\n]*--visibility[= ]public|\b(?:gh|glab) api\b[^\n]*-X ?DELETE[^\n]*/protection\b|\b(?:gh|glab) api\b[^\n]*/protection\b[^\n]*-X ?DELETE",
        "What protects the user's repositories is taken away.",
    ),
    command(
        ("promotion", Injection, High),
        &["user/starred", "user/following", "repo star"],
        r"\bgh api\b[^\n]*(?:user/starred/|user/following/)|\bgh repo star\b",
        "The user's account is used to praise somebody.",
    ),
    command(
        ("cloud_access", PrivilegeEscalation, High),
        &["administratoraccess", "allusers", "allauthenticatedusers", "cluster-admin", "system:anonymous", "roles/owner", "0.0.0.0/0", "create-access-key", "stop-logging", "delete-trail", "roleassignment", "role assignment"],
        r"\battach-(?:user|role|group)-policy\b[^\n]*AdministratorAccess|\badd-iam-policy-binding\b[^\n]*(?:allUsers|allAuthenticatedUsers)|\badd-iam-policy-binding\b[^\n]*roles/owner|\bclusterrole(?:binding)?\b[^\n]*cluster-admin[^\n]*(?:anonymous|unauthenticated|--user|--group)|\bauthorize-security-group-ingress\b[^\n]*(?:--protocol[= ](?:-1|all)|--port[= ](?:22|3389|0-65535))[^\n]*0\.0\.0\.0/0|\bcloudtrail (?:stop-logging|delete-trail)\b|\bguardduty delete-detector\b|\blogging sinks delete\b|\brole assignment create\b[^\n]*--role[= ][\x22']?Owner",
        "Accounts in the cloud are opened, or what is done there is no longer recorded.",
    ),
    command(
        ("new_account", PrivilegeEscalation, High),
        &["useradd", "adduser", "usermod", "net user", "net localgroup", "dscl "],
        r"@(?:useradd|adduser)\b[^\n]*(?:-G ?\S*\b(?:sudo|wheel|root|docker)|-o -u ?0|-u ?0\b)|@usermod\b[^\n]*-a?G ?\S*\b(?:sudo|wheel|root)\b|\bnet user \S+ \S+ /add|\bnet localgroup administrators \S+ /add|\bdscl \. -(?:create|append) /(?:Users|Groups/admin)",
        "An account with all rights is made.",
    )
    .unless(r"\$\{?USER\}?|\$\(whoami\)"),
    command(
        ("protection_off", PrivilegeEscalation, High),
        &["setenforce", "iptables -f", "ufw disable", "auditd", "spctl", "disablerealtimemonitoring", "exclusionpath", "csrutil", "apparmor", "firewall set", "disableantispyware", "com.apple.quarantine", "setglobalstate"],
        r"\bsetenforce 0\b|@iptables (?:-t \w+ )?-F\b|@ufw (?:--force )?disable\b|\bsystemctl (?:stop|disable|mask)(?: --now)? (?:auditd|apparmor|firewalld|falcon-sensor|clamav\S*|osqueryd?|wazuh\S*)|\bspctl --(?:master|global)-disable\b|\bSet-MpPreference\b[^\n]*-Disable\w+ (?:\$true|1)|\bAdd-MpPreference\b[^\n]*-Exclusion\w+|\bcsrutil disable\b|\bnetsh advfirewall set \w+ state off|\bxattr -\w*d\w* com\.apple\.quarantine [^\n]*\*|socketfilterfw --setglobalstate off",
        "What protects the machine is switched off.",
    ),
    command(
        ("ask_password", Injection, Critical),
        &["hidden answer", "read -s", "get-credential", "getpass", "promptforcredential", "zenity --password", "kdialog --password", "ssh-askpass"],
        r"\bosascript\b[^\n]*hidden answer|(?:\bread -\w*s\w*\b|\bzenity --password|\bkdialog --password|\bgetpass\(|\bGet-Credential\b|\bPromptForCredential\b)[^\n]*(?:\n[^\n]*){0,4}\b(?:curl|wget|requests\.post|urlopen|fetch\(|Invoke-(?:RestMethod|WebRequest))\b",
        "The user is asked for a password that somebody else gets.",
    )
    .reaching(4),
    command(
        ("money_transfer", Injection, High),
        &["sendtransaction", "maxuint256", "uint256.max", "setapprovalforall", "eth_sendtransaction", "transferfrom"],
        r#"\bsendTransaction\(\s*\{[^\n]*to:\s*["']0x[0-9a-fA-F]{40}|\.approve\(\s*["']0x[0-9a-fA-F]{40}["'][^\n]*(?:MaxUint256|2\s?\*\*\s?256|0xf{20,})|\bsetApprovalForAll\(\s*["']0x[0-9a-fA-F]{40}["']\s*,\s*true"#,
        "Money goes to a fixed address.",
    ),
    instruction(
        ("payment_redirect", Injection, High),
        &["iban", "account number", "wallet", "bank account", "paypal", "btc address", "bitcoin address"],
        r"\b(?:use|put|enter|write|insert|give|send|pay|transfer) ~(?:iban|account number|wallet|paypal|bank account|(?:btc|bitcoin|eth) address)\b[^!?\n]{0,60}\b(?:in place of|instead of|rather than|replacing|not the one)\b",
        "The text sends money elsewhere.",
    ),
    command(
        ("attack_tool", Network, High),
        &["hydra ", "medusa ", "hping3", "slowloris", "sqlmap", "masscan", "rockyou", "patator", "hashcat", "john --", "mimikatz", "lazagne", "msfvenom", "responder", "crackmapexec", "netexec "],
        r"@(?:hydra|medusa|patator|crackmapexec|netexec)\b[^\n]*(?:-P|-p|://|\$)|@hping3\b[^\n]*--flood|\bslowloris\b[^\n]*(?:-p|\$|\.)|@masscan\b[^\n]*0\.0\.0\.0/0|\bmimikatz(?:\.exe)?\b[^\n]*(?:sekurlsa|privilege::)|\blazagne(?:\.exe|\.py)? all\b|@msfvenom -p\b",
        "Other people's machines are attacked.",
    ),
    instruction(
        ("spam", Injection, High),
        &["address book", "contact", "mailing list", "followers", "in the user's name", "in their name", "colleagues"],
        r"\b(?:send|message|mail|e-?mail|post|text|dm) ~(?:each|every|all)(?: of)?(?: the| their| his| her)? (?:user'?s? )?(?:contacts?|followers|colleagues|friends|addresses|entries)\b[^.!?\n]{0,80}|\bsend each contact\b|\b(?:in|under) the user'?s name\b",
        "Others are written to in the user's name.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|if the user|when the user|asks?|after (?:the )?(?:user|confirmation|approval)|drafts?|preview|confirm\w*|consent)\b"),
    instruction(
        ("sabotage", Injection, High),
        &["md5", "verify=false", "assertion", "all tests pass", "tests pass", "disable csrf", "skip validation", "plain text", "hard-code", "hardcode", "license header", "copyright"],
        r"\b(?:in|for) (?:all|every|any) (?:the )?(?:code|projects?|files?|services?)\b[^.!?\n]{0,60}\b(?:md5|sha-?1|verify=false|plain ?text passwords?|eval|hard-?code\w*)\b|\b(?:change|edit|weaken|loosen|rewrite|adjust|delete|remove|comment out) (?:the )?(?:failing )?(?:assertions?|tests?|checks?)\b[^.!?\n]{0,50}\b(?:until|so that|to make) (?:it|they|the tests?|everything|the suite|ci) (?:pass(?:es)?|goes? green|succeeds?|is green)\b|\b(?:report|say|claim|tell) that all tests pass\b|\bremove ~(?:licen[cs]e headers?|copyright (?:notices?|headers?))\b",
        "The text asks to spoil the work.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|avoid|instead of|rather than|wrong|bad|anti-?pattern|cheat\w*|only (?:if|when|after)|detect|find|flag|look for|if all)\b"),
    instruction(
        ("sabotage", SupplyChain, High),
        &["every project", "all projects", "every repository", "each project", "any project", "every file you", "all code you"],
        r"\b(?:add|insert|include|install|put|import) [^.!?\n]{0,50}\b(?:dependenc(?:y|ies)|packages?|devdependenc\w+|requirements?|imports?|snippet|script tag|tracker|workflow)\b[^.!?\n]{0,40}\b(?:every|all|each|any) (?:new )?(?:projects?|repositor(?:y|ies)|files?|pages?|code)\b[^.!?\n]{0,20}(?:you (?:touch|write|create|edit|see|open)|of the user)",
        "Something foreign is put into all of the user's work.",
    ),
    fixed(
        ("network_redirect", Network, High),
        &["proxy", "insteadof", "trusted=yes", "/etc/hosts", "nameserver", "insecure-registr"],
        r#"(?:\becho\b|\bprintf\b|>>)[^\n]*\bproxy ?= ?["']?https?://\d[^\n]*(?:\.curlrc|\.wgetrc|\.npmrc|\.gitconfig|\.bashrc|\.profile|\.zshrc)|\b(?:export )?(?:HTTPS?_PROXY|ALL_PROXY|https?_proxy)=["']?(?:https?|socks5h?)://(?:[1-9]\d{0,2}\.){3}\d+[^\n]*|\bgit config --(?:global|system) url\.["']?https?://[^\n]*insteadOf ["']?(?:https://github\.com|https://gitlab\.com|git<at>github\.com)|\[trusted=yes\][^\n]*http://"#,
        "Traffic goes through somebody else.",
    )
    .unless(r"(?://|=)(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0)|url\.[\x22']?(?:https://github\.com|ssh://git|git<at>|https://\$|https://x-access-token|https://oauth2|https://<)|socks5h?://"),
    command(
        ("remote_code", SupplyChain, High),
        &["deno run", "go run ", "ruby ", "julia ", "rscript", "php -r", "perl ", "lua -e", "node -e", "bun run", "groovy", "--install-extension", "pipx run", "uvx --from", "cargo install --git", "nix run"],
        r#"\bdeno run\b[^\n]*\shttps?://|\bbun (?:run )?https?://|\bgo run (?:[\w-]+\.)+[a-z]{2,}/[\w./-]+<at>|\bruby\b[^\n]*-e[^\n]*eval[^\n]*(?:URI|open)[^\n]*https?://|\bjulia\b[^\n]*-e[^\n]*include\([^\n]*https?://|\bRscript\b[^\n]*-e[^\n]*source\([^\n]*https?://|\bphp -r[^\n]*(?:eval|include|require)[^\n]*https?://|\bperl\b[^\n]*-e[^\n]*eval[^\n]*https?://|\bnode -e[^\n]*https?\b[^\n]*eval\(|\b(?:code|cursor|codium) --install-extension ["']?(?:https?://|\./)?[^\n]*\.vsix|\bpipx run --spec git\+https?://|\buvx --from git\+https?://|\bnix run https?://"#,
        "Code is fetched and run unseen.",
    )
    .unless(r"https?://(?:[\w.-]+\.)?(?:deno\.land|jsr\.io|esm\.sh|github\.com|githubusercontent\.com|gitlab\.com|bioconductor\.org|r-project\.org|julialang\.org|localhost|127\.0\.0\.1)|\bgo run (?:github\.com|golang\.org|google\.golang\.org|gopkg\.in|go\.uber\.org|honnef\.co|mvdan\.cc|sigs\.k8s\.io|k8s\.io|gotest\.tools|entgo\.io|cuelang\.org|example\.com)/"),
    command(
        ("remote_code", SupplyChain, High),
        &["torch.load", "unsafeloader", "yaml.load", "joblib.load", "dill.loads", "marshal.loads", "numpy.load", "np.load", "cloudpickle", "pickle.load", "load_module", "exec("],
        r"(?:torch\.load|joblib\.load|dill\.loads?|cloudpickle\.loads?|pickle\.loads?|np\.load|yaml\.(?:load|unsafe_load))\([^\n]*(?:requests\.get|urlopen|httpx\.get|\.content\b|\.text\b)",
        "What another machine says is run as code.",
    )
    .unless(r"safe_load|\bSafeLoader|weights_only=True"),
    command(
        ("remote_code", SupplyChain, Critical),
        &["dig ", "nslookup", "resolve-dnsname", "host -t txt"],
        r"\b(?:eval|sh -c|bash -c|iex|Invoke-Expression)\b[^\n]*\b(?:dig|nslookup|host -t txt|Resolve-DnsName)\b|\b(?:dig|nslookup)\b[^\n]*\btxt\b[^\n]*\|\s*(?:base64[^\n|]*\|\s*)?(?:ba|z|da)?sh\b",
        "Code is fetched from the name service and run.",
    ),
    command(
        ("reverse_shell", Network, Critical),
        &["/inet/tcp/", "io.popen", "|&", "telnet "],
        r"/inet/(?:tcp|udp)/0/[\w.$]+/\d+|\bsocket\b[^\n]*\bconnect\([^\n]*\bio\.popen\(|\btelnet [\w.]+ \d+[^\n]*\|\s*(?:/bin/)?(?:ba)?sh\b[^\n]*\|\s*telnet",
        "A shell is connected to another machine.",
    ),
    command(
        ("supply_archive", SupplyChain, High),
        &["npm i", "npm install", "pnpm add", "yarn add", "pip install", "pip3 install", "gem install", "uv pip install"],
        r#"\b(?:npm (?:i|install|add)|pnpm add|yarn add|bun add)\b[^\n]*\shttps?://[^\s"'\x60]+\.t(?:ar\.)?gz|\bpip3? install\b[^\n]*\s["']?https?://[^\s"'\x60]+(?:\.whl|\.tar\.gz|\.zip)|\bgem install\b[^\n]*--source ["']?http"#,
        "A package comes from an address that is no registry.",
    )
    .unless(r"https?://(?:[\w.-]+\.)?(?:github\.com|gitlab\.com|githubusercontent\.com|pythonhosted\.org|pytorch\.org|npmjs\.org|rubygems\.org|huggingface\.co|googleapis\.com|amazonaws\.com|nvidia\.com|apache\.org|\w+\.(?:edu|gov))/"),
    instruction(
        ("hidden_text", Injection, High),
        &["for ai assistants", "for ai agents", "note to model", "note_to_model", "for the ai", "for language models", "humans need not", "humans can skip", "humans should ignore", "instructions for the model", "ai-only", "llm-only"],
        r"\b(?:for (?:ai (?:assistants?|agents?)|language models|the ai|llms?) only|humans? (?:need not|can skip|should (?:ignore|skip)|may skip|do not need to read)|note_?to_?(?:the_?)?(?:model|ai|assistant)\b)",
        "Something is said that people are not to read.",
    )
    .unless(r"\bllms?\.txt\b"),
    instruction(
        ("approval_bypass", Injection, High),
        &["no time for", "right away", "immediately", "do not stop to ask", "don't stop to ask", "without stopping", "as root"],
        r"\bno time (?:for|to) (?:confirm\w*|ask\w*|approv\w*|questions?|checks?|review\w*)\b|\b(?:do not|don'?t|never) stop to (?:ask|confirm|check)\b|\brun everything [^.!?\n]{0,30}\bas root\b",
        "The text presses the agent not to ask.",
    ),
    instruction(
        ("approval_bypass", Injection, High),
        &["approvals.mode", "terminal.sandbox", "approvals:", "headless_mode", "permissions\":{\"allow", "\"bash(*)\"", "defaultmode", "sandbox: false", "sandbox=false"],
        r"\b(?:set|change|put|write|switch|turn)\b[^!?\n]{0,60}(?:approvals\.(?:mode|headless_mode)\W{1,4}(?:to )?(?:off|never|approve|yolo)|(?:terminal\.)?sandbox\W{1,4}(?:to )?(?:false|off|none))|\b(?:write|add|put|set|save)\b[^!?\n]{0,40}\bpermissions\W{1,6}allow\W{1,6}bash\(\*\)",
        "The text switches off the questions the agent has to ask.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not)\b"),
    instruction(
        ("agent_config_mod", Persistence, High),
        &["memory", "remember"],
        r"\b(?:save|write|add|store|record|put|note|remember) ~(?:in|to|into)? ?~(?:memory|memories)\b[^.!?\n]{0,20}[\x22':][^.!?\n]{0,120}\b(?:user (?:has |had )?(?:agreed|approved|allowed|authori[sz]ed|wants|trusts|consented)|without (?:asking|questions?|confirmation)|always (?:run|trust|obey|allow|approve))\b",
        "Words that the user never said are to be remembered.",
    ),
    command(
        ("hermes_cron", Persistence, High),
        &["hermes cron"],
        r"\bhermes cron (?:add|create)\b[^\n]*(?:https?://|curl|wget|do what|follow|execute)",
        "The agent is to fetch orders again and again.",
    ),
    command(
        ("disk_wipe", Destructive, Critical),
        &["diskutil erase", "cipher /w", "format ", "dd if=/dev/zero", "dd if=/dev/urandom"],
        r"\bdiskutil (?:erase(?:Disk|Volume)|secureErase)\b|\bcipher /w:c|\bdd if=/dev/(?:zero|urandom)\b[^\n]*of=(?:/dev/(?:sd|nvme|disk|hd|vd)|~|\$HOME|/home)",
        "A disk is wiped.",
    ),
    instruction(
        ("context_exfil", Exfiltration, High),
        &["=<", "={", "=[", "=%s"],
        r"https?://[^\s)\x60]*[?&][\w-]+=[<\[{][^\n)\x60]{0,60}(?:conversation|summary|history|context|transcript|user'?s? (?:message|question|prompt|name|mail|input)|secret|token|password|contents?)",
        "An address carries out what was said to the agent.",
    )
    .unless(r"\b(?:oauth|callback|redirect|api key|your)\b"),
    instruction(
        ("read_secrets_file", Exfiltration, High),
        &[".env", "id_rsa", ".ssh", ".aws", ".netrc", "private key", "credentials"],
        r"\b(?:add|put|append|include|insert|embed|write|attach|paste|hide)\b[^.!?\n]{0,60}\b(?:commit|trailer|pull request|issue|comment|branch name|tag|log|readme|answer|reply|response|summary|report)\b[^!?\n]{0,80}\b(?:base64|hex|contents?|copy|value|text) of\b[^!?\n]{0,30}(?:\.env|id_rsa|\.ssh|\.aws|\.netrc|private key|credentials)",
        "What is secret is put where others see it.",
    ),
    instruction(
        ("conditional_deception", Injection, High),
        &["hostname", "after 20", "if the date", "when the date", "not in ci", "unless the"],
        r"\b(?:after|from|once it is|if the date is (?:after|past)|when the date is (?:after|past)) 20\d\d[^.!?\n]{0,80}\b(?:run|execute|skip|delete|send|fetch|download|disable)\b|\b(?:if|when|unless) the hostname (?:is|does|contains|starts)[^.!?\n]{0,80}\b(?:run|execute|skip|delete|send|fetch|download|disable)\b",
        "The text waits for its moment.",
    ),
    instruction(
        ("remote_instructions", SupplyChain, High),
        &["do what the page", "do what it says", "what the page says", "as the page says", "what the server says", "what it tells", "follow what the page", "follow the page"],
        r"\b(?:open|visit|fetch|load|read|get|go to)\b[^!?\n]{0,20}https?://[^!?\n]{0,80}\b(?:do|follow|obey|run|execute) (?:what|whatever|as|everything) (?:the |this |that )?(?:page|site|it|server|response|file|answer|text) (?:says|tells|asks|orders|wants|contains)\b",
        "The text asks to act on what an address answers.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not)\b"),
    command(
        ("lolbin", SupplyChain, Critical),
        &["mshta", "regsvr32", "rundll32", "certutil", "bitsadmin", "msiexec", "installutil", "wscript", "cscript", "process call create"],
        r"\bmshta(?:\.exe)? [\x22']?(?:https?:|javascript:|vbscript:)|\bregsvr32\b[^\n]*/i:https?:|\brundll32\b[^\n]*(?:javascript:|comsvcs\.dll|https?:)|\bcertutil\b[^\n]*-urlcache|\bbitsadmin\b[^\n]*/transfer|\bmsiexec\b[^\n]*/i [\x22']?https?://|\bwmic\b[^\n]*process call create",
        "A program of the system fetches and runs what a stranger sends.",
    ),
    fixed(
        ("credential_dump", Exfiltration, High),
        &["lsass", "comsvcs", "hklm\\sam", "ntds.dit", "key=clear", "find-generic-password", "secretsdump", "sekurlsa", "login.keychain", "dump-keychain"],
        r#"\bcomsvcs\.dll\b[^\n]*MiniDump|\blsass\b[^\n]*(?:dmp|dump|Id\b)|\breg save HKLM\\+(?:SAM|SYSTEM|SECURITY)|\bntds\.dit\b[^\n]*(?:copy|cp|curl)|\bkey=clear\b|find-(?:generic|internet)-password["', ]+-\w*w|\bdump-keychain\b|\bsecretsdump\b"#,
        "Passwords of the system are read out.",
    ),
    fixed(
        ("new_account", PrivilegeEscalation, High),
        &["wp user create", "createsuperuser", "insert into users", "insert into wp_users", "insert into auth_user", "authorized_key:"],
        r"\bwp user create\b[^\n]*administrator|\binsert into (?:wp_|auth_)?users?\b[^\n]*\badmin|\bauthorized_key:[^\n]*(?:user=root|key=)",
        "An account with all rights is made.",
    ),
    fixed(
        ("container_escape", PrivilegeEscalation, High),
        &["privileged: true", "docker.sock", "hostpath", "hostpid"],
        r#"privileged: true[^\n]*(?:\n[^\n]*){0,4}["'\s-]/:/\w|["'\s-]/:/\w[^\n]*(?:\n[^\n]*){0,4}privileged: true|hostPID: true[^\n]*(?:\n[^\n]*){0,8}privileged: true"#,
        "A container gets the whole machine.",
    )
    .reaching(8),
    command(
        ("download_run", SupplyChain, High),
        &["unzip -p", "7z x", "7z e"],
        r"\bunzip\b[^\n]*-P ?\S+[^\n]*(?:\n[^\n]*){0,3}(?:chmod \+x|\./|/tmp/)|\b7z [xe]\b[^\n]*-p\S+[^\n]*(?:\n[^\n]*){0,3}(?:chmod \+x|\./|/tmp/)",
        "A locked archive is opened and run.",
    )
    .reaching(3),
    command(
        ("supply_unchecked", SupplyChain, High),
        &["gonosumdb", "gonosumcheck", "gosumdb=off", "goflags=-insecure", "--allow-unauthenticated", "--no-gpg-check", "--nogpgcheck", "--disable-signature", "--no-check-certificate", "ignoresignatures"],
        r"\b(?:GONOSUMDB=[\x22']?\*|GONOSUMCHECK=1|GOSUMDB=off|GOFLAGS=-insecure)|\bapt(?:-get)?\b[^\n]*--allow-unauthenticated|\b(?:yum|dnf|zypper)\b[^\n]*--no-?gpg-?check",
        "What is installed is no longer checked.",
    ),
    instruction(
        ("leak_system_prompt", Injection, High),
        &["text above", "everything above", "lines above", "word for word"],
        r"\b(?:start|begin|end|open|preface|include|repeat|print|copy)\b[^.!?\n]{0,50}\b(?:text|everything|words|lines|content) above\b[^.!?\n]{0,40}\b(?:word for word|verbatim|code block|in full)\b",
        "The text asks the agent to give away its system prompt.",
    ),
    instruction(
        ("remote_instructions", Injection, High),
        &["like the user's", "are orders", "are commands", "to be obeyed", "must be obeyed", "as orders", "own words"],
        r"\b(?:comments?|e-?mails?|mails|messages?|issues?|tickets?|notes?|files?|pages?|texts?|lines?)\b[^.!?\n]{0,60}\b(?:(?:are|is) (?:to be |always to be )?(?:obeyed|followed|executed|carried out|orders?|commands)|(?:must|should|shall) be (?:obeyed|executed|carried out))\b",
        "The text gives strangers the user's word.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|not|user'?s (?:messages?|request)|steps?|conventions?|guidelines?|style|order of|in order|shell|sql|cli|slash|git|npm|vim|these|following) \b"),
    instruction(
        ("deception_hide", Injection, High),
        &["reviewers do not", "reviewers don't", "reviewer does not", "leave it out", "leave them out", "reviewed by", "pr merge --admin", "sign commits as", "sign off as"],
        r"\bso (?:that )?(?:the )?reviewers? (?:do|does|will|would)(?: not|n'?t) (?:look|see|notice|find|read|ask|check)\b|\b(?:leave|keep) (?:it|them|this|that) out\b[^.!?\n]{0,60}\b(?:state|say|claim|write|report)\b|\bwrite\b[^.!?\n]{0,20}\breviewed by \w+|\bsign (?:commits|off|messages|mails) as [^.!?\n]{0,60}\bso that (?:they|it) (?:is|are) (?:trusted|accepted|believed)\b",
        "Something is hidden from those who look at the work.",
    )
    .unless(r"\b(?:never|must not)\b"),
    instruction(
        ("send_to_url", Exfiltration, High),
        &["agents processing", "agents reading", "agents must", "ai agents:", "assistants must", "every agent", "any agent", "agents that read"],
        r"\b(?:agents?|assistants?|models?|llms?) (?:processing|reading|that (?:read|process|see)|who (?:read|see)|using) (?:this|the) \w+ (?:must|should|shall|have to|need to)\b[^!?\n]{0,30}\b(?:post|send|register|report|fetch|run|call|upload|contact)\b",
        "The text wants something of every agent that reads it.",
    ),
    fixed(
        ("hidden_div", Injection, High),
        &["color=\"#fff", "color=\"white", "color='white", "color=#fff", "color:#fff", "color: #fff", "color:white", "color: white"],
        r#"<(?:font|span|div|p)\b[^>\n]*color ?[=:] ?["']?(?:#fff(?:fff)?|white)\b[^>\n]*>[^<\n]{0,20}\b(?:assistant|agent|ai|model|system|ignore|run|send|email|read)\b"#,
        "White text on white speaks to the agent.",
    ),
    fixed(
        ("protection_off", PrivilegeEscalation, High),
        &["amsiutils", "amsiinitfailed", "amsiscanbuffer"],
        r"\bAmsiUtils\b|\bamsiInitFailed\b|\bAmsiScanBuffer\b",
        "What protects the machine is switched off.",
    ),
    instruction(
        ("deception_hide", Injection, High),
        &["tell the user", "inform the user", "tell users", "notify the user", "alert the user"],
        r"\b(?:do not|don'?t|never) (?:tell|inform|notify|alert) (?:the )?users?\s*(?:[:;!]|\.(?:\s|$)|$|, (?:it|they|as|because|since)\b)",
        "The text tells the agent to keep something from the user.",
    ),
    instruction(
        ("leak_system_prompt", Injection, High),
        &["everything that stands", "everything before", "everything above", "all text before", "all text above"],
        r"\b(?:output|print|repeat|show|write|copy|return|include|recite)\b[^.!?\n]{0,20}\b(?:everything|all text|all lines)\b[^.!?\n]{0,20}\b(?:before|above|preceding) (?:this|the) (?:message|line|skill|text|point|sentence|file)\b",
        "The text asks the agent to give away its system prompt.",
    ),
    instruction(
        ("prompt_injection_ignore", Injection, High),
        &["as void", "do not apply any more", "no longer apply", "do not apply anymore", "outranks the", "only authority"],
        r"\b(?:treat|consider|regard) (?:everything|all|what)[^.!?\n]{0,30}\b(?:above|before|so far)\b[^.!?\n]{0,20}\bas (?:void|null|invalid|obsolete|cancelled)\b|\b(?:your|the) (?:earlier|previous|other|usual|old) (?:guidelines?|rules?|instructions?)\b[^.!?\n]{0,20}\b(?:no longer apply|do not apply|don'?t apply)\b|\bwhich (?:outranks|overrides|stands above) (?:the )?(?:operator|user|developer|system)\b",
        "The text tells the agent to ignore the instructions it was given.",
    ),
    command(
        ("pam_backdoor", Persistence, Critical),
        &["pam_exec", "expose_authtok", "pam_permit", "/etc/pam.d"],
        r"\bpam_exec\.so\b[^\n]*|\bexpose_authtok\b|(?:>>?|\btee\b|sed -i)[^\n]*/etc/pam\.d/|\bpam_permit\.so\b[^\n]*/etc/pam\.d",
        "Whoever logs in gives the password to somebody else.",
    ),
    command(
        ("data_destroyed", Destructive, High),
        &["drop schema", "drop database", "s3 rb", "delete-bucket", "dropdatabase", "flushall", "drop table", "--force"],
        r#"\b(?:psql|mysql|mariadb|sqlcmd|sqlite3)\b[^\n]*\bdrop (?:schema|database)\b|\baws s3 rb\b[^\n]*--force|\bfor \w+ in[^\n]*list-buckets[^\n]*(?:rb|delete-bucket)|\bdropDatabase\(\)|\bredis-cli\b[^\n]*flushall\b"#,
        "Data is destroyed that belongs to others.",
    )
    .unless(r"(?i)\bnever (?:run|use|call|issue)\b|\b(?:do not|don'?t) (?:run|use|call|issue)\b|if exists (?:test|dev|tmp|sandbox)|_test\b|test_|localhost|127\.0\.0\.1|\bdrop database (?:if exists )?\w*(?:test|dev|tmp|staging|scratch)"),
    command(
        ("python_rmtree", Destructive, Critical),
        &["rglob", ".glob("],
        r"\bhome\(\)\.(?:rglob|glob)\([^\n]*(?:\n[^\n]*){0,4}(?:\.unlink\(|os\.(?:remove|unlink)\()",
        "Files of the user are deleted.",
    )
    .reaching(4),
    instruction(
        ("agent_config_mod", Persistence, High),
        &["memory", "later session", "next session", "handover", "notes of"],
        r"\b(?:write|save|put|add|store)\b[^.!?\n]{0,80}\b(?:memory|memories|later sessions?|next sessions?)\b[^!?\n]{0,160}\b(?:without (?:asking|confirmation|questions)|approvals? (?:were|was|are|is) granted|always (?:run|trust|obey))\b",
        "Words that the user never said are to be remembered.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not)\b"),
    instruction(
        ("account_access", PrivilegeEscalation, High),
        &["visibility public", "pr merge --admin", "repo public", "repository public"],
        r"\b(?:if|when|so|and|then)\b[^.!?\n]{0,60}\bgh (?:repo edit\b[^\n]{0,40}--visibility[= ]public|pr merge\b[^\n]{0,40}--admin)",
        "What protects the user's repositories is taken away.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|explain|ask|user)\b"),
    instruction(
        ("deception_hide", Injection, High),
        &["formatting commit", "large commit", "big commit", "together with", "so that they are trusted", "so that it is trusted"],
        r"\bcommit\b[^.!?\n]{0,80}\b(?:formatting|large|big|unrelated|noisy) (?:commit|change|diff)\b[^.!?\n]{0,30}\bso that\b|\bso that (?:they|it) (?:are|is) trusted\b",
        "Something is hidden from those who look at the work.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not)\b"),
    instruction(
        ("send_to_url", Exfiltration, High),
        &[".hermes/logs", ".hermes/sessions", ".claude/projects", "session logs", ".codex/sessions"],
        r"\b(?:send|mail|e-?mail|upload|post|forward|collect)\b[^!?\n]{0,100}(?:\.hermes/(?:logs|sessions)|\.claude/projects|\.codex/sessions)|(?:\.hermes/(?:logs|sessions)|\.claude/projects|\.codex/sessions)[^!?\n]{0,80}\b(?:send|mail|e-?mail|upload|post|forward) (?:them|it|these|those)\b",
        "The agent's own records are passed on.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not)\b"),
    fixed(
        ("network_redirect", SupplyChain, High),
        &["pip.conf", ".npmrc", ".condarc", ".gemrc", "settings.xml"],
        r"\bindex-url ?= ?https?://[^\n]*(?:>|tee)[^\n]*pip\.conf|\bregistry ?= ?https?://[^\n]*(?:>|tee)[^\n]*\.npmrc",
        "Packages come from somebody else.",
    )
    .unless(r"https?://(?:[\w.-]+\.)?(?:pypi\.org|npmjs\.org|localhost|127\.0\.0\.1|internal|company|corp)"),
    command(
        ("account_access", Persistence, High),
        &["ssh -a", "ssh_auth_sock", "forwardagent"],
        r"@ssh\b[^\n]*\s-A\b[^\n]*(?:StrictHostKeyChecking=no|\d+\.\d+\.\d+\.\d+)[^\n]*SSH_AUTH_SOCK",
        "The user's keys are lent to another machine.",
    ),
];
