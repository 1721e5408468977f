can_sift() { command -v xargs >/dev/null && printf x | grep -qZ x; }
# Packs the files that are named on its input, from the root and ended by zeros.
pack() {
  command -v tar >/dev/null || fail tool search "$p" tar
  case $(tar --help 2>&1) in
    *--hard-dereference*) tar -C / --null --hard-dereference --no-recursion -c -f - -T - ;;
    *--null*) tar -C / --null -c -f - -T - ;;
    *) tr '\0' '\n' | tar -C / -c -f - -T - ;;
  esac
}
