//! The tools over HTTP, for programs that speak JSON and nothing else.
//!
//! | request | answer |
//! |---|---|
//! | `GET /health` | that the server is up; the only one without a token |
//! | `GET /v1/tools` | every tool on offer, with schema and effects |
//! | `GET /v1/tools/{name}` | one of them |
//! | `POST /v1/tools/{name}/call` | the result of a call; the body is the object of arguments |
//! | `GET /openapi.json` | all of this as an OpenAPI document, one operation a tool |
//!
//! A call is answered with JSON, or, to who accepts `text/event-stream`, with events: `progress` while
//! it runs, then `result`. Whatever a tool does, the answer to a call that was let in is status 200
//! with `status` saying how it ended; other statuses are about the request.
//!
//! ```
//! use hermes_runtime::Runtime;
//! use hermes_serve::{AccessCheck, AccessToken, Api};
//!
//! let api = Api::builder(Runtime::builder().build()).build();
//! let access = AccessCheck::loopback(AccessToken::generate()?);
//! let router: axum::Router = access.protect(hermes_serve::router(&api));
//! # let _ = router;
//! # Ok::<(), hermes_serve::AccessTokenError>(())
//! ```
//!
//! [`serve`] binds the router to a listener and stops it gracefully; a program with a server of its
//! own mounts the router instead. [`AccessCheck`] is what stands before it: hosts, origins and the token. It
//! protects any router, so the MCP server over HTTP and `hermes api` use it, too; [`Opening`] and [`HttpFlags`] are what
//! their commands share.
//!
//! # What never happens here
//!
//! A call goes around the runtime's pipeline. A request without the token learns which tools there
//! are. A client that says nothing holds a connection for long. A call runs on after its client went away. A token is compared in a time that depends on where
//! it differs, or shown in a log.

mod access;
mod api;
mod bind;
mod body;
mod call;
mod openapi;
mod opening;
mod problem;
mod routes;
mod sessions;
mod token;

pub use access::{AccessCheck, Hosts};
pub use api::{Api, ApiBuilder};
pub use bind::{BindError, HEADER_WAIT, MAX_CONNECTIONS, PeerAddress, listen, serve};
pub use body::{BODY_WAIT, MAX_BODY_BYTES};
pub use call::Called;
pub use openapi::document as openapi_document;
pub use opening::{HttpFlags, Opening, OpeningError, kept_token};
pub use problem::{ApiProblem, ProblemWriter};
pub use routes::router;
pub use sessions::MAX_SESSIONS;
pub use token::{AccessToken, AccessTokenError};
