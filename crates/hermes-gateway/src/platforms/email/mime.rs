//! Mail as it is written: headers, parts, encodings.

use base64::Engine as _;

/// How deep parts may be within parts.
const MAX_DEPTH: usize = 6;
/// Parts of one mail that are looked at.
const MAX_PARTS: usize = 50;

/// A mail that was read.
#[derive(Clone, Debug, Default)]
pub(super) struct Mail {
    headers: Vec<(String, String)>,
    /// The text, from plain text or else from HTML.
    pub(super) text: String,
    /// Attached files.
    pub(super) files: Vec<MailFile>,
}

/// A file in a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MailFile {
    pub(super) name: String,
    pub(super) mime: String,
    pub(super) bytes: Vec<u8>,
}

impl Mail {
    /// Reads a mail; what makes no sense is left out.
    pub(super) fn read(raw: &[u8]) -> Self {
        let (headers, body) = split(raw);
        let mut mail = Self { headers, ..Self::default() };
        let (mut plain, mut html, mut count) = (String::new(), String::new(), 0);
        let headers = mail.headers.clone();
        walk(&headers, body, &mut plain, &mut html, &mut mail.files, 0, &mut count);
        mail.text = if plain.trim().is_empty() { text_of_html(&html) } else { plain };
        mail
    }

    /// The first header of a name, decoded.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        self.headers(name).into_iter().next()
    }

    /// All headers of a name, topmost first.
    pub(super) fn headers(&self, name: &str) -> Vec<String> {
        let is_it = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers.iter().filter(is_it).map(|(_, value)| decoded_words(value)).collect()
    }

    /// The same as they were sent: words in other alphabets may hide signs that mean something.
    pub(super) fn raw_headers(&self, name: &str) -> Vec<&str> {
        let is_it = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers.iter().filter(is_it).map(|(_, value)| value.as_str()).collect()
    }

    /// Addresses between angle brackets in a header, such as the ids in `References`.
    pub(super) fn ids(&self, name: &str) -> Vec<String> {
        let text = self.header(name).unwrap_or_default();
        let parts = text.split('<').skip(1).filter_map(|part| part.split('>').next());
        parts.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect()
    }

    /// Who wrote it: the address without its name, in lower case. Several are nobody.
    pub(super) fn sender(&self) -> Option<(String, String)> {
        let all = self.headers("from");
        let [from] = all.as_slice() else { return None };
        let (name, address) = match from.rsplit_once('<') {
            Some((name, rest)) => (name.trim().trim_matches('"'), rest.split('>').next()?),
            None => ("", from.as_str()),
        };
        let address = address.trim().to_lowercase();
        let is_one = address.matches('@').count() == 1
            && !address.contains([',', ' ', '<', '"'])
            && !address.starts_with('@');
        is_one.then(|| (address, name.to_owned()))
    }
}

/// Headers, unfolded, and the body.
fn split(raw: &[u8]) -> (Vec<(String, String)>, &[u8]) {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut rest = raw;
    loop {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return (headers, rest);
        }
        match (line.starts_with([' ', '\t']), headers.last_mut()) {
            (true, Some((_, value))) => {
                value.push(' ');
                value.push_str(line.trim());
            }
            _ => {
                if let Some((name, value)) = line.split_once(':') {
                    headers.push((name.trim().to_owned(), value.trim().to_owned()));
                }
            }
        }
    }
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> &'a str {
    let found = headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map_or("", |(_, value)| value.as_str())
}

/// A parameter of a header such as `boundary`.
fn parameter(header: &str, name: &str) -> Option<String> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once(';') {
        rest = after;
        let Some((known, value)) = after.split_once('=') else { continue };
        if !known.trim().trim_end_matches('*').eq_ignore_ascii_case(name) {
            continue;
        }
        let value = value.trim_start();
        return Some(match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default().to_owned(),
            None => value.split([';', ' ']).next().unwrap_or_default().to_owned(),
        });
    }
    None
}

