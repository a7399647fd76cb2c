package main

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Widget is the kind of src/widget.rs.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec `json:"spec"`
}

// WidgetSpec is what an object consists of.
type WidgetSpec struct {
	Number   uint32            `json:"number"`
	Written  Written           `json:"written,omitempty"`
	Wish     string            `json:"wish,omitempty"`
	Settings map[string]string `json:"settings,omitempty"`
}

// Written is a write of the driver.
type Written struct {
	Batch uint32 `json:"batch"`
	Of    uint32 `json:"of"`
	At    int64  `json:"at"`
}

// WidgetList is a list of objects.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// DeepCopyObject copies what generated code would copy.
func (w *Widget) DeepCopyObject() runtime.Object {
	copied := w.deepCopy()
	return &copied
}

func (w *Widget) deepCopy() Widget {
	copied := *w
	w.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	copied.Spec.Settings = maps.Clone(w.Spec.Settings)
	return copied
}

// DeepCopyObject copies what generated code would copy.
func (l *WidgetList) DeepCopyObject() runtime.Object {
	copied := *l
	l.ListMeta.DeepCopyInto(&copied.ListMeta)
	copied.Items = make([]Widget, 0, len(l.Items))
	for index := range l.Items {
		copied.Items = append(copied.Items, l.Items[index].deepCopy())
	}
	return &copied
}

func addToScheme(scheme *runtime.Scheme) error {
	version := schema.GroupVersion{Group: "bench.kubewright.dev", Version: "v1alpha1"}
	scheme.AddKnownTypes(version, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, version)
	return nil
}
