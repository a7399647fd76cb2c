package shared

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/listers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"knative.dev/pkg/controller"
	"knative.dev/pkg/reconciler"
)

// The default of Knative's generator: plural and group.
var finalizer = Resource.Resource + "." + GroupVersion.Group

// What Knative generates around a reconciler that finalizes: a pass runs on the leader of its key only, the finalizer comes before the first
// pass and goes after the last, and the status is written when the pass changed it.
type pipeline struct {
	reconciler.LeaderAwareFuncs

	objects    func(namespace string) *client
	lister     lister
	recorder   record.EventRecorder
	reconciler *Reconciler
}

var (
	_ controller.Reconciler  = (*pipeline)(nil)
	_ reconciler.LeaderAware = (*pipeline)(nil)
)

// A replica that is promoted looks at every object of the bucket.
func (p *pipeline) enqueueAll(bucket reconciler.Bucket, enqueue func(reconciler.Bucket, types.NamespacedName)) error {
	all, err := p.lister.List(labels.Everything())
	for _, object := range all {
		enqueue(bucket, types.NamespacedName{Namespace: object.Namespace, Name: object.Name})
	}
	return err
}

// Reconcile implements controller.Reconciler.
func (p *pipeline) Reconcile(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return controller.NewPermanentError(fmt.Errorf("failed to split the key %q: %w", key, err))
	}
	if !p.IsLeaderFor(types.NamespacedName{Namespace: namespace, Name: name}) {
		return controller.NewSkipKey(key)
	}
	cached, err := listers.NewNamespaced[*Shared](p.lister, namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return err
	}

	object := cached.DeepCopy()
	var outcome reconciler.Event
	if object.DeletionTimestamp.IsZero() {
		if object, err = p.setFinalizer(ctx, object); err != nil {
			return fmt.Errorf("failed to set finalizers: %w", err)
		}
		outcome = p.reconciler.ReconcileKind(ctx, object)
	} else {
		outcome = p.reconciler.FinalizeKind(ctx, object)
		if object, err = p.clearFinalizer(ctx, object, outcome); err != nil {
			return fmt.Errorf("failed to clear finalizers: %w", err)
		}
	}
	if cached.Status != object.Status {
		if err := p.writeStatus(ctx, cached, object.Status); err != nil {
			p.recorder.Eventf(object, corev1.EventTypeWarning, "UpdateFailed", "Failed to update status for %q: %v", name, err)
			return err
		}
	}
	return p.report(object, outcome)
}

// The first try stands on the cache, those after a conflict on the object that the server has.
func (p *pipeline) writeStatus(ctx context.Context, cached *Shared, status Status) error {
	objects := p.objects(cached.Namespace)
	current := cached.DeepCopy()
	return reconciler.RetryUpdateConflicts(func(attempt int) (err error) {
		if attempt > 0 {
			if current, err = objects.Get(ctx, cached.Name, metav1.GetOptions{}); err != nil {
				return err
			}
		}
		if current.Status == status {
			return nil
		}
		current.Status = status
		_, err = objects.UpdateStatus(ctx, current, metav1.UpdateOptions{})
		return err
	})
}

// The error that says what the queue does with the key. Outcomes that are events, and errors of the pass, are recorded.
func (p *pipeline) report(object *Shared, outcome reconciler.Event) error {
	if outcome == nil {
		return nil
	}
	var event *reconciler.ReconcilerEvent
	if reconciler.EventAs(outcome, &event) {
		p.recorder.Event(object, event.EventType, event.Reason, event.Error())
		if _, bare := outcome.(*reconciler.ReconcilerEvent); bare {
			return nil
		}
		return outcome
	}
	requeue, _ := controller.IsRequeueKey(outcome)
	if !requeue && !controller.IsSkipKey(outcome) && !apierrors.IsConflict(outcome) {
		p.recorder.Event(object, corev1.EventTypeWarning, "InternalError", outcome.Error())
	}
	return outcome
}

func (p *pipeline) setFinalizer(ctx context.Context, object *Shared) (*Shared, error) {
	if slices.Contains(object.Finalizers, finalizer) {
		return object, nil
	}
	return p.patchFinalizers(ctx, object, append(slices.Clone(object.Finalizers), finalizer))
}

// The finalizer goes when the pass returned nothing, or an event that is no warning.
func (p *pipeline) clearFinalizer(ctx context.Context, object *Shared, outcome reconciler.Event) (*Shared, error) {
	var event *reconciler.ReconcilerEvent
	done := outcome == nil || reconciler.EventAs(outcome, &event) && event.EventType == corev1.EventTypeNormal
	if !done || !slices.Contains(object.Finalizers, finalizer) {
		return object, nil
	}
	others := slices.DeleteFunc(slices.Clone(object.Finalizers), func(name string) bool { return name == finalizer })
	// Knative keeps the others in order of their names.
	slices.Sort(others)
	updated, err := p.patchFinalizers(ctx, object, others)
	if err != nil {
		if _, gone := p.objects(object.Namespace).Get(ctx, object.Name, metav1.GetOptions{}); apierrors.IsNotFound(gone) {
			return object, nil
		}
	}
	return updated, err
}

// The patch holds for the version that the pass saw, and no other.
func (p *pipeline) patchFinalizers(ctx context.Context, object *Shared, finalizers []string) (*Shared, error) {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"finalizers": finalizers, "resourceVersion": object.ResourceVersion},
	})
	if err != nil {
		return object, err
	}
	updated, err := p.objects(object.Namespace).Patch(ctx, object.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		p.recorder.Eventf(object, corev1.EventTypeWarning, "FinalizerUpdateFailed", "Failed to update finalizers for %q: %v", object.Name, err)
		return object, err
	}
	p.recorder.Eventf(updated, corev1.EventTypeNormal, "FinalizerUpdate", "Updated %q finalizers", object.Name)
	return updated, nil
}
