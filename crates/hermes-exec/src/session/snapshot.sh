__hermes_snapshot() {
    @PATH@
    local name
    for name in $(builtin compgen -A function _); do
        [[ $name == __* ]] || builtin unset -f "$name"
    done
    builtin unset -f __hermes_snapshot
    @DUMP@
}
__hermes_snapshot
