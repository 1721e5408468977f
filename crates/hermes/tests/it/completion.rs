//! `hermes completion`.

use crate::support::Sandbox;

const SUBCOMMANDS: [&str; 8] =
    ["tools", "toolsets", "config", "hooks", "doctor", "schema", "resolve", "approve"];

#[test]
fn every_shell_gets_a_script_with_all_subcommands() {
    for shell in ["bash", "zsh", "fish"] {
        let run = Sandbox::new().run(["completion", shell]).exits(0).quietly();
        for name in SUBCOMMANDS {
            assert!(run.out.contains(name), "{shell} lacks {name}");
        }
    }
}

#[test]
fn bash_accepts_its_script() {
    Sandbox::new().shell(r#""$HERMES" completion bash | bash -n"#).exits(0).quietly();
}

#[test]
fn bash_completes_commands_and_flags() {
    let line = r#"
        source <("$HERMES" completion bash)
        COMP_WORDS=(hermes tools s) COMP_CWORD=2
        _hermes hermes s tools
        echo "${COMPREPLY[@]}"
    "#;
    Sandbox::new().shell(line).exits(0).says("show schema");
}

#[test]
fn an_unknown_shell_names_the_known_ones() {
    Sandbox::new().run(["completion", "tcsh"]).exits(2).notes("bash, zsh, fish");
}
