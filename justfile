# A thin menu; the logic is in ./test, scripts/ and xtask/.

# What can be done here
default:
    @just --list

# Every check and test (installs what they need)
test *NAMES:
    ./test {{NAMES}}

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

# Fuzz one target for a minute: coerce, arguments, tool_name, replace, v4a, view or redact
fuzz TARGET="arguments":
    cargo +nightly fuzz run {{TARGET}} -- -max_total_time=60
