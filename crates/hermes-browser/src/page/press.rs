//! Pressing keys.

use serde::de::IgnoredAny;
use serde_json::json;

use super::Clicked;
use super::keys::{KeyStroke, key_stroke};
use crate::browser::{Browser, PageHandle};
use crate::error::BrowserError;

/// While this is held, a key writes nothing.
const COMMANDING: u8 = 1 | 2 | 4;
const SHIFT: u8 = 8;

impl Browser {
    /// Presses a key, with others held down: `Enter`, `Control+a`.
    ///
    /// # Errors
    /// There is no such key.
    pub async fn press(&self, key: &str) -> Result<Clicked, BrowserError> {
        let page = self.page()?;
        let done = async {
            self.press_key(&page, key).await?;
            self.settle(&page).await
        };
        match done.await {
            Ok(()) => Ok(Clicked::default()),
            Err(BrowserError::Dialog(dialog)) => Ok(Clicked { dialog: Some(*dialog) }),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn press_key(&self, page: &PageHandle, key: &str) -> Result<(), BrowserError> {
        let KeyStroke { key, modifiers } = key_stroke(key).map_err(BrowserError::Element)?;
        let mut down = json!({
            "type": "rawKeyDown", "key": key.key, "code": key.code, "modifiers": modifiers,
            "windowsVirtualKeyCode": key.number, "nativeVirtualKeyCode": key.number,
        });
        if let Some(text) = key.text.as_ref().filter(|_| modifiers & COMMANDING == 0) {
            let upper = modifiers & SHIFT != 0 && text.chars().all(char::is_alphabetic);
            let text = if upper { text.to_uppercase() } else { text.clone() };
            down["type"] = json!("keyDown");
            down["text"] = json!(text);
        } else if let Some(command) = editing_command(&key.key, modifiers) {
            // What a keyboard's own system does with these keys; a browser without a window has none.
            down["commands"] = json!([command]);
        }
        let mut up = down.clone();
        up["type"] = json!("keyUp");
        if let Some(fields) = up.as_object_mut() {
            fields.remove("text");
            fields.remove("commands");
        }
        let send = |params| {
            self.connection.send::<IgnoredAny>(&page.session, "Input.dispatchKeyEvent", params)
        };
        for pending in [send(down), send(up)] {
            self.wait_for(page, pending).await?;
        }
        Ok(())
    }
}

fn editing_command(key: &str, modifiers: u8) -> Option<&'static str> {
    /// Control or Meta.
    const EITHER: u8 = 2 | 4;
    if modifiers & EITHER == 0 {
        return None;
    }
    match key.to_ascii_lowercase().as_str() {
        "a" => Some("selectAll"),
        "c" => Some("copy"),
        "x" => Some("cut"),
        "v" => Some("paste"),
        "z" if modifiers & SHIFT != 0 => Some("redo"),
        "z" => Some("undo"),
        _ => None,
    }
}
