//! The folders a server may take for ours: `roots/list`.

use std::path::Path;

use serde_json::{Value, json};
use url::Url;

use super::request_error::RequestError;

/// The method this module answers.
pub const METHOD: &str = "roots/list";

/// The answer to `roots/list`: the working folder, or that we do not say.
///
/// # Errors
///
/// Without a folder, or with one that has no absolute path, the method does not exist.
pub fn answer(folder: Option<&Path>) -> Result<Value, RequestError> {
    let folder = folder.ok_or_else(|| RequestError::method_not_found(METHOD))?;
    let url = Url::from_directory_path(folder)
        .map_err(|()| RequestError::method_not_found(METHOD))?
        .to_string();
    // A folder's address ends in a slash, which most servers do not expect.
    let uri = if url == "file:///" { &url } else { url.trim_end_matches('/') };
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(json!({"roots": [{"uri": uri, "name": name.unwrap_or_else(|| "/".to_owned())}]}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_folder_is_the_one_root() {
        let answer = answer(Some(Path::new("/home/me/a project"))).unwrap();
        let root = json!({"uri": "file:///home/me/a%20project", "name": "a project"});
        assert_eq!(answer, json!({"roots": [root]}));
    }

    #[test]
    fn without_a_folder_there_is_no_such_method() {
        assert_eq!(answer(None).unwrap_err().code(), -32601);
        assert_eq!(answer(Some(Path::new("relative"))).unwrap_err().code(), -32601);
    }
}
