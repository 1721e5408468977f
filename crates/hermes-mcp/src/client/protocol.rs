//! The revisions of the protocol this client speaks.

/// The newest one. It has no handshake: every request says by itself who asks and what they can do.
pub(crate) const NEWEST: &str = "2026-07-28";
/// The newest one with a handshake, which offers it.
pub(crate) const VERSION: &str = "2025-11-25";
/// Every revision a server may answer with.
pub(crate) const VERSIONS: [&str; 5] = [NEWEST, VERSION, "2025-06-18", "2025-03-26", "2024-11-05"];
