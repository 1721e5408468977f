if ! is_there "$p"; then
  near=${p%/*}
  while [ -n "$near" ] && [ ! -d "$near" ]; do near=${near%/*}; done
  say missing "$(stat "$p" 2>&1)" "${near:-/}"
  find "${near%/}/" -mindepth 1 -maxdepth 1 -print0 | head -c "$most_near"
  exit 0
fi
[ -d "$p" ] || [ -f "$p" ] || { say special; exit 0; }
say tree
if can_sift; then say sifts; else say plain; fi

# What the kernel makes up is not meant, nor is what no pattern can reveal.
repository=(-name .git -prune)
[ "$git" = skip ] || repository=(-name .git)
skipped=()
[ "$hidden" = list ] || skipped=(-o -type d -name '.*' -prune)
[ "$p" != / ] || skipped+=(-o -path /proc -prune -o -path /sys -prune -o -path /dev -prune)
depth=(-mindepth 1)
[ -d "$p" ] || depth=()

above=()
if [ "$p" != / ]; then
  at=${p%/*}
  while :; do
    above+=("$at")
    [ -n "$at" ] || break
    at=${at%/*}
  done
fi
for at in "${above[@]}"; do
  if is_there "$at/.git"; then say "g 0 0 $at/.git"; fi
done
if find / -maxdepth 0 -printf ''; then
  find "$p" "${depth[@]}" "${repository[@]}" -printf 'g 0 0 %p\0' "${skipped[@]}" -o \
    -type d \( -readable -o -printf 'u ' \) -printf 'd %s %T@ %p\0' -o \
    -type f \( -readable -o -printf 'u ' \) -printf 'f %s %T@ %p\0'
else
  find "$p" "${depth[@]}" "${repository[@]}" -print0 "${skipped[@]}" -o -type d -print0 -o -type f -print0 |
    xargs -0 stat -c $'%f %s %Y %n\001' | tr '\001\n' '\000\001'
fi
say ''

rules=()
for at in "${above[@]}"; do
  for file in "$at/.gitignore" "$at/.ignore" "$at/.git/info/exclude"; do
    [ ! -f "$file" ] || rules+=(".$file")
  done
done
while IFS= read -r -d '' file; do
  case $file in */.git) file=$file/info/exclude ;; esac
  [ ! -f "$file" ] || rules+=(".$file")
done < <(
  find "$p" "${depth[@]}" "${repository[@]}" -print0 "${skipped[@]}" -o \
    -type f \( -name .gitignore -o -name .ignore \) -print0
)
[ "${#rules[@]}" -eq 0 ] || printf '%s\0' "${rules[@]}" | pack
exit 0
