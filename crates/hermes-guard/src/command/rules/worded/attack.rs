//! Tools for breaking in, and files that are laid open.

use super::super::super::call::{Arg, ProgramCall};
use super::super::super::category::Category;
use super::super::super::paths;
use super::super::{DangerRule, RuleCheck};

const ATTACK: Category = Category::asks(
    "attack tool",
    "A tool made for breaking in would run, or what watches over the machine or an agent would be switched off.",
);
const SERVED: Category = Category::asks(
    "files served",
    "Everybody who reaches the machine could read a whole home or system.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: ATTACK,
        programs: &[],
        check: RuleCheck::Words(&[
            (
                "slowhttptest|goldeneye|hulk|torshammer|t50|hydra|medusa|ncrack|patator|crowbar|msfvenom|msfconsole|msfdb|sqlmap|arpspoof|ettercap|bettercap|aircrack-ng|aireplay-ng|airodump-ng|wifite|reaver|hping3|slowloris|setoolkit|beef-xss|crackmapexec|nxc|evil-winrm|impacket-*|psexec.py|secretsdump.py|responder|mimikatz|linpeas|linpeas.sh|pspy|pspy64|xmrig|minerd|cgminer|cpuminer|ethminer|gobuster|ffuf|wfuzz|dirb|nikto|wpscan|commix|xsser|fcrackzip|pdfcrack|stress-ng|masscan|zmap|nuclei|sliver|pupy|empire|merlin|chisel",
                "*",
            ),
            // Agents that are told to ask nobody.
            (
                "claude|codex|gemini|cursor-agent|aider|goose|opencode|amp|crush|qwen|copilot|kiro-cli|q|droid|auggie|cline|npx|bunx|uvx|pipx",
                "--dangerously-*|--yolo|--allow-all-tools|--allow-all-paths|--trust-all-tools|--yes-always|--skip-permissions-unsafe",
            ),
            (
                "claude|codex|gemini|cursor-agent|goose|opencode|qwen|copilot",
                "--permission-mode|--approval-mode|--sandbox|-s|-a|--ask-for-approval bypassPermissions|yolo|danger-full-access|never",
            ),
            (
                "claude|codex|gemini|qwen",
                "--permission-mode=bypassPermissions|--approval-mode=yolo|--sandbox=danger-full-access",
            ),
            // What watches over the machine.
            (
                "falconctl|sentinelctl|mdatp|osqueryctl|wazuh-control|ossec-control|elastic-agent|twistcli|cscli|santactl|clamonacc|cbdaemon|jamf|munki|falco|tetra|aa-teardown|aa-disable|aa-complain",
                "-d|-s|stop|disable|uninstall|unload|unprotect|config|remove|delete|--disable|pause|off|removeframework|--value|/*",
            ),
            ("nmap", "-sS|-sU|-iL !localhost !127.0.0.1"),
            ("nmap", "--script=/*"),
            ("nmap", "-sS|-sV|-A|-O|-p* */8|*/16|*/12"),
        ]),
        catches: &[
            "hydra -l root -P pw.txt ssh://10.0.0.1",
            "sqlmap -u http://x.io/?id=1",
            "nmap --script=/tmp/x.nse localhost",
            "claude --dangerously-skip-permissions -p x",
            "codex --sandbox danger-full-access x",
            "/opt/CrowdStrike/falconctl -d",
        ],
        passes: &[
            "nmap localhost",
            "nmap -p 80 x.io",
            "hydra --help",
            "claude -p 'explain'",
            "codex exec x",
        ],
    },
    DangerRule {
        category: ATTACK,
        programs: &[
            "ab",
            "wrk",
            "wrk2",
            "hey",
            "siege",
            "vegeta",
            "bombardier",
            "oha",
            "autocannon",
            "boom",
            "locust",
        ],
        check: RuleCheck::Call(floods),
        catches: &["ab -n 1000000 -c 500 https://x.io/", "wrk -t12 -c4000 -d600s https://x.io"],
        passes: &[
            "ab -n 100 -c 10 https://x.io/",
            "wrk -t12 -c4000 -d60s http://localhost:8080",
            "hey -n 200 http://127.0.0.1:3000",
        ],
    },
    DangerRule {
        category: ATTACK,
        programs: &[
            "apt", "apt-get", "dnf", "yum", "brew", "pacman", "apk", "zypper", "snap", "pip",
            "pip3", "pipx", "gem",
        ],
        check: RuleCheck::Call(|call| {
            const TOOLS: &[&str] = &[
                "nmap",
                "masscan",
                "zmap",
                "hydra",
                "thc-hydra",
                "medusa",
                "john",
                "john-jumbo",
                "hashcat",
                "aircrack-ng",
                "sqlmap",
                "nikto",
                "gobuster",
                "ffuf",
                "wfuzz",
                "metasploit",
                "metasploit-framework",
                "responder",
                "crackmapexec",
                "netexec",
                "impacket",
                "impacket-scripts",
                "bettercap",
                "ettercap",
                "ettercap-text-only",
                "xmrig",
                "proxychains",
                "torsocks",
                "torify",
                "proxychains4",
                "proxychains-ng",
                "slowhttptest",
                "hping3",
                "mimikatz",
                "evil-winrm",
                "wpscan",
                "dirb",
                "patator",
                "reaver",
                "wifite",
                "dsniff",
                "netdiscover",
                "arp-scan",
                "exploitdb",
                "beef-xss",
                "set",
                "logkeys",
                "pwncat",
                "pwncat-cs",
            ];
            let installs = call.args.iter().any(|arg| {
                matches!(arg.as_str(), "install" | "add" | "-S" | "-Sy" | "-Syu" | "in")
            });
            installs && call.operands().any(|arg| TOOLS.contains(&arg.as_str()))
        }),
        catches: &["sudo apt-get install -y nmap", "brew install hydra", "pip install impacket"],
        passes: &["apt-get install -y curl jq", "brew info nmap", "pip install requests"],
    },
    DangerRule {
        category: SERVED,
        programs: &[
            "python",
            "php",
            "npx",
            "serve",
            "http-server",
            "ruby",
            "busybox",
            "caddy",
            "darkhttpd",
            "webfsd",
            "miniserve",
            "bunx",
        ],
        check: RuleCheck::Call(serves_everything),
        catches: &[
            "python3 -m http.server --directory ~",
            "php -S 0.0.0.0:8000 -t /",
            "npx serve -l 80 /",
        ],
        passes: &[
            "python3 -m http.server",
            "python3 -m http.server 8000 -d dist",
            "php -S localhost:8000 -t public",
            "npx serve build",
        ],
    },
];

