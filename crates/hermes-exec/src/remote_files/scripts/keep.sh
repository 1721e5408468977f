enter_parent_of "$p" || broken open "$p"
file=./${p##*/} temp=./${temp##*/}
clear_strays
if ! ln "$file" "$temp"; then
  [ ! -L "$file" ] || fail exchanged open "$p" ''
  if [ ! -f "$file" ]; then
    said=$(stat -c %f "$file" 2>&1) || broken open "$p"
    fail kind open "$p" "$said"
  fi
  trap 'rm -f "$temp"' EXIT
  said=$(cp -p "$file" "$temp" 2>&1) || broken copy "$p"
  dress_like "$file" "$temp" || broken 'set the permissions of' "$temp"
  flush "$temp" || broken 'flush to disk' "$temp"
  trap - EXIT
fi
say done
