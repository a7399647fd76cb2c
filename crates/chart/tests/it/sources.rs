//! Charts from directories, archives and memory: links, paths, ignored files and limits.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use kubewright_chart::{Chart, ChartError, ChartLimits, ChartLoader};
use tar::{Builder, Header};

use crate::charts::render;

fn loader(limits: ChartLimits) -> ChartLoader {
    ChartLoader { limits, ..ChartLoader::default() }
}

/// Creates a new directory with a chart.
fn directory(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    for (name, text) in [("Chart.yaml", "name: top\nversion: 1.0.0")].iter().chain(files) {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

#[test]
fn a_directory_is_loaded_without_the_files_that_its_rules_ignore() {
    let files = [(".helmignore", "*.md\n/ci/\n"), ("README.md", "x"), ("ci/a", "x"), ("sub/ci/a", "x"), ("templates/.x", "x")];
    let chart = ChartLoader::default().path(directory("ignored", &files)).unwrap();
    let names: Vec<&str> = chart.files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, [".helmignore", "sub/ci/a"]);
    assert!(chart.templates.is_empty());
}

#[test]
fn a_directory_without_metadata_is_no_chart_however_large_it_is() {
    let path = directory("no-chart", &[("a", "1"), ("b", "2")]);
    fs::remove_file(path.join("Chart.yaml")).unwrap();
    let limits = ChartLimits { files: 1, ..ChartLimits::default() };
    assert!(matches!(loader(limits).path(path), Err(ChartError::NoMetadata)));
}

#[test]
fn links_in_a_chart_are_followed_and_those_that_leave_it_are_refused() {
    let chart = directory("links", &[("files/a", "text")]);
    symlink("files", chart.join("more")).unwrap();
    let loaded = ChartLoader::default().path(&chart).unwrap();
    let names: Vec<&str> = loaded.files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, ["files/a", "more/a"]);
    symlink("../ignored-too", chart.join("out")).unwrap();
    fs::create_dir_all(chart.parent().unwrap().join("ignored-too")).unwrap();
    assert_eq!(ChartLoader::default().path(&chart).unwrap_err().to_string(), "the link out leaves the chart");
}

#[test]
fn links_in_a_circle_end_in_an_error() {
    let chart = directory("circle", &[("sub/a", "")]);
    symlink("..", chart.join("sub/up")).unwrap();
    let error = ChartLoader::default().path(&chart).unwrap_err().to_string();
    assert_eq!(error, "the link sub/up leads back to a directory that contains it");
}

#[test]
fn links_in_a_circle_over_several_directories_end_in_an_error() {
    let chart = directory("circles", &[("one/a", ""), ("two/a", "")]);
    symlink("../two", chart.join("one/next")).unwrap();
    symlink("../one", chart.join("two/next")).unwrap();
    // The system refuses paths with too many links before the directories are nested too deep.
    let error = ChartLoader::default().path(&chart).unwrap_err();
    assert!(matches!(error, ChartError::Read { .. } | ChartError::Archive(_)), "{error}");
}

#[test]
fn a_chart_in_an_archive_has_archives_of_subcharts() {
    let subchart = archive(&[("sub/Chart.yaml", b"name: sub\nversion: 1.0.0"), ("sub/templates/a.yaml", b"kind: Sub")]);
    let files: [(&str, &[u8]); 3] = [
        ("top/Chart.yaml", b"name: top\nversion: 1.0.0"),
        ("top/charts/sub-1.0.0.tgz", &subchart),
        ("top/.helmignore", b"charts"),
    ];
    let chart = ChartLoader::default().archive(&archive(&files)).unwrap();
    assert_eq!(render(chart).unwrap().documents[0].file, "top/charts/sub/templates/a.yaml");
    let loader = loader(ChartLimits { files: 4, ..ChartLimits::default() });
    let error = loader.archive(&archive(&files)).unwrap_err().to_string();
    assert!(error.starts_with("error unpacking subchart sub-1.0.0.tgz in top: decompressed chart is larger"), "{error}");
}

#[test]
fn rules_that_lie_outside_of_the_chart_are_not_read() {
    let chart = directory("rules", &[]);
    fs::write(chart.parent().unwrap().join("secret"), "[secret").unwrap();
    symlink("../secret", chart.join(".helmignore")).unwrap();
    assert_eq!(ChartLoader::default().path(&chart).unwrap_err().to_string(), "the link .helmignore leaves the chart");
}

const METADATA: &str = "name: top\nversion: 1.0.0";

