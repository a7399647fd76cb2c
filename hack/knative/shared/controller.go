// Package shared is the controller of the kind Shared, written as Knative's generator writes controllers.
package shared

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/listers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	kubeclient "knative.dev/pkg/client/injection/kube/client"
	configmapinformer "knative.dev/pkg/client/injection/kube/informers/core/v1/configmap"
	"knative.dev/pkg/controller"
	"knative.dev/pkg/logging"
	"knative.dev/pkg/reconciler"
)

// QueueName is the middle of the names of leases: package path and type, with dots.
func QueueName() string {
	kind := reflect.TypeFor[Reconciler]()
	return strings.ReplaceAll(kind.PkgPath(), "/", ".") + "." + kind.Name()
}

// NewController makes the controller of a replica. Promotions and demotions are told with the name of their lease.
func NewController(ctx context.Context, writer string, promoted, demoted func(lease string)) (*controller.Impl, error) {
	objects, configMaps := informerFrom(ctx), configmapinformer.Get(ctx)
	p := &pipeline{
		objects:    func(namespace string) *client { return clientFrom(ctx, namespace) },
		lister:     listers.New[*Shared](objects.GetIndexer(), Resource.GroupResource()),
		recorder:   recorder(ctx),
		reconciler: &Reconciler{kube: kubeclient.Get(ctx), maps: configMaps.Lister(), writer: writer},
	}
	p.PromoteFunc = func(bucket reconciler.Bucket, enqueue func(reconciler.Bucket, types.NamespacedName)) error {
		promoted(bucket.Name())
		return p.enqueueAll(bucket, enqueue)
	}
	p.DemoteFunc = func(bucket reconciler.Bucket) { demoted(bucket.Name()) }

	logger := logging.FromContext(ctx)
	impl := controller.NewContext(ctx, p, controller.ControllerOptions{WorkQueueName: QueueName(), Logger: logger})
	if _, err := objects.AddEventHandler(controller.HandleAll(impl.Enqueue)); err != nil {
		return nil, fmt.Errorf("failed to watch %s: %w", Resource, err)
	}
	owned := cache.FilteringResourceEventHandler{
		FilterFunc: controller.FilterController(&Shared{}),
		Handler:    controller.HandleAll(impl.EnqueueControllerOf),
	}
	if _, err := configMaps.Informer().AddEventHandler(owned); err != nil {
		return nil, fmt.Errorf("failed to watch ConfigMaps: %w", err)
	}
	return impl, nil
}

func recorder(ctx context.Context) record.EventRecorder {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: kubeclient.Get(ctx).CoreV1().Events("")})
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "shared-controller"})
}
