#!/usr/bin/env bash
# Builds the operator that README.md shows, from its Cargo.toml and its code, in a project outside the workspace; and with it a
# hook that sends a request. Dependencies are those of the workspace's Cargo.lock, so that nothing is downloaded.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
# The repository's .cargo/config.toml holds for what is built inside of it alone.
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
mkdir "$project/src"

# The first block of a language in README.md.
block() { awk -v start="\`\`\`$1" '/^```/ {take = ($0 == start && !seen); if (take) seen = 1; next} take' README.md; }

# The crates of this repository, wherever it is.
block toml | sed -E "s#^(kubewright[a-z-]*) = \{ git = \"[^\"]*\"#\1 = { path = \"$PWD/crates/\1\"#; s#crates/kubewright-#crates/#" >"$project/Cargo.toml"
printf '\n[workspace]\n' >>"$project/Cargo.toml"
cp Cargo.lock "$project/Cargo.lock"

block rust | sed 's/\.component::<Greeting>(render)/&.pre_reconcile(count_greetings)/' >"$project/src/main.rs"
cat >>"$project/src/main.rs" <<'RUST'

async fn count_greetings(cx: &HookContext<Greeting>, _: &Greeting, _: &mut ComponentStatus) -> Flow {
    let greetings: kube::Api<Greeting> = kube::Api::namespaced(cx.client(), cx.namespace());
    greetings.list(&kube::api::ListParams::default().limit(1)).await?;
    Ok(())
}
RUST
cat >"$project/sample.yaml" <<'YAML'
apiVersion: demo.example.com/v1
kind: Greeting
metadata:
  name: demo
  namespace: default
spec:
  text: hello
YAML

# Both lines must have been there to be replaced.
grep -q pre_reconcile "$project/src/main.rs" && grep -q "path = \"$PWD/crates/testing\"" "$project/Cargo.toml"
cd "$project"
cargo build --offline --quiet
"$CARGO_TARGET_DIR/debug/greeting-operator" crds | grep -q 'kind: Greeting'
echo "the operator of README.md builds"
