//! Paths whose content never ends, waits for a person, or is the inside of a process.

use std::path::Path;

/// Devices that a read would wait on or never finish.
const DEVICES: &[&str] = &[
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/dev/full",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/console",
    "/dev/fd/0",
    "/dev/fd/1",
    "/dev/fd/2",
];

/// Files below `/proc` that hold the memory, environment or command line of a process.
const PROCESS_SECRETS: &[&str] =
    &["environ", "cmdline", "maps", "smaps", "smaps_rollup", "numa_maps", "mem", "auxv", "pagemap"];

/// Whether a path is where the kernel shows devices, processes and itself: no place for files, but for
/// the folder of shared memory.
pub(super) fn is_of_kernel(path: &Path) -> bool {
    ["/dev", "/proc", "/sys"].iter().any(|folder| path.starts_with(folder))
        && !path.starts_with("/dev/shm")
}

/// Whether a path names such a device or file.
#[must_use]
pub fn is_device_or_process_secret(path: &Path) -> bool {
    if path.starts_with("/dev") && DEVICES.iter().any(|device| path == Path::new(device)) {
        return true;
    }
    let Ok(below) = path.strip_prefix("/proc") else { return false };
    let parts: Vec<&str> = below.iter().map(|part| part.to_str().unwrap_or_default()).collect();
    match parts.as_slice() {
        [_, .., "fd", "0" | "1" | "2"] => true,
        [_, .., name] => PROCESS_SECRETS.contains(name),
        _ => false,
    }
}
