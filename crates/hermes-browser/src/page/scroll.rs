//! Scrolling.

use serde::Deserialize;
use serde_json::json;

use crate::browser::Browser;
use crate::error::BrowserError;
use crate::watch::VIEWPORT;

/// How far, in pixels.
const STEP: i32 = 500;

/// Where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScrollDirection {
    /// Towards the top.
    Up,
    /// Towards the end.
    Down,
}

impl Browser {
    /// Turns the wheel over the middle of the page: what a person sees there moves, be it the page or a box in it.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn scroll(&self, direction: ScrollDirection) -> Result<(), BrowserError> {
        let page = self.page()?;
        let (width, height) = VIEWPORT;
        let delta = match direction {
            ScrollDirection::Up => -STEP,
            ScrollDirection::Down => STEP,
        };
        let params = json!({
            "type": "mouseWheel", "x": width / 2, "y": height / 2, "deltaX": 0, "deltaY": delta,
        });
        let _: serde::de::IgnoredAny =
            self.call(&page, &page.session, "Input.dispatchMouseEvent", params).await?;
        // The wheel is answered before what it moved has moved.
        self.call_in_page::<()>(&page, MOVED, &[]).await
    }
}

/// Waits for two pictures: the first still shows where it was.
const MOVED: &str = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))";
