//! The one HTTP door for addresses that come from outside.
//!
//! A model names a page, a page names a picture, a registry names a file, a server answers with a redirect: whoever
//! writes a URL decides where this machine connects to. So every such request goes through [`HttpDoor::fetch`], and
//! nothing else in the program makes one. In order:
//!
//! 1. the address as a person or model writes it is made fit for the wire ([`hermes_guard::url::iri`]);
//! 2. a key of a known service inside it refuses the request ([`hermes_guard::url::secrets`]);
//! 3. its text is judged: scheme, authority, metadata services, literal addresses in every spelling
//!    ([`hermes_guard::url::check`]), then the user's own list of blocked sites ([`SitePolicy`]);
//! 4. when a connection is made, and only then, the name is resolved, **every** address it has is judged, and the
//!    connection goes to one of these ([`resolve`]). There is no second look-up that could answer otherwise;
//! 5. a redirect is a new address and takes the whole way again, at most [`FetchLimits::redirects`] times. What was
//!    meant for the first host (keys, cookies) does not travel to another;
//! 6. the body is counted while it arrives and again while it is unpacked, so that neither a long one nor a small one
//!    that unpacks to a long one is ever held in memory ([`body`]).
//!
//! Decisions are the guard's; this crate brings the facts to them and acts on them.
//!
//! # Permission for private addresses
//!
//! By default only the public internet is open. [`DoorOptions::policy`] opens private networks and this machine (the
//! setting `security.allow_private_urls`). [`DoorOptions::own_origins`] opens single origins instead: servers whose
//! address the *user* wrote down, such as a company's own registry. A redirect from there to another private address
//! is refused like any other. Metadata services are closed under every permission.
//!
//! # Proxies
//!
//! Through a proxy (the usual variables) it is the proxy that connects, and what it may reach is its owner's business.
//! The text is judged all the same; a name that this machine resolves to a closed address is refused, one that only
//! the proxy can resolve is left to it.
//!
//! # What never happens here
//!
//! No cookies are kept, no referrer is sent, no request is repeated: whoever asks knows whether asking twice does harm.

pub mod body;
mod charset;
mod clients;
mod door;
mod error;
mod proxy;
mod request;
pub mod resolve;
mod settings;
mod sites;

pub use charset::decode_text;
pub use door::{DoorOptions, HttpDoor};
pub use error::FetchError;
pub use hermes_guard::url::Policy as AddressPolicy;
pub use hermes_guard::url::sites::Blocked;
pub use proxy::ProxySettings;
pub use request::{FetchLimits, FetchRequest, Fetched};
pub use reqwest::header;
pub use reqwest::{Method, StatusCode};
pub use settings::{BlocklistSettings, WebAccessSettings};
pub use sites::SitePolicy;
pub use url::Url;
