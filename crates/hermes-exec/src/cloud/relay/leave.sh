d=@FOLDER@
[ -d "$d" ] || exit 0
: >"$d/gone"
echo 0 >"$d/in.end"
[ ! -e "$d/code" ] || rm -rf "$d"
