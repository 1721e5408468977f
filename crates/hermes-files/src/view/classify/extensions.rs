//! What extensions say about content.

/// What an extension stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// A picture.
    Image,
    /// Binary data that no text is named after.
    Binary,
}

const IMAGES: &[&str] = &["bmp", "gif", "ico", "jpeg", "jpg", "png", "tif", "tiff", "webp"];

/// Grouped by use. Left out on purpose: `pdf` and `svg`, and those that are as often text (`dat`,
/// `data`, `idx`, `max`, `app`, `ai`, `eps`, `db`, `z`, `a`, `o`, `lib`), where content decides.
const BINARY: &[&[&str]] = &[
    // film
    &["avi", "flv", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "webm", "wmv"],
    // sound
    &["aac", "aiff", "flac", "m4a", "mp3", "ogg", "opus", "wav", "wma"],
    // archives and disk images
    &["7z", "bz2", "gz", "iso", "rar", "tar", "tgz", "xz", "zip"],
    // programs, libraries, packages
    &["bin", "deb", "dll", "dylib", "exe", "msi", "obj", "rpm", "so"],
    // office
    &["doc", "docx", "odp", "ods", "odt", "ppt", "pptx", "xls", "xlsx"],
    // fonts
    &["eot", "otf", "ttf", "woff", "woff2"],
    // compiled code
    &["class", "ear", "jar", "node", "pyc", "pyo", "rlib", "war", "wasm"],
    // databases and lock files
    &["lockb", "mdb", "sqlite", "sqlite3"],
    // design and three dimensions
    &["3ds", "blend", "fig", "fla", "psd", "sketch", "swf", "xd"],
];

/// What a lower-case extension stands for; `None` leaves it to the content.
pub(super) fn hint(extension: &str) -> Option<Hint> {
    if IMAGES.contains(&extension) {
        return Some(Hint::Image);
    }
    BINARY.iter().any(|group| group.contains(&extension)).then_some(Hint::Binary)
}
