//! Which toolsets a task gets.

use hermes_runtime::Runtime;
use hermes_runtime::distributions::{Distribution, Share};
use hermes_tools::product::distributions;
use serde_json::Value;

use super::task::BatchTask;
use crate::BatchError;
use crate::options::RunOptions;
use crate::seed::TaskStream;

/// Gives tasks their toolsets: fixed ones, or drawn ones.
#[derive(Clone, Debug)]
pub enum ToolsetDraw {
    /// The same for all.
    Fixed(Vec<String>),
    /// By chance.
    Drawn(Distribution),
}

impl ToolsetDraw {
    /// What the options say, checked against the tools there are.
    ///
    /// # Errors
    /// If a distribution or toolset is not known: better now than in every row.
    pub fn of(options: &RunOptions, config: &Value, runtime: &Runtime) -> Result<Self, BatchError> {
        if let Some(fixed) = &options.toolsets {
            check(runtime, fixed.iter().map(String::as_str))?;
            return Ok(Self::Fixed(fixed.clone()));
        }
        let distribution = match &options.distribution_table {
            Some(table) => {
                let share = |(name, percent): &(String, f64)| Share {
                    toolset: name.as_str().into(),
                    percent: *percent,
                };
                let shares: Vec<Share> = table.iter().map(share).collect();
                check(runtime, shares.iter().map(|share| &*share.toolset))?;
                let name = options.distribution.as_str().into();
                Distribution { name, description: "".into(), shares }
            }
            None => {
                let mut known = distributions();
                known.load_config(config);
                let found = known.get(&options.distribution);
                found.map_err(|error| BatchError::usage(error.to_string()))?.clone()
            }
        };
        Ok(Self::Drawn(distribution))
    }

    /// The toolsets of a task.
    #[must_use]
    pub fn of_task(&self, task: &BatchTask, runtime: &Runtime) -> Vec<String> {
        if let Some(own) = &task.row.toolsets {
            return own.clone();
        }
        match self {
            Self::Fixed(toolsets) => toolsets.clone(),
            Self::Drawn(distribution) => {
                let (tables, toolsets) =
                    (runtime.registry().snapshot(), runtime.toolsets().snapshot());
                let mut stream = TaskStream::new(task.tools_seed);
                let sample =
                    distribution.sample(&mut stream, |name| toolsets.is_valid(name, &*tables));
                sample.toolsets.iter().map(ToString::to_string).collect()
            }
        }
    }
}

/// The first of these that is no toolset.
pub(super) fn unknown<'n>(
    runtime: &Runtime,
    mut names: impl Iterator<Item = &'n str>,
) -> Option<&'n str> {
    let (tables, toolsets) = (runtime.registry().snapshot(), runtime.toolsets().snapshot());
    names.find(|name| !toolsets.is_valid(name, &*tables))
}

fn check<'n>(runtime: &Runtime, names: impl Iterator<Item = &'n str>) -> Result<(), BatchError> {
    match unknown(runtime, names) {
        None => Ok(()),
        Some(name) => Err(BatchError::usage(format!(
            "unknown toolset `{name}`\n  `hermes toolsets list` lists them"
        ))),
    }
}
