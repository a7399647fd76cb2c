# shellcheck shell=bash
# Builds of Go modules into cache folders, for scripts that source this file.
#
# A script sets "out", the cache folder, and "inputs", a digest of its sources, defines the function "build", which builds into the folder
# "$work", and calls cached_build, which prints the cache folder. Progress goes to stderr. A function "no_go" ends the script where Go is missing.

# Prints the comment at the head of a script for --help, and refuses all other arguments.
help_only() {
  local script=$1
  shift
  if [[ "${1:-}" == --help || "${1:-}" == -h ]]; then
    sed -n '2,${/^#/!q;s/^# \{0,1\}//p}' "$script"
    exit 0
  elif [[ $# -gt 0 ]]; then
    echo "unknown argument \"$1\"; see --help" >&2
    exit 2
  fi
}

# Prints the cache folder of this name.
cache_folder() {
  echo "${XDG_CACHE_HOME:-$HOME/.cache}/kubewright/$1"
}

# Builds, unless the cache folder was built from the same sources by the same Go for the same machine.
cached_build() {
  command -v go >/dev/null || no_go
  local stamp
  stamp="$inputs $(go env GOVERSION) $(go env GOOS)/$(go env GOARCH)"
  if [[ ! -f "$out/stamp" || "$(cat "$out/stamp")" != "$stamp" ]]; then
    mkdir -p "$(dirname "$out")"
    work=$(mktemp -d "$out.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    build
    echo "$stamp" >"$work/stamp"
    rm -rf "$out"
    mv "$work" "$out"
    trap - EXIT
  fi
  echo "$out"
}
