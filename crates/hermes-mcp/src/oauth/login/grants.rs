//! Logins without a person in a browser.

use super::super::LoginError;
use super::super::auth_method::AuthMethod;
use super::super::settings::{IdentityProvider, SigningKey};
use super::super::store::Tokens;
use super::super::token::{self, OAuthClient};
use super::{Discovered, Login};

/// The kinds of tokens a company's identity provider deals in.
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const ID_GRANT: &str = "urn:ietf:params:oauth:token-type:id-jag";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

impl Login {
    /// The program logs in as itself.
    pub(super) async fn as_program(
        &self,
        found: &Discovered,
        key: Option<&SigningKey>,
        scope: Option<&str>,
    ) -> Result<Tokens, LoginError> {
        let mut client = self.required_client(found)?;
        if let Some(key) = key {
            client.key = Some(key.clone());
            client.method = AuthMethod::Signed;
        }
        let mut params = vec![("grant_type", "client_credentials")];
        params.push(("resource", &found.resource));
        params.extend(scope.map(|scope| ("scope", scope)));
        let endpoint = &found.metadata.token_endpoint;
        Ok(token::fetch(&self.http, endpoint, &client, &params).await?)
    }

    /// The company vouches for the person: its word is exchanged for a grant, and that for a token.
    pub(super) async fn by_identity_provider(
        &self,
        found: &Discovered,
        company: &IdentityProvider,
        scope: Option<&str>,
    ) -> Result<Tokens, LoginError> {
        let client = self.required_client(found)?;
        let audience = found.metadata.issuer.as_str();
        let at_company = OAuthClient {
            id: company.client_id.clone(),
            secret: None,
            method: AuthMethod::None,
            key: None,
            issuer: String::new(),
        };
        let mut params = vec![
            ("grant_type", EXCHANGE),
            ("subject_token", company.id_token.as_str()),
            ("subject_token_type", ID_TOKEN),
            ("requested_token_type", ID_GRANT),
            ("audience", audience),
            ("resource", &found.resource),
        ];
        params.extend(scope.map(|scope| ("scope", scope)));
        let grant = token::fetch(&self.http, &company.token_endpoint, &at_company, &params).await?;

        let mut params = vec![("grant_type", BEARER), ("assertion", grant.access_token.as_str())];
        params.push(("resource", &found.resource));
        params.extend(scope.map(|scope| ("scope", scope)));
        let endpoint = &found.metadata.token_endpoint;
        Ok(token::fetch(&self.http, endpoint, &client, &params).await?)
    }

    fn required_client(&self, found: &Discovered) -> Result<OAuthClient, LoginError> {
        self.configured_client(&found.metadata).ok_or_else(|| {
            LoginError::Failed(format!(
                "MCP server '{}': set `oauth.client_id`; without a person there is no registration",
                self.settings.server
            ))
        })
    }
}
