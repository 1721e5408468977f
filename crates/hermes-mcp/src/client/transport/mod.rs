//! Ways to a server, each a [`Transport`](rmcp::transport::Transport) of the protocol SDK.
//!
//! * [`stdio`]: a program of ours that speaks on its standard streams.
//! * [`http`]: streamable HTTP, the SDK's own, with our client, headers and authorisation.
//! * [`sse`]: the older HTTP transport, which the SDK no longer has.
//!
//! [`lane`] is the short way for our own requests to a program, [`inbox`] what comes back from it.
//! [`tap::Tapped`] goes around each transport and notes what a caller later needs to know: which
//! requests were handed to it at all, when something last arrived, and that the connection is gone,
//! the moment it is.

pub(crate) mod decode;
pub(crate) mod environment;
pub(crate) mod http;
pub(crate) mod http_client;
pub(crate) mod inbox;
pub(crate) mod lane;
pub(crate) mod preflight;
pub(crate) mod sse;
pub(crate) mod stderr_log;
pub(crate) mod stdio;
pub(crate) mod tap;
