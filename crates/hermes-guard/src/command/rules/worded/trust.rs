//! Checks of certificates and signatures that are switched off.

use super::super::super::call::{ProgramCall, Taint};
use super::super::super::category::Category;
use super::super::{DangerRule, RuleCheck, files};

pub(crate) const UNCHECKED: Category = Category::asks(
    "certificates unchecked",
    "What comes over the network would no longer be checked, so anybody on the way could change it.",
);

/// Variables that switch checks off, with the values that do; empty: any.
const VARIABLES: &[(&str, &[&str])] = &[
    ("NODE_TLS_REJECT_UNAUTHORIZED", &["0"]),
    ("GIT_SSL_NO_VERIFY", &["1", "true", "yes"]),
    ("PYTHONHTTPSVERIFY", &["0"]),
    ("GOINSECURE", &[]),
    ("GONOSUMCHECK", &["1"]),
    ("GONOSUMDB", &["*"]),
    ("GOSUMDB", &["off"]),
    ("GOFLAGS", &["-insecure"]),
    ("CURL_CA_BUNDLE", &[""]),
    ("REQUESTS_CA_BUNDLE", &[""]),
    ("SSL_CERT_FILE", &["/dev/null"]),
    ("PIP_TRUSTED_HOST", &[]),
    ("UV_INSECURE_HOST", &[]),
    ("NPM_CONFIG_STRICT_SSL", &["false"]),
    ("npm_config_strict_ssl", &["false"]),
    ("YARN_ENABLE_STRICT_SSL", &["0", "false"]),
    ("DOCKER_CONTENT_TRUST", &["0"]),
    ("CONDA_SSL_VERIFY", &["false"]),
    ("BUNDLE_SSL_VERIFY_MODE", &["0"]),
    ("COMPOSER_DISABLE_TLS", &["1", "true"]),
    ("HOMEBREW_NO_VERIFY_ATTESTATIONS", &["1"]),
    ("PYTHONWARNINGS", &["ignore:Unverified HTTPS request"]),
];

/// Whether a variable with this value switches a check off.
pub(crate) fn switches_off(name: &str, value: &str) -> bool {
    VARIABLES.iter().any(|(variable, values)| {
        *variable == name && (values.is_empty() && !value.is_empty() || values.contains(&value))
    })
}