/// Loads a chart with two more files from a directory, from an archive and from memory.
fn from_everywhere(name: &str, files: [(&str, &str); 2], limits: ChartLimits) -> [Result<Chart, ChartError>; 3] {
    let loader = loader(limits);
    let path = directory(name, &files);
    let all = [("Chart.yaml", METADATA), files[0], files[1]];
    let packed = all.map(|(name, text)| (format!("top/{name}"), text));
    let packed: Vec<(&str, &[u8])> = packed.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    [loader.path(path), loader.archive(&archive(&packed)), loader.files(all)]
}

#[test]
fn the_limits_hold_for_every_source() {
    let files = [("a", "12345"), ("b", "12345")];
    let limits = ChartLimits { size: METADATA.len() as u64 + 10, files: 3, ..ChartLimits::default() };
    for result in from_everywhere("within", files, limits) {
        assert_eq!(result.unwrap().files.len(), 2);
    }
    for limits in [ChartLimits { size: limits.size - 1, ..limits }, ChartLimits { files: 2, ..limits }] {
        for result in from_everywhere("beyond", files, limits) {
            let error = result.unwrap_err().to_string();
            assert!(error.starts_with("decompressed chart is larger than the maximum size"), "{error}");
        }
    }
}

#[test]
fn the_depth_of_charts_is_limited_for_every_source() {
    let files = [("charts/a/Chart.yaml", "name: a\nversion: 1.0.0"), ("charts/a/charts/b/Chart.yaml", "name: b\nversion: 1.0.0")];
    for result in from_everywhere("shallow", files, ChartLimits { depth: 2, ..ChartLimits::default() }) {
        assert_eq!(result.unwrap().dependencies[0].dependencies[0].name(), "b");
    }
    for result in from_everywhere("deep", files, ChartLimits { depth: 1, ..ChartLimits::default() }) {
        let expected =
            "error unpacking subchart a in top: error unpacking subchart b in a: charts are nested more than 1 levels deep";
        assert_eq!(result.unwrap_err().to_string(), expected);
    }
}

#[test]
fn an_archive_on_a_disk_is_read_within_the_limits() {
    let packed = archive(&[("top/Chart.yaml", METADATA.as_bytes())]);
    let path = directory("packed", &[]).join("top-1.0.0.tgz");
    fs::write(&path, &packed).unwrap();
    assert_eq!(ChartLoader::default().path(&path).unwrap().name(), "top");
    let limits = ChartLimits { size: packed.len() as u64 - 1, ..ChartLimits::default() };
    let error = loader(limits).path(&path).unwrap_err().to_string();
    assert!(error.starts_with("decompressed chart is larger than the maximum size"), "{error}");
}

#[test]
fn a_bomb_in_an_archive_of_a_subchart_is_refused_from_every_source() {
    let zeros = vec![0; 3 << 20];
    let bomb = archive(&[("sub/Chart.yaml", b"name: sub\nversion: 1.0.0"), ("sub/zeros", &zeros)]);
    assert!(bomb.len() < 100_000);
    let loader = loader(ChartLimits { size: 2 << 20, ..ChartLimits::default() });
    let path = directory("bomb", &[]);
    fs::create_dir(path.join("charts")).unwrap();
    fs::write(path.join("charts/sub.tgz"), &bomb).unwrap();
    let packed = archive(&[("top/Chart.yaml", METADATA.as_bytes()), ("top/charts/sub.tgz", &bomb)]);
    let in_memory = loader.files([("Chart.yaml", METADATA.as_bytes()), ("charts/sub.tgz", &bomb)]);
    for result in [loader.path(path), loader.archive(&packed), in_memory] {
        let error = result.unwrap_err().to_string();
        let expected = "error unpacking subchart sub.tgz in top: decompressed chart is larger than the maximum size 2097152";
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn a_subchart_in_an_archive_cannot_leave_the_chart() {
    let mut header = Header::new_gnu();
    header.as_gnu_mut().unwrap().name[..18].copy_from_slice(b"sub/../../../x.txt");
    header.set_size(0);
    header.set_mode(0o644);
    header.set_cksum();
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    builder.append(&header, &b""[..]).unwrap();
    let packed = builder.into_inner().unwrap().finish().unwrap();
    let result = ChartLoader::default().files([("Chart.yaml", METADATA.as_bytes()), ("charts/sub.tgz", &packed)]);
    assert_eq!(
        result.unwrap_err().to_string(),
        "error unpacking subchart sub.tgz in top: chart illegally references parent directory: \"sub/../../../x.txt\""
    );
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, data) in files {
        let mut header = Header::new_gnu();
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *data).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}
