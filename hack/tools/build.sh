#!/usr/bin/env bash
# Builds helm and kustomize from Go modules into a cache folder and prints that folder.
#
#   hack/tools/build.sh [--help]
#
# Environment:
#   KUBEWRIGHT_TOOLS_DIR   output folder (default: ${XDG_CACHE_HOME:-$HOME/.cache}/kubewright/tools)
#
# About 3 minutes on two cores the first time; nothing to do when the folder is up to date. Progress goes to stderr.
# Ends with status 77 and says why when Go or the module proxy is not there.
set -euo pipefail

helm=v4.3.1

script=$(realpath "$0")
cd "$(dirname "$script")"
source ../go-build.sh
help_only "$script" "$@"

build() {
  # Without the flag, `helm version` tells no patch release.
  build_program helm helm.sh/helm/v4/cmd/helm "-X helm.sh/helm/v4/internal/version.version=$helm"
  build_program kustomize sigs.k8s.io/kustomize/kustomize/v5
}

out=${KUBEWRIGHT_TOOLS_DIR:-$(cache_folder tools)}
inputs=$(digest go.mod go.sum)
cached_build
