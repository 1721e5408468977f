//! Feeds: RSS, RDF, Atom and JSON feeds become a list of their items.

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use serde_json::Value;
use url::Url;

use crate::page::{self, Extract};
use crate::title::collapsed;

/// Most items that are listed.
const MOST_ITEMS: usize = 500;
/// How deep elements may stand inside each other; feeds need five levels.
const DEEPEST: usize = 200;

#[derive(Default)]
struct Feed {
    title: String,
    about: String,
    items: Vec<Item>,
}

#[derive(Default)]
struct Item {
    title: String,
    link: String,
    date: String,
    summary: String,
    content: String,
}

/// A feed in XML; nothing if the document is something else.
pub(crate) fn xml(text: &str, address: &Url) -> Option<Extract> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut feed = Feed::default();
    let mut path: Vec<String> = Vec::new();
    let mut known = false;
    // XHTML inside an item is taken as the text it is.
    let mut inside: Option<usize> = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                let name = local(&start);
                if path.is_empty() {
                    known = matches!(name.as_str(), "rss" | "feed" | "rdf");
                    if !known {
                        return None;
                    }
                }
                feed.open(&name, &start, &path);
                if inside.is_some() {
                    feed.add(&path, &format!("<{name}>"));
                } else if name == "div" {
                    inside = Some(path.len());
                }
                path.push(name);
                if path.len() > DEEPEST {
                    break;
                }
            }
            Ok(Event::Empty(start)) => {
                let name = local(&start);
                feed.open(&name, &start, &path);
                if inside.is_some() {
                    feed.add(&path, &format!("<{name}>"));
                }
            }
            Ok(Event::End(_)) => {
                let name = path.pop().unwrap_or_default();
                if inside.is_some_and(|at| path.len() > at) {
                    feed.add(&path, &format!("</{name}>"));
                } else {
                    inside = None;
                }
            }
            Ok(Event::Text(text)) => feed.add(&path, &text.xml10_content()),
            Ok(Event::CData(text)) => feed.add(&path, &text.xml10_content()),
            Ok(Event::GeneralRef(reference)) => feed.add(&path, &resolved(&reference)),
            // What was read until something broke is shown.
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
        if feed.items.len() > MOST_ITEMS {
            break;
        }
    }
    known.then(|| feed.extract(address))
}

fn local(start: &BytesStart<'_>) -> String {
    start.local_name().into_inner().to_ascii_lowercase()
}

fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(letter)) = reference.resolve_char_ref() {
        return letter.to_string();
    }
    let name: &str = reference;
    match quick_xml::escape::resolve_predefined_entity(name) {
        Some(text) => text.to_owned(),
        None => format!("&{name};"),
    }
}

impl Feed {
    fn open(&mut self, name: &str, start: &BytesStart<'_>, path: &[String]) {
        if matches!(name, "item" | "entry") {
            self.items.push(Item::default());
            return;
        }
        let attribute = |wanted: &str| {
            start
                .attributes()
                .with_checks(false)
                .flatten()
                .find(|attribute| attribute.key.local_name().into_inner() == wanted)
                .map(|attribute| attribute.value.into_owned())
        };
        if name != "link" || !path.iter().any(|outer| outer == "entry") {
            return;
        }
        let relation = attribute("rel").unwrap_or_default();
        if let (Some(item), Some(href)) = (self.items.last_mut(), attribute("href"))
            && (item.link.is_empty() || relation == "alternate")
            && matches!(relation.as_str(), "" | "alternate")
        {
            item.link = href.replace("&amp;", "&");
        }
    }

    fn add(&mut self, path: &[String], text: &str) {
        let place = path.iter().rposition(|name| matches!(name.as_str(), "item" | "entry"));
        let field = match place {
            Some(at) => path.get(at + 1),
            None => path.last(),
        };
        let Some(field) = field.map(String::as_str) else { return };
        let item = match (place, self.items.last_mut()) {
            (Some(_), Some(item)) => item,
            _ => {
                match field {
                    "title" if path.len() <= 3 && path[path.len() - 2] != "image" => {
                        self.title.push_str(text);
                    }
                    "description" | "subtitle" if path.len() <= 3 => self.about.push_str(text),
                    _ => {}
                }
                return;
            }
        };
        match field {
            "title" => item.title.push_str(text),
            "link" => item.link.push_str(text),
            "pubdate" | "date" | "published" => item.date.push_str(text),
            "updated" if item.date.is_empty() => item.date.push_str(text),
            "description" | "summary" => item.summary.push_str(text),
            "encoded" | "content" => item.content.push_str(text),
            _ => {}
        }
    }

    fn extract(self, address: &Url) -> Extract {
        let title = plain(&self.title, address);
        let mut blocks = Vec::new();
        if !title.is_empty() {
            blocks.push(format!("# {title}"));
        }
        let about = plain(&self.about, address);
        if !about.is_empty() {
            blocks.push(about);
        }
        let items: Vec<String> =
            self.items.iter().take(MOST_ITEMS).map(|item| item.entry(address)).collect();
        if !items.is_empty() {
            blocks.push(items.join("\n"));
        }
        Extract { title, markdown: blocks.join("\n\n") }
    }
}

