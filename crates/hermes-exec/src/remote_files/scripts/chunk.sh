[ -z "$known" ] || [ "$known" = "${now%% *}" ] || fail changed read "$p" ''
say opened "$now"
set -- $now
# Files that the kernel makes up have no size; others end where they say.
[ "$skip" -eq 0 ] || [ "$((skip * block))" -lt "$3" ] || exit 0
dd bs="$block" skip="$skip" count="$count" <&3 || exit 9
