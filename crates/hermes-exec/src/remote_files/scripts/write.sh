make_and_enter "${p%/*}"
file=./${p##*/} temp=./${temp##*/}
old=
if is_there "$file"; then
  old=$(stat -c %f "$file")
  [ -f "$file" ] && [ ! -L "$file" ] || fail kind write "$p" "$old"
fi
clear_strays
trap 'rm -f "$temp"' EXIT
trap 'exit 9' HUP INT TERM
# Until it has the mode of the file it replaces, nobody else reads it.
[ -z "$old" ] || umask 077
said=$( { set -C; : >"$temp"; } 2>&1) || { trap - EXIT; broken 'write beside' "$p"; }
said=$( { cat >>"$temp"; } 2>&1) || broken write "$p"
if [ -n "$old" ]; then dress_like "$file" "$temp" || broken 'set the permissions of' "$p"; fi
flush "$temp" || broken 'flush to disk' "$p"
now=$(stat -c "$form" "$temp")
set -- $now
[ "$3" = "$size" ] || fail cut write "$p" "$3"
move_over "$temp" "$file" || broken replace "$p"
trap - EXIT
flush .
say written "$made" "$now"
