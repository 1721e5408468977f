enter_parent_of "$p" || broken 'put back' "$p"
file=./${p##*/} kept=./${kept##*/}
if [ "$kept" -ef "$file" ] && [ ! -L "$file" ]; then
  said=$(rm -f "$kept" 2>&1) || broken 'put back' "$p"
else
  move_over "$kept" "$file" || broken 'put back' "$p"
fi
flush .
say done
