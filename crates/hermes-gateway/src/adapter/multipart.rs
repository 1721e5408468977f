//! Bodies with files in them, as forms of web pages have them.

use std::fmt::Write as _;

/// A `multipart/form-data` body, built field by field.
#[derive(Clone, Debug)]
pub struct Multipart {
    boundary: String,
    body: Vec<u8>,
}

impl Default for Multipart {
    fn default() -> Self {
        Self::new()
    }
}

impl Multipart {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        let boundary = format!(
            "hermes-{:016x}{:016x}",
            hermes_store::clock::random(),
            hermes_store::clock::random()
        );
        Self { boundary, body: Vec::new() }
    }

    /// A field of text.
    #[must_use]
    pub fn text(self, name: &str, value: &str) -> Self {
        self.part(name, None, None, value.as_bytes())
    }

    /// Bytes under a name of their own and with a type.
    #[must_use]
    pub fn file(self, name: &str, file_name: &str, mime: &str, bytes: &[u8]) -> Self {
        self.part(name, Some(file_name), Some(mime), bytes)
    }

    fn part(
        mut self,
        name: &str,
        file_name: Option<&str>,
        mime: Option<&str>,
        bytes: &[u8],
    ) -> Self {
        let mut head = format!("--{}\r\nContent-Disposition: form-data; ", self.boundary);
        let _ = write!(head, "name=\"{}\"", quoted(name));
        if let Some(file_name) = file_name {
            let _ = write!(head, "; filename=\"{}\"", quoted(file_name));
        }
        if let Some(mime) = mime {
            let _ = write!(head, "\r\nContent-Type: {}", quoted(mime));
        }
        head.push_str("\r\n\r\n");
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(bytes);
        self.body.extend_from_slice(b"\r\n");
        self
    }

    /// Puts it into a request.
    pub fn into_request(mut self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        self.body.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        request
            .header("content-type", format!("multipart/form-data; boundary={}", self.boundary))
            .body(self.body)
    }
}

/// As browsers write names in these headers.
fn quoted(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}
