#!/usr/bin/env bash
# Builds etcd, kube-apiserver, kube-controller-manager and kubectl from Go modules into a cache folder and prints that folder.
#
#   hack/kubernetes/build.sh [--help]
#
# Environment:
#   KUBEWRIGHT_KUBERNETES_DIR   output folder (default: ${XDG_CACHE_HOME:-$HOME/.cache}/kubewright/kubernetes-v1.36.2)
#
# About 9 minutes on two cores the first time; nothing to do when the folder is up to date. Progress goes to stderr.
set -euo pipefail

version=v1.36.2
binaries=(etcd kube-apiserver kube-controller-manager kubectl)

script=$(realpath "$0")
cd "$(dirname "$script")"
source ../go-build.sh
help_only "$script" "$@"

no_go() {
  echo "go is needed to build the real control plane; install Go 1.26 or newer" >&2
  exit 1
}

build() {
  # Without these, /version is not semver and kubectl refuses to work.
  local flags="-s -w" package value name
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    for value in gitVersion=$version gitMajor=1 gitMinor=36 gitTreeState=clean \
      gitCommit=0000000000000000000000000000000000000000 buildDate=1970-01-01T00:00:00Z; do
      flags+=" -X $package.$value"
    done
  done

  for name in "${binaries[@]}"; do
    case $name in
      etcd) package=go.etcd.io/etcd/server/v3 ;;
      *) package=k8s.io/kubernetes/cmd/$name ;;
    esac
    echo "building $name ($package)" >&2
    CGO_ENABLED=0 go build -trimpath -ldflags "$flags" -o "$work/$name" "$package" >&2
  done
}

out=${KUBEWRIGHT_KUBERNETES_DIR:-$(cache_folder "kubernetes-$version")}
inputs=$(digest go.sum)
cached_build
