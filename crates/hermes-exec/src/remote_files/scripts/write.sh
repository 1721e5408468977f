make_parent "$parent"
old=
if is_there "$p"; then
  old=$(stat -c %f "$p")
  [ -f "$p" ] && [ ! -L "$p" ] || fail kind write "$p" "$old"
fi
clear_strays
trap 'rm -f "$temp"' EXIT
trap 'exit 9' HUP INT TERM
# Until it has the mode of the file it replaces, nobody else reads it.
[ -z "$old" ] || umask 077
said=$( { set -C; : >"$temp"; } 2>&1) || { trap - EXIT; broken 'write beside' "$p"; }
said=$( { cat >>"$temp"; } 2>&1) || broken write "$p"
if [ -n "$old" ]; then dress_like "$p" "$temp" || broken 'set the permissions of' "$p"; fi
flush "$temp" || broken 'flush to disk' "$p"
now=$(stat -c "$form" "$temp")
set -- $now
[ "$3" = "$size" ] || fail cut write "$p" "$3"
move_over "$temp" "$p" || broken replace "$p"
trap - EXIT
flush "$parent"
say written "$made" "$now"
