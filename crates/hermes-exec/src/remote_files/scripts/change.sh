# Goes to a directory, making what is missing of it step by step.
make_and_enter() {
  made=stood missing= at=$1
  while [ -n "$at" ] && ! is_there "$at"; do missing=/${at##*/}$missing at=${at%/*}; done
  enter "$at" "$1" || broken open "$1"
  while [ -n "$missing" ]; do
    name=${missing#/} name=${name%%/*}
    missing=${missing#"/$name"} at=$at/$name made=made
    said=$(mkdir -- "./$name" 2>&1) || [ -d "./$name" ] || broken 'create the directory' "$at"
    said=$(cd -P -- "./$name" 2>&1) && cd -P -- "./$name" || broken open "$at"
    stands_in "$at" "$at"
  done
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
  for stray in "./$prefix"*; do
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
