// A controller on knative.dev/pkg, one process per replica. Its standard output is for the program that starts it: a line for each lease,
// one when it begins to campaign for them, then its promotions and demotions. What Knative logs goes to standard error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	kubeclient "knative.dev/pkg/client/injection/kube/client"
	"knative.dev/pkg/controller"
	"knative.dev/pkg/environment"
	"knative.dev/pkg/injection"
	"knative.dev/pkg/leaderelection"
	"knative.dev/pkg/logging"
	"knative.dev/pkg/signals"
	"knative.dev/pkg/system"

	"kubewright.dev/hack/knative/shared"
)

// The beginning of the names of its leases.
const component = "shareds"

type options struct {
	name       string
	namespace  string
	probesPort int
	withParent bool
	config     *rest.Config
}

func main() {
	// It ends at the first SIGTERM or SIGINT.
	ctx := signals.NewContext()
	options, err := parse()
	if err == nil {
		err = run(ctx, options)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed to", err)
		os.Exit(1)
	}
}

func parse() (*options, error) {
	var client environment.ClientConfig
	var parsed options
	client.InitFlags(flag.CommandLine)
	flag.StringVar(&parsed.name, "name", "", "`NAME` of the replica: its user agent, and what it writes into status.writer. Required.")
	flag.StringVar(&parsed.namespace, "namespace", "", "The only `NAMESPACE` whose objects are reconciled. Default: all.")
	flag.IntVar(&parsed.probesPort, "probes-port", 0, "`PORT` of /health and /readiness. Default: they are not served.")
	flag.BoolVar(&parsed.withParent, "with-parent", false, "End at once when standard input is closed, as it is when the process that holds it is gone.")
	flag.Parse()
	if flag.NArg() > 0 {
		return nil, fmt.Errorf("read the command line: unknown argument %q; see -help", flag.Arg(0))
	}
	if parsed.name == "" {
		return nil, errors.New("read the command line: -name is missing; it tells replicas apart")
	}
	if os.Getenv(system.NamespaceEnvKey) == "" {
		return nil, fmt.Errorf("read the environment: %s is not set; it names the namespace of the leases and of ConfigMap %q",
			system.NamespaceEnvKey, leaderelection.ConfigMapName())
	}
	config, err := client.GetRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.UserAgent = parsed.name
	parsed.config = config
	return &parsed, nil
}

func run(ctx context.Context, options *options) error {
	if options.withParent {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(1)
		}()
	}
	if options.namespace != "" {
		ctx = injection.WithNamespaceScope(ctx, options.namespace)
	}
	logger, _ := logging.NewLogger("", "")
	defer func() { _ = logger.Sync() }()
	ctx = logging.WithLogger(ctx, logger.Named(options.name))
	ctx, startInformers := injection.EnableInjectionOrDie(ctx, options.config)

	election, err := electionConfig(ctx)
	if err != nil {
		return fmt.Errorf("read ConfigMap %q in namespace %q: %w", leaderelection.ConfigMapName(), system.Namespace(), err)
	}
	for _, lease := range leases(election) {
		fmt.Println("lease", lease)
	}
	ctx = leaderelection.WithStandardLeaderElectorBuilder(ctx, kubeclient.Get(ctx), election)

	tell := func(what string) func(string) { return func(lease string) { fmt.Println(what, lease) } }
	impl, err := shared.NewController(ctx, options.name, tell("promoted"), tell("demoted"))
	if err != nil {
		return err
	}
	startInformers()
	if options.probesPort != 0 {
		go func() {
			if err := injection.ServeHealthProbes(ctx, options.probesPort); err != nil && !errors.Is(err, http.ErrServerClosed) {
				logging.FromContext(ctx).Fatalf("failed to serve probes on port %d: %v", options.probesPort, err)
			}
		}()
	}
	fmt.Println("campaigns", options.name)
	if err := controller.StartAll(ctx, impl); err != nil {
		return fmt.Errorf("run the controller: %w", err)
	}
	return nil
}

// Knative's defaults, unless the ConfigMap is there.
func electionConfig(ctx context.Context) (leaderelection.ComponentConfig, error) {
	found, err := kubeclient.Get(ctx).CoreV1().ConfigMaps(system.Namespace()).Get(ctx, leaderelection.ConfigMapName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		found = nil
	} else if err != nil {
		return leaderelection.ComponentConfig{}, err
	}
	config, err := leaderelection.NewConfigFromConfigMap(found)
	if err != nil {
		return leaderelection.ComponentConfig{}, err
	}
	return config.GetComponentConfig(component), nil
}

// The names that the elector gives its leases.
func leases(config leaderelection.ComponentConfig) []string {
	prefix := component + "." + shared.QueueName()
	if mapped := config.LeaseNamesPrefixMapping[prefix]; mapped != "" {
		prefix = mapped
	}
	names := make([]string, config.Buckets)
	for i := range names {
		names[i] = strings.ToLower(fmt.Sprintf("%s.%02d-of-%02d", prefix, i, config.Buckets))
	}
	return names
}
