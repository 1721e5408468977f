//! What keeps a foreign server from doing harm by its words.
//!
//! * [`redact_error`]: no secret in a server's error reaches a model.
//! * [`scan_description`]: texts that try to take over the model are pointed out.
//! * [`suspicious_entry`]: a "server" that is a shell one-liner with a download in it is not started.
//! * [`osv`]: packages known to be malicious are not started.

mod entry;
pub mod osv;
mod redact;
mod scan;

pub use entry::suspicious_entry;
pub use redact::{REDACTED, redact_error};
pub use scan::{scan_description, scan_tool};