fn walk(
    headers: &[(String, String)],
    body: &[u8],
    plain: &mut String,
    html: &mut String,
    files: &mut Vec<MailFile>,
    depth: usize,
    count: &mut usize,
) {
    *count += 1;
    if depth > MAX_DEPTH || *count > MAX_PARTS {
        return;
    }
    let kind = find(headers, "content-type");
    let mime = kind.split(';').next().unwrap_or_default().trim().to_lowercase();
    if mime.starts_with("multipart/") {
        let Some(boundary) = parameter(kind, "boundary").filter(|text| !text.is_empty()) else {
            return;
        };
        for part in parts(body, &boundary) {
            let (headers, body) = split(part);
            walk(&headers, body, plain, html, files, depth + 1, count);
        }
        return;
    }
    let bytes = match find(headers, "content-transfer-encoding").trim().to_lowercase().as_str() {
        "base64" => unbase64(body),
        "quoted-printable" => unquoted(body, false),
        _ => body.to_vec(),
    };
    let disposition = find(headers, "content-disposition");
    let name = parameter(disposition, "filename").or_else(|| parameter(kind, "name"));
    let is_text = mime.is_empty() || mime == "text/plain" || mime == "text/html";
    if disposition.to_lowercase().starts_with("attachment") || !is_text {
        let name = name.map_or_else(|| "file".to_owned(), |name| decoded_words(&name));
        files.push(MailFile { name, mime, bytes });
        return;
    }
    let charset = parameter(kind, "charset").unwrap_or_default();
    let text = decoded(&bytes, &charset);
    let into = if mime == "text/html" { html } else { plain };
    into.push_str(&text);
}

/// The parts between boundaries.
fn parts<'a>(body: &'a [u8], boundary: &str) -> Vec<&'a [u8]> {
    let mark = format!("--{boundary}").into_bytes();
    let mut found = Vec::new();
    let mut begin = None::<usize>;
    let mut at = 0;
    while at < body.len() {
        let rest = body.get(at..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        let line = rest.get(..end).unwrap_or_default();
        if line.starts_with(&mark) {
            if let Some(begin) = begin {
                found.push(body.get(begin..at).unwrap_or_default());
            }
            begin = Some(at + end);
            if line.get(mark.len()..).is_some_and(|rest| rest.starts_with(b"--")) {
                return found;
            }
        }
        at += end;
    }
    if let Some(begin) = begin {
        found.push(body.get(begin..).unwrap_or_default());
    }
    found
}

fn unbase64(body: &[u8]) -> Vec<u8> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let digits: Vec<u8> = body.iter().copied().filter(is_digit).collect();
    base64::engine::general_purpose::STANDARD_NO_PAD.decode(digits).unwrap_or_default()
}

/// Quoted-printable; in headers an underscore is a blank.
fn unquoted(body: &[u8], is_header: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        match first {
            b'_' if is_header => out.push(b' '),
            b'=' => {
                if let Some(after) = more.strip_prefix(b"\r\n").or_else(|| more.strip_prefix(b"\n"))
                {
                    rest = after;
                    continue;
                }
                let code = more.get(..2).and_then(|code| std::str::from_utf8(code).ok());
                match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
                    Some(byte) => {
                        out.push(byte);
                        rest = more.get(2..).unwrap_or_default();
                    }
                    None => out.push(b'='),
                }
            }
            byte => out.push(*byte),
        }
    }
    out
}

