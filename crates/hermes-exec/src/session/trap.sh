function trap {
    if [[ $BASHPID != "$$" ]]; then
        builtin trap "$@"
        builtin return
    fi
    if [[ $# -eq 0 || $1 == -[lp]* ]]; then
        builtin local shown
        shown=$(builtin trap "$@")
        shown=${shown//'@CALL@'$'\n'/}
        shown=${shown//"trap -- '' EXIT"/}
        [[ -z $shown ]] || builtin printf '%s\n' "$shown"
        builtin return
    fi
    if [[ $1 == -- ]]; then builtin shift; fi
    builtin local action="$1" signal others
    others=()
    if [[ $# -eq 1 ]]; then action=-; else builtin shift; fi
    for signal; do
        case $signal in
        EXIT | exit | 0 | SIGEXIT)
            if [[ $action == - ]]; then
                builtin trap -- '@CALL@'$'\n' EXIT
            else
                builtin trap -- '@CALL@'$'\n'"$action" EXIT
            fi
            ;;
        *) others+=("$signal") ;;
        esac
    done
    [[ ${#others[@]} -eq 0 ]] || builtin trap -- "$action" "${others[@]}"
}
