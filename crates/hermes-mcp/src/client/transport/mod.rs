//! Ways to a server, each a [`Transport`](rmcp::transport::Transport) of the protocol SDK.
//!
//! * [`stdio`]: a program of ours that speaks on its standard streams; [`pipe`] is the direct way
//!   for our own requests to it, [`line_reader`] and [`decode`] make messages of what it writes.
//! * [`http`]: streamable HTTP, the SDK's own, with our client, headers and authorisation; [`session`]
//!   understands servers that have forgotten us.
//! * [`sse`]: the older HTTP transport, which the SDK no longer has.
//!
//! [`monitor::MonitoredTransport`] goes around each transport and notes what a caller later needs to
//! know: which requests were handed to it at all, when something last arrived, and that the connection
//! is gone, the moment it is. [`send_failure`] says what an error of any of them means for a request.

pub(crate) mod authorized_http;
pub(crate) mod decode;
pub(crate) mod environment;
pub(crate) mod http;
pub(crate) mod http_client;
mod http_errors;
mod line_reader;
pub(crate) mod monitor;
pub(crate) mod pipe;
pub(crate) mod preflight;
pub(crate) mod send_failure;
mod session;
pub(crate) mod sse;
pub(crate) mod stderr_log;
pub(crate) mod stdio;

pub(crate) use http_errors::chain;

/// The longest message a server may send, whichever way: a line, or an event of a stream.
pub(crate) const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;
