set -- $now
[ "$3" -le "$most" ] || fail large read "$p" "$3"
say opened "$now"
head -c "$((most + 1))" <&3 || exit 9
