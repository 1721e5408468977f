trap '' HUP PIPE
exec 2>/dev/null
mkdir -p -m 700 @FOLDER@ || exit 1
cat >@FOLDER@/prelude.sh <<'END OF PRELUDE'
@PRELUDE@
END OF PRELUDE
read -r own </proc/$$/stat
own=(${own##*) })
carriers() {
    grep -lsF "@TAG@=$1" /proc/[0-9]*/environ
}
strike() {
    local file process stat found=1
    for file in $(carriers "$2"); do
        process=${file%/environ}
        found=0
        [[ $1 == 0 ]] && break
        read -r stat <"$process/stat"
        stat=(${stat##*) })
        if [[ ${stat[2]} -gt 1 && ${stat[2]} -ne ${own[2]} ]]; then
            kill -s "$1" -- "-${stat[2]}"
        fi
        kill -s "$1" "${process#/proc/}"
    done
    return $found
}
end() {
    local round
    strike TERM "$1" || return
    strike CONT "$1"
    for round in 1 2 3 4 5 6 7 8 9 10; do
        strike 0 "$1" || return
        sleep 0.1
    done
    for round in 1 2 3 4 5 6 7 8 9 10; do
        strike KILL "$1" || return
        sleep 0.02
    done
}
echo ready
while IFS= read -r call; do
    : >@FOLDER@/"$call.end"
    end "@ID@-$call."
    rm -f @FOLDER@/"$call.word" @FOLDER@/"$call.ask"
    echo "$call"
done
end '@ID@-'
rm -rf @FOLDER@
end '@ID@-'
