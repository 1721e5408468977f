//! Which revision of the protocol a request is in.
//!
//! Up to 2025-11-25 a client shakes hands first and has a session from then on. From 2026-07-28 there is
//! no handshake: every request says its revision and what its client can do, and over HTTP there are no
//! sessions either. One server answers both, request by request.

use rmcp::model::{Implementation, MetaObject, ProtocolVersion};
use rmcp::service::{RequestContext, RoleServer};

use super::log::LogLevel;

/// The newest revision with a handshake: what a client gets that shakes hands for one we do not know.
pub(super) const NEWEST_WITH_HANDSHAKE: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// Every revision this server speaks.
pub(super) fn spoken() -> &'static [ProtocolVersion] {
    ProtocolVersion::known_up_to(&ProtocolVersion::V_2026_07_28)
}

/// Whether a request is of a revision without handshakes.
pub(super) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// Whether nothing connects a request with any other. On a pair of streams there is one client, who
/// started the server: its requests belong together in any revision.
pub(super) fn stands_alone(context: &RequestContext<RoleServer>) -> bool {
    is_stateless(context) && context.extensions.get::<axum::http::request::Parts>().is_some()
}

/// From which level on a request without a session wants to hear log lines; none if it does not say.
pub(super) fn log_level(context: &RequestContext<RoleServer>) -> Option<LogLevel> {
    context.meta.log_level().map(Into::into)
}

/// Says who answers, as every result of a revision without handshakes should.
pub(super) fn sign(
    context: &RequestContext<RoleServer>,
    about: &Implementation,
    meta: &mut Option<MetaObject>,
) {
    const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    if let (true, Ok(about)) = (is_stateless(context), serde_json::to_value(about)) {
        meta.get_or_insert_default().0.insert(SERVER_INFO.to_owned(), about);
    }
}
