//! A line of text in the making: white space collapses as it arrives, breaks are kept apart from it.

/// Text between two blocks. A break is a line feed inside.
#[derive(Debug, Default)]
pub(crate) struct Line {
    text: String,
    /// White space waits here for the next letter.
    gap: bool,
    /// Two elements meet here that a page sets apart by other means than white space.
    seam: bool,
    /// White space came before the first letter.
    leading: bool,
    /// Where the last emphasis ended, and with which mark: the next one may go on there.
    closed: Option<(usize, &'static str)>,
}

impl Line {
    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Adds words; runs of white space become one blank, what has no width vanishes.
    pub(crate) fn text(&mut self, words: &str) {
        for letter in words.chars() {
            match letter {
                '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => {}
                _ if letter.is_whitespace() => self.blank(),
                _ => {
                    self.fill(letter);
                    self.text.push(letter);
                }
            }
        }
    }

    /// Adds text as it is.
    pub(crate) fn raw(&mut self, text: &str) {
        if let Some(first) = text.chars().next() {
            self.fill(first);
            self.text.push_str(text);
        }
    }

    /// A blank here, if words meet that would otherwise run into each other.
    pub(crate) fn seam(&mut self) {
        self.seam = true;
    }

    /// White space between words.
    pub(crate) fn blank(&mut self) {
        if self.text.is_empty() {
            self.leading = true;
        } else {
            self.gap = true;
        }
    }

    /// The end of a line within a paragraph.
    pub(crate) fn line_break(&mut self) {
        self.gap = false;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// The end of a block inside what is written on one line: one break, however many blocks end here.
    pub(crate) fn soft_break(&mut self) {
        if !self.text.ends_with('\n') {
            self.line_break();
        }
    }

    fn fill(&mut self, next: char) {
        let apart = self.gap
            || self.seam
                && self.text.chars().next_back().is_some_and(|last| run_together(last, next));
        if apart && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        (self.gap, self.seam) = (false, false);
    }

    /// Adds a part between marks, its outer white space outside of them.
    pub(crate) fn marked(&mut self, mark: &'static str, part: &Self) {
        let words = part.text.trim();
        if part.leading {
            self.blank();
        }
        if words.is_empty() {
            if part.gap || part.leading {
                self.blank();
            }
            return;
        }
        if words.chars().all(|letter| mark.contains(letter)) {
            // A star in italics would be no star any more.
            self.raw(words);
            if part.gap {
                self.blank();
            }
            return;
        }
        let goes_on = !self.gap && !self.seam && self.closed == Some((self.text.len(), mark));
        if goes_on {
            self.text.truncate(self.text.len() - mark.len());
            self.text.push_str(words);
            self.text.push_str(mark);
        } else {
            self.fill(words.chars().next().unwrap_or(' '));
            let paragraphs: Vec<String> = words
                .split("\n\n")
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(|part| format!("{mark}{part}{mark}"))
                .collect();
            self.text.push_str(&paragraphs.join("\n\n"));
        }
        self.closed = Some((self.text.len(), mark));
        if part.text.ends_with('\n') {
            self.line_break();
        }
        if part.gap {
            self.blank();
        }
    }

    /// Adds a part as a link.
    pub(crate) fn linked(&mut self, address: &str, part: &Self) {
        if part.leading {
            self.blank();
        }
        let gap = part.gap;
        let words = part.one_line();
        if !words.is_empty() {
            self.raw(&format!("[{words}]({address})"));
        }
        if gap {
            self.blank();
        }
    }

    /// Adds a part without anything around it.
    pub(crate) fn plain(&mut self, part: &Self) {
        if part.leading {
            self.blank();
        }
        self.raw(part.text.trim());
        if part.gap {
            self.blank();
        }
    }

    /// Everything on one line.
    pub(crate) fn one_line(&self) -> String {
        let lines: Vec<&str> = self.lines().collect();
        lines.join(" ")
    }

    /// The lines that are not empty.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.split('\n').map(str::trim).filter(|line| !line.is_empty())
    }

    /// Paragraphs: two breaks in a row end one, a single one stays a break.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let mut paragraphs: Vec<String> = Vec::new();
        let mut open = false;
        for line in self.text.split('\n') {
            let line = line.trim();
            if line.is_empty() {
                open = false;
                continue;
            }
            let line = escaped_start(line);
            match paragraphs.last_mut().filter(|_| open) {
                Some(paragraph) => {
                    paragraph.push_str("  \n");
                    paragraph.push_str(&line);
                }
                None => paragraphs.push(line),
            }
            open = true;
        }
        paragraphs
    }
}

/// Whether two letters that meet without white space belong to different words. Marks at the end of a sentence stay where
/// they are, and scripts without blanks need none.
fn run_together(last: char, next: char) -> bool {
    let opens = |letter: char| "([{“‘«¿¡/-–—#@\u{a0}".contains(letter);
    let closes = |letter: char| ".,;:!?)]}”’'»/-–—%\u{a0}".contains(letter);
    let without_blanks = |letter: char| matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}');
    !last.is_whitespace()
        && !opens(last)
        && !closes(next)
        && !without_blanks(last)
        && !without_blanks(next)
}

/// Text that would be a heading or a quote by its first letter.
fn escaped_start(line: &str) -> String {
    let hashes = line.len() - line.trim_start_matches('#').len();
    if (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') || line.starts_with('>') {
        return format!("\\{line}");
    }
    line.to_owned()
}
