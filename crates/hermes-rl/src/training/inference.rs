//! A test before a training: how well do a few models do in the environment as it is set?

use std::time::Duration;

use hermes_process::{Command, OutputMode};
use hermes_store::home::HOME_VARIABLE;
use serde_json::{Value, json};

use super::gate::TrainingGate;
use super::trainings::{TrainingError, Trainings, quoted};

/// Where models are tested, and the variable with the key.
const KEY: &str = "OPENROUTER_API_KEY";
/// What is shown of a complaint.
const SHOWN: usize = 1_000;
/// Variables of ours that a test gets.
const VARIABLES: [&str; 9] = [
    "HOME",
    "PATH",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    HOME_VARIABLE,
    "HF_HOME",
];

/// A few rollouts of some models, before anything is trained on the environment.
#[derive(Clone, Debug, Default)]
pub struct InferenceTest {
    /// Items.
    pub num_steps: u32,
    /// Rollouts of each.
    pub group_size: u32,
    /// Models, by name; the usual ones if none is named.
    pub models: Vec<String>,
}

impl Trainings {
    /// Runs the selected environment's `process` mode once for each model.
    ///
    /// # Errors
    /// If no environment is selected or it may not run, or there is no key.
    pub async fn test_inference(
        &self,
        test: &InferenceTest,
        gate: &TrainingGate,
    ) -> Result<Value, TrainingError> {
        let selected = self.selected()?;
        let Some(key) = self.vars.non_blank(KEY) else {
            return Err(TrainingError::refused(format!(
                "{KEY} is not set: models are tested at {}",
                self.settings.test_url
            )));
        };
        let _may_run = gate.admit_environment(&self.settings.python, &selected.file).await?;
        let models = if test.models.is_empty() { &self.settings.test_models } else { &test.models };
        let mut whole = super::fields::locked_fields();
        for (name, value) in &selected.config {
            whole["env"][name] = value.clone();
        }
        self.files.write("configs/test.yaml", format!("{whole:#}\n").as_bytes())?;
        let mut results = Vec::new();
        for model in models {
            results.push(self.one(model, key, test, &selected.file.display().to_string()).await);
        }
        let best = results
            .iter()
            .filter_map(|result| Some((result["accuracy"].as_f64()?, result["model"].clone())))
            .max_by(|one, two| one.0.total_cmp(&two.0));
        let tested = results.iter().filter(|result| result["accuracy"].is_number()).count();
        let accuracies = results.iter().filter_map(|result| result["accuracy"].as_f64());
        let mean = if tested > 0 { accuracies.sum::<f64>() / tested as f64 } else { 0.0 };
        Ok(json!({
            "environment": selected.environment, "num_steps": test.num_steps, "group_size": test.group_size,
            "models_tested": results,
            "summary": {
                "steps_requested": test.num_steps, "models_tested": tested, "models_failed": models.len() - tested,
                "avg_accuracy": round(mean), "best_model": best.map(|(_, model)| model),
            },
        }))
    }

    async fn one(&self, model: &str, key: &str, test: &InferenceTest, file: &str) -> Value {
        let failed = |why: String| json!({"model": model, "accuracy": null, "error": why});
        let name: String =
            model.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let folder = self.files.path("tests");
        let groups = folder.join(format!("{name}.jsonl"));
        let _ = std::fs::remove_file(&groups);
        let line = format!(
            "{} rl env process --own-items --without-tokens --name {name} --out {} --to {} --reward py:{} --config {} \
             --python {} --policy {} --model {} --api-key-env {KEY} --groups {} --group-size {} --retries 1 --quiet",
            quoted(&self.program.display().to_string()),
            quoted(&folder.display().to_string()),
            quoted(&groups.display().to_string()),
            quoted(file),
            quoted(&self.files.path("configs/test.yaml").display().to_string()),
            quoted(&self.settings.python),
            quoted(&self.settings.test_url),
            quoted(model),
            test.num_steps,
            test.group_size,
        );
        if let Err(error) = hermes_store::home::ensure_private_dir(&folder) {
            return failed(error.to_string());
        }
        let limit: Duration = self.settings.test_limit.duration();
        let ran = Command::new("/bin/sh")
            .args(["-c", &line])
            .env_inherit(VARIABLES)
            .env(KEY, key)
            .output(OutputMode::Separate)
            .deadline(limit)
            .run()
            .await;
        let ran = match ran {
            Ok(ran) => ran,
            Err(error) => return failed(error.to_string()),
        };
        let text = std::fs::read_to_string(&groups).unwrap_or_default();
        let scores = scores(&text);
        if scores.is_empty() {
            let said = ran.stderr.text();
            let said: String = said.trim().chars().take(SHOWN).collect();
            return failed(format!("no group was completed ({:?}): {said}", ran.end));
        }
        let correct = scores.iter().filter(|score| **score > 0.0).count();
        json!({
            "model": model, "accuracy": round(correct as f64 / scores.len() as f64),
            "mean_score": round(scores.iter().sum::<f64>() / scores.len() as f64),
            "rollouts": scores.len(), "groups": text.lines().count(),
        })
    }
}

/// All scores in lines of groups.
fn scores(text: &str) -> Vec<f64> {
    let groups = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    groups
        .flat_map(|group| group["scores"].as_array().cloned().unwrap_or_default())
        .filter_map(|score| score.as_f64())
        .collect()
}

fn round(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_from_groups_and_nothing_else_is() {
        assert_eq!(
            scores("{\"scores\":[1.0,0.0]}\nnonsense\n{\"other\":1}\n{\"scores\":[0.5]}\n"),
            [1.0, 0.0, 0.5]
        );
    }
}
