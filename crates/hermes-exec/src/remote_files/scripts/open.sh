[ ! -L "$p" ] || fail loop open "$p" ''
if [ ! -f "$p" ]; then
  said=$(stat -c %f "$p" 2>&1) || broken open "$p"
  fail kind open "$p" "$said"
fi
said=$( { : <"$p"; } 2>&1) || broken open "$p"
exec 3<"$p"
now=$(stat -L -c "$form" /dev/fd/3) || now=$(stat -c "$form" "$p")
there=$(stat -c "$form" "$p")
[ "${now%% *}" = "${there%% *}" ] || fail changed open "$p" ''
