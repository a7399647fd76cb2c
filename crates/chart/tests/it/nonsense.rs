//! Invalid input: no files and no archive make the loader, the compiler or a rendering of a chart panic.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::broken_text::break_text;
use crate::seeded_inputs::no_input_panics;
use crate::xorshift::Xorshift;

#[path = "../../../../fuzz/src/charts.rs"]
#[allow(unreachable_pub, reason = "the file is a target of the fuzzer")]
mod targets;

/// A chart with most of the files that a chart can have.
const CHART: &str = "=== Chart.yaml
apiVersion: v2
name: web
version: 1.2.3
appVersion: \"1.0\"
kubeVersion: \">= 1.20.0-0\"
dependencies:
  - {name: cache, version: ^1.0, repository: \"\", alias: first, condition: first.enabled, tags: [a], import-values: [data, {child: x, parent: y}]}
=== values.yaml
first: {enabled: true, size: 3}
tags: {a: true}
global: {g: 1}
list: &l [1, 2.5, yes, null]
again: *l
=== values.schema.json
{\"type\": \"object\", \"properties\": {\"list\": {\"type\": \"array\", \"maxItems\": 9}, \"global\": {\"$ref\": \"#/definitions/g\"}},
 \"definitions\": {\"g\": {\"type\": \"object\"}}}
=== .helmignore
*.bak
a/
=== crds/crd.yaml
kind: CustomResourceDefinition
metadata: {name: a.ex.io}
=== files/a.txt
a
=== templates/_helpers.tpl
{{ define \"name\" }}{{ printf \"%s-%s\" .Release.Name .Chart.Name | trunc 63 }}{{ end }}
=== templates/map.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include \"name\" . }}
  annotations: {helm.sh/hook: \"pre-install,post-upgrade\", helm.sh/hook-weight: \"-1\", helm.sh/hook-delete-policy: hook-succeeded}
data: {{ toYaml .Values | nindent 2 }}
---
{{ range $i, $v := .Values.list }}
n{{ $i }}: {{ $v | quote }}
{{ end }}
files: {{ (.Files.Glob \"files/*\").AsConfig | fromYaml | toJson }}
=== templates/NOTES.txt
{{ .Capabilities.KubeVersion.Version }}
=== charts/cache/Chart.yaml
{apiVersion: v2, name: cache, version: 1.0.1}
=== charts/cache/values.yaml
exports: {data: {z: 1}}
x: {a: b}
=== charts/cache/templates/a.yaml
kind: Service
size: {{ .Values.size }}
global: {{ .Values.global.g }}
";

const PIECES: &[&str] = &[
    "=== ",
    "templates/",
    "../",
    "/",
    "charts/",
    "Chart.yaml",
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
    "<<: ",
    "---\n",
    "{{",
    "}}",
    "null",
    "true",
    "-1",
    "1e99",
    "!!binary ",
    "|\n",
    "helm.sh/hook",
    "$ref",
    "allOf",
    "é",
    "\u{0}",
];

#[test]
fn no_files_make_a_chart_panic() {
    assert!(targets::charts(CHART.as_bytes()));
    no_input_panics(500, |dice| changed(CHART.as_bytes(), dice), targets::charts);
}

#[test]
fn no_archive_makes_a_chart_panic() {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, text) in [("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.2.3\n"), ("web/templates/a.yaml", "kind: A\n")]
    {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        tar.append_data(&mut header, path, text.as_bytes()).unwrap();
    }
    let tar = tar.into_inner().unwrap();
    assert!(targets::archives(&compressed(&tar)));
    // Changes of the archive inside, and of its compressed form.
    let archive = |dice: &mut Xorshift| {
        let archive = compressed(&changed(&tar, dice));
        if dice.roll(2) == 0 { changed(&archive, dice) } else { archive }
    };
    no_input_panics(500, archive, targets::archives);
}

fn changed(bytes: &[u8], dice: &mut Xorshift) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    break_text(&mut bytes, PIECES, |below| dice.roll(below));
    bytes
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
