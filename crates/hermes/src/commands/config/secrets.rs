//! Secrets among the settings: which names they have, and where they are.

use hermes_store::config::MASK;
use hermes_store::dotenv::is_secret_name;

use crate::exit::Exit;
use crate::host::Host;
use crate::ui::Ui;

/// Names of secrets are the names of variables, not paths into config.yaml.
pub(super) fn lives_in_dotenv(key: &str) -> bool {
    !key.contains('.') && is_secret_name(key)
}

/// Says where a secret is, not what it is.
pub(super) fn get_secret(host: &Host, name: &str, ui: &mut Ui) -> anyhow::Result<Exit> {
    let place = match (host.dotenv().get(name), host.process_vars().get(name)) {
        (Some(_), _) => host.home().env_file().display().to_string(),
        (None, Some(_)) => "the environment".to_owned(),
        (None, None) => {
            ui.note(format_args!("{name} is not set; `hermes config set {name} VALUE` sets it"))?;
            return Ok(Exit::Failed);
        }
    };
    ui.note(format_args!("(set in {place}; secrets are not shown)"))?;
    ui.line(MASK)?;
    Ok(Exit::Done)
}
