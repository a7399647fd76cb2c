//! Writes `data/protobuf.txt`, the protobuf field numbers of the built-in types, from the sources of the crate `k8s-pb`.
//!
//! ```text
//! cargo info k8s-pb          # downloads it
//! cargo run -p kubewright-apiserver --example generate-protobuf -- ~/.cargo/registry/src/*/k8s-pb-*/src [--check]
//! ```
//!
//! The data has one line per definition: its name, then its fields as `number=name`. A message whose fields are lifted into the JSON of its parent
//! message is written as `number(fields)`. The type of a field is taken from the OpenAPI definition. With `--check` nothing is written; the committed
//! file is compared instead.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kubewright_apiserver::forms::Definitions;

const OUTPUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/protobuf.txt");

/// Messages of Kubernetes 1.36 that version 1.35 of the crate lacks, in the format of the output, without the common prefix.
const NEW_MESSAGES: [&str; 6] = [
    "api.core.v1.ImageVolumeStatus 1=imageRef",
    "api.core.v1.NodeAllocatableResourceClaimStatus 1=resourceClaimName 2=containers 3=resources",
    "api.core.v1.PodSchedulingGroup 1=podGroupName",
    "api.core.v1.VolumeStatus 1=image",
    "api.resource.v1.NodeAllocatableResourceMapping 1=capacityKey 2=allocationMultiplier",
    "apimachinery.pkg.apis.meta.v1.ShardInfo 1=selector",
];

/// Fields of Kubernetes 1.36 that version 1.35 of the crate lacks, in messages that it has: message, number and name.
const NEW_FIELDS: [(&str, u32, &str); 12] = [
    ("api.core.v1.PodCertificateProjection", 7, "userAnnotations"),
    ("api.core.v1.PodSpec", 43, "schedulingGroup"),
    ("api.core.v1.PodStatus", 21, "nodeAllocatableResourceClaimStatuses"),
    ("api.core.v1.ResourceHealth", 6, "message"),
    ("api.core.v1.VolumeMountStatus", 5, "volumeStatus"),
    ("api.resource.v1.Device", 13, "nodeAllocatableResourceMappings"),
    ("api.resource.v1.DeviceAttribute", 6, "ints"),
    ("api.resource.v1.DeviceAttribute", 7, "bools"),
    ("api.resource.v1.DeviceAttribute", 8, "strings"),
    ("api.resource.v1.DeviceAttribute", 9, "versions"),
    ("api.storage.v1.CSIDriverSpec", 11, "preventPodSchedulingIfMissing"),
    ("apimachinery.pkg.apis.meta.v1.ListMeta", 5, "shardInfo"),
];

/// Definitions that are never sent as protobuf.
const NO_MESSAGE: [&str; 1] = ["apimachinery.pkg.version.Info"];

