#!/usr/bin/env bash
# Builds the program of this folder into a cache folder and prints that folder.
#
#   hack/templates/build.sh [--help]
#
# Environment:
#   KUBEWRIGHT_TEMPLATES_DIR   output folder (default: ${XDG_CACHE_HOME:-$HOME/.cache}/kubewright/templates)
#
# About a minute on two cores the first time; nothing to do when the folder is up to date. Progress goes to stderr.
# Ends with status 77 and says why when Go or the module proxy is not there.
set -euo pipefail

script=$(realpath "$0")
cd "$(dirname "$script")"
source ../go-build.sh
help_only "$script" "$@"

no_go() {
  echo "skipped: Go is not installed; install Go 1.26 or newer" >&2
  exit 77
}

build() {
  echo "building templates" >&2
  local log
  log=$(go mod download 2>&1 >/dev/null) || { echo "skipped: the Go modules cannot be downloaded: $(tail -n 1 <<<"$log")" >&2; exit 77; }
  CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w" -o "$work/templates" . >&2
}

out=${KUBEWRIGHT_TEMPLATES_DIR:-$(cache_folder templates)}
inputs=$(cat go.mod go.sum ./*.go | sha256sum | cut -d' ' -f1)
cached_build
