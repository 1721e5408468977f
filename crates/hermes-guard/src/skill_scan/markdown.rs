//! Markdown and other text for readers, split into prose, code and what is only shown.

use super::document::Language;
use super::fold::fold;
use super::program::Joiner;
use super::reading::{Reading, StatementContext};
use super::words::{has_run_verb, is_command_line, speaks_of_attacks, warns, warns_of_block};

/// Lines that one paragraph is joined from.
const MAX_PARAGRAPH_LINES: usize = 40;

/// What is known of a text before it is read.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// Everything in it is there to show something.
    pub(super) example: bool,
    /// Its fenced blocks are.
    pub(super) samples: bool,
    /// Code behind a sentence with a colon is to be run.
    pub(super) told: bool,
}

/// Reads a text into `reading`.
pub(super) fn read(text: &str, setting: Setting, reading: &mut Reading) {
    let Setting { example, samples, told } = setting;
    let mut reader = Reader {
        reading,
        example,
        samples,
        told,
        headings: Vec::new(),
        fence: None,
        in_frontmatter: false,
        comment: None,
        paragraph_lines: 0,
        inline: Vec::new(),
        warned: false,
    };
    for (index, line) in text.lines().enumerate() {
        reader.line(index + 1, line);
    }
    reader.end();
}

struct Reader<'r> {
    reading: &'r mut Reading,
    example: bool,
    samples: bool,
    told: bool,
    /// Level of each open heading, and whether it speaks of attacks.
    headings: Vec<(usize, bool)>,
    fence: Option<(Fence, Joiner)>,
    in_frontmatter: bool,
    /// Line and text of a comment that is not closed yet.
    comment: Option<(usize, String)>,
    paragraph_lines: usize,
    /// Inline code of the paragraph: line, text, place.
    inline: Vec<(usize, String, StatementContext)>,
    /// Whether the last words before a fence warn of what it holds.
    warned: bool,
}

#[derive(Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
}

