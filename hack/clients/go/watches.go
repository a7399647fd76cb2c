package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	clientinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	kubernetesclient "k8s.io/client-go/kubernetes"
)

func informers(ctx context.Context, c *clients) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	before := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "before", Labels: map[string]string{"seen": "y"}}}
	if _, err := maps.Create(ctx, before, metav1.CreateOptions{}); err != nil {
		return err
	}
	factory := clientinformers.NewSharedInformerFactoryWithOptions(c.typed, 0, clientinformers.WithNamespace(namespace),
		clientinformers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "seen=y" }))
	informer := factory.Core().V1().ConfigMaps().Informer()
	var added, changed, deleted atomic.Int32
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { added.Add(1) },
		UpdateFunc: func(any, any) { changed.Add(1) },
		DeleteFunc: func(any) { deleted.Add(1) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for kind, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return fmt.Errorf("the cache of %v never synced", kind)
		}
	}
	after := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "after", Labels: map[string]string{"seen": "y"}}}
	created, err := maps.Create(ctx, after, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	created.Data = map[string]string{"k": "v"}
	if created, err = maps.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		return err
	}
	// An object that no longer matches is gone for who watches.
	created.Labels = nil
	if _, err = maps.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "before", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "2 added, 1 changed, 2 deleted", func() (bool, error) {
		return added.Load() == 2 && changed.Load() == 1 && deleted.Load() == 2 && len(informer.GetStore().List()) == 0, nil
	})
}

func metadataWatch(ctx context.Context, c *clients) error {
	resource := corev1.SchemeGroupVersion.WithResource("configmaps")
	watcher, err := c.metadata.Resource(resource).Namespace(namespace).Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=partial"})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "partial", Annotations: map[string]string{"a": "b"}}}
	if _, err := c.typed.CoreV1().ConfigMaps(namespace).Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	select {
	case event := <-watcher.ResultChan():
		partial, ok := event.Object.(*metav1.PartialObjectMetadata)
		if event.Type != watch.Added || !ok || partial.Name != "partial" || partial.Annotations["a"] != "b" {
			return fmt.Errorf("%v %v", event.Type, event.Object)
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("no event came")
	}
}

func identity(ctx context.Context, c *clients) error {
	who, err := c.typed.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil || who.Status.UserInfo.Username == "" {
		return fmt.Errorf("who am I: %v (%v)", who, err)
	}
	asked := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "delete", Resource: "pods"},
	}}
	may, err := c.typed.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, asked, metav1.CreateOptions{})
	if err != nil || !may.Status.Allowed {
		return fmt.Errorf("may I: %v (%v)", may, err)
	}
	accounts := c.typed.CoreV1().ServiceAccounts(namespace)
	if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	token, err := accounts.CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil || token.Status.Token == "" || token.Status.ExpirationTimestamp.IsZero() {
		return fmt.Errorf("token %v (%v)", token, err)
	}
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token}}
	reviewed, err := c.typed.AuthenticationV1().TokenReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil || !reviewed.Status.Authenticated || reviewed.Status.User.Username != "system:serviceaccount:"+namespace+":robot" {
		return fmt.Errorf("reviewed %v (%v)", reviewed, err)
	}
	config := rest.AnonymousClientConfig(c.config)
	config.BearerToken = token.Status.Token
	robot, err := kubernetesclient.NewForConfig(config)
	if err != nil {
		return err
	}
	who, err = robot.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil || who.Status.UserInfo.Username != "system:serviceaccount:"+namespace+":robot" {
		return fmt.Errorf("the robot is %v (%v)", who, err)
	}
	speaking := rest.CopyConfig(c.config)
	speaking.Impersonate = rest.ImpersonationConfig{UserName: "joe", Groups: []string{"dev"}}
	joe, err := kubernetesclient.NewForConfig(speaking)
	if err != nil {
		return err
	}
	who, err = joe.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil || who.Status.UserInfo.Username != "joe" || len(who.Status.UserInfo.Groups) != 2 {
		return fmt.Errorf("joe is %v (%v)", who, err)
	}
	return nil
}

func recordedEvents(ctx context.Context, c *clients) error {
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: c.typed.EventsV1()})
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return err
	}
	defer broadcaster.Shutdown()
	object, err := c.typed.CoreV1().ConfigMaps(namespace).Get(ctx, "partial", metav1.GetOptions{})
	if err != nil {
		return err
	}
	recorder := broadcaster.NewRecorder(scheme.Scheme, "client-go-checks")
	recorder.Eventf(object, nil, corev1.EventTypeNormal, "Checked", "Check", "seen %d times", 1)
	return eventually(ctx, "an event", func() (bool, error) {
		list, err := c.typed.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=partial"})
		return err == nil && len(list.Items) == 1 && list.Items[0].Reason == "Checked", err
	})
}

func leadership(ctx context.Context, c *clients) error {
	started := make(chan string, 2)
	candidate := func(ctx context.Context, name string) (*leaderelection.LeaderElector, error) {
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: namespace},
			Client:     c.typed.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		return leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 4 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) { started <- name; <-ctx.Done() },
				OnStoppedLeading: func() {},
			},
		})
	}
	first, resign := context.WithCancel(ctx)
	defer resign()
	second, stop := context.WithCancel(ctx)
	defer stop()
	for _, one := range []struct {
		name string
		ctx  context.Context
	}{{"first", first}, {"second", second}} {
		elector, err := candidate(one.ctx, one.name)
		if err != nil {
			return err
		}
		go elector.Run(one.ctx)
		if one.name == "first" {
			if leader := <-started; leader != "first" {
				return fmt.Errorf("%s leads", leader)
			}
		}
	}
	resign()
	select {
	case leader := <-started:
		if leader != "second" {
			return fmt.Errorf("%s leads after the first has resigned", leader)
		}
	case <-time.After(patience):
		return fmt.Errorf("nobody leads after the first has resigned")
	}
	lease, err := c.typed.CoordinationV1().Leases(namespace).Get(ctx, "leader", metav1.GetOptions{})
	if err != nil || *lease.Spec.HolderIdentity != "second" || *lease.Spec.LeaseTransitions < 1 {
		return fmt.Errorf("lease %v (%v)", lease, err)
	}
	return nil
}
