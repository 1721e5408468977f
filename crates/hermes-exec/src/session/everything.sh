builtin export -p;
    builtin declare -f;
    builtin alias -p;
    builtin printf '%s\n' 'shopt -s expand_aliases' 'set +e' 'set +u';
