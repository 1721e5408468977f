//! Script, styles and the icon: part of the program, under names that change with what is in them.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest as _, Sha256};

struct Asset {
    stem: &'static str,
    kind: &'static str,
    mime: &'static str,
    text: &'static str,
}

const ASSETS: &[Asset] = &[
    Asset {
        stem: "app",
        kind: "css",
        mime: "text/css; charset=utf-8",
        text: include_str!("../assets/app.css"),
    },
    Asset {
        stem: "app",
        kind: "js",
        mime: "text/javascript; charset=utf-8",
        text: include_str!("../assets/app.js"),
    },
    Asset {
        stem: "icon",
        kind: "svg",
        mime: "image/svg+xml",
        text: include_str!("../assets/icon.svg"),
    },
];

/// The names, in the order of the table.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let name = |asset: &Asset| {
        let hash = Sha256::digest(asset.text.as_bytes());
        let short: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        format!("{}.{short}.{}", asset.stem, asset.kind)
    };
    ASSETS.iter().map(name).collect()
});

/// What an asset is called now.
pub(crate) fn name_of(file: &str) -> &'static str {
    let place = ASSETS.iter().position(|asset| file == format!("{}.{}", asset.stem, asset.kind));
    place.and_then(|place| NAMES.get(place)).map_or("", String::as_str)
}

pub(crate) async fn serve(Path(name): Path<String>) -> Response {
    let Some(asset) = NAMES.iter().position(|known| *known == name).and_then(|at| ASSETS.get(at))
    else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = asset.text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.mime));
    let forever = "public, max-age=31536000, immutable";
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(forever));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound is on what travels compressed; what is smaller without is smaller with.
    #[test]
    fn all_that_is_embedded_is_small() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.text.len()).sum();
        assert!(bytes < 100_000, "{bytes}");
    }

    #[test]
    fn nothing_in_them_is_fetched_from_elsewhere() {
        for asset in ASSETS {
            let text = asset.text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("http://") && !text.contains("https://"), "{}", asset.stem);
        }
    }
}
