said=$(cd "$p" 2>&1) || broken list "$p"
[ -r "$p" ] || fail system list "$p" 'Permission denied'
say names
find "${p%/}/" -mindepth 1 -maxdepth 1 -print0 | head -c "$most"
