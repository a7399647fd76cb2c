package shared

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// GroupVersion is that of shared.yaml.
	GroupVersion = schema.GroupVersion{Group: "lease.kubewright.dev", Version: "v1"}
	// Kind is that of its objects.
	Kind = GroupVersion.WithKind("Shared")
	// Resource is the plural in their paths.
	Resource = GroupVersion.WithResource("shareds")
)

// Shared is an object that replicas of two languages reconcile.
type Shared struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec,omitempty"`
	Status Status `json:"status,omitempty"`
}

// Spec is what the user wants.
type Spec struct {
	// Text goes into the ConfigMap of the object.
	Text string `json:"text,omitempty"`
}

// Status is what the last pass left.
type Status struct {
	// ObservedText is the text that the ConfigMap has.
	ObservedText string `json:"observedText,omitempty"`
	// Writer is the name of the replica.
	Writer string `json:"writer,omitempty"`
	// ObservedGeneration is the generation that the replica saw.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// SharedList is a list of objects.
type SharedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	Items []Shared `json:"items"`
}

// GetGroupVersionKind makes the object an owner; objects of typed clients have no kind of their own.
func (s *Shared) GetGroupVersionKind() schema.GroupVersionKind { return Kind }

// DeepCopy returns an object that shares nothing with this one.
func (s *Shared) DeepCopy() *Shared {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (s *Shared) DeepCopyObject() runtime.Object { return s.DeepCopy() }

// DeepCopyObject implements runtime.Object.
func (l *SharedList) DeepCopyObject() runtime.Object {
	out := *l
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]Shared, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopy()
	}
	return &out
}

func addToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Shared{}, &SharedList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
