//! What the host brings for jobs.

pub use super::jobs::CronJobs;
