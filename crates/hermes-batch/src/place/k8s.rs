//! Kubernetes: one job whose pods each work on one part of a run.

use std::path::Path;

use serde_json::{Value, json};

/// What of a job is the same for every run.
const JOB: &str = include_str!("k8s_job.json");

/// What the pods are made of.
#[derive(Clone, Debug)]
pub struct KubernetesJob {
    /// The name of the run.
    pub name: String,
    /// The folder of the run, as the pods see it.
    pub folder: String,
    /// The image with the program.
    pub image: String,
    /// How many parts, one pod each.
    pub parts: usize,
    /// What each worker is told besides, without secrets.
    pub worker_args: Vec<String>,
    /// Processors of a pod.
    pub cpus: f64,
    /// MB of memory of a pod.
    pub memory_mb: u64,
    /// The claim of the volume that the folder is on.
    pub claim: String,
    /// The secret whose fields become variables: the keys.
    pub secret: String,
}

impl KubernetesJob {
    /// The manifest. Evictions do not count; a worker that says its configuration or data set is wrong is not tried
    /// again.
    #[must_use]
    pub fn manifest(&self) -> Value {
        let mut command: Vec<String> =
            ["hermes", "batch", "worker", "--name", &self.folder, "--shard"]
                .map(str::to_owned)
                .to_vec();
        command.push(format!("$(JOB_COMPLETION_INDEX)/{}", self.parts));
        command.push("--quiet".to_owned());
        command.extend(self.worker_args.iter().cloned());
        let mount = Path::new(&self.folder).parent().unwrap_or(Path::new("/data"));
        let mut job = serde_json::from_str(JOB).unwrap_or_default();
        fill(&mut job, &|name| {
            Some(match name {
                "@LABEL@" => json!(label(&self.name)),
                "@PARTS@" => json!(self.parts),
                "@IMAGE@" => json!(self.image),
                "@COMMAND@" => json!(command),
                "@SECRET@" => json!(self.secret),
                "@CPUS@" => json!(self.cpus.to_string()),
                "@MEMORY@" => json!(format!("{}Mi", self.memory_mb)),
                "@MOUNT@" => json!(mount),
                "@CLAIM@" => json!(self.claim),
                _ => return None,
            })
        });
        job
    }
}

/// Puts values where their names stand.
fn fill(value: &mut Value, named: &dyn Fn(&str) -> Option<Value>) {
    match value {
        Value::String(name) => {
            if let Some(found) = named(name) {
                *value = found;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, named)),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, item)| fill(item, named)),
        _ => {}
    }
}

/// A name that Kubernetes takes: small letters, digits and dashes, not at the ends, at most 63.
fn label(name: &str) -> String {
    let plain: String = format!("hermes-{name}")
        .to_lowercase()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .take(63)
        .collect();
    plain.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_form_has_a_value() {
        let job = KubernetesJob {
            name: "My_run.1".to_owned(),
            folder: "/data/one".to_owned(),
            image: "i".to_owned(),
            parts: 3,
            worker_args: Vec::new(),
            cpus: 0.5,
            memory_mb: 7,
            claim: "c".to_owned(),
            secret: "s".to_owned(),
        };
        let manifest = job.manifest();
        assert!(!manifest.to_string().contains('@'), "{manifest:#}");
        assert_eq!(manifest["metadata"]["name"], "hermes-my-run-1");
    }
}
