//! Invalid input: no files make the build of a kustomization panic.

use crate::broken_text::break_text;
use crate::seeded_inputs::no_input_panics;
use crate::xorshift::Xorshift;

#[path = "../../../../fuzz/src/kustomizations.rs"]
#[allow(unreachable_pub, reason = "the file is a target of the fuzzer")]
mod targets;

/// A tree whose kustomizations use most fields.
const TREE: &str = "=== kustomization.yaml
resources: [base]
components: [part]
namePrefix: a-
nameSuffix: -z
namespace: ns
labels: [{pairs: {a: b}, includeSelectors: true, fields: [{path: spec/x, create: true}]}]
commonAnnotations: {c: d}
images: [{name: r/i, newName: r/j, newTag: \"2\", digest: \"sha256:0\"}]
replicas: [{name: web, count: 3}]
configMapGenerator: [{name: m, behavior: merge, literals: [k=w], files: [f=file.txt], envs: [env], options: {disableNameSuffixHash: false}}]
secretGenerator: [{name: s, literals: [\"a=b\"], type: Opaque}]
patches:
  - {target: {kind: Deployment, name: w.*, labelSelector: \"a in (b)\"}, patch: \"- {op: add, path: /spec/template/spec/containers/0/env, value: []}\"}
  - path: patch.yaml
replacements:
  - source: {kind: ConfigMap, name: m, fieldPath: data.k, options: {delimiter: /, index: 0}}
    targets: [{select: {kind: Deployment}, fieldPaths: [\"spec.template.spec.containers.[name=c].image\", metadata.annotations.x], options: {create: true}}]
sortOptions: {order: legacy, legacySortOptions: {orderFirst: [Namespace], orderLast: [Deployment]}}
buildMetadata: [originAnnotations, managedByLabel]
=== patch.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: c, $patch: merge, ports: [{containerPort: 80, $patch: replace}]}, {name: d, image: r/i}]}}}
=== file.txt
x
=== env
E=1
# no
F
=== base/kustomization.yml
resources: [all.yaml]
configMapGenerator: [{name: m, literals: [k=v]}]
=== base/all.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {l: m}}
spec: {replicas: 1, selector: {matchLabels: {l: m}}, template: {metadata: {labels: {l: m}}, spec: {containers: [
  {name: c, image: \"r/i:1\", envFrom: [{configMapRef: {name: m}}, {secretRef: {name: s}}]}]}}}
---
apiVersion: v1
kind: Namespace
metadata: {name: ns}
=== part/kustomization.yaml
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches: [{target: {kind: Namespace}, patch: \"{kind: Namespace, apiVersion: v1, metadata: {name: x, annotations: {y: z}}}\"}]
";

const PIECES: &[&str] = &[
    "=== ",
    "../",
    "/",
    "base",
    "part",
    "kustomization.yaml",
    "\n",
    "  ",
    "- ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "&a ",
    "*a",
    "---\n",
    "null",
    "true",
    "-1",
    "1e99",
    "~1",
    "$patch",
    "delete",
    "remove",
    "merge",
    ".*",
    "(",
    "[name=c]",
    "*",
    "é",
    "\u{0}",
];

#[test]
fn no_files_make_a_kustomization_panic() {
    assert!(targets::kustomizations(TREE.as_bytes()));
    let changed = |dice: &mut Xorshift| {
        let mut text = TREE.as_bytes().to_vec();
        break_text(&mut text, PIECES, |below| dice.roll(below));
        text
    };
    no_input_panics(1_000, changed, targets::kustomizations);
}
