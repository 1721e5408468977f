//! Paths as people write them in settings.

/// Puts the user's folder in place of a leading `~`.
pub(crate) fn expand_user_folder(path: String, user_folder: Option<&str>) -> String {
    let Some(folder) = user_folder else { return path };
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", folder.trim_end_matches('/'))
        }
        _ => path,
    }
}
