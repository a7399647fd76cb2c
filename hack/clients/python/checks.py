"""The checks that a program of the Python client makes of an API server.

It needs $KUBECONFIG and prints one line per check; the first failure ends it with status 1.
"""

import os
import sys
import threading
import time
import traceback

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError, ResourceNotFoundError

NAMESPACE = f"client-python-{os.getpid()}"
GROUP = "clients.kubewright.dev"
PATIENCE = 180


def eventually(what, done):
    """Asks until the answer is yes."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if done():
            return
        time.sleep(0.05)
    raise AssertionError(f"never happened: {what}")


def fails(status, call, *args, **kwargs):
    """Expects an error of the API with this code, and returns it."""
    try:
        call(*args, **kwargs)
    except ApiException as error:
        assert error.status == status, error
        return error
    raise AssertionError(f"{call} did not fail")


def a_config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def typed_objects():
    core = client.CoreV1Api()
    core.create_namespace({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    created = core.create_namespaced_config_map(NAMESPACE, a_config_map("typed", k="v"))
    assert created.data == {"k": "v"} and created.metadata.creation_timestamp is not None
    fails(409, core.create_namespaced_config_map, NAMESPACE, a_config_map("typed"))
    created.data["k"] = "w"
    replaced = core.replace_namespaced_config_map("typed", NAMESPACE, created)
    fails(409, core.replace_namespaced_config_map, "typed", NAMESPACE, created)
    assert replaced.data == {"k": "w"}
    patched = core.patch_namespaced_config_map("typed", NAMESPACE, {"data": {"k": None, "l": "x"}})
    assert patched.data == {"l": "x"}
    core.delete_namespaced_config_map("typed", NAMESPACE)
    missing = fails(404, core.read_namespaced_config_map, "typed", NAMESPACE)
    assert '"reason":"NotFound"' in missing.body
    secret = client.V1Secret(metadata=client.V1ObjectMeta(name="s"), string_data={"password": "secret"})
    assert core.create_namespaced_secret(NAMESPACE, secret).data == {"password": "c2VjcmV0"}


def pages():
    core = client.CoreV1Api()
    for index in range(12):
        core.create_namespaced_config_map(NAMESPACE, a_config_map(f"page-{index:02}"))
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(NAMESPACE, limit=5, _continue=token)
        names += [item.metadata.name for item in page.items if item.metadata.name.startswith("page-")]
        token = page.metadata._continue
        if not token:
            break
    assert names == [f"page-{index:02}" for index in range(12)], names
    core.delete_collection_namespaced_config_map(NAMESPACE, field_selector="metadata.name!=kube-root-ca.crt")
    left = core.list_namespaced_config_map(NAMESPACE, field_selector="metadata.name!=kube-root-ca.crt")
    assert left.items == []


def typed_watch():
    core = client.CoreV1Api()
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    seen = []
    watching = watch.Watch()

    def run():
        stream = watching.stream(core.list_namespaced_config_map, NAMESPACE, resource_version=version, timeout_seconds=PATIENCE)
        for event in stream:
            if event["object"].metadata.name == "watched":
                seen.append((event["type"], (event["object"].data or {}).get("k")))
            if len(seen) == 3:
                watching.stop()

    thread = threading.Thread(target=run)
    thread.start()
    core.create_namespaced_config_map(NAMESPACE, a_config_map("watched", k="1"))
    core.patch_namespaced_config_map("watched", NAMESPACE, {"data": {"k": "2"}})
    core.delete_namespaced_config_map("watched", NAMESPACE)
    thread.join(PATIENCE)
    assert seen == [("ADDED", "1"), ("MODIFIED", "2"), ("DELETED", "2")], seen
    # An end after the given time, and no events that were not there.
    started = time.monotonic()
    assert list(watch.Watch().stream(core.list_namespaced_secret, NAMESPACE, label_selector="none=such", timeout_seconds=1)) == []
    assert 0.5 < time.monotonic() - started < PATIENCE


def dynamic_objects():
    untyped = dynamic.DynamicClient(client.ApiClient())
    maps = untyped.resources.get(api_version="v1", kind="ConfigMap")
    created = maps.create(body=a_config_map("dynamic", k="v"), namespace=NAMESPACE)
    assert created.data.k == "v"
    applied = maps.server_side_apply(body=a_config_map("applied", a="1"), namespace=NAMESPACE, field_manager="one")
    assert applied.metadata.managedFields[0].operation == "Apply"
    try:
        maps.server_side_apply(body=a_config_map("applied", a="2"), namespace=NAMESPACE, field_manager="two")
        raise AssertionError("no conflict")
    except ConflictError as error:
        assert 'conflict with "one"' in error.summary()
    forced = maps.server_side_apply(body=a_config_map("applied", a="2"), namespace=NAMESPACE, field_manager="two", force_conflicts=True)
    assert forced.data.a == "2"
    merged = maps.patch(body={"metadata": {"name": "dynamic", "labels": {"x": "y"}}}, namespace=NAMESPACE,
                        content_type="application/merge-patch+json")
    assert merged.metadata.labels.x == "y"
    assert [item.metadata.name for item in maps.get(namespace=NAMESPACE, label_selector="x=y").items] == ["dynamic"]
    maps.delete(name="dynamic", namespace=NAMESPACE)
    try:
        maps.get(name="dynamic", namespace=NAMESPACE)
        raise AssertionError("still there")
    except NotFoundError:
        pass


def workloads():
    manifest = {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}},
        },
    }
    utils.create_from_dict(client.ApiClient(), manifest, namespace=NAMESPACE)
    apps = client.AppsV1Api()
    deployment = apps.read_namespaced_deployment("web", NAMESPACE)
    assert deployment.spec.strategy.rolling_update.max_surge == "25%"
    apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 2}})
    assert apps.read_namespaced_deployment_scale("web", NAMESPACE).spec.replicas == 2
    core = client.CoreV1Api()
    eventually("two pods", lambda: len(core.list_namespaced_pod(NAMESPACE, label_selector="app=web").items) == 2)
    apps.delete_namespaced_deployment("web", NAMESPACE, propagation_policy="Foreground")
    eventually("no pods", lambda: core.list_namespaced_pod(NAMESPACE, label_selector="app=web").items == [])


def custom_resources():
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer", "minimum": 0, "default": 3},
    }}}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"pythonwidgets.{GROUP}"},
        "spec": {
            "group": GROUP, "scope": "Namespaced", "names": {"kind": "PythonWidget", "plural": "pythonwidgets"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    definitions = client.ApiextensionsV1Api()
    definitions.create_custom_resource_definition(definition)
    try:
        custom = client.CustomObjectsApi()
        widget = {"apiVersion": f"{GROUP}/v1", "kind": "PythonWidget", "metadata": {"name": "w"}, "spec": {}}
        created = []

        def create():
            try:
                created.append(custom.create_namespaced_custom_object(GROUP, "v1", NAMESPACE, "pythonwidgets", widget))
                return True
            except ApiException as error:
                if error.status != 404:
                    raise
                return False

        eventually("the first custom resource", create)
        assert created[0]["spec"]["size"] == 3
        bad = {**widget, "metadata": {"name": "bad"}, "spec": {"size": -1}}
        error = fails(422, custom.create_namespaced_custom_object, GROUP, "v1", NAMESPACE, "pythonwidgets", bad)
        assert "should be greater than or equal to 0" in error.body
        untyped = dynamic.DynamicClient(client.ApiClient())
        found = []

        def discover():
            try:
                found.append(untyped.resources.get(api_version=f"{GROUP}/v1", kind="PythonWidget"))
                return True
            except ResourceNotFoundError:
                untyped.resources.invalidate_cache()
                return False

        def listed():
            try:
                return len(custom.list_namespaced_custom_object(GROUP, "v1", NAMESPACE, "pythonwidgets")["items"]) == 1
            except ApiException as error:
                if error.status != 429:
                    raise
                return False

        # A real server tells of a kind, and fills its cache, a little after it serves it.
        eventually("discovery of the kind", discover)
        eventually("a list of the kind", listed)
        events = found[0].watch(namespace=NAMESPACE, timeout=5)
        assert [(event["type"], event["object"].metadata.name) for event in events] == [("ADDED", "w")]
    finally:
        definitions.delete_custom_resource_definition(f"pythonwidgets.{GROUP}")


def versions_and_reviews():
    assert client.VersionApi().get_code().major == "1"
    assert "apps" in [group.name for group in client.ApisApi().get_api_versions().groups]
    who = client.AuthenticationV1Api().create_self_subject_review(client.V1SelfSubjectReview())
    assert who.status.user_info.username
    core = client.CoreV1Api()
    core.create_namespaced_service_account(NAMESPACE, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="robot")))
    spec = client.V1TokenRequestSpec(audiences=[])
    request = client.AuthenticationV1TokenRequest(spec=spec)
    assert core.create_namespaced_service_account_token("robot", NAMESPACE, request).status.token.count(".") == 2


CHECKS = [typed_objects, pages, typed_watch, dynamic_objects, workloads, custom_resources, versions_and_reviews]


def main():
    config.load_kube_config()
    for check in CHECKS:
        try:
            check()
        except Exception:  # whatever it is, it is this check that failed
            traceback.print_exc()
            print(f"failed: {check.__name__}", file=sys.stderr)
            return 1
        print(f"ok: {check.__name__.replace('_', ' ')}", flush=True)
    client.CoreV1Api().delete_namespace(NAMESPACE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
