//! Reading a shell's state file.

/// What a shell says about its directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Directory {
    /// It ended where it began.
    Stayed,
    /// It ended here.
    Moved(String),
}

/// The directory of a complete state, and what stands before it; `None` while it is incomplete.
pub(crate) fn read(state: &[u8]) -> Option<(Directory, &[u8])> {
    let lines = state.strip_suffix(b"\n#end\n")?;
    let last = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let (body, line) = lines.split_at(last);
    Some((directory(&String::from_utf8_lossy(line.strip_prefix(b"#cwd ")?)), body))
}

fn directory(written: &str) -> Directory {
    let mut path = String::with_capacity(written.len());
    let mut chars = written.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.as_str().starts_with('n') => {
                chars.next();
                path.push('\n');
            }
            '\\' => path.extend(chars.next()),
            c => path.push(c),
        }
    }
    if path.is_empty() { Directory::Stayed } else { Directory::Moved(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(state: &str) -> Option<Directory> {
        read(state.as_bytes()).map(|(directory, _)| directory)
    }

    fn moved(path: &str) -> Option<Directory> {
        Some(Directory::Moved(path.to_owned()))
    }

    #[test]
    fn reads_the_directory_of_a_complete_state_only() {
        let state = "declare -x A=\"1\"\nset +u\n#cwd /a b\n#end\n";
        assert_eq!(directory(state), moved("/a b"));
        let body = &b"declare -x A=\"1\"\nset +u\n"[..];
        assert_eq!(read(state.as_bytes()).map(|(_, body)| body), Some(body));
        assert_eq!(directory("set +u\n#cwd \n#end\n"), Some(Directory::Stayed));
        for incomplete in ["declare -x A=\"1\"\n#cwd /a b\n", "", "#end\n"] {
            assert_eq!(directory(incomplete), None, "{incomplete:?}");
        }
    }

    #[test]
    fn line_breaks_and_backslashes_come_back() {
        assert_eq!(directory("#cwd /a\\nb\\\\c\\\\n\n#end\n"), moved("/a\nb\\c\\n"));
    }
}
