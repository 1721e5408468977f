//! The revisions of the protocol this client speaks.

/// The newest one, which the handshake offers.
pub(crate) const VERSION: &str = "2025-11-25";
/// Every revision a server may answer with.
pub(crate) const VERSIONS: [&str; 4] = [VERSION, "2025-06-18", "2025-03-26", "2024-11-05"];
