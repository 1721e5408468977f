#!/bin/sh
# Installs hermes #VERSION# for the person who runs this: downloads the archive for this machine, compares its
# checksum with the one written below, and puts the program into ~/.local/bin (or --to DIR).
#
#   sh hermes-installer.sh [--to DIR] [--from FOLDER-OR-ADDRESS]
set -eu

archives() {
    cat <<'TABLE'
#ARCHIVES#
TABLE
}

fail() {
    echo "hermes-installer: $*" >&2
    exit 1
}

to="$HOME/.local/bin"
from="#DOWNLOADS#"
while [ $# -gt 0 ]; do
    case "$1" in
    --to) [ $# -ge 2 ] || fail "--to wants a folder"; to=$2; shift 2 ;;
    --from) [ $# -ge 2 ] || fail "--from wants a folder or an address"; from=$2; shift 2 ;;
    *) fail "unknown argument $1; known: --to DIR, --from FOLDER-OR-ADDRESS" ;;
    esac
done

case "$(uname -s)" in
Linux) system=unknown-linux-gnu ;;
Darwin) system=apple-darwin ;;
*) fail "no release is made for $(uname -s); build it from source: ./install in a clone" ;;
esac
case "$(uname -m)" in
x86_64 | amd64) machine=x86_64 ;;
aarch64 | arm64) machine=aarch64 ;;
*) fail "no release is made for $(uname -m); build it from source: ./install in a clone" ;;
esac

row=$(archives | grep "^$machine-$system " || true)
[ -n "$row" ] || fail "this release has no archive for $machine-$system; build it from source: ./install in a clone"
archive=$(echo "$row" | cut -d' ' -f2)
sum=$(echo "$row" | cut -d' ' -f3)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case "$from" in
http://* | https://*)
    if command -v curl >/dev/null 2>&1; then
        curl --proto '=https,http' --fail --location --progress-bar -o "$work/$archive" "$from/$archive"
    elif command -v wget >/dev/null 2>&1; then
        wget -O "$work/$archive" "$from/$archive"
    else
        fail "neither curl nor wget is here to download $from/$archive"
    fi
    ;;
*)
    [ -f "$from/$archive" ] || fail "$from/$archive is not there"
    cp "$from/$archive" "$work/$archive"
    ;;
esac

if command -v sha256sum >/dev/null 2>&1; then
    got=$(sha256sum "$work/$archive" | cut -d' ' -f1)
else
    got=$(shasum -a 256 "$work/$archive" | cut -d' ' -f1)
fi
[ "$got" = "$sum" ] || fail "the checksum of $archive is $got instead of $sum; nothing was installed"

tar -xzf "$work/$archive" -C "$work"
mkdir -p "$to"
# Copied beside its place and moved there, so that a running program is replaced whole.
cp "$work/${archive%.tar.gz}/hermes" "$to/.hermes.new"
chmod 755 "$to/.hermes.new"
mv -f "$to/.hermes.new" "$to/hermes"
echo "installed $("$to/hermes" --version) as $to/hermes"
case ":$PATH:" in
*":$to:"*) ;;
*) echo "add $to to your PATH to run \`hermes\` by name" ;;
esac
