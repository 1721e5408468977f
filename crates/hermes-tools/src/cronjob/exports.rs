//! What the host brings for jobs.

pub use super::desk::CronJobs;