impl Reader<'_> {
    fn line(&mut self, number: usize, raw: &str) {
        if let Some((fence, joiner)) = &mut self.fence {
            if closes(raw, *fence) {
                if let Some((_, joiner)) = self.fence.take() {
                    joiner.end(self.reading);
                }
            } else {
                joiner.line(self.reading, number, raw);
            }
            return;
        }
        if self.frontmatter(number, raw) || self.comment_goes_on(number, raw) {
            return;
        }
        if let Some((fence, info)) = opens(raw) {
            self.end_paragraph();
            let place = if self.example || self.warned || self.samples {
                StatementContext::Example
            } else if self.headings.iter().any(|&(_, attacks)| attacks) {
                StatementContext::Described
            } else {
                StatementContext::Code
            };
            let language = Language::of_fence(info);
            self.fence = Some((fence, Joiner::new(self.reading, place, language)));
            return;
        }
        if let Some(comment) = link_comment(raw) {
            self.inline.push((number, fold(comment).into_owned(), StatementContext::Hidden));
            return;
        }
        let visible = self.without_comments(number, raw);
        let visible = visible.as_deref().unwrap_or(raw);
        if visible.trim().is_empty() {
            return self.end_paragraph();
        }
        self.prose(number, visible);
    }

    /// Each entry is a statement; text that goes on in indented lines belongs to it.
    fn frontmatter(&mut self, number: usize, raw: &str) -> bool {
        let is_rule = raw.trim_start_matches('\u{feff}').trim_end() == "---";
        if number == 1 && is_rule {
            self.in_frontmatter = true;
            return true;
        }
        if !self.in_frontmatter {
            return false;
        }
        if is_rule {
            self.in_frontmatter = false;
            self.end_paragraph();
            return true;
        }
        if !raw.starts_with([' ', '\t']) {
            self.end_paragraph();
        }
        let place = if self.example { StatementContext::Example } else { StatementContext::Prose };
        self.reading.push(number, fold(raw).trim(), place, Language::Data);
        true
    }

    fn comment_goes_on(&mut self, number: usize, raw: &str) -> bool {
        let Some((_, text)) = &mut self.comment else { return false };
        let (inside, rest) = match raw.find("-->") {
            Some(end) => (&raw[..end], Some(&raw[end + 3..])),
            None => (raw, None),
        };
        text.push(' ');
        text.push_str(&fold(inside));
        if let Some(rest) = rest {
            self.end_comment();
            if !rest.trim().is_empty() {
                self.line(number, rest);
            }
        }
        true
    }

    /// The line without its comments, if it has any; they become statements of their own.
    fn without_comments(&mut self, number: usize, raw: &str) -> Option<String> {
        let mut rest = raw;
        let mut visible = None;
        while let Some(start) = rest.find("<!--") {
            let shown = visible.get_or_insert_with(String::new);
            shown.push_str(&rest[..start]);
            let inside = &rest[start + 4..];
            match inside.find("-->") {
                Some(end) => {
                    self.comment = Some((number, fold(&inside[..end]).into_owned()));
                    self.end_comment();
                    rest = &inside[end + 3..];
                }
                None => {
                    self.comment = Some((number, fold(inside).into_owned()));
                    return visible;
                }
            }
        }
        if let Some(shown) = &mut visible {
            shown.push_str(rest);
        }
        visible
    }

    /// Comments wait like inline code, so that they do not cut the paragraph around them.
    fn end_comment(&mut self) {
        if let Some((line, text)) = self.comment.take() {
            self.inline.push((line, text, StatementContext::Hidden));
        }
    }

    fn prose(&mut self, number: usize, raw: &str) {
        let folded = fold(raw);
        let inside = folded.trim_start();
        if inside.starts_with('|') {
            self.end_paragraph();
            self.reading.add(number, &plain(inside), StatementContext::Example, Language::Data);
            return;
        }
        let text = without_marker(inside);
        let level = inside.bytes().take_while(|&byte| byte == b'#').count();
        if level > 0 && inside[level..].starts_with(' ') {
            self.headings.retain(|&(above, _)| above < level);
            self.headings.push((level, speaks_of_attacks(text)));
        }
        if is_command_line(text) {
            self.end_paragraph();
            let place =
                if self.example { StatementContext::Example } else { StatementContext::Code };
            let first = self.reading.statements.len();
            let command = text.trim_matches('`').trim_start_matches("$ ");
            self.reading.push(number, command, place, Language::Shell);
            self.reading.region_from(first, place, Language::Shell);
            return;
        }
        self.warned = warns_of_block(text);
        if self.paragraph_lines >= MAX_PARAGRAPH_LINES {
            self.end_paragraph();
        }
        self.paragraph_lines += 1;
        self.spans(number, text, text.len() < inside.len());
    }

    /// Adds a line of prose, and keeps its inline code for later.
    fn spans(&mut self, number: usize, text: &str, is_item: bool) {
        let place = if self.example { StatementContext::Example } else { StatementContext::Prose };
        let mut first = true;
        let mut rest = text;
        loop {
            let (before, code, after) = match span(rest) {
                Some(parts) => parts,
                None => (rest, "", ""),
            };
            let shown = plain(before);
            if first {
                self.reading.push(number, &shown, place, Language::Data);
                if is_item {
                    self.reading.items.push(self.reading.text.len() - shown.len());
                }
                first = false;
            } else {
                self.reading.text.push_str(&shown);
            }
            if code.is_empty() {
                return;
            }
            let sentence = last_sentence(self.reading.open_text());
            let announced = self.told && announces(sentence);
            let commanded =
                before.ends_with('!') || (has_run_verb(sentence) || announced) && !warns(sentence);
            let code_place = match self.example {
                false if commanded => StatementContext::Code,
                _ => StatementContext::Example,
            };
            self.inline.push((number, code.to_owned(), code_place));
            let start = self.reading.text.len();
            self.reading.text.push_str(code);
            self.reading.inline.push(start..self.reading.text.len());
            rest = after;
        }
    }

    fn end_paragraph(&mut self) {
        self.reading.close();
        self.paragraph_lines = 0;
        for (line, text, place) in std::mem::take(&mut self.inline) {
            if place == StatementContext::Hidden {
                self.reading.add(line, &text, place, Language::Data);
                continue;
            }
            let first = self.reading.statements.len();
            self.reading.add(line, &text, place, Language::Shell);
            self.reading.region_from(first, place, Language::Shell);
        }
    }

    fn end(mut self) {
        if let Some((_, joiner)) = self.fence.take() {
            joiner.end(self.reading);
        }
        self.end_comment();
        self.end_paragraph();
    }
}

/// Fewest words of a sentence that announces a command.
const ANNOUNCING: usize = 3;

/// `If the disk is full, make room:` and not `Fork bomb:`.
fn announces(sentence: &str) -> bool {
    sentence.trim_end().ends_with(':') && sentence.split_whitespace().count() >= ANNOUNCING
}

