LC_ALL=C
export LC_ALL
exec 2>/dev/null
form='%d:%i %f %s %Y %y'
say() { printf '%s\0' "$@"; }
fail() { say failed "$@"; exit 0; }
broken() { fail system "$1" "$2" "$said"; }
is_there() { [ -e "$1" ] || [ -L "$1" ]; }
# Goes where a path without links leads. What follows works by name in the directory that was entered: whoever
# exchanges it afterwards exchanges a name, not the place.
# A link is told of the second path.
enter() {
  if said=$(cd -P -- "${1:-/}" 2>&1) && cd -P -- "${1:-/}"; then
    stands_in "${1:-/}" "${2:-/}"
    return
  fi
  way=$1
  while [ -n "$way" ]; do
    [ ! -L "$way" ] || fail exchanged open "$2" ''
    way=${way%/*}
  done
  return 1
}
# Asked of the kernel: the shell's own pwd walks the path again.
stands_in() {
  here=$({ readlink /proc/self/cwd || env pwd -P; } && printf .)
  [ "${here%??}" = "$1" ] || fail exchanged open "$2" ''
}
# The same for the directory of a file. What is missing is told of the file.
enter_parent_of() {
  enter "${1%/*}" "${2:-${1%/*}}" && return
  told=$(stat -c %f "$1" 2>&1) || said=$told
  return 1
}
printf 'hermes-files\0'
