is_there "$p" || { said=$(stat "$p" 2>&1); broken find "$p"; }
[ ! -d "$p" ] || [ -L "$p" ] || fail kind remove "$p" "$(stat -c %f "$p")"
said=$(rm -f "$p" 2>&1) || broken remove "$p"
say done
