// The checks that a client-go program makes of an API server: typed clients that speak protobuf, informers, server-side apply,
// leader election. It needs $KUBECONFIG and prints one line per check; the first failure ends it with status 1.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Each run has a namespace of its own.
var namespace = fmt.Sprintf("client-go-%d", os.Getpid())

// What every check gets.
type clients struct {
	config   *rest.Config
	typed    *kubernetes.Clientset
	dynamic  *dynamic.DynamicClient
	metadata metadata.Interface
}

type check struct {
	name string
	run  func(context.Context, *clients) error
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(1)
	}
}

func run() error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.UserAgent = "client-go-checks"
	config.QPS, config.Burst = 1000, 1000
	all, err := connect(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	checks := []check{
		{"typed objects travel as protobuf", typedObjects},
		{"lists come in pages", pages},
		{"informers see every change", informers},
		{"a watch of metadata sees changes", metadataWatch},
		{"typed applies own their fields", typedApply},
		{"a deployment is scaled and its pods are evicted", workloads},
		{"custom resources are served at once", customResources},
		{"reviews and tokens are answered", identity},
		{"events are recorded", recordedEvents},
		{"leadership passes on", leadership},
	}
	for _, check := range checks {
		if err := check.run(ctx, all); err != nil {
			return fmt.Errorf("%s: %w", check.name, err)
		}
		fmt.Println("ok:", check.name)
	}
	return all.typed.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{})
}

func connect(config *rest.Config) (*clients, error) {
	protobuf := rest.CopyConfig(config)
	protobuf.ContentType = "application/vnd.kubernetes.protobuf"
	protobuf.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	typed, err := kubernetes.NewForConfig(protobuf)
	if err != nil {
		return nil, err
	}
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	partial, err := metadata.NewForConfig(protobuf)
	if err != nil {
		return nil, err
	}
	return &clients{config, typed, untyped, partial}, nil
}

// How long something may take that a controller does, on a busy machine.
const patience = 3 * time.Minute

// Asks until the answer is yes, or there is no patience left.
func eventually(ctx context.Context, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("never happened: %s", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
