//! What rollouts begin with.

use std::sync::Arc;

use hermes_rl::PythonEnv;
use serde_json::{Value, json};

use crate::BatchError;
use crate::dataset::{Dataset, DatasetRow, parse_row};
use crate::run::BatchTask;
use crate::seed::task_seed;

/// Where items come from.
#[derive(Debug)]
pub enum ItemSource {
    /// The rows of a data set, over and over.
    Dataset(Dataset),
    /// What a Python environment gives.
    Python(Arc<PythonEnv>),
}

/// One item, before it has samples.
#[derive(Clone, Debug)]
pub struct RolloutItem {
    /// Which one it is, from the beginning of the run.
    pub number: u64,
    /// Its name; rows that come again have another in each round.
    pub id: String,
    row_id: String,
    index: usize,
    row: DatasetRow,
    line: Vec<u8>,
}

impl ItemSource {
    /// How many items there are in one round; none if nobody knows.
    #[must_use]
    pub fn round(&self) -> Option<u64> {
        match self {
            Self::Dataset(rows) => Some(rows.len() as u64),
            Self::Python(_) => None,
        }
    }

    /// The item of a number; none if there are no more.
    ///
    /// # Errors
    /// If it cannot be read, or the environment fails.
    pub async fn item(&self, number: u64) -> Result<Option<RolloutItem>, BatchError> {
        match self {
            Self::Dataset(rows) => {
                let count = rows.len() as u64;
                let (round, index) = (number / count, (number % count) as usize);
                let (row_id, row, line) = rows.row_and_line(index)?;
                let id = if round == 0 { row_id.clone() } else { format!("{row_id}#{round}") };
                Ok(Some(RolloutItem { number, id, row_id, index, row, line }))
            }
            Self::Python(env) => {
                let failed =
                    |why: String| BatchError::usage(format!("the Python environment: {why}"));
                let Some(given) = env.next_item().await.map_err(failed)? else { return Ok(None) };
                let id = format!("item-{number}");
                let mut row = row_fields(&given.item);
                row.extend([
                    ("id".to_owned(), json!(id)),
                    ("prompt".to_owned(), json!(given.prompt)),
                    ("item".to_owned(), given.item),
                ]);
                let line = Value::Object(row).to_string().into_bytes();
                let row = parse_row(&line).map_err(failed)?;
                let row = row.ok_or_else(|| failed("an item has no prompt".to_owned()))?;
                Ok(Some(RolloutItem { number, row_id: id.clone(), id, index: 0, row, line }))
            }
        }
    }
}

/// What of an item says where its rollouts run.
fn row_fields(item: &Value) -> serde_json::Map<String, Value> {
    const TAKEN: [&str; 6] = ["image", "docker_image", "cwd", "files", "setup", "verify"];
    let fields = item.as_object().into_iter().flatten();
    let fields = fields.filter(|(name, value)| TAKEN.contains(&name.as_str()) && !value.is_null());
    fields.map(|(name, value)| (name.clone(), value.clone())).collect()
}

impl RolloutItem {
    /// One rollout of it, as a task. `number` tells it from all others that run at the time.
    pub(super) fn task(&self, seed: u64, sample: u32, number: u32) -> BatchTask {
        let id = format!("{}.{sample}", self.id);
        BatchTask {
            number,
            seed: task_seed(seed, &id),
            // A group shares its tools.
            tools_seed: task_seed(seed, &self.id),
            id,
            row_id: self.row_id.clone(),
            sample,
            index: self.index,
            row: self.row.clone(),
            line: self.line.clone(),
        }
    }
}