/// Text in a charset; what is not known is read as UTF-8, and where that is none as Latin-1.
fn decoded(bytes: &[u8], charset: &str) -> String {
    let is_latin =
        matches!(charset.to_lowercase().as_str(), "iso-8859-1" | "latin1" | "windows-1252");
    match std::str::from_utf8(bytes) {
        Ok(text) if !is_latin || bytes.is_ascii() => text.to_owned(),
        _ => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Words of a header that are written as `=?utf-8?B?…?=`.
fn decoded_words(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("=?") {
        let mut fields = after.splitn(4, '?');
        let word = (fields.next(), fields.next(), fields.next(), fields.next());
        let (Some(charset), Some(kind), Some(data), Some(behind)) = word else { break };
        let Some(behind) = behind.strip_prefix('=') else { break };
        let bytes = match kind {
            "B" | "b" => unbase64(data.as_bytes()),
            "Q" | "q" => unquoted(data.as_bytes(), true),
            _ => break,
        };
        // Blanks between two such words are none.
        if !before.trim().is_empty() || out.is_empty() {
            out.push_str(before);
        }
        out.push_str(&decoded(&bytes, charset));
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The words of a page, without its marks.
fn text_of_html(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let tag = after.split('>').next().unwrap_or_default();
        let name = tag.split([' ', '/']).next().unwrap_or_default().to_lowercase();
        rest = after.split_once('>').map_or("", |(_, rest)| rest);
        match name.as_str() {
            "style" | "script" => {
                let end = format!("</{name}");
                rest = rest.to_lowercase().find(&end).and_then(|at| rest.get(at..)).unwrap_or("");
            }
            "br" | "p" | "div" | "tr" | "li" | "h1" | "h2" | "h3" => out.push('\n'),
            _ => {}
        }
    }
    out.push_str(rest);
    let entities = [
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    entities.iter().fold(out, |text, (entity, sign)| text.replace(entity, sign))
}

/// What somebody wrote, without what they answered and without their signature.
pub(super) fn own_words(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line == "-- " || line.trim_end() == "--" {
            break;
        }
        kept.push(line);
    }
    let is_quote = |line: &str| line.starts_with('>') || line.trim().is_empty();
    let mut end = kept.len();
    while end > 0 && kept.get(end - 1).is_some_and(|line| is_quote(line)) {
        end -= 1;
    }
    let had_quote = kept.iter().skip(end).any(|line| line.starts_with('>'));
    kept.truncate(end);
    if had_quote {
        // The line that says who wrote what is quoted, which may be broken in two.
        while kept.last().is_some_and(|line| line.trim_end().ends_with(':') && line.len() < 200) {
            kept.pop();
        }
    }
    kept.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_encodings_and_names_are_read() {
        let raw = b"From: =?utf-8?Q?Ann_L=C3=A9e?= <Ann@Example.org>\r\nSubject: =?utf-8?B?R3LDvMOf?=\r\n \
            =?utf-8?Q?e?=\r\nReferences: <a@x>\r\n <b@y>\r\nContent-Type: multipart/mixed; boundary=\"X\"\r\n\r\n\
            preamble\r\n--X\r\nContent-Type: multipart/alternative; boundary=Y\r\n\r\n--Y\r\n\
            Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
            caf=C3=A9 is =\r\nopen\r\n--Y\r\nContent-Type: text/html\r\n\r\n<p>other</p>\r\n--Y--\r\n--X\r\n\
            Content-Type: text/csv; name=\"a.csv\"\r\nContent-Disposition: attachment; filename=\"a.csv\"\r\n\
            Content-Transfer-Encoding: base64\r\n\r\nYSxi\r\n--X--\r\n";
        let mail = Mail::read(raw);
        assert_eq!(mail.sender(), Some(("ann@example.org".into(), "Ann L\u{e9}e".into())));
        assert_eq!(mail.header("subject").as_deref(), Some("Gr\u{fc}\u{df}e"));
        assert_eq!(mail.ids("references"), ["a@x", "b@y"]);
        assert_eq!(mail.text.trim(), "caf\u{e9} is open");
        let file =
            MailFile { name: "a.csv".into(), mime: "text/csv".into(), bytes: b"a,b".to_vec() };
        assert_eq!(mail.files, [file]);
    }

    #[test]
    fn two_senders_are_nobody() {
        for from in
            ["From: a@x, b@y", "From: a@x\r\nFrom: b@y", "From: \"a@x\" b@y <c@z", "From: x"]
        {
            let mail = Mail::read(format!("{from}\r\n\r\nhi").as_bytes());
            let sender = mail.sender();
            assert!(
                sender.is_none() || sender.as_ref().is_some_and(|s| s.0 == "c@z"),
                "{from} {sender:?}"
            );
        }
    }

    #[test]
    fn history_and_signature_are_cut() {
        let text = "Yes, do it.\n\nOn Monday, Hermes wrote:\n> shall I?\n> really?\n";
        assert_eq!(own_words(text), "Yes, do it.");
        assert_eq!(own_words("Hello\n-- \nAnn\n+49"), "Hello");
        assert_eq!(own_words("> quoted\nmy answer below"), "> quoted\nmy answer below");
        let page = "<style>p{}</style><p>Hi&nbsp;there<br>you &amp; me</p>";
        assert_eq!(text_of_html(page).trim(), "Hi there\nyou & me");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(raw in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
            let mail = Mail::read(&raw);
            let _ = (mail.sender(), own_words(&mail.text));
        }

        #[test]
        fn any_header_is_read(text in ".{0,80}") {
            let _ = (decoded_words(&text), parameter(&text, "boundary"), text_of_html(&text));
        }
    }
}
