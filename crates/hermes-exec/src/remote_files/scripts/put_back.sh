if [ "$kept" -ef "$p" ] && [ ! -L "$p" ]; then
  said=$(rm -f "$kept" 2>&1) || broken 'put back' "$p"
else
  move_over "$kept" "$p" || broken 'put back' "$p"
fi
flush "$parent"
say done