/// The text of `[//]: # (text)`, a definition that nothing refers to and no page shows.
fn link_comment(raw: &str) -> Option<&str> {
    let definition = raw.trim_start().strip_prefix('[')?;
    let (name, text) = definition.split_once("]:")?;
    let is_comment = name.starts_with("//") || name.eq_ignore_ascii_case("comment");
    let text = text.trim_start().strip_prefix(['#', '<'])?.trim_start_matches(['>', ' ']);
    is_comment.then_some(text)
}

/// A fence and its info string, however deep in lists and quotes.
fn opens(raw: &str) -> Option<(Fence, &str)> {
    let inside = raw.trim_start_matches([' ', '\t', '>', '-', '*']);
    let mark = *inside.as_bytes().first()?;
    if mark != b'`' && mark != b'~' {
        return None;
    }
    let length = inside.bytes().take_while(|&byte| byte == mark).count();
    let info = inside[length..].trim();
    (length >= 3 && !info.contains('`')).then_some((Fence { mark, length }, info))
}

fn closes(raw: &str, fence: Fence) -> bool {
    let inside = raw.trim_start_matches([' ', '\t', '>']).trim_end();
    inside.len() >= fence.length && inside.bytes().all(|byte| byte == fence.mark)
}

/// Without the sign of a heading, an item or a quote.
fn without_marker(line: &str) -> &str {
    let mut text = line;
    loop {
        let shorter = text.trim_start_matches(['#', '>']).trim_start();
        let shorter = match shorter.as_bytes() {
            [b'-' | b'*' | b'+', b' ', ..] => shorter[2..].trim_start(),
            _ => shorter,
        };
        let digits = shorter.bytes().take_while(u8::is_ascii_digit).count();
        let shorter = match shorter[digits..].strip_prefix(['.', ')']) {
            Some(item) if digits > 0 && digits < 4 && item.starts_with(' ') => item.trim_start(),
            _ => shorter,
        };
        let shorter = shorter.strip_prefix("[ ] ").unwrap_or(shorter);
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

/// Without the signs of emphasis, which may stand inside words, and with numeric entities read.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['*', '&', '<']) {
        shown.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        if let Some(length) = inline_tag(&rest[at..]) {
            rest = &rest[at + length..];
            continue;
        }
        match entity(&rest[at..]) {
            Some((character, length)) => {
                shown.push(character);
                rest = &rest[at + length..];
            }
            None => {
                if !rest[at..].starts_with('*') {
                    shown.push_str(&rest[at..=at]);
                }
                rest = behind;
            }
        }
    }
    shown.push_str(rest);
    shown
}

/// The length of a tag that may stand inside a word, such as `<b>`.
fn inline_tag(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('<')?.trim_start_matches('/');
    let name = inside.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let known = ["b", "i", "u", "s", "em", "strong", "mark", "small", "sub", "sup", "wbr", "font"];
    let is_known = known.iter().any(|tag| inside[..name].eq_ignore_ascii_case(tag));
    let end = text.bytes().take(80).position(|byte| byte == b'>')?;
    is_known.then_some(end + 1)
}

/// A numeric entity (`&#105;`, `&#x69;`) and its length.
fn entity(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix("&#")?;
    let end = digits.bytes().take(8).position(|byte| byte == b';')?;
    let number = match digits[..end].strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits[..end].parse().ok()?,
    };
    Some((char::from_u32(number)?, end + 3))
}

/// Text before a piece of inline code, the code, and the text behind it.
fn span(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find('`')?;
    let ticks = text[start..].bytes().take_while(|&byte| byte == b'`').count();
    let inside = &text[start + ticks..];
    let mut from = 0;
    while let Some(at) = inside[from..].find('`') {
        let close = from + at;
        let length = inside[close..].bytes().take_while(|&byte| byte == b'`').count();
        if length == ticks && close > 0 {
            return Some((&text[..start], inside[..close].trim(), &inside[close + ticks..]))
                .filter(|(_, code, _)| !code.is_empty());
        }
        from = close + length;
    }
    None
}

fn last_sentence(text: &str) -> &str {
    const LOOK_BACK: usize = 200;
    let mut from = text.len().saturating_sub(LOOK_BACK);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let tail = &text[from..];
    let end = [". ", "! ", "? ", "; "].iter().filter_map(|end| tail.rfind(end)).max();
    end.map_or(tail, |end| &tail[end + 2..])
}
