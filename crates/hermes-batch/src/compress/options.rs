//! How trajectories are compressed: by default, by a file, by options of the command.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::BatchError;

/// Where settings are looked for if no file is named.
pub(crate) const USUAL_FILE: &str = "configs/trajectory_compression.yaml";

/// Turns that always stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProtectedTurns {
    /// The first turn with instructions.
    pub first_system: bool,
    /// The first of a person.
    pub first_human: bool,
    /// The first of the model.
    pub first_gpt: bool,
    /// The first with results.
    pub first_tool: bool,
    /// How many at the end.
    pub last_n_turns: usize,
}

impl Default for ProtectedTurns {
    fn default() -> Self {
        let on = true;
        Self { first_system: on, first_human: on, first_gpt: on, first_tool: on, last_n_turns: 4 }
    }
}

impl ProtectedTurns {
    /// Their places among turns with these speakers.
    #[must_use]
    pub fn places(&self, from: &[&str]) -> BTreeSet<usize> {
        let firsts = [
            (self.first_system, "system"),
            (self.first_human, "human"),
            (self.first_gpt, "gpt"),
            (self.first_tool, "tool"),
        ];
        let wanted = firsts.into_iter().filter(|(is_kept, _)| *is_kept);
        let firsts = wanted.filter_map(|(_, word)| from.iter().position(|it| *it == word));
        firsts.chain(from.len().saturating_sub(self.last_n_turns)..from.len()).collect()
    }
}

/// Who writes summaries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SummaryOptions {
    /// The model; without one the usual one for this, or the configured one if there is no key for that.
    pub model: Option<String>,
    /// Where it is served.
    pub base_url: Option<String>,
    /// The variable that holds the key.
    pub api_key_env: Option<String>,
    /// How freely it chooses words.
    pub temperature: f32,
    /// Tries after the first.
    pub max_retries: u32,
    /// Seconds before the second try; twice as many before each further one.
    pub retry_delay: f64,
}

impl Default for SummaryOptions {
    fn default() -> Self {
        Self {
            model: None,
            base_url: None,
            api_key_env: None,
            temperature: 0.3,
            max_retries: 3,
            retry_delay: 2.0,
        }
    }
}

/// Everything that decides about the output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompressOptions {
    /// Tokens a row may have.
    pub target: u64,
    /// Tokens a summary should have.
    pub summary_tokens: u64,
    /// The name of the token counter.
    pub tokenizer: String,
    /// Turns that stay.
    pub protected: ProtectedTurns,
    /// Who writes summaries.
    pub summary: SummaryOptions,
    /// What is added to the instructions of a compressed row; none: nothing.
    pub notice: Option<String>,
    /// What is added to the name of the input for that of the output.
    pub suffix: String,
    /// Requests at the same time.
    pub requests: usize,
    /// Seconds a row may take.
    pub row_timeout: f64,
    /// Whether rows that stay too long are written.
    pub keep_long: bool,
    /// The name of the file with the totals; none: it is not written.
    pub metrics_file: Option<String>,
    /// Whether compressed rows carry their own metrics.
    pub row_metrics: bool,
    /// Which share of the rows is taken, in percent.
    pub sample_percent: f64,
    /// What the sample is drawn with.
    pub seed: u64,
}

impl Default for CompressOptions {
    fn default() -> Self {
        Self::of_file(FileOptions::default())
    }
}

/// The text added to instructions, where nothing else is configured.
const NOTICE: &str = "\n\nSome turns in the middle of this conversation were replaced by a summary of what happened \
in them. Go on from it as from the conversation itself.";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FileOptions {
    tokenizer: TokenizerPart,
    compression: CompressionPart,
    protected_turns: ProtectedTurns,
    summarization: SummaryOptions,
    output: OutputPart,
    processing: ProcessingPart,
    metrics: MetricsPart,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TokenizerPart {
    name: String,
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct CompressionPart {
    target_max_tokens: u64,
    summary_target_tokens: u64,
}

impl Default for CompressionPart {
    fn default() -> Self {
        Self { target_max_tokens: 15_250, summary_target_tokens: 750 }
    }
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct OutputPart {
    add_summary_notice: bool,
    summary_notice_text: String,
    output_suffix: String,
}

impl Default for OutputPart {
    fn default() -> Self {
        Self {
            add_summary_notice: true,
            summary_notice_text: NOTICE.to_owned(),
            output_suffix: "_compressed".to_owned(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct ProcessingPart {
    max_concurrent_requests: usize,
    per_trajectory_timeout: f64,
    save_over_limit: bool,
}

impl Default for ProcessingPart {
    fn default() -> Self {
        Self { max_concurrent_requests: 50, per_trajectory_timeout: 300.0, save_over_limit: true }
    }
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct MetricsPart {
    enabled: bool,
    per_trajectory: bool,
    output_file: String,
}

impl Default for MetricsPart {
    fn default() -> Self {
        let output_file = "compression_metrics.json".to_owned();
        Self { enabled: true, per_trajectory: true, output_file }
    }
}

impl CompressOptions {
    fn of_file(file: FileOptions) -> Self {
        let FileOptions { tokenizer, compression, output, processing, metrics, .. } = file;
        Self {
            target: compression.target_max_tokens,
            summary_tokens: compression.summary_target_tokens,
            tokenizer: tokenizer.name,
            protected: file.protected_turns,
            summary: file.summarization,
            notice: output.add_summary_notice.then_some(output.summary_notice_text),
            suffix: output.output_suffix,
            requests: processing.max_concurrent_requests.max(1),
            row_timeout: processing.per_trajectory_timeout,
            keep_long: processing.save_over_limit,
            metrics_file: metrics.enabled.then_some(metrics.output_file),
            row_metrics: metrics.per_trajectory,
            sample_percent: 100.0,
            seed: 42,
        }
    }

    /// Reads a file of settings; without a name the usual one, if it is there.
    ///
    /// # Errors
    /// If it cannot be read or is not understood.
    pub fn read(file: Option<&Path>) -> Result<Self, BatchError> {
        let path = file.unwrap_or(Path::new(USUAL_FILE));
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if file.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(BatchError::when("read", path)(error)),
        };
        let file =
            serde_saphyr::from_str(&text).map_err(|error| BatchError::broken(path, error))?;
        Ok(Self::of_file(file))
    }
}
