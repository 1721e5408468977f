//! The process of a plugin.

use std::path::{Path, PathBuf};

use hermes_process::Command;

use super::Plugin;
use crate::discover::{FoundPlugin, Runs};
use crate::environment::environment;
use crate::error::PluginError;
use crate::python;

/// The command that runs a plugin.
pub(super) fn command(plugin: &Plugin) -> Result<Command, PluginError> {
    let (found, shared) = (&plugin.found, &plugin.shared);
    let name = || plugin.key().to_owned();
    let command = match &found.runs {
        Runs::Nothing => return Err(PluginError::Nothing { plugin: name() }),
        Runs::Command(words) => {
            let (program, args) =
                words.split_first().ok_or_else(|| PluginError::Nothing { plugin: name() })?;
            Command::new(program_in(&found.folder, program)).args(args).cwd(&found.folder)
        }
        Runs::Python | Runs::EntryPoint(_) => {
            let host = python::host_folder(&shared.home)
                .map_err(|source| PluginError::Host { plugin: name(), source })?;
            // Compiled files would be left in the plugin's folder, and stand for the plugin after a
            // change within the second in which they were made.
            Command::new(&shared.interpreter).arg("-B").arg(host).arg("run")
        }
    };
    let granted = shared.granted(found);
    Ok(command.envs(environment(&shared.vars, &granted, shared.home.root())))
}

/// The entry point of an installed package.
pub(super) fn entry_point(found: &FoundPlugin) -> Option<&str> {
    match &found.runs {
        Runs::EntryPoint(name) => Some(name),
        _ => None,
    }
}

/// A program in the plugin's folder goes before one of that name elsewhere.
fn program_in(folder: &Path, program: &str) -> PathBuf {
    let own = folder.join(program);
    if own.is_file() { own } else { PathBuf::from(program) }
}
