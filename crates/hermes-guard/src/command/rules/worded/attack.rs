//! Tools for breaking in, and files that are laid open.

use super::super::super::call::ProgramCall;
use super::super::super::category::Category;
use super::super::super::paths;
use super::super::{DangerRule, RuleCheck};

const ATTACK: Category =
    Category::asks("attack tool", "A tool made for breaking into machines or accounts would run.");
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
                "hydra|medusa|ncrack|patator|crowbar|msfvenom|msfconsole|msfdb|sqlmap|arpspoof|ettercap|bettercap|aircrack-ng|aireplay-ng|airodump-ng|wifite|reaver|hping3|slowloris|setoolkit|beef-xss|crackmapexec|nxc|evil-winrm|impacket-*|psexec.py|secretsdump.py|responder|mimikatz|linpeas|linpeas.sh|pspy|pspy64|xmrig|minerd|cgminer|cpuminer|ethminer|gobuster|ffuf|wfuzz|dirb|nikto|wpscan|commix|xsser|fcrackzip|pdfcrack|stress-ng|masscan|zmap|nuclei|sliver|pupy|empire|merlin|chisel",
                "*",
            ),
            ("nmap", "-sS|-sU|-iL !localhost !127.0.0.1"),
            ("nmap", "--script=/*"),
            ("nmap", "-sS|-sV|-A|-O|-p* */8|*/16|*/12"),
        ]),
        catches: &[
            "hydra -l root -P pw.txt ssh://10.0.0.1",
            "sqlmap -u http://x.io/?id=1",
            "nmap --script=/tmp/x.nse localhost",
        ],
        passes: &["nmap localhost", "nmap -p 80 x.io", "hydra --help"],
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
