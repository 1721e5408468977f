# shellcheck shell=bash
# What the scripts beside this file share. Each one names its part in `part`, sources this file, defines
# `start_part`, `stop_part` and `status_part`, and ends with `part_main "$@"`.
#
# All state is kept outside the clone, so that the next clone finds keys and images ready made:
#
#   $state/env        what the tests read: plain KEY=VALUE lines, also valid shell
#   $state/PART/      keys, images, settings, logs and the share of `env` that belongs to one part
set -euo pipefail

state="${XDG_CACHE_HOME:-$HOME/.cache}/hermes-test-parts"
# shellcheck disable=SC2154 # `part` is set by whoever sources this file.
home="$state/$part"

say() { printf '%s: %s\n' "$part" "$*" >&2; }
die() {
    say "$*"
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# Runs a long, chatty command with its output in a log, which is shown only if the command fails. A trap, not
# `||`, sees the failure: to the left of `||` the shell would carry on after the first failing line of a function.
logged() (
    log="$home/$1.log"
    shift
    trap '[ $? -eq 0 ] || { tail -n 30 "$log" >&2 && say "failed: $* (the whole log: $log)"; }' EXIT
    "$@" >"$log" 2>&1
)

# Waits until a command succeeds, for at most so many tenths of a second.
wait_for() {
    local tenths="$1"
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ $((tenths -= 1)) -gt 0 ] || return 1
        sleep 0.1
    done
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"; }

# A package with a server in it would start that server at once, on every interface. The tests start their own
# servers on loopback, so Debian's switch for this is thrown while packages are installed.
without_services() (
    switch=/usr/sbin/policy-rc.d
    if [ ! -e "$switch" ]; then
        trap 'as_root rm -f "$switch"' EXIT
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$switch" >/dev/null
        as_root chmod 755 "$switch"
    fi
    "$@"
)

# Package lists are fetched only when installing fails without: on most machines they are fresh enough.
fetch_and_install() {
    apt install -y --no-install-recommends "$@" && return
    apt update
    apt install -y --no-install-recommends "$@"
}

install_packages() {
    have apt-get || die "cannot install by itself without apt-get; please install: $*"
    say "installing $*"
    mkdir -p "$home"
    # One at a time: the parts are started side by side, and apt does not wait for its list lock.
    exec 8>"$state/apt.lock"
    flock 8
    logged "install-$1" without_services fetch_and_install "$@"
    exec 8>&-
}

# The Debian mirror this machine already uses, or the usual one.
debian_mirror() {
    local uris
    # shellcheck disable=SC2016 # the dollar is apt's
    uris="$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null || true)"
    grep -m 1 -E '/debian/?$' <<<"$uris" || echo http://deb.debian.org/debian
}

# Is the process in this pid file alive, and is it what we started? Numbers are reused, so its command line
# must mention the given word.
runs() {
    local file="$1" word="$2" pid
    pid="$(cat "$file" 2>/dev/null)" || return 1
    [ -n "$pid" ] && { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -qF -- "$word"
}

has_ended() { ! runs "$@"; }

# Ends the process in this pid file if it is ours, and waits for it to be gone.
end_process() {
    local file="$1" word="$2" pid
    runs "$file" "$word" || return 0
    pid="$(cat "$file")"
    as_root kill "$pid"
    wait_for 300 has_ended "$file" "$word" || die "process $pid does not end"
    as_root rm -f "$file"
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# The port of this part's server: the one it had the last time if nobody else has it now, or the first free one
# from `first_port` to `last_port`, which the part sets.
choose_port() {
    local port
    # shellcheck disable=SC2154
    for port in $(port 2>/dev/null || true) $(seq "$first_port" "$last_port"); do
        listens "$port" && continue
        echo "$port" >"$home/port"
        return
    done
    die "every port from $first_port to $last_port is taken"
}
port() { cat "$home/port"; }

# Takes this part's share of the env file from its arguments (none: the part is gone), then writes the whole.
publish() {
    (
        flock 7
        if [ $# -eq 0 ]; then
            rm -f "$home/env"
        else
            printf '%s\n' "$@" >"$home/env.new"
            mv "$home/env.new" "$home/env"
        fi
        cat "$state"/*/env >"$state/env.new" 2>/dev/null || true
        mv "$state/env.new" "$state/env"
    ) 7>"$state/env.lock"
}

part_main() {
    case "$state" in
    *[[:space:]]*) die "the path of the state folder must not contain spaces: $state" ;;
    esac
    case "${1:-}" in
    start | stop)
        mkdir -p "$home"
        # Two clones may start their tests at the same moment. Servers must not inherit this lock (9>&-).
        exec 9>"$home/lock"
        flock 9
        "$1_part"
        ;;
    status) status_part ;;
    *)
        echo "usage: ${BASH_SOURCE[1]} start|stop|status" >&2
        exit 2
        ;;
    esac
}

# One line of the status table; the exit code says whether the part is up.
row() {
    printf '%-10s %-8s %s\n' "$part" "$1" "$2"
    [ "$1" = up ]
}
