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

script=$(realpath "$0")
cd "$(dirname "$script")"
source ../go-build.sh
help_only "$script" "$@"

build() {
  build_program shared-controller
}

out=${KUBEWRIGHT_KNATIVE_DIR:-$(cache_folder knative)}
inputs=$(digest go.mod go.sum ./*.go shared/*.go)
cached_build
