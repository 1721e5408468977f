clear_strays
if ! ln "$p" "$temp"; then
  [ ! -L "$p" ] || fail loop open "$p" ''
  if [ ! -f "$p" ]; then
    said=$(stat -c %f "$p" 2>&1) || broken open "$p"
    fail kind open "$p" "$said"
  fi
  trap 'rm -f "$temp"' EXIT
  said=$(cp -p "$p" "$temp" 2>&1) || broken copy "$p"
  dress_like "$p" "$temp" || broken 'set the permissions of' "$temp"
  flush "$temp" || broken 'flush to disk' "$temp"
  trap - EXIT
fi
say done