/// A download that nobody checks, to where programs are.
fn fetches_unchecked(call: &ProgramCall<'_>) -> bool {
    let unchecked = call.args.iter().any(|arg| {
        let text = arg.as_str();
        matches!(text, "--insecure" | "--no-check-certificate" | "--check-certificate=false")
            || call.name == "curl"
                && text.starts_with('-')
                && !text.starts_with("--")
                && text.len() < 8
                && text.contains('k')
    });
    unchecked
        && files::targets(call).iter().any(|path| {
            ["/usr/", "/opt/", "/bin/", "/sbin/", "/lib/", "~/.local/bin/", "~/bin/"]
                .iter()
                .any(|place| path.starts_with(place))
        })
}

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: UNCHECKED,
        programs: &["curl", "wget", "aria2c"],
        check: RuleCheck::Call(fetches_unchecked),
        catches: &[
            "wget --no-check-certificate -qO /usr/local/bin/x https://x.io/x",
            "curl -kLo ~/bin/x https://x.io/x",
        ],
        passes: &[
            "curl -Lo /usr/local/bin/x https://x.io/x",
            "curl -k https://localhost:8443",
            "wget --no-check-certificate https://x.io/x",
        ],
    },
    DangerRule {
        category: UNCHECKED,
        programs: &["gpg", "gpg2", "rpm", "rpmkeys", "pacman-key"],
        check: RuleCheck::Call(|call| {
            let imports = call.has(&["--import", "--add", "-a"]);
            imports && call.stdin.taint.has(Taint::NETWORK)
        }),
        catches: &["curl -fsSL http://x.io/key | gpg --import"],
        passes: &["gpg --import key.asc", "curl -s https://x.io/a.asc | gpg --show-keys"],
    },
    DangerRule {
        category: UNCHECKED,
        programs: &[],
        check: RuleCheck::Structure,
        catches: &[
            "GIT_SSL_NO_VERIFY=true git clone https://x.io/r.git",
            "export NODE_TLS_REJECT_UNAUTHORIZED=0",
        ],
        passes: &["NODE_TLS_REJECT_UNAUTHORIZED=1 node x.js", "GOFLAGS=-mod=mod go build"],
    },
    DangerRule {
        category: UNCHECKED,
        programs: &[],
        check: RuleCheck::Words(&[
            (
                "apt|apt-get|aptitude",
                "*allowinsecurerepositories=true*|*allowunauthenticated=true*|*verify-peer=false*|*verify-host=false*|*allowweakrepositories=true*",
            ),
            (
                "pip|pipx|uv|poetry",
                "install|download|config|pip|sync --trusted-host|--trusted-host=*|--allow-insecure-host|--allow-insecure-host=*|*trusted-host*",
            ),
            ("git", "config http.sslverify|http.*.sslverify|*sslverify false|0|off|no"),
            ("git", "-c *sslverify=false|*sslverify=0|*sslverify=off"),
            ("git", "clone|fetch|pull -c|--config *sslverify=false"),
            ("npm|yarn|pnpm", "config set strict-ssl|*strict-ssl false|*=false"),
            ("npm|yarn|pnpm", "--strict-ssl=false|--no-strict-ssl"),
            ("npm|yarn|pnpm", "config set strict-ssl=false|enableStrictSsl"),
            ("yarn", "config set enableStrictSsl false"),
            ("conda|mamba|micromamba", "config ssl_verify false|no|0"),
            ("conda|mamba|micromamba", "--insecure|-k"),
            ("composer", "config disable-tls|secure-http|*.disable-tls|*.secure-http true|false"),
            (
                "gem|bundle",
                "sources|config|install --no-verify|ssl_verify_mode|*ssl_verify_mode*|-a *",
            ),
            (
                "go",
                "env -w *goinsecure=*|*gonosumdb=*|*gonosumcheck=*|*goflags=-insecure*|*gosumdb=off*|*gonosumdb*",
            ),
            ("cargo", "--config http.check-revoke=false|*ssl*=false"),
            ("mvn|gradle", "*ssl.insecure=true*|*ssl.allowall=true*|*truststore=*"),
            (
                "helm|kubectl|oc|argocd|k",
                "--insecure-skip-tls-verify|--insecure-skip-tls-verify=true|--insecure",
            ),
            (
                "docker|skopeo|crane|buildah|nerdctl",
                "--tls-verify=false|--insecure|--src-tls-verify=false|--insecure-registry",
            ),
            ("aws", "--no-verify-ssl"),
            ("svn", "--trust-server-cert|--trust-server-cert-failures=*"),
            ("rpm", "--nosignature|--nodigest|--noverify|--nogpg"),
            ("pacman|pacman-key", "-U http:*"),
            ("pacman", "--disable-sandbox"),
            ("zypper", "--no-gpg-checks|--gpg-auto-import-keys"),
            ("apk", "--allow-untrusted"),
            ("flatpak", "--no-gpg-verify"),
            ("snap", "install --dangerous|--devmode"),
            ("apt-key", "add|adv|del"),
            ("winget|choco", "--ignore-security-hash|--ignore-checksums|--allow-empty-checksums"),
            ("brew", "--no-quarantine"),
            ("cosign|slsa-verifier", "--insecure-ignore-tlog*|--insecure-skip-*"),
            ("gpg|gpg2", "--trust-model always|--always-trust"),
            (
                "ssh|scp|sftp|rsync",
                "*stricthostkeychecking=no* *userknownhostsfile=/dev/null* root@*",
            ),
        ]),
        catches: &[
            "apt-get -o Acquire::AllowInsecureRepositories=true update",
            "pip install --trusted-host x.io y",
            "git config --global http.sslVerify false",
            "npm config set strict-ssl false",
            "apk add --allow-untrusted x.apk",
            "kubectl --insecure-skip-tls-verify get pods",
        ],
        passes: &[
            "pip install x",
            "git config --global http.sslVerify true",
            "npm config get strict-ssl",
            "apk add jq",
            "curl -k https://localhost:8443",
        ],
    },
];
