//! Sources of kustomizations (KUS-1).

use kubewright_render::{Kustomization, Templates};
use serde_json::json;

use crate::rendering::{config_map, failure, fault, kustomization, kustomization_at, names, objects, texts, written};

// KUS-1
#[tokio::test]
async fn all_regular_files_below_a_directory_are_loaded_and_links_are_not_followed() {
    let [a, b] = ["a", "b"].map(|name| config_map(name, "x"));
    let root = written("links", &[("k/a.yaml", &a), ("k/sub/b.yaml", &b), ("outside/c.yaml", "kind: [")]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.join("outside"), root.join("k/directory")).unwrap();
        std::os::unix::fs::symlink(root.join("outside/c.yaml"), root.join("k/file.yaml")).unwrap();
    }
    let found = objects(&Kustomization::directory(root.join("k")), json!({})).await;
    assert_eq!(names(&found), ["a", "b"]);
}

// KUS-1
#[cfg(unix)]
#[tokio::test]
async fn an_included_path_that_leads_through_a_link_is_refused() {
    let base = config_map("base", "x");
    let root = written("included-link", &[("k/kustomization.yaml", "resources: [../link]\n"), ("base/a.yaml", &base)]);
    std::os::unix::fs::symlink(root.join("base"), root.join("link")).unwrap();
    let with = |path: &str| Kustomization::directory(root.join("k")).included_kustomizations([path]);
    assert!(fault(&with("../link")).contains("links are not followed"));
    let file = Kustomization::directory(root.join("k")).included_files(["../link/a.yaml"]);
    assert!(fault(&file).contains("links are not followed"));
}

// KUS-1
#[tokio::test]
async fn each_file_passes_the_decryptor_with_its_path_and_templates_see_the_result() {
    let files = [("a.yaml", config_map("a", "ENC {{ .x }}")), ("sub/b.yaml", config_map("b", "{{ readFile \"secret.txt\" }}"))];
    let files = files.into_iter().chain([("secret.txt", "ENC".to_owned()), (".component-ignore", "secret.txt\n".to_owned())]);
    let kustomization = Kustomization::files(files, "").decryptor(|content, path| {
        let text = String::from_utf8(content.to_vec())?;
        Ok::<_, std::string::FromUtf8Error>(text.replace("ENC", &format!("decrypted {path}")).into_bytes())
    });
    let found = objects(&kustomization, json!({ "x": "y" })).await;
    assert_eq!(texts(&found)["a"], "decrypted a.yaml y");
    assert_eq!(texts(&found)["b"], "decrypted secret.txt");
}

// KUS-1
#[tokio::test]
async fn a_file_that_cannot_be_decrypted_is_an_error_with_its_path() {
    let kustomization = kustomization(&[("a/b.yaml", "x")]).decryptor(|_, _| Err::<Vec<u8>, _>("no key"));
    assert_eq!(fault(&kustomization), "a/b.yaml: failed to decrypt the file: no key");
    assert_eq!(failure(&kustomization).await, "a/b.yaml: failed to decrypt the file: no key");
}

#[tokio::test]
async fn a_kustomization_can_be_a_directory_of_a_tree() {
    let a = config_map("a", "x");
    let kustomization = kustomization_at(&[("deep/k/a.yaml", &a), ("deep/other.yaml", "x: [")], "./deep/k/");
    assert_eq!(names(&objects(&kustomization, json!({})).await), ["a"]);
}

#[test]
fn sources_that_do_not_exist_are_found_when_the_operator_starts() {
    assert!(fault(&Kustomization::directory("/nonexistent/k")).starts_with("/nonexistent/k: "));
    assert_eq!(fault(&kustomization_at(&[("a/b", "")], "c")), "c: the directory does not exist");
    for path in ["../c", "/a"] {
        assert!(fault(&kustomization_at(&[("a/b", "")], path)).contains("leaves the tree of files"), "{path}");
    }
    assert!(fault(&kustomization(&[("../b", "")])).contains("leaves the directory"));
    assert!(fault(&kustomization(&[("b", ""), ("./b", "")])).contains("two files of this path"));
    assert!(fault(&Templates::directory("/nonexistent/t")).starts_with("/nonexistent/t: "));
}