const PREFIX: &str = "io.k8s.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, folders): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| argument.starts_with("--"));
    let check = match (folders.as_slice(), flags.as_slice()) {
        ([_], []) => false,
        ([_], [flag]) if *flag == "--check" => true,
        _ => {
            eprintln!("usage: generate-protobuf <src of k8s-pb> [--check]");
            return ExitCode::from(2);
        }
    };
    match run(Path::new(folders[0]), check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to generate protobuf numbers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(source: &Path, check: bool) -> Result<(), Box<dyn Error>> {
    let text = generate(&Messages::read(source)?)?;
    if check {
        let committed = std::fs::read_to_string(OUTPUT)?;
        return if committed == text { Ok(()) } else { Err(format!("{OUTPUT} differs from its source").into()) };
    }
    std::fs::write(OUTPUT, &text)?;
    println!("{} messages, {} bytes", text.lines().count(), text.len());
    Ok(())
}

fn generate(messages: &Messages) -> Result<String, Box<dyn Error>> {
    let definitions = Definitions::embedded();
    let mut lines: BTreeSet<String> = NEW_MESSAGES.iter().map(|line| format!("{PREFIX}{line}")).collect();
    let names: BTreeSet<&str> = definitions.names().collect();
    for name in names {
        let short = name.strip_prefix(PREFIX).unwrap_or(name);
        let properties = definitions.schema(name).and_then(|schema| schema["properties"].as_object());
        let Some(properties) = properties.filter(|_| !NO_MESSAGE.contains(&short)) else { continue };
        if NEW_MESSAGES.iter().any(|line| line.split(' ').next() == Some(short)) {
            continue;
        }
        let message = messages.named(short).ok_or_else(|| format!("no message for {name}"))?;
        let mut open: BTreeMap<String, &str> = properties.keys().map(|name| (plain(name), name.as_str())).collect();
        if definitions.schema(name).is_some_and(|schema| !schema["x-kubernetes-group-version-kind"].is_null()) {
            // The protobuf envelope carries the type of the object.
            open.remove("apiversion");
            open.remove("kind");
        }
        let mut fields = messages.fields(message, &mut open)?;
        for (_, number, field) in NEW_FIELDS.iter().filter(|(message, _, _)| *message == short) {
            open.remove(&plain(field));
            fields.insert(*number, format!("={field}"));
        }
        if !open.is_empty() {
            return Err(format!("{name} has no numbers for {:?}", open.values()).into());
        }
        lines.insert(format!("{name}{}", printed(&fields)));
    }
    Ok(lines.into_iter().fold(String::new(), |mut text, line| {
        // Writing into memory cannot fail.
        let _ = writeln!(text, "{line}");
        text
    }))
}

fn printed(fields: &BTreeMap<u32, String>) -> String {
    fields.iter().fold(String::new(), |mut text, (number, field)| {
        // Writing into memory cannot fail.
        let _ = write!(text, " {number}{field}");
        text
    })
}

/// Returns a name without case and punctuation, so that `uID`, `uid` and `u_id` are equal.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The messages of the crate, by package and plain name.
struct Messages(BTreeMap<(String, String), Vec<Field>>);

struct Field {
    number: u32,
    name: String,
    /// The last part of the type's path.
    holds: String,
    package: String,
}

impl Messages {
    fn read(source: &Path) -> Result<Self, Box<dyn Error>> {
        let mut messages = BTreeMap::new();
        let mut open = vec![source.to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.file_name().is_some_and(|name| name == "mod.rs") {
                    let package = package(source, &folder)?;
                    parse(&std::fs::read_to_string(&path)?, &package, &mut messages);
                }
            }
        }
        Ok(Self(messages))
    }

    /// Returns the message of a definition. A type that became stable after the crate's version keeps the field numbers of its beta or alpha version.
    fn named(&self, name: &str) -> Option<&[Field]> {
        let name = name.replace('-', "_");
        let (package, last) = name.rsplit_once('.')?;
        let group = package.strip_suffix("v1");
        let beta = group.into_iter().flat_map(|group| [format!("{group}v1beta1"), format!("{group}v1alpha1")]);
        let mut packages = std::iter::once(package.to_owned()).chain(beta);
        packages.find_map(|package| self.0.get(&(package, plain(last)))).map(Vec::as_slice)
    }

    /// Returns the fields that a definition knows; the fields of messages that the definition does not know are lifted into it.
    fn fields(&self, message: &[Field], open: &mut BTreeMap<String, &str>) -> Result<BTreeMap<u32, String>, Box<dyn Error>> {
        let mut fields = BTreeMap::new();
        for field in message {
            if let Some(name) = open.remove(&plain(&field.name)) {
                fields.insert(field.number, format!("={name}"));
            } else if let Some(nested) = self.0.get(&(field.package.clone(), plain(&field.holds))) {
                let inner = self.fields(nested, open)?;
                if !inner.is_empty() {
                    fields.insert(field.number, format!("({})", printed(&inner).trim_start()));
                }
            }
        }
        Ok(fields)
    }
}

fn package(source: &Path, folder: &Path) -> Result<String, Box<dyn Error>> {
    let relative: PathBuf = folder.strip_prefix(source)?.into();
    Ok(relative.iter().map(|part| part.to_string_lossy().into_owned()).collect::<Vec<_>>().join("."))
}

/// Reads structs in the form in which prost prints them: an attribute with the number, then the field, each of which may span several lines.
fn parse(text: &str, package: &str, messages: &mut BTreeMap<(String, String), Vec<Field>>) {
    for item in text.split("pub struct ").skip(1) {
        let name: String = item.chars().take_while(char::is_ascii_alphanumeric).collect();
        let end = item.find("\n}").unwrap_or(item.len());
        let mut fields = Vec::new();
        for part in item[..end].split("#[prost(").skip(1) {
            let number = part.split("tag = \"").nth(1).and_then(|rest| rest.split('"').next()).and_then(|tag| tag.parse().ok());
            let declared = part.split("pub ").nth(1).and_then(|rest| rest.split_once(':'));
            if let (Some(number), Some((field, holds))) = (number, declared) {
                // The type ends at the next field's comment; its last path segment is kept, without the enclosing generics.
                let holds = holds.split("///").next().unwrap_or_default();
                let holds = holds.rsplit([':', '<']).next().unwrap_or_default();
                let holds = holds.chars().filter(char::is_ascii_alphanumeric).collect();
                let field = field.trim_start_matches("r#").to_owned();
                fields.push(Field { number, name: field, holds, package: package.to_owned() });
            }
        }
        messages.insert((package.to_owned(), plain(&name)), fields);
    }
}
