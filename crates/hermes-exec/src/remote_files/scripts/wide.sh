# Files that begin with the mark of UTF-16, which the engine reads too. No text is found in them.
grep -lZs -e $'^\377\376' -e $'^\376\377' -- "$@" | while IFS= read -r -d '' file; do
  IFS= read -r -d '' -n 2 mark <"$file"
  case $mark in $'\377\376' | $'\376\377') printf '%s\0' "$file" ;; esac
done
