//! One suite, seven backends: terminal, processes, file tools and scripts behave the same on this machine, in
//! a container, on another host, in an Apptainer instance and in the sandboxes of three clouds. The first four are real;
//! the clouds are doubles that the vendors' own libraries accept. What they need is started by
//! `scripts/test-parts/all start`.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a failed step fails the test")]

mod backends;

mod suite {
    pub(crate) mod background;
    pub(crate) mod files;
    pub(crate) mod foreground;
    pub(crate) mod output;
    pub(crate) mod scripts;
    pub(crate) mod skills;
    pub(crate) mod state;
}

/// Writes one test for each place and each part of the suite.
macro_rules! everywhere {
    ($($part:ident :: $test:ident),+ $(,)?) => {
        mod local { $(#[test] fn $test() { crate::backends::run(crate::backends::TestBackend::Local, |rig| Box::pin(crate::suite::$part::$test(rig))); })+ }
        mod docker { $(#[test] fn $test() { crate::backends::run(crate::backends::TestBackend::Docker, |rig| Box::pin(crate::suite::$part::$test(rig))); })+ }
        mod ssh { $(#[test] fn $test() { crate::backends::run(crate::backends::TestBackend::Ssh, |rig| Box::pin(crate::suite::$part::$test(rig))); })+ }
        mod apptainer { $(#[test] fn $test() { crate::backends::run(crate::backends::TestBackend::Apptainer, |rig| Box::pin(crate::suite::$part::$test(rig))); })+ }
        mod daytona { $(#[test] fn $test() { crate::backends::run(crate::backends::TestBackend::Daytona, |rig| Box::pin(crate::suite::$part::$test(rig))); })+ }
        mod vercel { $(#[test] fn $test() { crate::backends::run(crate::backends::TestBackend::Vercel, |rig| Box::pin(crate::suite::$part::$test(rig))); })+ }
        mod modal { $(#[test] fn $test() { crate::backends::run(crate::backends::TestBackend::Modal, |rig| Box::pin(crate::suite::$part::$test(rig))); })+ }
    };
}

everywhere! {
    state::directory_variables_functions_and_aliases_are_kept,
    state::however_a_command_ends_its_state_is_kept,
    state::exit_traps_fire_and_leave_no_trace,
    state::a_workdir_is_for_one_command,
    foreground::codes_input_and_errors,
    foreground::a_timeout_ends_the_whole_tree,
    foreground::an_interrupt_ends_the_whole_tree,
    output::much_is_cut_in_the_middle,
    output::bytes_that_are_no_text_are_replaced,
    background::write_poll_log_wait_and_close,
    background::a_kill_reaches_the_whole_tree,
    background::it_inherits_the_session,
    background::a_python_prompt_in_a_terminal,
    files::the_file_tools_act_in_the_same_place,
    skills::the_credential_files_of_a_skill_are_where_its_commands_run,
    scripts::a_script_calls_tools_and_only_its_output_comes_back,
    scripts::a_script_that_fails_says_why,
    scripts::a_script_may_do_much_at_once,
    scripts::a_script_that_is_stopped_leaves_nothing,
    scripts::a_script_calls_by_files_where_there_is_no_socket,
}
