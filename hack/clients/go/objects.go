package main

import (
	"context"
	"fmt"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"
)

func typedObjects(ctx context.Context, c *clients) error {
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := c.typed.CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	immutable := false
	config := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "typed", Labels: map[string]string{"app": "typed"}},
		Data:       map[string]string{"k": "v", "empty": ""},
		BinaryData: map[string][]byte{"bytes": {0, 1, 255}},
		Immutable:  &immutable,
	}
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	created, err := maps.Create(ctx, config, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(created.Data, config.Data) || !reflect.DeepEqual(created.BinaryData, config.BinaryData) || created.Immutable == nil {
		return fmt.Errorf("created %v", created)
	}
	read, err := maps.Get(ctx, "typed", metav1.GetOptions{})
	if err != nil || !reflect.DeepEqual(read, created) {
		return fmt.Errorf("read %v (%v), created %v", read, err, created)
	}
	if _, err := maps.Create(ctx, config, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("a second create: %v", err)
	}
	created.Data["k"] = "w"
	updated, err := maps.Update(ctx, created, metav1.UpdateOptions{})
	if err != nil || updated.Data["k"] != "w" || updated.ResourceVersion == created.ResourceVersion {
		return fmt.Errorf("updated %v (%v)", updated, err)
	}
	if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale update: %v", err)
	}
	patched, err := maps.Patch(ctx, "typed", types.MergePatchType, []byte(`{"data":{"k":null}}`), metav1.PatchOptions{})
	if _, there := patched.Data["k"]; err != nil || there {
		return fmt.Errorf("patched %v (%v)", patched, err)
	}
	uid := types.UID("another")
	err = maps.Delete(ctx, "typed", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("a delete of another object: %v", err)
	}
	if err := maps.Delete(ctx, "typed", *metav1.NewDeleteOptions(0)); err != nil {
		return err
	}
	if _, err := maps.Get(ctx, "typed", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("after the delete: %v", err)
	}
	return otherKinds(ctx, c)
}

// Kinds whose messages have something of their own.
func otherKinds(ctx context.Context, c *clients) error {
	half := intstr.FromString("50%")
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "half"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &half, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}},
	}
	gotBudget, err := c.typed.PolicyV1().PodDisruptionBudgets(namespace).Create(ctx, budget, metav1.CreateOptions{})
	if err != nil || gotBudget.Spec.MinAvailable.StrVal != "50%" {
		return fmt.Errorf("budget %v (%v)", gotBudget, err)
	}
	path := networkingv1.PathTypePrefix
	ingress := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{
			Host: "example.com",
			IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{
				Path: "/", PathType: &path,
				Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
					Name: "web", Port: networkingv1.ServiceBackendPort{Number: 80},
				}},
			}}}},
		}}},
	}
	gotIngress, err := c.typed.NetworkingV1().Ingresses(namespace).Create(ctx, ingress, metav1.CreateOptions{})
	if err != nil || !reflect.DeepEqual(gotIngress.Spec, ingress.Spec) {
		return fmt.Errorf("ingress %v (%v)", gotIngress, err)
	}
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "quota"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"pods": resource.MustParse("1000"), "requests.cpu": resource.MustParse("1500m")}},
	}
	gotQuota, err := c.typed.CoreV1().ResourceQuotas(namespace).Create(ctx, quota, metav1.CreateOptions{})
	if err != nil || gotQuota.Spec.Hard.Name("requests.cpu", resource.DecimalSI).String() != "1500m" {
		return fmt.Errorf("quota %v (%v)", gotQuota, err)
	}
	return c.typed.CoreV1().ResourceQuotas(namespace).Delete(ctx, "quota", metav1.DeleteOptions{})
}

func pages(ctx context.Context, c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	for i := range 25 {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("page-%02d", i), Labels: map[string]string{"page": "y"}}}
		if _, err := maps.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	fetch := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return maps.List(ctx, options)
	}
	lister := pager.New(fetch)
	lister.PageSize = 7
	seen := 0
	err := lister.EachListItem(ctx, metav1.ListOptions{LabelSelector: "page=y"}, func(runtime.Object) error {
		seen++
		return nil
	})
	if err != nil || seen != 25 {
		return fmt.Errorf("%d objects (%v)", seen, err)
	}
	if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "page=y"}); err != nil {
		return err
	}
	left, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "page=y"})
	if err != nil || len(left.Items) != 0 {
		return fmt.Errorf("%d objects left (%v)", len(left.Items), err)
	}
	return nil
}

