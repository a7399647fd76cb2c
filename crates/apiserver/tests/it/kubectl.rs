//! The real kubectl against the server on a port. Each test prints a note and is skipped if there is no kubectl: `hack/kubernetes/build.sh` builds
//! one.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use kubewright_apiserver::listen::ListeningServer;
use kubewright_apiserver::workloads::{StageDelays, Workloads};
use kubewright_apiserver::{ApiServer, Identity};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;

/// A time limit that no command exceeds on a busy machine.
const PATIENCE: Duration = Duration::from_secs(150);

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1'}]}
";

const WIDGETS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.ex.io}
spec:
  group: ex.io
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, default: 3}}}}}}
";

struct Session {
    program: PathBuf,
    folder: PathBuf,
    _endpoint: ListeningServer,
    _server: ApiServer,
}

impl Session {
    /// Starts a server with a kubeconfig on disk; returns `None` without kubectl.
    async fn start(name: &str) -> Option<Self> {
        let program = kubectl()?;
        let server = ApiServer::builder().workloads(Workloads::Pods).stage_delays(StageDelays::NONE).build().unwrap();
        let endpoint = server.listen("127.0.0.1:0").await.unwrap();
        let folder = std::env::temp_dir().join(format!("kubewright-kubectl-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("kubeconfig"), endpoint.kubeconfig(&Identity::admin()).unwrap()).unwrap();
        Some(Self { program, folder, _endpoint: endpoint, _server: server })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--kubeconfig").arg(self.folder.join("kubeconfig")).arg("--cache-dir").arg(self.folder.join("cache"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    async fn output(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self.command(arguments).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
        let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await;
        output.unwrap_or_else(|_| panic!("kubectl {arguments:?} did not end")).unwrap()
    }

    /// Returns the output of a command, which must succeed.
    async fn run_with(&self, arguments: &[&str], input: &str) -> String {
        let output = self.output(arguments, input).await;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "kubectl {arguments:?}: {}{printed}", String::from_utf8_lossy(&output.stderr));
        printed
    }

    async fn run(&self, command: &str) -> String {
        self.run_with(&command.split(' ').collect::<Vec<_>>(), "").await
    }

    /// Returns the error output of a command, which must fail.
    async fn refused(&self, command: &str) -> String {
        let output = self.output(&command.split(' ').collect::<Vec<_>>(), "").await;
        assert!(!output.status.success(), "kubectl {command} succeeded");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Files that cannot be removed are left to the cleaning of the system's temporary folder.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Returns the kubectl of `$KUBEBUILDER_ASSETS`, or of the output folder of `hack/kubernetes/build.sh`.
fn kubectl() -> Option<PathBuf> {
    let assets = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from);
    let named = std::env::var_os("KUBEWRIGHT_KUBERNETES_DIR").map(PathBuf::from);
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache")));
    let built = named.or_else(|| Some(cache?.join("kubewright/kubernetes-v1.36.2")));
    let found = assets.into_iter().chain(built).map(|folder| folder.join("kubectl")).find(|program| program.is_file());
    if found.is_none() {
        eprintln!("skipped: no kubectl in $KUBEBUILDER_ASSETS or the output folder of hack/kubernetes/build.sh");
    }
    found
}

fn assert_contains(printed: &str, wanted: &[&str]) {
    for wanted in wanted {
        assert!(printed.contains(wanted), "{wanted:?} is missing in:\n{printed}");
    }
}

// SCLI-1, SCLI-2, SCLI-13, DISC-1 to DISC-4
#[tokio::test]
async fn kubectl_finds_its_way_around() {
    let Some(kubectl) = Session::start("discovery").await else { return };
    assert_contains(&kubectl.run("version").await, &["Server Version: v1.36.2+kubewright"]);
    assert_contains(&kubectl.run("api-versions").await, &["apps/v1", "policy/v1", "v1"]);
    assert_contains(&kubectl.run("api-resources").await, &["deployments", "deploy", "apps/v1", "ConfigMap"]);
    assert_contains(&kubectl.run("cluster-info").await, &["Kubernetes control plane", "is running at", "https://127.0.0.1:"]);
    assert_contains(&kubectl.run("get namespaces").await, &["NAME", "STATUS", "default", "Active"]);
    assert_contains(&kubectl.run("get service kubernetes -o yaml").await, &["clusterIP: 10.0.0.1", "kind: Service"]);
    assert_contains(
        &kubectl.refused("get configmaps missing").await,
        &["Error from server (NotFound): configmaps \"missing\" not found"],
    );
    assert_contains(&kubectl.refused("get nonsense").await, &["the server doesn't have a resource type \"nonsense\""]);
}

// SCLI-7, SCLI-10, SCLI-15
#[tokio::test]
async fn kubectl_creates_changes_and_deletes_objects() {
    let Some(kubectl) = Session::start("objects").await else { return };
    let manifest = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}";
    assert_contains(&kubectl.run_with(&["create", "--validate=false", "-f", "-"], manifest).await, &["configmap/a created"]);
    let again = kubectl.output(&["create", "--validate=false", "-f", "-"], manifest).await;
    assert_contains(&String::from_utf8_lossy(&again.stderr), &["(AlreadyExists)", "configmaps \"a\" already exists"]);
    kubectl.run("label configmap a tier=back").await;
    kubectl.run("annotate configmap a note=hello").await;
    kubectl.run("patch configmap a --type=merge -p {\"data\":{\"m\":\"1\",\"k\":null}}").await;
    kubectl.run("patch configmap a --type=json -p [{\"op\":\"add\",\"path\":\"/data/j\",\"value\":\"2\"}]").await;
    assert_eq!(
        kubectl.run("get configmap a -o jsonpath={.data}{.metadata.labels}").await,
        "{\"j\":\"2\",\"m\":\"1\"}{\"tier\":\"back\"}"
    );
    assert_contains(&kubectl.run("get configmaps -l tier=back").await, &["NAME", "DATA", "a"]);
    assert_contains(&kubectl.run("describe configmap a").await, &["Name:", "note: hello", "BinaryData"]);
    assert_contains(&kubectl.run("delete configmap a").await, &["configmap \"a\" deleted"]);
    kubectl.refused("get configmap a").await;
    // With validation, kubectl reads the OpenAPI document and finds the field that does not exist.
    assert_contains(&kubectl.run_with(&["create", "-f", "-"], manifest).await, &["configmap/a created"]);
    let misspelt =
        kubectl.output(&["create", "-f", "-"], "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, dta: {k: v}}").await;
    assert_contains(&String::from_utf8_lossy(&misspelt.stderr), &["unknown field \"dta\""]);
}

// SCLI-8, SCLI-9, SCLI-11, STG-7
#[tokio::test]
async fn kubectl_sees_a_deployment_through() {
    let Some(kubectl) = Session::start("workloads").await else { return };
    kubectl.run_with(&["create", "--validate=false", "-f", "-"], DEPLOYMENT).await;
    assert_contains(&kubectl.run("wait --for=condition=Available deployment/web --timeout=30s").await, &["condition met"]);
    assert_contains(&kubectl.run("rollout status deployment/web").await, &["successfully rolled out"]);
    assert_contains(
        &kubectl.run("get deployment,replicaset,pod -o wide").await,
        &["2/2", "nginx:1", "pod-template-hash=", "kubewright-node-0"],
    );
    let described = kubectl.run("describe deployment web").await;
    assert_contains(
        &described,
        &["2 desired | 2 updated | 2 total | 2 available", "MinimumReplicasAvailable", "NewReplicaSet:   web-"],
    );
    assert_contains(&kubectl.run("describe pods").await, &["Status:       Running", "Controlled By:  ReplicaSet/web-"]);
    kubectl.run("scale deployment web --replicas=3").await;
    assert_contains(&kubectl.run("rollout status deployment/web").await, &["successfully rolled out"]);
    assert_eq!(kubectl.run("get pods -o name").await.lines().count(), 3);
    assert_contains(&kubectl.run("delete deployment web --wait=true").await, &["deleted"]);
    assert_eq!(kubectl.run("get pods -o name").await, "");
}

// SCLI-3
#[tokio::test]
async fn kubectl_watches() {
    let Some(kubectl) = Session::start("watch").await else { return };
    let mut watch = kubectl.command(&["get", "configmaps", "-w", "--no-headers"]).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut line =
        async || tokio::time::timeout(PATIENCE, lines.next_line()).await.expect("kubectl printed nothing").unwrap().unwrap();
    assert_contains(&line().await, &["kube-root-ca.crt"]);
    let manifest = "{apiVersion: v1, kind: ConfigMap, metadata: {name: late}, data: {k: v}}";
    kubectl.run_with(&["create", "--validate=false", "-f", "-"], manifest).await;
    assert_contains(&line().await, &["late", "1"]);
    watch.kill().await.unwrap();
}

// DISC-6, CRD-1, CRD-5, CRD-11, TBL-1
#[tokio::test]
async fn kubectl_uses_a_custom_resource_at_once() {
    let Some(kubectl) = Session::start("custom").await else { return };
    kubectl.run_with(&["create", "--validate=false", "-f", "-"], WIDGETS).await;
    let widget = "{apiVersion: ex.io/v1, kind: Widget, metadata: {name: w}, spec: {}}";
    assert_contains(&kubectl.run_with(&["create", "--validate=false", "-f", "-"], widget).await, &["widget.ex.io/w created"]);
    assert_contains(&kubectl.run("get wd").await, &["NAME", "SIZE", "w", "3"]);
    assert_contains(&kubectl.run("wait --for=jsonpath={.spec.size}=3 wd/w --timeout=10s").await, &["condition met"]);
    assert_contains(&kubectl.run("delete crd widgets.ex.io").await, &["deleted"]);
    assert_contains(&kubectl.run("delete namespace kube-node-lease").await, &["namespace \"kube-node-lease\" deleted"]);
}

// DISC-7, DISC-8, PATCH-7: validation, apply and explain read OpenAPI; apply and set send strategic merge patches.
#[tokio::test]
async fn kubectl_validates_applies_and_explains() {
    let Some(kubectl) = Session::start("openapi").await else { return };
    assert_contains(&kubectl.run_with(&["apply", "-f", "-"], DEPLOYMENT).await, &["deployment.apps/web created"]);
    let scaled = DEPLOYMENT.replace("replicas: 2", "replicas: 3");
    assert_contains(&kubectl.run_with(&["apply", "-f", "-"], &scaled).await, &["deployment.apps/web configured"]);
    assert_contains(&kubectl.run_with(&["apply", "-f", "-"], &scaled).await, &["deployment.apps/web unchanged"]);
    kubectl.run("set image deployment/web c=nginx:2").await;
    assert_contains(&kubectl.run("get deployment web -o wide").await, &["nginx:2", "app=web"]);
    let typo = kubectl.output(&["create", "-f", "-"], &DEPLOYMENT.replace("replicas", "replicsa").replace("web", "typo")).await;
    assert_contains(&String::from_utf8_lossy(&typo.stderr), &["unknown field \"spec.replicsa\""]);
    assert_contains(&kubectl.run("explain deployment.spec.template.spec").await, &["containers", "-required-", "<[]Container>"]);

    assert_contains(&kubectl.run_with(&["create", "-f", "-"], WIDGETS).await, &["widgets.ex.io created"]);
    assert_contains(&kubectl.run("explain widget.spec").await, &["size", "<integer>"]);
    let widget = "apiVersion: ex.io/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 5}\n";
    assert_contains(&kubectl.run_with(&["apply", "-f", "-"], widget).await, &["widget.ex.io/w created"]);
    assert_contains(&kubectl.run_with(&["apply", "-f", "-"], &widget.replace('5', "6")).await, &["widget.ex.io/w configured"]);
    assert_contains(&kubectl.run("get widgets").await, &["NAME", "SIZE", "w", "6"]);
}

// SCLI-14, REQ-2: these commands send protobuf, and do not fall back to JSON.
#[tokio::test]
async fn kubectl_creates_typed_objects() {
    let Some(kubectl) = Session::start("typed").await else { return };
    for (command, created) in [
        ("create namespace extra", "namespace/extra created"),
        ("create configmap m --from-literal=k=v", "configmap/m created"),
        ("create secret generic s --from-literal=k=v", "secret/s created"),
        ("create serviceaccount robot", "serviceaccount/robot created"),
        ("create role reader --verb=get --resource=pods", "role.rbac.authorization.k8s.io/reader created"),
        ("create rolebinding b --role=reader --user=alice", "rolebinding.rbac.authorization.k8s.io/b created"),
        ("create clusterrole creader --verb=get --non-resource-url=/x", "clusterrole.rbac.authorization.k8s.io/creader created"),
        (
            "create clusterrolebinding cb --clusterrole=creader --group=g",
            "clusterrolebinding.rbac.authorization.k8s.io/cb created",
        ),
        ("create deployment web --image=nginx --replicas=2 --port=80", "deployment.apps/web created"),
        ("create job once --image=nginx -- true", "job.batch/once created"),
        ("create cronjob often --image=nginx --schedule=@hourly", "cronjob.batch/often created"),
        ("create service clusterip web --tcp=80:8080", "service/web created"),
        ("create service externalname ext --external-name=example.com", "service/ext created"),
        ("create ingress i --rule=example.com/*=web:80", "ingress.networking.k8s.io/i created"),
        ("create poddisruptionbudget p --selector=app=web --min-available=50%", "poddisruptionbudget.policy/p created"),
        ("create quota q --hard=pods=10", "resourcequota/q created"),
        ("create priorityclass high --value=1000 --description=d", "priorityclass.scheduling.k8s.io/high created"),
        ("autoscale deployment web --min=1 --max=3 --cpu=80", "horizontalpodautoscaler.autoscaling/web autoscaled"),
    ] {
        assert_contains(&kubectl.run(command).await, &[created]);
    }
    assert_contains(
        &kubectl.run("get deployment web -o jsonpath={.spec.replicas}{.spec.template.spec.containers[0].ports}").await,
        &["2[{\"containerPort\":80,\"protocol\":\"TCP\"}]"],
    );
    assert_contains(
        &kubectl.run("get ingress i -o jsonpath={.spec.rules[0].http.paths[0].backend.service}").await,
        &["\"number\":80"],
    );
    assert_contains(&kubectl.run("get pdb p -o jsonpath={.spec.minAvailable}").await, &["50%"]);
    assert_contains(&kubectl.run("get quota q -o jsonpath={.spec.hard}").await, &["{\"pods\":\"10\"}"]);
}

// SCLI-14, AUTH-7, AUTH-8
#[tokio::test]
async fn kubectl_reports_the_user_and_its_permissions_and_creates_tokens() {
    let Some(kubectl) = Session::start("access").await else { return };
    assert_contains(&kubectl.run("auth whoami").await, &["kubernetes-admin", "system:masters system:authenticated"]);
    assert_contains(&kubectl.run("auth can-i create deployments").await, &["yes"]);
    assert_contains(&kubectl.run("auth can-i --list").await, &["*.*", "[*]"]);
    assert_contains(&kubectl.run("auth whoami --as=joe --as-group=dev").await, &["joe", "[dev system:authenticated]"]);
    kubectl.run("create serviceaccount robot").await;
    let token = kubectl.run("create token robot --duration=1h").await;
    assert_eq!(token.trim().split('.').count(), 3, "{token}");
}
