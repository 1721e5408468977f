d=@FOLDER@ o=@OUT@ e=@ERR@
[ -d "$d" ] || { echo 'hermes-relay lost'; exit 0; }
exec 9<>"$d/nap"
count() {
    c=
    IFS= read -r c <"$d/$1.count"
    case $c in '' | *[!0-9]*) c=$2 ;; esac
}
past() {
    local n=$2 list=
    while [ $n -gt 0 ] && [ -e "$d/$1.$((n - 1))" ]; do
        n=$((n - 1))
        list="$list $d/$1.$n"
    done
    [ -z "$list" ] || rm -f $list
}
past out $o
past err $e
turn=0 fin=
while :; do
    [ ! -e "$d/code" ] || fin=1
    count out $o; no=$c
    count err $e; ne=$c
    [ $no -eq $o ] && [ $ne -eq $e ] && [ -z "$fin" ] && [ $turn -lt @TURNS@ ] || break
    turn=$((turn + 1))
    if [ $turn -lt 40 ]; then read -r -t 0.01 -u 9; else read -r -t 0.05 -u 9; fi
done
# Most commands that have begun to write are about to end: a moment's wait here saves an exchange.
if [ -z "$fin" ] && [ @TURNS@ -gt 0 ] && [ $((no - o)) -lt 4 ]; then
    for turn in 1 2 3 4 5 6; do
        [ ! -e "$d/code" ] || break
        read -r -t 0.01 -u 9
    done
    [ ! -e "$d/code" ] || fin=1
    count out $o; no=$c
    count err $e; ne=$c
fi
give() {
    local n=$2 to=$3 list=
    [ $((to - n)) -le 16 ] || to=$((n + 16))
    last=$to
    [ $to -gt $n ] || return
    echo "hermes-relay $1 $to"
    while [ $n -lt $to ]; do
        list="$list $d/$1.$n"
        n=$((n + 1))
    done
    cat $list | base64
}
give out $o $no; lo=$last
give err $e $ne; le=$last
if [ -n "$fin" ] && [ $lo -eq $no ] && [ $le -eq $ne ]; then
    read -r code <"$d/code"
    echo "hermes-relay code $code"
else
    echo 'hermes-relay more'
fi
