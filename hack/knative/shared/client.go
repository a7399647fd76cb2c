package shared

import (
	"context"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/listers"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"knative.dev/pkg/controller"
	"knative.dev/pkg/injection"
)

type (
	client = gentype.ClientWithList[*Shared, *SharedList]
	lister = listers.ResourceIndexer[*Shared]
)

type clientKey struct{}

type informerKey struct{}

// Client and informer are injected, as those that Knative generates are.
func init() {
	utilruntime.Must(addToScheme(scheme.Scheme))
	injection.Default.RegisterClient(withClient)
	injection.Default.RegisterInformer(withInformer)
}

func withClient(ctx context.Context, config *rest.Config) context.Context {
	config = rest.CopyConfig(config)
	config.APIPath = "/apis"
	config.GroupVersion = &GroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		log.Fatalf("failed to make a client for %s: %v", Resource, err)
	}
	return context.WithValue(ctx, clientKey{}, client)
}

// The objects of one namespace; all of them when it is empty.
func clientFrom(ctx context.Context, namespace string) *client {
	return gentype.NewClientWithList(Resource.Resource, ctx.Value(clientKey{}).(rest.Interface), scheme.ParameterCodec, namespace,
		func() *Shared { return &Shared{} }, func() *SharedList { return &SharedList{} })
}

func withInformer(ctx context.Context) (context.Context, controller.Informer) {
	objects := clientFrom(ctx, injection.GetNamespaceScope(ctx))
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return objects.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return objects.Watch(ctx, options)
		},
	}
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	informer := cache.NewSharedIndexInformer(source, &Shared{}, controller.GetResyncPeriod(ctx), indexers)
	return context.WithValue(ctx, informerKey{}, informer), informer
}

func informerFrom(ctx context.Context) cache.SharedIndexInformer {
	return ctx.Value(informerKey{}).(cache.SharedIndexInformer)
}
