enter_parent_of "$p" || broken find "$p"
file=./${p##*/}
is_there "$file" || { said=$(stat "$file" 2>&1); broken find "$p"; }
[ ! -d "$file" ] || [ -L "$file" ] || fail kind remove "$p" "$(stat -c %f "$file")"
said=$(rm -f "$file" 2>&1) || broken remove "$p"
say done
