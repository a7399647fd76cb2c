package shared

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"knative.dev/pkg/kmeta"
	"knative.dev/pkg/reconciler"
)

// Reconciler keeps a ConfigMap with the text of each object.
type Reconciler struct {
	kube   kubernetes.Interface
	maps   corelisters.ConfigMapLister
	writer string
}

// ReconcileKind creates or updates the ConfigMap and says so in the status.
func (r *Reconciler) ReconcileKind(ctx context.Context, object *Shared) reconciler.Event {
	if err := r.ensureConfigMap(ctx, object); err != nil {
		return err
	}
	object.Status = Status{ObservedText: object.Spec.Text, Writer: r.writer, ObservedGeneration: object.Generation}
	return nil
}

// FinalizeKind deletes the ConfigMap. It reads it first: the cache may not have seen it yet, and one of another owner stays.
func (r *Reconciler) FinalizeKind(ctx context.Context, object *Shared) reconciler.Event {
	configMaps := r.kube.CoreV1().ConfigMaps(object.Namespace)
	found, err := configMaps.Get(ctx, configMapName(object), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return fmt.Errorf("failed to read ConfigMap %q: %w", configMapName(object), err)
	}
	if !metav1.IsControlledBy(found, object) {
		return nil
	}
	exactly := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(found.UID))}
	if err := configMaps.Delete(ctx, found.Name, exactly); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("failed to delete ConfigMap %q: %w", found.Name, err)
	}
	return nil
}

func (r *Reconciler) ensureConfigMap(ctx context.Context, object *Shared) error {
	desired := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:            configMapName(object),
			Namespace:       object.Namespace,
			OwnerReferences: []metav1.OwnerReference{*kmeta.NewControllerRef(object)},
		},
		Data: map[string]string{"text": object.Spec.Text},
	}
	found, err := r.maps.ConfigMaps(object.Namespace).Get(desired.Name)
	if apierrors.IsNotFound(err) {
		if _, err := r.kube.CoreV1().ConfigMaps(object.Namespace).Create(ctx, desired, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("failed to create ConfigMap %q: %w", desired.Name, err)
		}
		return nil
	} else if err != nil {
		return fmt.Errorf("failed to read ConfigMap %q: %w", desired.Name, err)
	}
	if !metav1.IsControlledBy(found, object) {
		return fmt.Errorf("ConfigMap %q is not controlled by Shared %q; rename or delete it", found.Name, object.Name)
	}
	if maps.Equal(found.Data, desired.Data) {
		return nil
	}
	updated := found.DeepCopy()
	updated.Data = desired.Data
	if _, err := r.kube.CoreV1().ConfigMaps(object.Namespace).Update(ctx, updated, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("failed to update ConfigMap %q: %w", updated.Name, err)
	}
	return nil
}

func configMapName(object *Shared) string { return object.Name + "-shared" }
