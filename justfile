# A thin menu; the logic is in ./test, scripts/ and xtask/.

# What can be done here
default:
    @just --list

# Every check and test (installs what they need)
test *NAMES:
    ./test {{NAMES}}

# What needs no container, host, model or foreign server: for the inner loop
test-fast *NAMES:
    ./test --fast {{NAMES}}

# The backend of macOS, as far as Linux can test it
test-portable *NAMES:
    ./test --portable {{NAMES}}

# Does it compile for macOS? (Debian only; some gigabytes)
check-macos *ARGS:
    scripts/check-macos {{ARGS}}

# Let a real language model use the tools by itself (1.1 GB, some minutes)
test-real-model *TRIES:
    scripts/test-real-model {{TRIES}}

# Build and install the program
install:
    ./install

# Write the reference pages under docs/reference/ anew
docs:
    cargo xtask docs

# House rules: sizes, essays, dependency direction
tidy:
    cargo xtask tidy

# Compare with the Python reference package, side by side
bench *ARGS:
    cargo run --release -p hermes-bench -- {{ARGS}}

# Fuzz one target for a minute (or SECONDS): ansi, arguments, coerce, command, redact, replace, tool_name, v4a or view
fuzz TARGET="arguments" SECONDS="60":
    cargo +nightly fuzz run {{TARGET}} -- -max_total_time={{SECONDS}} -timeout=10 -report_slow_units=1
