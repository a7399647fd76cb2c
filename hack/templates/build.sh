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

build() {
  build_program templates
}

out=${KUBEWRIGHT_TEMPLATES_DIR:-$(cache_folder templates)}
inputs=$(digest go.mod go.sum ./*.go)
cached_build
