//! The MCP client: tools of other programs become ours.
//!
//! ```text
//! Servers ── one Server per entry ── a task that keeps its Session alive
//!    │                                   │
//!    │                                   └─ transport (stdio, http, sse) ── the other program
//!    └─ Registry: one tool per remote tool, whose handler calls through the Server
//! ```
//!
//! [`Servers`] is all a host needs: it reads the configuration, starts every server in the
//! background, registers what they offer and stops them. The pieces below it:
//!
//! | module | what |
//! |---|---|
//! | [`settings`] | `mcp_servers` of the configuration |
//! | [`status`] | how servers are doing, for tables |
//! | [`sampling`], [`elicitation`], [`roots`] | what servers may ask of us |
//! | [`authorize`] | who gets us past a server's 401 |
//! | `transport` | the three ways to a server |
//! | `session`, `sending` | one connection: requests, progress, cancellation |
//! | `server` | one server over its life: connecting, calling, keeping alive |
//! | `register` | from a server's listing to registered tools |
//! | `render` | from a server's answer to what a model reads |
//!
//! # What never happens here
//!
//! * A call is sent a second time, unless the first provably was not delivered or the tool says that
//!   repeating does no harm.
//! * One server's trouble delays another, or the caller beyond its own limit.
//! * A server's program outlives us, or sees a variable it was not given.
//! * A server's text reaches a model as an error before secrets are taken out of it.

pub mod authorize;
mod connect;
mod connect_error;
pub mod elicitation;
mod handler;
mod progress;
mod register;
mod render;
pub mod request_error;
pub mod roots;
pub mod sampling;
mod sending;
mod server;
mod servers;
mod session;
pub mod settings;
pub mod status;
pub(crate) mod transport;

pub use connect::Pace;
pub use connect_error::ConnectError;
pub use servers::{Probed, Reloaded, Servers, ServersParts, Surface, UnknownServer};
