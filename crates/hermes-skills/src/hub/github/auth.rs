//! Who we are to GitHub: a token of the environment, of the `gh` program, of an App, or nobody.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hermes_process::Command;
use hermes_tool::Vars;
use hermes_web::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use hermes_web::{FetchRequest, Method};
use serde_json::json;
use tokio::sync::Mutex;

use super::GITHUB;
use crate::hub::error::HubError;
use crate::hub::http::{HubHttp, RateLimitWait, parse};

/// How long `gh` may take.
const GH_TIME: Duration = Duration::from_secs(5);
/// How long a token of an App is used; it lives an hour.
const APP_KEPT: Duration = Duration::from_secs(3500);

/// How we are logged in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitHubLogin {
    /// `GITHUB_TOKEN` or `GH_TOKEN`.
    Variable,
    /// The `gh` program.
    GhProgram,
    /// A GitHub App.
    App,
    /// Not at all: 60 requests an hour.
    Anonymous,
}

impl GitHubLogin {
    /// The word in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Variable => "pat",
            Self::GhProgram => "gh-cli",
            Self::App => "github-app",
            Self::Anonymous => "anonymous",
        }
    }
}

/// How we would be logged in, as far as variables and the search path say: nothing is started or asked.
#[must_use]
pub fn configured_login(vars: &Vars) -> GitHubLogin {
    let given = |name: &str| vars.non_blank(name).is_some();
    let has_gh = || {
        let path = vars.get("PATH").unwrap_or_default();
        std::env::split_paths(path).any(|folder| folder.join("gh").is_file())
    };
    match () {
        () if given("GITHUB_TOKEN") || given("GH_TOKEN") => GitHubLogin::Variable,
        () if has_gh() => GitHubLogin::GhProgram,
        () if given("GITHUB_APP_ID") && given("GITHUB_APP_PRIVATE_KEY_PATH") => GitHubLogin::App,
        () => GitHubLogin::Anonymous,
    }
}

struct AppKey {
    id: String,
    installation: String,
    key_file: PathBuf,
}

/// Finds a token when one is first needed, and keeps it.
pub struct GitHubAuth {
    variable: Option<String>,
    app: Option<AppKey>,
    gh: GhProgram,
    found: Mutex<Option<(Option<String>, GitHubLogin, Instant)>>,
}

/// How the `gh` program is started.
struct GhProgram {
    variables: Vec<(String, String)>,
}

impl GitHubAuth {
    /// From the variables.
    #[must_use]
    pub fn new(vars: &Vars) -> Self {
        let text = |name: &str| vars.non_blank(name).map(|value| value.trim().to_owned());
        let app = || {
            Some(AppKey {
                id: text("GITHUB_APP_ID")?,
                installation: text("GITHUB_APP_INSTALLATION_ID")?,
                key_file: text("GITHUB_APP_PRIVATE_KEY_PATH")?.into(),
            })
        };
        // What `gh` needs to find its own login, and nothing else of ours.
        const NEEDED: [&str; 9] = [
            "PATH",
            "HOME",
            "XDG_CONFIG_HOME",
            "GH_CONFIG_DIR",
            "GH_HOST",
            "DBUS_SESSION_BUS_ADDRESS",
            "USER",
            "LANG",
            "XDG_RUNTIME_DIR",
        ];
        let variables =
            NEEDED.iter().filter_map(|name| Some(((*name).to_owned(), vars.get(name)?.to_owned())));
        Self {
            variable: text("GITHUB_TOKEN").or_else(|| text("GH_TOKEN")),
            app: app(),
            gh: GhProgram { variables: variables.collect() },
            found: Mutex::new(None),
        }
    }

    /// The token to send, if there is one.
    pub async fn token(&self, http: &HubHttp, api: &str) -> Option<String> {
        let mut found = self.found.lock().await;
        if let Some((token, method, since)) = &*found
            && (*method != GitHubLogin::App || since.elapsed() < APP_KEPT)
        {
            return token.clone();
        }
        let (token, method) = self.find(http, api).await;
        *found = Some((token.clone(), method, Instant::now()));
        token
    }

