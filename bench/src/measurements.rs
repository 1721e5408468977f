//! The numbers each side produces. Both sides print them as JSON from a process of
//! their own, so that neither warms a cache or grows a heap for the other.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Which part of the measurements a process takes.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Phase {
    /// One start: nothing loaded yet, up to the first definitions.
    Cold,
    /// The steady state, everything warmed up.
    Hot,
}

impl Phase {
    /// The word both sides take on their command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Hot => "hot",
        }
    }
}

/// What one process of a side prints for one phase.
pub(crate) trait Measured: DeserializeOwned {
    /// The phase that produces it.
    const PHASE: Phase;
    /// How many processes of each side take it.
    const ROUNDS: usize;

    /// The better of two rounds, number by number: noise only ever adds.
    fn best(self, other: Self) -> Self;
}

/// What one act cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// Time on the clock.
    pub(crate) wall_ns: f64,
    /// Time on the processor, user and system.
    pub(crate) cpu_ns: f64,
}

impl Cost {
    fn best(self, other: Self) -> Self {
        Self { wall_ns: self.wall_ns.min(other.wall_ns), cpu_ns: self.cpu_ns.min(other.cpu_ns) }
    }
}

/// One fresh process, from nothing to the definitions of the default selection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cold {
    /// Loading the tools: importing the package, or building the runtime.
    pub(crate) load: Cost,
    /// The first request for definitions.
    pub(crate) definitions: Cost,
    /// Resident memory right after it.
    pub(crate) resident_bytes: u64,
    /// Length of the definitions as compact JSON.
    pub(crate) schema_bytes: u64,
    /// How many tools those are.
    pub(crate) tools: u64,
}

impl Measured for Cold {
    const PHASE: Phase = Phase::Cold;
    const ROUNDS: usize = 5;

    // The schema is the same in both.
    fn best(self, other: Self) -> Self {
        Self {
            load: self.load.best(other.load),
            definitions: self.definitions.best(other.definitions),
            resident_bytes: self.resident_bytes.min(other.resident_bytes),
            ..self
        }
    }
}

/// Nanoseconds per call once warm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hot {
    /// The same definitions again, nothing changed.
    pub(crate) definitions_cached_ns: f64,
    /// The definitions after the registry changed.
    pub(crate) definitions_recomputed_ns: f64,
    /// A trivial sync tool, straight from the registry.
    pub(crate) dispatch_sync_ns: f64,
    /// A trivial async tool, straight from the registry.
    pub(crate) dispatch_async_ns: f64,
    /// The sync tool through the whole call pipeline.
    pub(crate) pipeline_sync_ns: f64,
    /// The async tool through the whole call pipeline.
    pub(crate) pipeline_async_ns: f64,
    /// Five arguments that already fit their schema.
    pub(crate) coerce_fitting_ns: f64,
    /// Five arguments, four of which need a conversion.
    pub(crate) coerce_converting_ns: f64,
}

impl Measured for Hot {
    const PHASE: Phase = Phase::Hot;
    const ROUNDS: usize = 3;

    fn best(self, other: Self) -> Self {
        let best = f64::min;
        Self {
            definitions_cached_ns: best(self.definitions_cached_ns, other.definitions_cached_ns),
            definitions_recomputed_ns: best(
                self.definitions_recomputed_ns,
                other.definitions_recomputed_ns,
            ),
            dispatch_sync_ns: best(self.dispatch_sync_ns, other.dispatch_sync_ns),
            dispatch_async_ns: best(self.dispatch_async_ns, other.dispatch_async_ns),
            pipeline_sync_ns: best(self.pipeline_sync_ns, other.pipeline_sync_ns),
            pipeline_async_ns: best(self.pipeline_async_ns, other.pipeline_async_ns),
            coerce_fitting_ns: best(self.coerce_fitting_ns, other.coerce_fitting_ns),
            coerce_converting_ns: best(self.coerce_converting_ns, other.coerce_converting_ns),
        }
    }
}

/// All in-process numbers of one side.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measurements {
    /// Best of the cold rounds.
    pub(crate) cold: Cold,
    /// Best of the hot rounds.
    pub(crate) hot: Hot,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_better_of_each_number() {
        let run = |wall_ns, cpu_ns, resident_bytes| Cold {
            load: Cost { wall_ns, cpu_ns },
            definitions: Cost { wall_ns: cpu_ns, cpu_ns: wall_ns },
            resident_bytes,
            schema_bytes: 7,
            tools: 1,
        };
        let best = Cold {
            load: Cost { wall_ns: 1.0, cpu_ns: 2.0 },
            definitions: Cost { wall_ns: 2.0, cpu_ns: 1.0 },
            resident_bytes: 5,
            schema_bytes: 7,
            tools: 1,
        };
        assert_eq!(run(1.0, 4.0, 9).best(run(3.0, 2.0, 5)), best);
    }
}
