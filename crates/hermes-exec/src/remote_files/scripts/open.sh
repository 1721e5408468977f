enter_parent_of "$p" "$p" || broken open "$p"
file=./${p##*/}
[ ! -L "$file" ] || fail exchanged open "$p" ''
if [ ! -f "$file" ]; then
  said=$(stat -c %f "$file" 2>&1) || broken open "$p"
  fail kind open "$p" "$said"
fi
said=$( { : <"$file"; } 2>&1) || broken open "$p"
exec 3<"$file"
now=$(stat -L -c "$form" /dev/fd/3) || now=$(stat -c "$form" "$file")
# Of a link that was put there meanwhile this tells the link itself.
there=$(stat -c "$form" "$file")
[ "${now%% *}" = "${there%% *}" ] || fail changed open "$p" ''
