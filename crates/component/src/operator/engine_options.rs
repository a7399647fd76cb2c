/// Defines the options of the engine as methods of a builder with a field `options`: that of a component type and that of a rendered set.
macro_rules! engine_options {
    () => {
        /// Sets the field manager of writes to dependents. Default: the name of the component type. Writes to the component itself use
        /// `<field manager>/self`.
        pub fn field_manager(mut self, name: impl Into<String>) -> Self {
            self.options.field_manager = Some(name.into());
            self
        }

        /// Sets the policies of dependents for which neither they nor their component name one.
        pub fn policies(mut self, policies: PolicySettings) -> Self {
            self.options.policies = policies;
            self
        }

        /// Sets the interval after which dependents are applied again although no change is known. Default: 60 minutes; must be greater than
        /// zero.
        pub fn reapply_interval(mut self, interval: Duration) -> Self {
            self.options.reapply_interval = Some(interval);
            self
        }

        /// Sets the field managers whose fields update policy SsaOverride takes over: exact names, or a prefix ending in `*`. Default:
        /// `kubectl*`.
        pub fn reclaimed_managers<S: Into<String>>(mut self, managers: impl IntoIterator<Item = S>) -> Self {
            self.options.reclaimed_managers = managers.into_iter().map(Into::into).collect();
            self
        }

        /// Declares the types that the generator renders, as (group, plural), `*` for all. The command `rbac` prints permissions for them, and a
        /// start without these permissions fails with a message that lists the missing ones. Without this declaration a missing permission shows
        /// only when a write is refused.
        pub fn dependent_types<G: Into<String>, P: Into<String>>(mut self, types: impl IntoIterator<Item = (G, P)>) -> Self {
            self.options.dependent_types.extend(types.into_iter().map(|(group, plural)| (group.into(), plural.into())));
            self
        }

        /// Declares the types that components install with a CRD or an API service, or that `additionalManagedTypes` names, as (group, plural).
        /// The command `rbac` prints the permission to check whether foreign instances are left. Types that are also [dependent
        /// types](Self::dependent_types) need not be named again.
        pub fn managed_types<G: Into<String>, P: Into<String>>(mut self, types: impl IntoIterator<Item = (G, P)>) -> Self {
            self.options.managed_types.extend(types.into_iter().map(|(group, plural)| (group.into(), plural.into())));
            self
        }

        /// Declares the identities that a spec may name for the writes of its dependents, as (resource, name):
        /// `("serviceaccounts", "deployer")`, or `users` and `groups`. The command `rbac` prints the permission for these names only. A
        /// component that names another one fails with a message that names the missing rule.
        pub fn impersonates<R: Into<String>, N: Into<String>>(mut self, names: impl IntoIterator<Item = (R, N)>) -> Self {
            self.options.impersonates.extend(names.into_iter().map(|(resource, name)| (resource.into(), name.into())));
            self
        }

        /// Declares that the generator renders `roles` or `clusterroles` with more rights than the operator holds, or binds such roles. The
        /// command `rbac` prints a separate rule with the verbs `escalate` and `bind`, which give the operator every right that it renders.
        /// Without the rule such a write is refused, with a message that lists the rights.
        pub fn escalates<R: Into<String>>(mut self, resources: impl IntoIterator<Item = R>) -> Self {
            self.options.escalates.extend(resources.into_iter().map(Into::into));
            self
        }

        /// Declares the types that the generator looks up but does not render, as (group, plural). The command `rbac` prints permissions to read
        /// and watch them, and a start without these permissions fails.
        pub fn lookup_types<G: Into<String>, P: Into<String>>(mut self, types: impl IntoIterator<Item = (G, P)>) -> Self {
            self.options.lookup_types.extend(types.into_iter().map(|(group, plural)| (group.into(), plural.into())));
            self
        }

        /// Sets the maximum number of requests of one component in flight. Default: 16.
        pub fn parallel_requests(mut self, requests: usize) -> Self {
            self.options.parallel_requests = requests.max(1);
            self
        }

        /// Sets the kinds of events on dependents that are sent. Default: warnings.
        pub fn dependent_events(mut self, events: DependentEvents) -> Self {
            self.options.dependent_events = events;
            self
        }

        /// Sets the service account, in the namespace of the component, with whose identity dependents are written if neither component nor
        /// kubeconfig names one. Default: the operator itself.
        pub fn default_service_account(mut self, name: impl Into<String>) -> Self {
            self.options.default_service_account = Some(name.into());
            self
        }

        /// Allows kubeconfigs of targets to name a program that gets credentials, which the operator then runs. With this option, a user who may
        /// write such a secret can run programs in the operator's pod. Default: refused.
        pub fn allow_exec_credentials(mut self) -> Self {
            self.options.allow_exec_credentials = true;
            self
        }
    };
}

pub(crate) use engine_options;
