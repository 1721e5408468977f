//! A person logs in: the page, the way back, and the exchange of what they bring.
//!
//! The port is taken first, because it is part of the address to come back to, and that of the registration.
//! Then the person is shown the page, and whichever comes first counts: the browser at the port, or something
//! pasted. What comes back is exchanged only if it answers our own question.

use reqwest::Url;
use tokio::time::timeout;

use super::super::callback::{Callback, CallbackResult, PATH};
use super::super::metadata::ServerMetadata;
use super::super::register::register;
use super::super::store::{Registration, Tokens};
use super::super::token::{self, OAuthClient, TokenFailure};
use super::super::{LoginError, LoginPage, Said, random};
use super::{Discovered, Login, of_registration};

/// A registration that turns out to be forgotten is made once more, not for ever.
const TRIES: usize = 2;

impl Login {
    /// Sends a person to the page and exchanges what they bring.
    pub(super) async fn ask_person(
        &self,
        found: &Discovered,
        scope: Option<&str>,
    ) -> Result<Tokens, LoginError> {
        let mut problem = None;
        for _ in 0..TRIES {
            match self.try_person(found, scope).await {
                Ok(tokens) => return Ok(tokens),
                Err(TokenFailure::UnknownClient(why)) if self.settings.client_id.is_none() => {
                    self.forget_registration(&why);
                    problem = Some(LoginError::Failed(why));
                }
                Err(other) => return Err(other.into()),
            }
        }
        Err(problem.unwrap_or_else(|| self.nobody_there()))
    }

    async fn try_person(
        &self,
        found: &Discovered,
        scope: Option<&str>,
    ) -> Result<Tokens, TokenFailure> {
        let (callback, stored) = self.take_port(found).await?;
        let redirect_uri = self.redirect_uri(callback.port());
        let client = self.client(found, stored, &redirect_uri, scope).await?;
        let (state, verifier) = (random::secret()?, random::secret()?);
        let proof = random::shown(&verifier);
        let mut params = vec![
            ("response_type", "code"),
            ("client_id", client.id.as_str()),
            ("redirect_uri", &redirect_uri),
            ("state", &state),
            ("code_challenge", &proof),
            ("code_challenge_method", "S256"),
            ("resource", &found.resource),
        ];
        if let Some(scope) = scope {
            params.push(("scope", scope));
            if scope.split_whitespace().any(|word| word == "offline_access") {
                params.push(("prompt", "consent"));
            }
        }
        let page = page(found, &params)?;
        let visit = self.wait(&callback, page, &redirect_uri, &state).await?;
        let code = self.check(visit, &state, found)?;
        let params = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", &redirect_uri),
            ("code_verifier", &verifier),
            ("resource", &found.resource),
        ];
        token::fetch(&self.http, &found.metadata.token_endpoint, &client, &params).await
    }

    /// The port to come back to, and the registration that names it.
    async fn take_port(
        &self,
        found: &Discovered,
    ) -> Result<(Callback, Option<Registration>), LoginError> {
        let stored = self.shelf.registration().filter(|stored| {
            self.settings.client_id.is_none() && stored.issuer == found.metadata.issuer
        });
        if let Some(port) = self.settings.redirect_port {
            let callback = Callback::take(Some(port)).await.map_err(|problem| {
                LoginError::Failed(format!("cannot listen on port {port} for the login: {problem}"))
            })?;
            return Ok((callback, stored));
        }
        if let Some(port) = stored.as_ref().and_then(port_of)
            && let Ok(callback) = Callback::take(Some(port)).await
        {
            return Ok((callback, stored));
        }
        // Another port than the registered one needs another registration.
        let callback = Callback::take(None).await.map_err(|problem| {
            LoginError::Failed(format!("cannot listen for the login: {problem}"))
        })?;
        Ok((callback, None))
    }

    fn redirect_uri(&self, port: u16) -> String {
        if let Some(uri) = &self.settings.redirect_uri {
            return uri.clone();
        }
        let host = self.settings.redirect_host.as_deref().unwrap_or("127.0.0.1");
        format!("http://{host}:{port}{PATH}")
    }

    /// Who we are: configured, stored, described, or registered now.
    async fn client(
        &self,
        found: &Discovered,
        stored: Option<Registration>,
        redirect_uri: &str,
        scope: Option<&str>,
    ) -> Result<OAuthClient, LoginError> {
        if let Some(client) = self.configured_client(&found.metadata) {
            return Ok(client);
        }
        let fits =
            |stored: &Registration| stored.redirect_uris.iter().any(|uri| uri == redirect_uri);
        if let Some(stored) = stored.filter(fits) {
            return Ok(of_registration(&stored));
        }
        if let Some(client) = self.described_client(&found.metadata) {
            return Ok(client);
        }
        let made =
            register(&self.http, &found.metadata, &self.settings, redirect_uri, scope).await?;
        self.shelf.keep_registration(&made)?;
        Ok(of_registration(&made))
    }

    /// Waits for the browser, or for the person to say something.
    async fn wait(
        &self,
        callback: &Callback,
        url: Url,
        redirect_uri: &str,
        state: &str,
    ) -> Result<CallbackResult, LoginError> {
        let guide = self.guide.as_ref().ok_or_else(|| self.nobody_there())?;
        let page = LoginPage {
            server: self.settings.server.clone(),
            url,
            redirect_uri: redirect_uri.to_owned(),
            port: callback.port(),
        };
        let answer = async {
            tokio::select! {
                visit = callback.wait(state) => visit.map_err(|problem| {
                    LoginError::Failed(format!("cannot wait for the login: {problem}"))
                }),
                said = guide.show(page) => match said {
                    Said::Pasted(text) => CallbackResult::of_paste(&text).ok_or_else(|| {
                        LoginError::Failed("that was not the address after the login".to_owned())
                    }),
                    Said::Skipped => Err(LoginError::Needed(format!(
                        "the login to MCP server '{}' was skipped",
                        self.settings.server
                    ))),
                },
            }
        };
        let limit = self.settings.timeout;
        timeout(limit, answer).await.unwrap_or_else(|_| {
            Err(LoginError::Needed(format!(
                "nobody logged in to MCP server '{}' within {} s",
                self.settings.server,
                limit.as_secs()
            )))
        })
    }

    /// Whether what came back belongs to our question.
    fn check(
        &self,
        visit: CallbackResult,
        state: &str,
        found: &Discovered,
    ) -> Result<String, LoginError> {
        let server = &self.settings.server;
        if visit.state.as_deref() != Some(state) {
            return Err(LoginError::Failed(format!(
                "what came back is not the login to '{server}' that was asked for"
            )));
        }
        check_issuer(server, visit.issuer.as_deref(), &found.metadata)?;
        if let Some(error) = visit.error {
            return Err(LoginError::Failed(format!(
                "the login to '{server}' was refused: {error}"
            )));
        }
        visit.code.ok_or_else(|| {
            LoginError::Failed(format!("the login to '{server}' came back without a code"))
        })
    }
}

