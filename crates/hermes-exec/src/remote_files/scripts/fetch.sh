cd / || exit 9
say packed
if [ -n "$sieve" ] && can_sift; then xargs -0 bash -c "$sieve" sieve | pack
else pack; fi
exit 0
