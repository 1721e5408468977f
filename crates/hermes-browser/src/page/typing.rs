//! Filling in a field.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::browser::{Browser, PageHandle};
use crate::error::BrowserError;
use crate::references::ElementInfo;

/// Gets a field ready: focused, its content selected; or fills it where letters cannot.
const PREPARE: &str = include_str!("prepare_field.js");

/// The field that was filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The accessibility role of the field, as snapshots write it.
    pub role: String,
    /// The accessible name of the field, as snapshots write it.
    pub name: String,
    /// Whether what is typed there is hidden.
    pub is_password: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Prepared {
    kind: PreparedKind,
    #[serde(default)]
    password: bool,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum PreparedKind {
    /// Letters can be typed over what is selected.
    Selected,
    /// The value is set already.
    Filled,
    /// It takes files.
    File,
    /// It takes no text; the message says why.
    Refused,
}

impl Browser {
    /// Puts a text into the field that a reference means, in the place of what stood there.
    ///
    /// `files` says which file a text means, for fields that take files; without it they take none.
    ///
    /// # Errors
    /// There is no such element, or it takes no text.
    pub async fn type_text(
        &self,
        reference: &str,
        text: &str,
        files: impl Fn(&str) -> Result<PathBuf, String>,
    ) -> Result<Typed, BrowserError> {
        let page = self.page()?;
        let element = self.element(&page, reference)?;
        let prepared: Prepared = self.call_on(&page, &element, PREPARE, &[json!(text)]).await?;
        match prepared.kind {
            PreparedKind::Refused => return Err(BrowserError::Element(prepared.message)),
            PreparedKind::Filled => {}
            PreparedKind::File => {
                let file = files(text).map_err(BrowserError::Element)?;
                self.give_file(&page, &element, &file).await?;
            }
            PreparedKind::Selected if text.is_empty() => self.press_key(&page, "Delete").await?,
            PreparedKind::Selected => {
                // Frames in other processes have their own input.
                let session = &element.key.session;
                let params = json!({"text": text});
                let _: IgnoredAny = self.call(&page, session, "Input.insertText", params).await?;
            }
        }
        match self.settle(&page).await {
            // A dialog that typing opened is told of with the next look at the page.
            Ok(()) | Err(BrowserError::Dialog(_)) => {}
            Err(error) => return Err(error),
        }
        let ElementInfo { role, name, .. } = element;
        Ok(Typed { role, name, is_password: prepared.password })
    }

    async fn give_file(
        &self,
        page: &PageHandle,
        element: &ElementInfo,
        file: &std::path::Path,
    ) -> Result<(), BrowserError> {
        let params = json!({"files": [file], "backendNodeId": element.key.node});
        let session = &element.key.session;
        let _: IgnoredAny = self.call(page, session, "DOM.setFileInputFiles", params).await?;
        Ok(())
    }
}