impl Item {
    fn entry(&self, address: &Url) -> String {
        let title = match plain(&self.title, address) {
            title if title.is_empty() => "(untitled)".to_owned(),
            title => title,
        };
        let mut entry = match address.join(self.link.trim()) {
            Ok(link) if !self.link.trim().is_empty() => format!("- [{title}]({link})"),
            _ => format!("- {title}"),
        };
        let date = collapsed(&self.date);
        if !date.is_empty() {
            entry.push_str(&format!(" ({date})"));
        }
        let text = if self.summary.trim().is_empty() { &self.content } else { &self.summary };
        let summary = markdown(text, address);
        if !summary.is_empty() {
            entry.push_str("\n\n  ");
            entry.push_str(&summary.replace('\n', "\n  ").replace("\n  \n", "\n\n"));
            entry.push('\n');
        }
        entry
    }
}

/// Text that may hold HTML, as one line.
fn plain(text: &str, address: &Url) -> String {
    collapsed(&markdown(text, address))
}

fn markdown(text: &str, address: &Url) -> String {
    if !text.contains(['<', '&']) {
        return collapsed(text);
    }
    page::fragment(text, address)
}

/// A feed in JSON; nothing if the value is something else.
pub(crate) fn json(value: &Value, address: &Url) -> Option<Extract> {
    let version = value.get("version")?.as_str()?;
    if !version.contains("jsonfeed.org") {
        return None;
    }
    let text = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let items = value.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let items = items.iter().take(MOST_ITEMS).map(|item| Item {
        title: text(item, "title"),
        link: [text(item, "url"), text(item, "external_url")]
            .into_iter()
            .find(|link| !link.is_empty())
            .unwrap_or_default(),
        date: text(item, "date_published"),
        summary: text(item, "summary"),
        content: [text(item, "content_html"), text(item, "content_text")]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
    });
    let feed = Feed {
        title: text(value, "title"),
        about: text(value, "description"),
        items: items.collect(),
    };
    Some(feed.extract(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address() -> Url {
        Url::parse("https://site.example/feed").unwrap()
    }

    #[test]
    fn rss_becomes_a_list_with_links_dates_and_summaries() {
        let feed = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Pond &amp; Stream</title><link>https://site.example/</link>
<description>News of still water</description><image><title>logo</title></image>
<item><title>Frogs are back</title><link>/frogs</link><pubDate>Mon, 06 May 2024 08:00:00 GMT</pubDate><description>&lt;p&gt;The &lt;b&gt;first&lt;/b&gt; ones.&lt;/p&gt;</description></item>
<item><title><![CDATA[Ice <3]]></title><link>https://site.example/ice?a=1&amp;b=2</link><content:encoded xmlns:content="x"><![CDATA[<p>Thin.</p><p>Thick.</p>]]></content:encoded></item>
</channel></rss>"#;
        let got = xml(feed, &address()).unwrap();
        assert_eq!(got.title, "Pond & Stream");
        assert_eq!(
            got.markdown,
            "# Pond & Stream\n\nNews of still water\n\n- [Frogs are back](https://site.example/frogs) (Mon, 06 May 2024 08:00:00 GMT)\n\n  The **first** ones.\n\n- [Ice <3](https://site.example/ice?a=1&b=2)\n\n  Thin.\n\n  Thick.\n"
        );
    }

    #[test]
    fn atom_takes_the_link_for_readers_and_xhtml_content() {
        let feed = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Notes</title><link rel="self" href="/atom"/>
<entry><title>One</title><link rel="edit" href="/e"/><link rel="alternate" href="/one"/><updated>2024-01-02T00:00:00Z</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hello <em>you</em>.</p></div></content></entry></feed>"#;
        let got = xml(feed, &address()).unwrap();
        assert_eq!(
            got.markdown,
            "# Notes\n\n- [One](https://site.example/one) (2024-01-02T00:00:00Z)\n\n  Hello *you*.\n"
        );
    }

    #[test]
    fn other_xml_is_no_feed_and_broken_feeds_show_what_came() {
        assert!(xml("<svg><title>x</title></svg>", &address()).is_none());
        let got = xml(
            "<rss><channel><title>T</title><item><title>A</title></item><item><title>B</ti",
            &address(),
        )
        .unwrap();
        assert_eq!(got.markdown, "# T\n\n- A\n- B");
    }

    #[test]
    fn json_feeds_are_feeds() {
        let value = serde_json::json!({"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [{"title": "A", "url": "https://a.example/", "content_text": "text"}]});
        assert_eq!(
            json(&value, &address()).unwrap().markdown,
            "# J\n\n- [A](https://a.example/)\n\n  text\n"
        );
    }
}
