//! GGUF files that other programs have fetched: nobody needs the same gigabytes twice.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use hermes_tool::Vars;
use serde_json::Value;

/// How a file of this kind begins.
const MAGIC: &[u8] = b"GGUF";
/// Folders below a cache that are looked into.
const MAX_DEPTH: usize = 6;
/// Most files that are listed.
const MAX_FILES: usize = 500;

/// A file somebody else has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundModel {
    /// A name for commands.
    pub name: String,
    /// Whose it is.
    pub owner: &'static str,
    /// Where it lies.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The files in the caches of Hugging Face, LM Studio and Ollama.
#[must_use]
pub fn found_models(vars: &Vars) -> Vec<FoundModel> {
    let home = vars.non_blank("HOME").map(PathBuf::from);
    let below = |folder: &str| home.as_ref().map(|home| home.join(folder));
    let named = |name: &str| vars.non_blank(name).map(PathBuf::from);
    let hub = named("HF_HUB_CACHE")
        .or_else(|| named("HF_HOME").map(|folder| folder.join("hub")))
        .or_else(|| below(".cache/huggingface/hub"));
    let studio = [below(".lmstudio/models"), below(".cache/lm-studio/models")];
    let ollama = named("OLLAMA_MODELS").or_else(|| below(".ollama/models"));
    let mut found = Vec::new();
    if let Some(folder) = hub {
        files_below(&folder, "Hugging Face", MAX_DEPTH, &mut found);
    }
    for folder in studio.into_iter().flatten() {
        files_below(&folder, "LM Studio", MAX_DEPTH, &mut found);
    }
    if let Some(folder) = ollama {
        of_ollama(&folder, &mut found);
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.dedup_by(|a, b| a.path == b.path);
    found
}

/// Whether a file begins like a model.
#[must_use]
pub fn is_model(path: &Path) -> bool {
    let mut begins = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut begins)).is_ok() && begins == *MAGIC
}

fn files_below(folder: &Path, owner: &'static str, depth: usize, found: &mut Vec<FoundModel>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        if found.len() >= MAX_FILES {
            return;
        }
        let path = entry.path();
        let Ok(seen) = fs::metadata(&path) else { continue };
        if seen.is_dir() && depth > 0 && !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            files_below(&path, owner, depth - 1, found);
        } else if seen.is_file()
            && path.extension().is_some_and(|end| end == "gguf")
            && is_model(&path)
        {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
            found.push(FoundModel { name, owner, bytes: seen.len(), path });
        }
    }
}

/// Ollama keeps files under their sums; a manifest says which of them is which model.
fn of_ollama(folder: &Path, found: &mut Vec<FoundModel>) {
    let library = folder.join("manifests/registry.ollama.ai/library");
    let Ok(models) = fs::read_dir(&library) else { return };
    for model in models.filter_map(Result::ok) {
        let Ok(tags) = fs::read_dir(model.path()) else { continue };
        for tag in tags.filter_map(Result::ok) {
            let manifest = fs::read(tag.path()).ok();
            let manifest: Option<Value> =
                manifest.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let Some(digest) = manifest.as_ref().and_then(weights) else { continue };
            let path = folder.join("blobs").join(digest.replace(':', "-"));
            let name = format!(
                "{}:{}",
                model.file_name().to_string_lossy(),
                tag.file_name().to_string_lossy()
            );
            if let Ok(seen) = fs::metadata(&path)
                && is_model(&path)
                && found.len() < MAX_FILES
            {
                found.push(FoundModel { name, owner: "Ollama", bytes: seen.len(), path });
            }
        }
    }
}

/// The sum of the weights that a manifest names. It becomes a name of a file, so it must look like a sum.
fn weights(manifest: &Value) -> Option<&str> {
    let layers = manifest["layers"].as_array()?;
    let is_weights = |layer: &&Value| layer["mediaType"] == "application/vnd.ollama.image.model";
    let digest = layers.iter().find(is_weights)?["digest"].as_str()?;
    let sum = digest.strip_prefix("sha256:")?;
    (sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(root: &Path, name: &str, content: &[u8]) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        hermes_store::atomic::write(&path, content, hermes_store::atomic::WriteOptions::SECRET)
            .unwrap();
    }

    #[test]
    fn files_of_the_three_caches_are_found_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        put(root, ".cache/huggingface/hub/models--a--b/snapshots/c0ffee/Tiny-Q4.gguf", b"GGUF1234");
        put(root, ".cache/huggingface/hub/models--a--b/snapshots/c0ffee/fake.gguf", b"no model");
        put(root, ".lmstudio/models/you/it/studio.gguf", b"GGUF");
        let sum = "ab".repeat(32);
        put(root, &format!(".ollama/models/blobs/sha256-{sum}"), b"GGUFxx");
        let manifest = serde_json::json!({"layers": [
            {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:00"},
            {"mediaType": "application/vnd.ollama.image.model", "digest": format!("sha256:{sum}")}]});
        let library = ".ollama/models/manifests/registry.ollama.ai/library";
        put(root, &format!("{library}/qwen/3b"), manifest.to_string().as_bytes());
        let evil = serde_json::json!({"layers": [{"mediaType": "application/vnd.ollama.image.model",
            "digest": "sha256:../../../etc/passwd"}]});
        put(root, &format!("{library}/evil/latest"), evil.to_string().as_bytes());
        let vars: Vars = [("HOME".to_owned(), root.display().to_string())].into_iter().collect();
        let found = found_models(&vars);
        let seen: Vec<(&str, &str, u64)> =
            found.iter().map(|one| (one.name.as_str(), one.owner, one.bytes)).collect();
        assert_eq!(
            seen,
            [("qwen:3b", "Ollama", 6), ("studio", "LM Studio", 4), ("tiny-q4", "Hugging Face", 8)]
        );
    }
}