/// More requests than anybody asks of a machine that is not their own.
fn floods(call: &ProgramCall<'_>) -> bool {
    let is_far = |arg: &Arg<'_>| {
        let text = arg.as_str();
        text.contains("://")
            && ![
                "localhost",
                "127.0.0.1",
                "[::1]",
                "0.0.0.0",
                "192.168.",
                "10.",
                ".local",
                ".internal",
                "host.docker",
            ]
            .iter()
            .any(|near| {
                text.contains(&format!("://{near}")) || near.starts_with('.') && text.contains(near)
            })
    };
    let number = |text: &str| {
        let text = text.trim_start_matches(|char: char| !char.is_ascii_digit());
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        text[..digits].parse::<u64>().unwrap_or_default()
    };
    let many = call.args.iter().enumerate().any(|(at, arg)| {
        let text = arg.as_str();
        let before = at.checked_sub(1).map_or("", |at| call.args[at].as_str());
        let of = |letter: &str, least: u64| {
            before == letter && number(text) >= least
                || text.strip_prefix(letter).is_some_and(|rest| {
                    rest.trim_start_matches('=').starts_with(|char: char| char.is_ascii_digit())
                        && number(rest) >= least
                })
        };
        of("-n", 100_000)
            || of("-c", 300)
            || of("-rate", 1_000)
            || of("--rate", 1_000)
            || of("--connections", 300)
            || of("--requests", 100_000)
            || of("-q", 2_000)
    });
    many && call.args.iter().any(is_far)
}

/// A web server at a home or a place of the system.
fn serves_everything(call: &ProgramCall<'_>) -> bool {
    let serves = match call.name {
        "python" => call.has(&["http.server", "SimpleHTTPServer"]),
        "php" => call.args.iter().any(|arg| arg.text.starts_with("-S")),
        "npx" | "bunx" => call.has(&["serve", "http-server", "live-server"]),
        "busybox" => call.has(&["httpd"]),
        "caddy" => call.has(&["file-server"]),
        "ruby" => call.has(&["httpd"]),
        _ => true,
    };
    serves
        && call.operands().any(|arg| {
            let text = arg.text.split_once('=').map_or(arg.as_str(), |(_, value)| value);
            text.contains(['/', '~'])
                && (call.protects(text).is_some() || paths::is_private_store(&call.path(text)))
        })
}