    /// How the token was found; looks for one if nobody did yet.
    pub async fn method(&self, http: &HubHttp, api: &str) -> GitHubLogin {
        self.token(http, api).await;
        self.found.lock().await.as_ref().map_or(GitHubLogin::Anonymous, |(_, method, _)| *method)
    }

    async fn find(&self, http: &HubHttp, api: &str) -> (Option<String>, GitHubLogin) {
        if let Some(token) = &self.variable {
            return (Some(token.clone()), GitHubLogin::Variable);
        }
        if let Some(token) = self.gh.token().await {
            return (Some(token), GitHubLogin::GhProgram);
        }
        if let Some(app) = &self.app {
            match app.token(http, api).await {
                Ok(token) => return (Some(token), GitHubLogin::App),
                Err(error) => tracing::warn!(%error, "the GitHub App gave no token"),
            }
        }
        (None, GitHubLogin::Anonymous)
    }
}

impl GhProgram {
    async fn token(&self) -> Option<String> {
        let command = Command::new("gh")
            .args(["auth", "token"])
            .envs(self.variables.clone())
            .deadline(GH_TIME);
        let done = command.run().await.ok().filter(hermes_process::FinishedProcess::success)?;
        let token = done.stdout.text().trim().to_owned();
        (!token.is_empty() && token.is_ascii() && !token.contains(char::is_whitespace))
            .then_some(token)
    }
}

impl AppKey {
    async fn token(&self, http: &HubHttp, api: &str) -> Result<String, HubError> {
        let jwt = self.signed_claim()?;
        let bearer = HeaderValue::from_str(&format!("Bearer {jwt}")).map_err(|_| {
            HubError::Usage("GITHUB_APP_ID holds characters no header can carry".to_owned())
        })?;
        let url = format!("{api}/app/installations/{}/access_tokens", self.installation);
        let request = FetchRequest::get(url)
            .method(Method::POST)
            .header(ACCEPT, HeaderValue::from_static("application/vnd.github.v3+json"))
            .secret_header(AUTHORIZATION, bearer);
        let answer = http.send(GITHUB, request, RateLimitWait::USUAL).await?;
        let token = parse(GITHUB, &answer.body)?["token"].as_str().map(str::to_owned);
        token.ok_or_else(|| HubError::Answer {
            service: GITHUB.to_owned(),
            why: "it holds no token for the App".to_owned(),
        })
    }

    /// A statement that we are the App, signed with its key.
    fn signed_claim(&self) -> Result<String, HubError> {
        let unusable = |why: String| HubError::State { file: self.key_file.clone(), why };
        let pem =
            std::fs::read_to_string(&self.key_file).map_err(|error| unusable(error.to_string()))?;
        let key = rsa_key(&pem).map_err(unusable)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let claim = json!({"iat": now.saturating_sub(60), "exp": now + 600, "iss": self.id});
        let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&json!({"alg": "RS256", "typ": "JWT"})), part(&claim));
        let mut signature = vec![0; key.public().modulus_len()];
        key.sign(
            &ring::signature::RSA_PKCS1_SHA256,
            &ring::rand::SystemRandom::new(),
            text.as_bytes(),
            &mut signature,
        )
        .map_err(|_| unusable("the key cannot sign".to_owned()))?;
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// A private key in either of the forms GitHub has given out.
fn rsa_key(pem: &str) -> Result<ring::signature::RsaKeyPair, String> {
    let body: String = pem
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("-----"))
        .collect();
    let der = STANDARD.decode(body).map_err(|_| "it is no PEM file".to_owned())?;
    ring::signature::RsaKeyPair::from_pkcs8(&der)
        .or_else(|_| ring::signature::RsaKeyPair::from_der(&der))
        .map_err(|error| format!("it holds no usable RSA key: {error}"))
}
