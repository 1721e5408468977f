//! Parameters of URLs and forms whose values are credentials.

use std::borrow::Cow;

/// Names that carry credentials wherever they occur, in lower case.
const NAMES: [&str; 20] = [
    "access_token",
    "api_key",
    "apikey",
    "auth_token",
    "authorization",
    "awsaccesskeyid",
    "client_secret",
    "credential",
    "credentials",
    "jwt",
    "passwd",
    "password",
    "secret",
    "session_id",
    "signature",
    "token",
    "x-amz-security-token",
    "x-amz-signature",
    "x_amz_security_token",
    "x_amz_signature",
];

/// Names of parameters that are hidden on top of those that always carry credentials.
const ALSO_HIDDEN: &[&str] = &[
    "auth",
    "code",
    "code_verifier",
    "id_token",
    "key",
    "private_key",
    "refresh_token",
    "session",
    "sig",
    "x-amz-credential",
    "x-goog-credential",
    "x-goog-signature",
];

/// Whether a decoded parameter name is one that carries credentials, in any case.
#[must_use]
pub fn is_credential_name(name: &str) -> bool {
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether the value of a parameter, its name as written, is hidden.
pub(super) fn is_hidden_parameter(name: &str) -> bool {
    let decoded = match name.contains(['%', '+']) {
        true => ::url::form_urlencoded::parse(name.as_bytes())
            .next()
            .map_or(Cow::Borrowed(name), |(name, _)| name),
        false => Cow::Borrowed(name),
    };
    is_credential_name(&decoded) || ALSO_HIDDEN.iter().any(|n| n.eq_ignore_ascii_case(&decoded))
}
