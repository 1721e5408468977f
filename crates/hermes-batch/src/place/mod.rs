//! Where parts of a run are worked on besides this machine: files for engines that place work, and how they are
//! followed. Nothing here decides which task runs; a part takes every n-th one.

mod k8s;
mod slurm;

pub use k8s::KubernetesJob;
pub use slurm::{SlurmJob, follow};
