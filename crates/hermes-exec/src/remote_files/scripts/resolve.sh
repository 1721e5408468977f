left=$p real= met=0
while [ -n "$left" ]; do
  name=${left%%/*}
  case $left in */*) left=${left#*/} ;; *) left= ;; esac
  case $name in
    '' | .) continue ;;
    ..) real=${real%/*}; continue ;;
  esac
  if [ -L "$real/$name" ] && target=$(readlink "$real/$name" && printf .); then
    target=${target%?.}
    case $target in /*) ;; *) target=$real/$target ;; esac
    left=$target${left:+/$left} real=
    met=$((met + 1))
    [ "$met" -le "$most" ] || fail loop resolve "$p" ''
    say hop "$left"
  else
    real=$real/$name
  fi
done
real=${real:-/}
if now=$(stat -c "$form" "$real"); then say at "$real" found "$now"
else say at "$real" missed "$(stat "$real" 2>&1)"; fi
