//! Running tasks: which is next, how one is run, when it is over.

mod companion;
mod coordinator;
mod disk;
mod executor;
mod leftovers;
mod limiter;
mod permits;
mod pool;
mod progress;
mod task;
mod toolsets;
mod wire;
mod worker;

pub use companion::{AttemptSide, TaskCompanion};
pub use coordinator::{RunControl, RunEnd, RunJob, RunLimits, RunTotals, coordinate};
pub use disk::take_in_unwritten;
pub use executor::{AgentExecutor, ExecutorOptions};
pub use leftovers::RunLeftovers;
pub use limiter::{
    LocalPermits, MeteredModel, OutageReport, RateLimiter, RateLimits, RunSpend, TaskMeter,
};
pub use permits::{Permit, Permits, RequestEnd};
pub use pool::{DriverOptions, PoolOptions, ProcessOptions, RAY_DRIVER, WorkerPool};
pub use progress::{RunFront, RunProgress, Running, RunningTask};
pub use task::{AttemptOutcome, BatchTask, TaskExecutor, is_worth_repeating};
pub use toolsets::ToolsetDraw;
pub use wire::{
    HostMessage, PROTOCOL, SentTask, SpooledRecord, WorkerManifest, WorkerMessage, host_message,
    worker_message,
};
pub use worker::{WorkerEnd, serve};
