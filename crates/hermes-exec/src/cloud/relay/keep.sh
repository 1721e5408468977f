d=$1 u=$2
rm -f "$d/relay"
cd /
exec 9<>"$d/nap"
nap() { read -r -t "$1" -u 9; }
spool() {
    local n=0
    while :; do
        if [ -e "$d/gone" ]; then
            cat >/dev/null
            break
        fi
        dd bs=65536 count=1 of="$d/$1.$n" 2>/dev/null || break
        [ -s "$d/$1.$n" ] || break
        n=$((n + 1))
        printf %s $n >"$d/$1.count"
        while [ -e "$d/$1.$((n - 64))" ] && [ ! -e "$d/gone" ]; do nap 0.02; done
    done
    : >"$d/$1.end"
}
feed() {
    local n=0 pause=0.01 idle=0 last=
    while :; do
        if [ -e "$d/in.$n" ]; then
            cat "$d/in.$n" || break
            rm -f "$d/in.$n"
            n=$((n + 1)) idle=0 pause=0.01
        elif [ -e "$d/in.end" ]; then
            read -r last <"$d/in.end"
            [ "$n" -ge "${last:-0}" ] && break
            nap 0.01
        else
            idle=$((idle + 1))
            [ $idle -gt 50 ] && pause=0.1
            nap $pause
        fi
    done
}
spool out <"$d/out" 2>/dev/null &
spool err <"$d/err" 2>/dev/null &
feeder=
if [ @INPUT@ = yes ]; then
    ( feed 2>/dev/null ) >"$d/in" &
    feeder=$!
    input=$d/in
else
    input=/dev/null
fi
set -m
( exec 9>&-; umask "$u"; @GRANTED@exec @WORDS@ ) <"$input" >"$d/out" 2>"$d/err" &
main=$!
set +m
wait $main 2>/dev/null
code=$?
[ -z "$feeder" ] || kill $feeder 2>/dev/null
quiet=0 before=
while [ ! -e "$d/out.end" ] || [ ! -e "$d/err.end" ]; do
    read -r a <"$d/out.count"
    read -r b <"$d/err.count"
    if [ -e "$d/out.$((a - 64))" ] || [ -e "$d/err.$((b - 64))" ] || [ "$a,$b" != "$before" ]; then
        quiet=0 before=$a,$b
    else
        quiet=$((quiet + 1))
    fi
    [ -e "$d/gone" ] && break
    [ $quiet -ge 40 ] && break
    nap 0.01
done
echo "$code" >"$d/code.part"
mv "$d/code.part" "$d/code"
[ ! -e "$d/gone" ] || rm -rf "$d"
