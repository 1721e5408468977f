make_and_enter "${to%/*}"
new=./${to##*/}
! is_there "$new" || fail exists move "$to" ''
# One directory can be stood in, the other is held open.
exec 4<.
enter_parent_of "$p" || broken move "$p"
file=./${p##*/}
if [ -d /proc/self/fd/4/. ]; then new=/proc/self/fd/4/${to##*/}; else new=$to; fi
said=$(mv -n -T "$file" "$new" 2>&1 </dev/null) ||
  case $said in *option*) said=$(mv -n "$file" "$new" 2>&1 </dev/null) ;; *) false ;; esac ||
  broken move "$p"
# Asked not to overwrite, it may leave everything as it is and call that a success.
! is_there "$file" || fail exists move "$to" ''
say done
