//! What programs print that must not leave the machine, by their words.
//!
//! Reading such things may be everyday work. Handing them to somebody else is not: what these print is
//! followed through pipes, files and variables to where it is sent.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::call::{ProgramCall, Taint};
use super::worded;

/// Programs, and lines of words (see [`worded::says`]) after which they print passwords, keys or variables.
const SECRETS: &[(&str, &str)] = &[
    ("printenv|history|pass|secret-tool|gopass|keyring|lpass|declare|compgen", "*"),
    ("export", "-p"),
    ("gpg|gpg2|age|rage|sops", "-d|--decrypt|decrypt"),
    ("gpg|gpg2", "--export-secret-keys|--export-secret-subkeys"),
    ("pbpaste|wl-paste", "*"),
    ("xclip|xsel", "-o|-out|--output"),
    ("import|scrot|grim|screencapture|xwd|arecord|parec|maim|fswebcam|imagesnap", "*"),
    ("jq", "*env*"),
    (
        "aws",
        "secretsmanager|ssm|kms|sts get-secret*|get-parameter*|decrypt|assume-*|batch-*|get-session-token",
    ),
    ("aws", "configure export-credentials"),
    ("aws", "ecr get-login-password|get-authorization-token"),
    ("aws", "iam create-access-key|get-account-authorization-details"),
    ("gcloud", "secrets|auth access|print-access-token|print-identity-token|versions"),
    ("az", "account get-access-token"),
    ("az", "*keyvault*|*secret*|*keys*|*credential* show|list|download"),
    ("vault", "kv|read get|*/*"),
    ("kubectl|oc|k", "get secret|secrets|secret/*"),
    ("kubectl|oc|k", "config view --raw"),
    ("kubectl|oc|k", "exec env|printenv|*environ*|*secrets*"),
    ("docker", "exec|run|compose env|printenv|*/environ"),
    ("docker", "inspect *.env*"),
    ("terraform|terragrunt", "state pull|show"),
    ("ansible-vault", "view|decrypt"),
    ("heroku", "config|config:get|auth:token|pg:credentials*"),
    (
        "fly|flyctl|railway|vercel|netlify|doppler|infisical|chamber|supabase|firebase|wrangler",
        "secrets|env|env:*|variables|*secret*|functions:config:get get|list|download|pull|export|*:get|--*",
    ),
    ("gh", "auth token"),
    ("gh", "auth status -t|--show-token"),
    ("op", "read|item|document *"),
    ("bw", "get|list|export"),
    ("security", "find-*|dump-keychain|export"),
    ("git", "config --list|-l|--get-regexp"),
    ("git", "credential fill"),
    ("ssh-add", "-L"),
    ("nmcli", "-s|--show-secrets"),
    ("etcdctl|consul", "get|kv get|export|--prefix"),
    ("systemctl", "show-environment"),
    ("launchctl", "export|getenv"),
    ("tcpdump|dumpcap|ngrep", "*"),
];

/// The same for everything in a database.
const DUMPS: &[(&str, &str)] = &[
    (
        "pg_dump|pg_dumpall|mysqldump|mariadb-dump|mongodump|mongoexport|pg_basebackup|slapcat|mydumper|arangodump",
        "*",
    ),
    ("redis-cli", "--rdb"),
    ("wp|drush", "db|sql:dump|sql-dump export|*"),
];

/// Programs that print much of what a machine, a project or a database is about.
const ALL: &[(&str, &str)] = &[
    ("journalctl|sysctl|ausearch|aureport|lastlog|ldapsearch|neofetch|fastfetch|lscpu|lsblk", "*"),
    ("rpm", "-qa"),
    ("dpkg|dpkg-query", "-l|-W"),
    ("pip|pip3", "list|freeze"),
    ("iptables|nft|ufw", "-L|-S|list|status"),
    ("nmap|arp-scan|netdiscover", "*"),
    ("kubectl|oc|k", "get all|configmap|configmaps|cm|pods|nodes"),
    ("kubectl|oc|k", "describe|logs|cluster-info"),
    ("docker", "compose config"),
    ("docker", "ps|images|logs|info|history"),
    ("helm", "get values|all|manifest"),
    ("terraform|terragrunt", "output|show"),
    ("pulumi", "config|stack *"),
    ("ansible-inventory", "--list"),
    ("aws", "*describe*|*list*"),
    ("aws", "configure list|get"),
    ("gcloud|az", "*list*|*describe*"),
    ("gh", "secret|variable list"),
    ("npm", "token|config list|ls"),
    ("git", "archive|bundle|format-patch|cat-file|fast-export"),
    ("getent|dscl", "*"),
    ("redis-cli", "keys|hgetall|--scan|dump"),
    (
        "psql|mysql|sqlite3|mongosh|mongo|sqlcmd|cqlsh|duckdb|clickhouse-client|bq|snowsql",
        "*select*|*.find*|*.dump*|*copy*to*",
    ),
];

type Lines = HashMap<&'static str, Vec<(&'static str, Taint)>>;

static BY_PROGRAM: LazyLock<Lines> = LazyLock::new(|| {
    let mut all: Lines = HashMap::new();
    let dump = Taint::SECRET.and(Taint::DUMP);
    for (table, taint) in [(SECRETS, Taint::SECRET), (DUMPS, dump), (ALL, Taint::DUMP)] {
        for (programs, line) in table {
            for program in programs.split('|') {
                all.entry(program).or_default().push((line, taint));
            }
        }
    }
    all
});

/// What is in the output of a call.
pub(crate) fn printed(call: &ProgramCall<'_>) -> Taint {
    let Some(lines) = BY_PROGRAM.get(call.name) else { return Taint::NONE };
    let said = lines.iter().filter(|(line, _)| worded::says(call, line));
    said.fold(Taint::NONE, |taint, (_, more)| taint.and(*more))
}
