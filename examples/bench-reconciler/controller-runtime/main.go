// The reconciler of controller-runtime that does nothing, reported as src/recorder.rs says.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() error {
	objects, err := strconv.Atoi(os.Getenv("BENCH_OBJECTS"))
	if err != nil {
		return fmt.Errorf("BENCH_OBJECTS: %w", err)
	}
	workers, err := strconv.Atoi(os.Getenv("BENCH_WORKERS"))
	if err != nil {
		return fmt.Errorf("BENCH_WORKERS: %w", err)
	}
	report, err := os.Create(os.Getenv("BENCH_REPORT"))
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := addToScheme(scheme); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	idle := &reconciler{Client: manager.GetClient(), recorder: newRecorder(objects, report)}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Widget{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(idle)
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

type reconciler struct {
	client.Client
	recorder *recorder
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var widget Widget
	if err := r.Get(ctx, request.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	r.recorder.passed(&widget.Spec)
	return ctrl.Result{}, nil
}

// recorder notes the first pass of each version of each object.
type recorder struct {
	lock      sync.Mutex
	report    *os.File
	seen      []int64
	missing   int
	batch     uint32
	latencies []int64
}

func newRecorder(objects int, report *os.File) *recorder {
	seen := make([]int64, objects)
	for number := range seen {
		seen[number] = -1
	}
	return &recorder{report: report, seen: seen, missing: objects}
}

func (r *recorder) passed(spec *WidgetSpec) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if int(spec.Number) >= len(r.seen) {
		return
	}
	written, before := spec.Written, r.seen[spec.Number]
	r.seen[spec.Number] = int64(written.Batch)
	switch {
	case before < 0:
		r.missing--
		if r.missing == 0 {
			fmt.Fprintf(r.report, "listed %d\n", time.Now().UnixNano())
		}
	case before != int64(written.Batch):
		if r.batch != written.Batch {
			r.batch = written.Batch
			r.latencies = r.latencies[:0]
		}
		r.latencies = append(r.latencies, time.Now().UnixNano()-written.At)
		if len(r.latencies) == int(written.Of) {
			var line strings.Builder
			fmt.Fprintf(&line, "batch %d ", written.Batch)
			for index, latency := range r.latencies {
				if index > 0 {
					line.WriteByte(',')
				}
				line.WriteString(strconv.FormatInt(latency, 10))
			}
			fmt.Fprintln(r.report, line.String())
		}
	}
}
