#!/usr/bin/env bash
# Builds the controller of this folder into a cache folder and prints that folder.
#
#   hack/knative/build.sh [--help]
#
# Environment:
#   KUBEWRIGHT_KNATIVE_DIR   output folder (default: ${XDG_CACHE_HOME:-$HOME/.cache}/kubewright/knative)
#
# About 4 minutes on two cores the first time; nothing to do when the folder is up to date. Progress goes to stderr.
# Ends with status 77 and says why when Go or the module proxy is not there.
set -euo pipefail

if [[ "${1:-}" == --help || "${1:-}" == -h ]]; then
  sed -n '2,10s/^# \{0,1\}//p' "$0"
  exit 0
elif [[ $# -gt 0 ]]; then
  echo "unknown argument \"$1\"; see --help" >&2
  exit 2
fi

cd "$(dirname "$0")"
command -v go >/dev/null || { echo "skipped: Go is not installed; install Go 1.26 or newer" >&2; exit 77; }

out=${KUBEWRIGHT_KNATIVE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/kubewright/knative}
sources=$(cat go.mod go.sum ./*.go shared/*.go | sha256sum | cut -d' ' -f1)
stamp="$sources $(go env GOVERSION) $(go env GOOS)/$(go env GOARCH)"

if [[ -f "$out/stamp" && "$(cat "$out/stamp")" == "$stamp" ]]; then
  echo "$out"
  exit 0
fi

mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "building shared-controller" >&2
go mod download 2>"$work/go.log" || { echo "skipped: the Go modules cannot be downloaded: $(tail -n 1 "$work/go.log")" >&2; exit 77; }
CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w" -o "$work/shared-controller" . >&2

rm "$work/go.log"
echo "$stamp" >"$work/stamp"
rm -rf "$out"
mv "$work" "$out"
trap - EXIT
echo "$out"