/// Whether it was the authorization server that we sent the person to who sent them back. The names are
/// compared letter for letter: what looks like the same address may be somebody else's.
fn check_issuer(
    server: &str,
    issuer: Option<&str>,
    expected: &ServerMetadata,
) -> Result<(), LoginError> {
    match issuer {
        Some(issuer) if issuer == expected.issuer => Ok(()),
        Some(issuer) => Err(LoginError::Failed(format!(
            "the login to '{server}' came back from {issuer}, not from {}",
            expected.issuer
        ))),
        None if expected.authorization_response_iss_parameter_supported => {
            Err(LoginError::Failed(format!(
                "the login to '{server}' came back without saying from whom, though {} promises to say so",
                expected.issuer
            )))
        }
        None => Ok(()),
    }
}

fn page(found: &Discovered, params: &[(&str, &str)]) -> Result<Url, LoginError> {
    let mut page = found.metadata.authorization_endpoint.clone().ok_or_else(|| {
        LoginError::Failed(format!("{} has no page to log in", found.metadata.issuer))
    })?;
    page.query_pairs_mut().extend_pairs(params);
    Ok(page)
}

/// The port of a registration made here.
fn port_of(stored: &Registration) -> Option<u16> {
    Url::parse(stored.redirect_uris.first()?).ok()?.port()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(is_promised: bool) -> ServerMetadata {
        let server = Url::parse("https://as.example").unwrap();
        let mut metadata = ServerMetadata::undescribed(&server).unwrap();
        metadata.authorization_response_iss_parameter_supported = is_promised;
        metadata
    }

    #[test]
    fn an_issuer_that_is_promised_must_be_there() {
        assert!(check_issuer("s", None, &metadata(true)).is_err());
        assert!(check_issuer("s", None, &metadata(false)).is_ok());
    }

    #[test]
    fn an_issuer_is_compared_letter_for_letter() {
        for is_promised in [true, false] {
            let metadata = metadata(is_promised);
            assert!(check_issuer("s", Some("https://as.example"), &metadata).is_ok());
            for other in [
                "https://as.example/",
                "https://AS.example",
                "https://as.example:443",
                "http://as.example",
                "https://evil.example",
                "",
            ] {
                assert!(check_issuer("s", Some(other), &metadata).is_err(), "{other}");
            }
        }
    }
}
