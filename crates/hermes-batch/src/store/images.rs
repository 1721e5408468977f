//! Images that were fetched for a run, so that they can be removed with it.

use std::fs::File;
use std::io::Write as _;

use serde::{Deserialize, Serialize};

use super::{RunFolder, host_name};
use crate::BatchError;

/// Where they are written down.
const FILE: &str = "images.jsonl";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FetchedImage {
    host: String,
    image: String,
}

/// The images that were fetched for a run on this machine.
#[derive(Debug)]
pub struct FetchedImages<'a>(pub &'a RunFolder);

impl FetchedImages<'_> {
    /// Writes one down. Several processes may do so at once: a line is written whole.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn add(&self, image: &str) -> Result<(), BatchError> {
        let path = self.0.path(FILE);
        let fetched = FetchedImage { host: host_name(), image: image.to_owned() };
        let mut line =
            serde_json::to_vec(&fetched).map_err(|error| BatchError::broken(&path, error))?;
        line.push(b'\n');
        let mut file = File::options()
            .append(true)
            .create(true)
            .open(&path)
            .map_err(BatchError::when("open", &path))?;
        file.write_all(&line).map_err(BatchError::when("write", &path))
    }

    /// Those of this machine, each once.
    #[must_use]
    pub fn here(&self) -> Vec<String> {
        let mut images: Vec<String> = self
            .lines()
            .into_iter()
            .filter(|fetched| fetched.host == host_name())
            .map(|fetched| fetched.image)
            .collect();
        images.sort();
        images.dedup();
        images
    }

    /// Forgets those of this machine that are gone.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn forget(&self, gone: &[String]) -> Result<(), BatchError> {
        let is_left =
            |fetched: &FetchedImage| fetched.host != host_name() || !gone.contains(&fetched.image);
        let lines: Vec<String> = self
            .lines()
            .iter()
            .filter(|fetched| is_left(fetched))
            .filter_map(|fetched| serde_json::to_string(fetched).ok())
            .map(|line| line + "\n")
            .collect();
        self.0.write(FILE, lines.concat().as_bytes())
    }

    /// What cannot be read is left alone.
    fn lines(&self) -> Vec<FetchedImage> {
        let text = std::fs::read_to_string(self.0.path(FILE)).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_this_machine_are_known_until_they_are_gone() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::at(place.path());
        let images = FetchedImages(&folder);
        assert_eq!(images.here(), [""; 0]);
        for image in ["b:1", "a:2", "b:1"] {
            images.add(image).unwrap();
        }
        let other = "{\"host\":\"elsewhere\",\"image\":\"c\"}\ntorn";
        let text = std::fs::read_to_string(folder.path(FILE)).unwrap();
        folder.write(FILE, format!("{text}{other}").as_bytes()).unwrap();
        assert_eq!(images.here(), ["a:2", "b:1"]);
        images.forget(&["b:1".to_owned()]).unwrap();
        assert_eq!(images.here(), ["a:2"]);
        let left = std::fs::read_to_string(folder.path(FILE)).unwrap();
        assert!(left.contains("elsewhere"), "{left}");
    }
}
