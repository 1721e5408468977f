use super::*;

/// A call as the filter sees it.
#[derive(Clone, Copy)]
struct Call {
    convention: u32,
    number: u32,
    first_argument: u64,
}

fn call(number: c_long, first_argument: u64) -> Call {
    let number = u32::try_from(number).unwrap();
    Call { convention: CONVENTION.unwrap(), number, first_argument }
}

/// What the kernel would do with the filter.
fn answer(program: &[Instruction], call: Call) -> u32 {
    let (mut at, mut loaded) = (0, 0);
    loop {
        let Instruction { code, if_so, if_not, value } = program[at];
        at += 1;
        let skip = |holds: bool| usize::from(if holds { if_so } else { if_not });
        match code {
            LOAD => {
                loaded = match value {
                    NUMBER_AT => call.number,
                    CONVENTION_AT => call.convention,
                    FIRST_ARGUMENT_AT => call.first_argument as u32,
                    other => panic!("nothing at {other}"),
                };
            }
            EQUAL => at += skip(loaded == value),
            AT_LEAST => at += skip(loaded >= value),
            ANSWER => return value,
            other => panic!("unknown instruction {other}"),
        }
    }
}

const UNIX: u64 = libc::AF_UNIX as u64;
const INTERNET: u64 = libc::AF_INET as u64;

#[test]
fn sockets_are_told_apart_by_family() {
    let ask = |network, family| {
        let program = program(network, Metadata::Changeable).unwrap();
        answer(&program, call(libc::SYS_socket, family))
    };
    assert_eq!(ask(Network::Allowed, INTERNET), ALLOW);
    assert_eq!(ask(Network::UnixSockets, UNIX), ALLOW);
    assert_eq!(ask(Network::Nothing, UNIX), DENIED);
    for family in [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK, libc::AF_PACKET, libc::AF_VSOCK]
    {
        assert_eq!(ask(Network::UnixSockets, family as u64), DENIED, "family {family}");
    }
    // The kernel looks at the lower half only, so must the filter.
    assert_eq!(ask(Network::UnixSockets, INTERNET | UNIX << 32), DENIED);
    assert_eq!(ask(Network::UnixSockets, UNIX | 7 << 32), ALLOW);
}

#[test]
fn other_conventions_do_not_get_around_it() {
    let program = program(Network::Allowed, Metadata::Changeable).unwrap();
    let ptrace = call(libc::SYS_ptrace, 0);
    assert_eq!(answer(&program, ptrace), NOT_PERMITTED);
    assert_eq!(answer(&program, Call { convention: 0x4000_0003, ..ptrace }), END);
    assert_eq!(answer(&program, Call { number: X32 | ptrace.number, ..ptrace }), UNKNOWN);
}

#[test]
fn ordinary_calls_pass_and_modes_only_if_not_frozen() {
    for metadata in [Metadata::Changeable, Metadata::Frozen] {
        let program = program(Network::Nothing, metadata).unwrap();
        for number in [libc::SYS_read, libc::SYS_execve, libc::SYS_clone, libc::SYS_socketpair] {
            assert_eq!(answer(&program, call(number, 0)), ALLOW, "call {number}");
        }
        let expected = if metadata == Metadata::Frozen { NOT_PERMITTED } else { ALLOW };
        assert_eq!(answer(&program, call(libc::SYS_fchmodat, 0)), expected);
        assert_eq!(answer(&program, call(libc::SYS_io_uring_setup, 0)), NOT_PERMITTED);
    }
}
