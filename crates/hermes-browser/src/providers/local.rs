//! A Chromium on this machine.

use std::path::PathBuf;

use futures_util::future::BoxFuture;
use hermes_tool::Vars;

use super::{BrowserProvider, OpenedBrowser};
use crate::browser::{Browser, BrowserOptions};
use crate::error::BrowserError;
use crate::guard::Reach;

/// A Chromium on this machine, started for each session.
#[derive(Clone)]
pub struct LocalChromium {
    vars: Vars,
    folder: PathBuf,
    reach: Reach,
}

impl LocalChromium {
    /// Profiles are made below `folder`; `reach` says whether the terminal is on this machine too.
    #[must_use]
    pub fn new(vars: Vars, folder: PathBuf, reach: Reach) -> Self {
        Self { vars, folder, reach }
    }
}

impl BrowserProvider for LocalChromium {
    fn name(&self) -> &'static str {
        "local"
    }

    fn reach(&self) -> Reach {
        self.reach
    }

    fn open(&self, options: BrowserOptions) -> BoxFuture<'_, Result<OpenedBrowser, BrowserError>> {
        Box::pin(async move {
            let browser = Browser::launch(&self.vars, &self.folder, options).await?;
            Ok(OpenedBrowser { browser, id: String::new(), features: Vec::new() })
        })
    }

    fn release(&self, _id: String) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}
