parent=${p%/*}
parent=${parent:-/}
make_parent() {
  made=stood
  [ -d "$1" ] && return
  said=$(mkdir -p "$1" 2>&1) || broken 'create the directory' "$1"
  made=made
}
flush() {
  said=$(sync "$1" 2>&1) && return
  case $said in
    *': No space left on device' | *'uota exceeded' | *': Input/output error') return 1 ;;
  esac
}
move_over() {
  said=$(mv -f -T "$1" "$2" 2>&1 </dev/null) && return
  case $said in
    *option*) [ ! -d "$2" ] && said=$(mv -f "$1" "$2" 2>&1 </dev/null) ;;
    *) false ;;
  esac
}
clear_strays() {
  for stray in "$parent/$prefix"*; do
    is_there "$stray" || continue
    case $stray in *".$ours."*) continue ;; esac
    changed=$(stat -c %Z "$stray") || continue
    [ "$(($(date +%s) - changed))" -le "$patience" ] || rm -f "$stray"
  done
}
dress_like() {
  cp --attributes-only --preserve=mode,ownership,xattr "$1" "$2"
  set -- "$2" $(stat -c '%u:%g %a' "$1") $(stat -c '%u:%g' "$2")
  [ "$2" = "$4" ] || chown "$2" "$1"
  said=$(chmod "$3" "$1" 2>&1)
}
