//! Which half of a corpus a command belongs to, and the place all commands are judged for.

use hermes_guard::command::CommandContext;

/// An ordinary account with an ordinary project.
pub(crate) const PLACE: CommandContext<'static> = CommandContext {
    home: Some("/home/user"),
    hermes_home: Some("/home/user/.hermes"),
    user: Some("user"),
    cwd: Some("/home/user/project"),
    temp_dir: Some("/tmp"),
    shell: None,
    earlier: None,
};

/// Whether a command is for reporting; the others are for tuning. FNV-1a, so that the halves are the
/// same everywhere and for ever, and a new command moves no other.
pub(crate) fn is_reported(command: &str) -> bool {
    let hash = command.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash >> 32 & 1 == 1
}
