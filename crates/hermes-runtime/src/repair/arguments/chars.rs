//! What single characters mean between values.

/// Characters without meaning, outside strings.
pub(super) fn is_padding(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\0')
}

/// Whether a character can delimit a string.
pub(super) fn is_quote(c: char) -> bool {
    !closers(c).is_empty()
}

/// The characters that end a string which this one began. Typographic pairs differ between
/// languages and models mix them up, so any mark of the same weight closes.
pub(super) fn closers(open: char) -> &'static [char] {
    match open {
        '"' => &['"'],
        '\'' => &['\''],
        '“' | '”' | '„' | '‟' => &['“', '”', '‟'],
        '‘' | '’' | '‚' | '‛' => &['‘', '’', '‛'],
        _ => &[],
    }
}
