//! Servers that run only while somebody asks them.
//!
//! An [`Endpoint`](crate::Endpoint) may carry such a server. Whoever holds the endpoint, or a client made of it, keeps the
//! server running; where it answers is asked before every request, for a server that has ended is started anew and then
//! answers somewhere else.

use std::fmt::Debug;
use std::sync::Arc;

use crate::model::BoxFuture;
use crate::secret::Secret;

/// A server that is started when it is asked for the first time.
pub trait OnDemandServer: Debug + Send + Sync {
    /// Where it answers now; started first if it does not run. An error is a sentence about why it does not.
    fn place(&self) -> BoxFuture<'_, Result<ServerPlace, String>>;

    /// Why it has ended, if it has, for whoever lost a connection to it.
    fn why_it_ended(&self) -> BoxFuture<'_, Option<String>>;
}

/// Where a server answers, until it ends.
#[derive(Clone, Debug)]
pub struct ServerPlace {
    /// The base of its addresses.
    pub base_url: String,
    /// The key it wants.
    pub key: Secret,
}

/// The server of an endpoint. Equal where it is the same server.
#[derive(Clone, Debug)]
pub struct EndpointServer(pub Arc<dyn OnDemandServer>);

impl PartialEq for EndpointServer {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
