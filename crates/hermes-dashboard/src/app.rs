//! What every request shares.

use std::sync::{Arc, Mutex};

use hermes_guard::redact::Redactor;
use hermes_host::Host;
use hermes_sessions::{SessionDatabase, SessionStore};
use tokio_util::sync::CancellationToken;

use crate::audit::Audit;
use crate::chat::{OpenQuestions, Rooms};
use crate::logins::Logins;
use crate::problem::PageProblem;
use crate::visitor::Visitor;

/// Shared by every route.
pub(crate) type App = Arc<Dashboard>;

/// The dashboard of one home.
pub(crate) struct Dashboard {
    host: Host,
    pub(crate) logins: Logins,
    /// The name of our cookie, and whether it is for HTTPS alone.
    pub(crate) cookie: CookieName,
    pub(crate) store: SessionStore,
    pub(crate) rooms: Rooms,
    pub(crate) questions: Arc<OpenQuestions>,
    pub(crate) audit: Audit,
    /// The settings file before its last change from here.
    pub(crate) before: Mutex<Option<String>>,
    pub(crate) stop: CancellationToken,
}

/// How our cookie is called.
#[derive(Clone, Debug)]
pub(crate) struct CookieName {
    pub(crate) name: String,
    pub(crate) is_secure: bool,
}

impl Dashboard {
    pub(crate) fn new(
        host: Host,
        logins: Logins,
        cookie: CookieName,
        stop: CancellationToken,
    ) -> App {
        let store = SessionStore::at(host.home().state_db());
        let audit = Audit::at(host.home());
        Arc::new(Self {
            host,
            logins,
            cookie,
            store,
            rooms: Rooms::default(),
            questions: Arc::default(),
            audit,
            before: Mutex::default(),
            stop,
        })
    }

    /// The host with its files as they are now.
    pub(crate) fn host(&self) -> Host {
        self.host.reread()
    }

    /// Hides secrets.
    pub(crate) fn redactor(&self) -> Redactor {
        self.host.redactor()
    }

    /// Looks at files, where waiting for the disk holds nobody up.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Host) -> T + Send + 'static,
    ) -> Result<T, PageProblem> {
        let host = self.host.clone();
        let looked = tokio::task::spawn_blocking(move || look(&host.reread()));
        looked.await.map_err(|problem| {
            tracing::error!(%problem, "a page broke");
            PageProblem::broken("The page could not be put together; the log says where.")
        })
    }

    /// Looks into the database of sessions.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&SessionDatabase) -> Result<T, hermes_sessions::SessionsError>
        + Send
        + 'static,
    ) -> Result<T, PageProblem> {
        Ok(self.store.read(look).await?)
    }

    /// Notes in the log that somebody changed something.
    pub(crate) fn note(&self, visitor: &Visitor, act: &str, what: &str) {
        self.audit.note(visitor.who(), &visitor.from, act, what);
    }
}
