//! Files that pages hand out. They go to a folder of the session, under names of the browser's choice, and nobody is
//! asked where to.

use serde::{Deserialize, Serialize};

/// How many are remembered.
const REMEMBERED: usize = 50;

/// A file that a page handed out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Download {
    #[serde(skip)]
    id: String,
    /// Where it comes from.
    pub url: String,
    /// What the page calls it.
    pub name: String,
    /// in_progress, completed or canceled.
    pub state: String,
    /// How much has arrived.
    pub bytes: f64,
    /// Where it is, once complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether the caller was told of its end.
    #[serde(skip)]
    pub(crate) told: bool,
}

/// The downloads of a browser.
#[derive(Default)]
pub(crate) struct Downloads {
    list: Vec<Download>,
    /// How many there ever were, those that are forgotten included.
    begun: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WillBegin {
    guid: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    suggested_filename: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DownloadProgress {
    guid: String,
    #[serde(default)]
    received_bytes: f64,
    #[serde(default)]
    state: String,
    file_path: Option<String>,
}

impl Downloads {
    pub(crate) fn begun(&mut self, event: WillBegin) {
        self.begun += 1;
        if self.list.len() == REMEMBERED {
            self.list.remove(0);
        }
        self.list.push(Download {
            id: event.guid,
            url: event.url,
            name: event.suggested_filename,
            state: "in_progress".to_owned(),
            bytes: 0.0,
            path: None,
            told: false,
        });
    }

    pub(crate) fn progress(&mut self, event: DownloadProgress) {
        let Some(download) = self.list.iter_mut().find(|known| known.id == event.guid) else {
            return;
        };
        download.bytes = event.received_bytes;
        if event.state == "inProgress" {
            return;
        }
        download.state = event.state;
        download.path = event.file_path.filter(|_| download.state == "completed");
    }

    /// How many have begun so far.
    pub(crate) fn count(&self) -> usize {
        self.begun
    }

    /// Whether one is still arriving.
    pub(crate) fn any_running(&self) -> bool {
        self.list.iter().any(|download| download.state == "in_progress")
    }

    /// Those whose end was not told yet; each is told once.
    pub(crate) fn take_news(&mut self) -> Vec<Download> {
        let news: Vec<Download> = self.list.iter().filter(|known| !known.told).cloned().collect();
        for download in &mut self.list {
            download.told |= download.state != "in_progress";
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_is_noticed_after_many_others() {
        let mut downloads = Downloads::default();
        for number in 1..=2 * REMEMBERED {
            let (guid, name) = (number.to_string(), String::new());
            downloads.begun(WillBegin { guid, url: name.clone(), suggested_filename: name });
            assert_eq!(downloads.count(), number);
        }
        assert_eq!(downloads.list.len(), REMEMBERED);
    }
}
