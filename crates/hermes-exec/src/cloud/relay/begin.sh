@SWEEP@
u=$(umask)
umask 077
d=@FOLDER@
mkdir -p "${d%/*}"
if mkdir "$d" 2>/dev/null; then
    mkfifo "$d/nap" "$d/in" "$d/out" "$d/err" || exit 1
    printf 0 >"$d/out.count"
    printf 0 >"$d/err.count"
    printf %s '@KEEPER@' | base64 -d >"$d/relay"
    # With job control, or whatever runs would be deaf to Ctrl-C: a shell without it starts what is behind `&` so.
    bash -c 'set -m
        if command -v setsid >/dev/null; then
            setsid bash "$1/relay" "$1" "$2" </dev/null >/dev/null 2>&1 &
        else
            nohup bash "$1/relay" "$1" "$2" </dev/null >/dev/null 2>&1 &
        fi' begin "$d" "$u"
    : >"$d/begun"
fi
[ -e "$d/begun" ] || { echo "hermes-relay refused: $d could not be made"; exit 1; }
