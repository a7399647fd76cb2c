# shellcheck shell=bash
# Builds of Go modules into cache folders, for scripts that source this file.
#
# A script sets "out", the cache folder, and "inputs", a digest of its sources, defines the function "build", which builds into the folder
# "$work", and calls cached_build, which prints the cache folder. Progress goes to stderr. Where Go or its modules are missing, the script ends
# with status 77, by which its callers skip what needs the program; a script that cannot be skipped defines its own "no_go".

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

# Prints a digest of the files.
digest() {
  cat "$@" | sha256sum | cut -d' ' -f1
}

# Ends the script with the reason for which a program cannot be built on this machine.
skip() {
  echo "skipped: $1" >&2
  exit 77
}

no_go() {
  skip "Go is not installed; install Go 1.26 or newer"
}

# Builds a package as "$work/$1": that of the present folder, or "$2", with more flags for the linker in "$3".
build_program() {
  local log
  echo "building $1" >&2
  log=$(go mod download 2>&1 >/dev/null) || skip "the Go modules cannot be downloaded: $(tail -n 1 <<<"$log")"
  CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w ${3:-}" -o "$work/$1" "${2:-.}" >&2
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
