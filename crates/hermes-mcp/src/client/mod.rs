//! The MCP client: tools of other programs become ours.
//!
//! ```text
//! Servers ── one ManagedServer per entry ── a task that keeps its Connection alive
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
//! | `handler` | what is done with a server's own requests and notifications |
//! | `request`, `failure` | one request: sent, answered, lost, withdrawn |
//! | `connection`, `connect` | one connection: how it is made, asked and closed |
//! | `listing`, `utility` | what a server offers, and our tools about it |
//! | `server` | one server over its life: connecting, calling, keeping alive, registering its tools |
//! | `render` | from a server's answer to what a model reads |
//!
//! Each line may use those above it, never those below; [`Servers`] uses them all.
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
mod connection;
pub mod elicitation;
mod failure;
mod handler;
mod listing;
mod progress;
mod protocol;
mod render;
mod request;
pub mod request_error;
pub mod roots;
pub mod sampling;
mod server;
mod servers;
pub mod settings;
pub mod status;
pub(crate) mod transport;
mod utility;

pub use connect::ReconnectPace;
pub use connect_error::ConnectError;
pub use servers::{Probed, Servers, ServersParts, ServersReloaded, UnknownServer};
