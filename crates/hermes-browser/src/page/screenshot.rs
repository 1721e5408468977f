//! Pictures of a page, with the references of its elements drawn in if wanted.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::browser::{Browser, PageHandle};
use crate::error::BrowserError;

/// Pictures are no higher than this; more would not fit a picture's format.
const HIGHEST: f64 = 16_384.0;
/// Most labels that are drawn.
const LABELS: usize = 300;

/// Draws the labels; returns where they are.
const DRAW: &str = "(boxes) => { \
    const layer = document.createElement('div'); layer.id = '__hermes_labels'; \
    layer.style.cssText = 'position:absolute;left:0;top:0;width:0;height:0;z-index:2147483647;pointer-events:none'; \
    for (const box of boxes) { \
        const frame = document.createElement('div'); \
        frame.style.cssText = `position:absolute;left:${box.x}px;top:${box.y}px;width:${box.width}px;height:${box.height}px;outline:2px solid #d00;pointer-events:none`; \
        const label = document.createElement('span'); label.textContent = `[${box.number}]`; \
        label.style.cssText = 'position:absolute;left:0;top:-2px;transform:translateY(-100%);background:#d00;color:#fff;font:bold 11px monospace;padding:0 2px;white-space:nowrap'; \
        if (box.y < 16) label.style.transform = 'none'; \
        frame.append(label); layer.append(frame); } \
    document.documentElement.append(layer); return null; }";
const ERASE: &str = "() => { document.getElementById('__hermes_labels')?.remove(); return null; }";
/// Where an element is on the whole page.
const PLACE: &str = "function() { const at = this.nodeType === 1 ? this : this.parentElement; \
    const box = at.getBoundingClientRect(); const style = getComputedStyle(at); \
    if (box.width < 1 || box.height < 1 || style.visibility === 'hidden') return null; \
    return { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height }; }";

/// A picture of a page.
#[derive(Clone, Debug)]
pub struct Screenshot {
    /// The picture, as PNG.
    pub png: Vec<u8>,
    /// What the labels in it mean.
    pub annotations: Vec<Annotation>,
}

/// A label in a picture: `[3]` is the element `@e3`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Annotation {
    /// The number in the picture.
    pub label: u32,
    /// The element's reference.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The accessibility role, as snapshots write it.
    pub role: String,
    /// The accessible name, as snapshots write it.
    pub name: String,
}

#[derive(Deserialize)]
struct LabelRect {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    css_content_size: Size,
}

#[derive(Deserialize)]
struct Size {
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
struct Captured {
    data: String,
}

impl Browser {
    /// A picture of the whole page in front; `annotate` draws the references of the last snapshot into it.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn screenshot(&self, annotate: bool) -> Result<Screenshot, BrowserError> {
        let page = self.page()?;
        let annotations = if annotate { self.draw_labels(&page).await? } else { Vec::new() };
        let captured = self.capture(&page).await;
        if annotate {
            // Also if no picture was made: the page is not to keep what we drew.
            let _: Result<(), BrowserError> = self.call_in_page(&page, ERASE, &[]).await;
        }
        Ok(Screenshot { png: captured?, annotations })
    }

    async fn capture(&self, page: &PageHandle) -> Result<Vec<u8>, BrowserError> {
        let session = &page.session;
        let metrics: Metrics = self.call(page, session, "Page.getLayoutMetrics", json!({})).await?;
        let Size { width, height } = metrics.css_content_size;
        let clip = json!({
            "x": 0, "y": 0, "width": width.clamp(1.0, HIGHEST), "height": height.clamp(1.0, HIGHEST),
            "scale": 1,
        });
        let params = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let captured: Captured = self.call(page, session, "Page.captureScreenshot", params).await?;
        decoded(&captured.data)
    }

    /// A picture of the part that is seen, small enough to keep many.
    ///
    /// # Errors
    /// The page does not answer.
    pub async fn thumbnail(&self) -> Result<Vec<u8>, BrowserError> {
        let page = self.page()?;
        let params = json!({"format": "jpeg", "quality": 60, "optimizeForSpeed": true});
        let captured: Captured =
            self.call(&page, &page.session, "Page.captureScreenshot", params).await?;
        decoded(&captured.data)
    }

    async fn draw_labels(&self, page: &PageHandle) -> Result<Vec<Annotation>, BrowserError> {
        let elements: Vec<_> = {
            let state = self.watcher.state();
            let Some(tab) = state.tab(&page.target) else { return Ok(Vec::new()) };
            let own = tab
                .references
                .all()
                .filter(|(_, info)| info.key.session == page.session && info.frame == page.target);
            own.take(LABELS).map(|(number, info)| (number, info.clone())).collect()
        };
        let mut boxes = Vec::new();
        let mut annotations = Vec::new();
        for (number, element) in elements {
            let place: Result<Option<LabelRect>, BrowserError> =
                self.call_on(page, &element, PLACE, &[]).await;
            let place = match place {
                Ok(Some(place)) => place,
                // Gone or not shown.
                Ok(None) | Err(BrowserError::Element(_) | BrowserError::Script(_)) => continue,
                Err(error) => return Err(error),
            };
            let LabelRect { x, y, width, height } = place;
            boxes.push(json!({"number": number, "x": x, "y": y, "width": width, "height": height}));
            annotations.push(Annotation {
                label: number,
                reference: format!("@e{number}"),
                role: element.role,
                name: element.name,
            });
        }
        self.call_in_page::<()>(page, DRAW, &[json!(boxes)]).await?;
        Ok(annotations)
    }
}

fn decoded(data: &str) -> Result<Vec<u8>, BrowserError> {
    STANDARD.decode(data).map_err(|error| BrowserError::Script(error.to_string()))
}
