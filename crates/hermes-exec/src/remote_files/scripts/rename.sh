target_parent=${to%/*}
make_parent "${target_parent:-/}"
! is_there "$to" || fail exists move "$to" ''
said=$(mv -n -T "$p" "$to" 2>&1 </dev/null) ||
  case $said in *option*) said=$(mv -n "$p" "$to" 2>&1 </dev/null) ;; *) false ;; esac ||
  broken move "$p"
# Asked not to overwrite, it may leave everything as it is and call that a success.
! is_there "$p" || fail exists move "$to" ''
say done
