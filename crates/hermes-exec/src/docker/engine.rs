//! The client of a container engine.

use std::path::Path;

use hermes_tool::Vars;

use crate::backend::BackendKind;
use crate::error::ExecError;
use crate::programs::ClientProgram;

/// The engines, in the order in which they are preferred.
const NAMES: [&str; 2] = ["docker", "podman"];

/// Where clients are when they are not in `PATH`.
const KNOWN_PLACES: [&str; 3] = [
    "/usr/local/bin/docker",
    "/opt/homebrew/bin/docker",
    "/Applications/Docker.app/Contents/Resources/bin/docker",
];

/// Variables a client needs of ours.
const VARIABLES: [&str; 8] = [
    "HOME",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "DOCKER_TLS_VERIFY",
    "DOCKER_CERT_PATH",
    "XDG_RUNTIME_DIR",
    "CONTAINER_HOST",
];

/// Finds the client: the one chosen, docker, podman, or one in a known location.
pub(super) fn find(chosen: Option<&Path>, process: &Vars) -> Result<ClientProgram, ExecError> {
    let at = |place: &Path| ClientProgram::at(place, &VARIABLES, process);
    let (found, why) = match chosen {
        Some(chosen) => {
            let why = format!(
                "HERMES_DOCKER_BINARY is {}, which is not a program; correct or unset it",
                chosen.display()
            );
            (at(chosen), why)
        }
        None => {
            let found = ClientProgram::find(&NAMES, &VARIABLES, process)
                .or_else(|| KNOWN_PLACES.iter().find_map(|place| at(Path::new(place))));
            let why = "neither docker nor podman was found in PATH; install one of them, or set \
                       HERMES_DOCKER_BINARY";
            (found, why.to_owned())
        }
    };
    found.ok_or(ExecError::Unavailable { backend: BackendKind::Docker, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_client_is_used_and_a_missing_one_is_named() {
        let nothing = [("PATH".to_owned(), "/nonexistent".to_owned())].into_iter().collect();
        let chosen = find(Some(Path::new("/bin/sh")), &nothing).unwrap();
        assert_eq!(chosen.name(), "sh");
        let error = find(Some(Path::new("/no/such/client")), &nothing).unwrap_err();
        assert!(error.to_string().contains("/no/such/client"), "{error}");
    }
}
