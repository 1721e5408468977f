__hermes_finish() {
    builtin set +xeu;
    if [[ $BASHPID == "$$" ]]; then
        builtin unset -f __hermes_finish trap;
        @DUMP@;
        @TELL@;
    fi;
    builtin return "$1";
}
