//! What the user decided about the dashboard.

use hermes_tool::settings::Settings;

/// How people on other machines log in.
#[derive(Clone, Debug, Settings)]
#[settings(path = "dashboard.basic_auth", about = "Logging in from other machines")]
pub(crate) struct PasswordSettings {
    /// The name to log in with.
    #[setting(default = "owner", variable = "HERMES_DASHBOARD_BASIC_AUTH_USERNAME")]
    pub(crate) username: String,
    /// What `hermes dashboard set-password` made of the password.
    #[setting(variable = "HERMES_DASHBOARD_BASIC_AUTH_PASSWORD_HASH")]
    pub(crate) password_hash: Option<String>,
    /// The password itself; the hash is better.
    #[setting(variable = "HERMES_DASHBOARD_BASIC_AUTH_PASSWORD")]
    pub(crate) password: Option<String>,
    /// How long a login lasts, in seconds.
    #[setting(
        default = 43_200,
        range = 60..,
        variable = "HERMES_DASHBOARD_BASIC_AUTH_TTL_SECONDS"
    )]
    pub(crate) session_ttl_seconds: u32,
}

/// Where the dashboard is.
#[derive(Clone, Debug, Settings)]
#[settings(path = "dashboard", about = "The web dashboard (hermes dashboard)", open)]
pub(crate) struct DashboardSettings {
    /// The address people open where a proxy with TLS stands before it, such as https://hermes.example.
    pub(crate) public_url: Option<String>,
    /// Further names by which it may be addressed.
    pub(crate) allowed_hosts: Vec<String>,
}