func typedApply(ctx context.Context, c *clients) error {
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	config := applycorev1.ConfigMap("applied", namespace).WithData(map[string]string{"a": "1"})
	if _, err := maps.Apply(ctx, config, metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	other := applycorev1.ConfigMap("applied", namespace).WithData(map[string]string{"a": "2"})
	if _, err := maps.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "two"}); !apierrors.IsConflict(err) {
		return fmt.Errorf("another value: %v", err)
	}
	applied, err := maps.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil || applied.Data["a"] != "2" {
		return fmt.Errorf("forced %v (%v)", applied, err)
	}
	extracted, err := applycorev1.ExtractConfigMap(applied, "two")
	if err != nil || extracted.Data["a"] != "2" {
		return fmt.Errorf("extracted %v (%v)", extracted, err)
	}
	extracted, err = applycorev1.ExtractConfigMap(applied, "one")
	if err != nil || len(extracted.Data) != 0 {
		return fmt.Errorf("still owned by the first: %v (%v)", extracted, err)
	}
	return nil
}

func workloads(ctx context.Context, c *clients) error {
	replicas := int32(2)
	labels := map[string]string{"app": "web"}
	web := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "nginx"}}},
			},
		},
	}
	deployments := c.typed.AppsV1().Deployments(namespace)
	created, err := deployments.Create(ctx, web, metav1.CreateOptions{})
	if err != nil || created.Spec.Strategy.RollingUpdate == nil || created.Spec.Strategy.RollingUpdate.MaxSurge.StrVal != "25%" {
		return fmt.Errorf("created %v (%v)", created, err)
	}
	scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil || scale.Spec.Replicas != 2 {
		return fmt.Errorf("scale %v (%v)", scale, err)
	}
	// A controller may be faster: its write makes the version stale.
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		scale.Spec.Replicas = 3
		_, err = deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	pods := c.typed.CoreV1().Pods(namespace)
	var names []string
	err = eventually(ctx, "three pods", func() (bool, error) {
		list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
		names = nil
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
		return len(names) == 3, err
	})
	if err != nil {
		return err
	}
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: names[0], Namespace: namespace}}
	if err := pods.EvictV1(ctx, eviction); err != nil {
		return err
	}
	return deployments.Delete(ctx, "web", metav1.DeleteOptions{})
}

var widgets = schema.GroupVersionResource{Group: "clients.kubewright.dev", Version: "v1", Resource: "gowidgets"}

func customResources(ctx context.Context, c *clients) error {
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gowidgets.clients.kubewright.dev"},
		"spec": map[string]any{
			"group": widgets.Group, "scope": "Namespaced",
			"names": map[string]any{"kind": "GoWidget", "plural": "gowidgets"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object",
					"properties": map[string]any{
						"spec":   map[string]any{"type": "object", "properties": map[string]any{"size": map[string]any{"type": "integer", "default": int64(3)}}},
						"status": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
					},
				}},
			}},
		},
	}}
	if _, err := c.dynamic.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	widget := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": widgets.GroupVersion().String(), "kind": "GoWidget", "metadata": map[string]any{"name": "w"}, "spec": map[string]any{},
	}}
	var created *unstructured.Unstructured
	err := eventually(ctx, "the first custom resource", func() (bool, error) {
		var err error
		created, err = c.dynamic.Resource(widgets).Namespace(namespace).Create(ctx, widget, metav1.CreateOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return err
	}
	if size, _, _ := unstructured.NestedInt64(created.Object, "spec", "size"); size != 3 {
		return fmt.Errorf("size %d", size)
	}
	if err := unstructured.SetNestedField(created.Object, "True", "status", "ready"); err != nil {
		return err
	}
	updated, err := c.dynamic.Resource(widgets).Namespace(namespace).UpdateStatus(ctx, created, metav1.UpdateOptions{})
	if err != nil || updated.GetGeneration() != 1 {
		return fmt.Errorf("status %v (%v)", updated, err)
	}
	// Metadata of custom resources is asked for as protobuf too, and comes as JSON.
	partial, err := c.metadata.Resource(widgets).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil || len(partial.Items) != 1 {
		return fmt.Errorf("metadata %v (%v)", partial, err)
	}
	return c.dynamic.Resource(definitions).Delete(ctx, definition.GetName(), metav1.DeleteOptions{})
}
