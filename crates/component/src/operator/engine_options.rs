/// The options of the engine, on the builder of a component type and of a rendered set: both have a field `options`.
macro_rules! engine_options {
    () => {
        /// The field manager of writes to dependents. Default: the name of the component type. Writes to the component itself use
        /// `<field manager>/self`.
        pub fn field_manager(mut self, name: impl Into<String>) -> Self {
            self.options.field_manager = Some(name.into());
            self
        }

        /// Policies for dependents where neither they nor their component say anything.
        pub fn policies(mut self, policies: PolicySettings) -> Self {
            self.options.policies = policies;
            self
        }

        /// After how long dependents are applied again although nothing seems to have changed. Default: 60 minutes; must
        /// be greater than zero.
        pub fn reapply_interval(mut self, interval: Duration) -> Self {
            self.options.reapply_interval = Some(interval);
            self
        }

        /// Field managers whose fields update policy SsaOverride takes over: exact names, or a prefix ending in `*`.
        /// Default: `kubectl*`.
        pub fn reclaimed_managers<S: Into<String>>(mut self, managers: impl IntoIterator<Item = S>) -> Self {
            self.options.reclaimed_managers = managers.into_iter().map(Into::into).collect();
            self
        }

        /// The types that the generator renders, as (group, plural), `*` for all: the command `rbac` prints permissions for
        /// them, and a start without these permissions fails with a message that lists what is missing. Without it only a
        /// write that is refused tells.
        pub fn dependent_types<G: Into<String>, P: Into<String>>(mut self, types: impl IntoIterator<Item = (G, P)>) -> Self {
            self.options.dependent_types.extend(types.into_iter().map(|(group, plural)| (group.into(), plural.into())));
            self
        }

        /// The types that components bring with a CRD or an API service, or that `additionalManagedTypes` names, as (group, plural): the
        /// command `rbac` prints the permission to see whether instances of others are left. Types that are also [dependent
        /// types](Self::dependent_types) need not be named again.
        pub fn managed_types<G: Into<String>, P: Into<String>>(mut self, types: impl IntoIterator<Item = (G, P)>) -> Self {
            self.options.managed_types.extend(types.into_iter().map(|(group, plural)| (group.into(), plural.into())));
            self
        }

        /// In whose name a spec may have dependents written, as (resource, name): `("serviceaccounts", "deployer")`, or `users` and `groups`.
        /// The command `rbac` prints the permission for these names only. A component that names another one fails with a message that
        /// says which rule is missing.
        pub fn impersonates<R: Into<String>, N: Into<String>>(mut self, names: impl IntoIterator<Item = (R, N)>) -> Self {
            self.options.impersonates.extend(names.into_iter().map(|(resource, name)| (resource.into(), name.into())));
            self
        }

        /// The generator renders `roles` or `clusterroles` with more rights than the operator holds, or binds such. The command `rbac` prints a
        /// rule of its own with the verbs `escalate` and `bind`, which make the operator as strong as whatever it renders. Without it such a
        /// write is refused, with a message that lists the rights.
        pub fn escalates<R: Into<String>>(mut self, resources: impl IntoIterator<Item = R>) -> Self {
            self.options.escalates.extend(resources.into_iter().map(Into::into));
            self
        }

        /// The types that the generator looks up and does not render, as (group, plural): the command `rbac` prints permissions to read and watch
        /// them, and a start without these permissions fails.
        pub fn lookup_types<G: Into<String>, P: Into<String>>(mut self, types: impl IntoIterator<Item = (G, P)>) -> Self {
            self.options.lookup_types.extend(types.into_iter().map(|(group, plural)| (group.into(), plural.into())));
            self
        }

        /// How many requests of one component may be in flight. Default: 16.
        pub fn parallel_requests(mut self, requests: usize) -> Self {
            self.options.parallel_requests = requests.max(1);
            self
        }

        /// Which events on dependents are sent. Default: warnings.
        pub fn dependent_events(mut self, events: DependentEvents) -> Self {
            self.options.dependent_events = events;
            self
        }

        /// In whose name dependents are written when neither component nor kubeconfig says: a service account of this name in the
        /// namespace of the component. Default: the operator itself.
        pub fn default_service_account(mut self, name: impl Into<String>) -> Self {
            self.options.default_service_account = Some(name.into());
            self
        }

        /// Kubeconfigs of targets may name a program that gets credentials, which the operator then runs. Whoever may write such a
        /// secret may run programs in the operator's pod. Default: refused.
        pub fn allow_exec_credentials(mut self) -> Self {
            self.options.allow_exec_credentials = true;
            self
        }
    };
}

pub(crate) use engine_options;
