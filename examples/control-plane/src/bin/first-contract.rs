//! The first contract of the book: a shop, its database, and the site that needs it.

use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ContractComponent, ContractExt as _, ContractStatus, Maybe, NoInternal,
    NoPart, OwnerStatus, Ready,
};
use kubewright::prelude::*;

type ShopStatus = OwnerStatus<Published>;
type DatabaseStatus = ContractStatus<NoPart, Access>;
type SiteStatus = ContractStatus<Published>;

/// What a customer orders.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "shops.example", version = "v1", kind = "Shop", namespaced, status = "ShopStatus")]
struct ShopSpec {
    site: Option<String>,
}

/// What the customer sees of the components.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Published {
    url: Option<String>,
}

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "shops.example", version = "v1", kind = "Database", namespaced, status = "DatabaseStatus")]
struct DatabaseSpec {}

/// What the site has to know of the database, and the customer does not.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Access {
    address: Option<String>,
}

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "shops.example", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
struct SiteSpec {
    host: String,
}

contract! {
    name = Shops;
    owner = Shop;
    Database {}
    Site { needs: [Database] }
}

impl ContractComponent for Database {
    type Spec = DatabaseSpec;
    type External = NoPart;
    type Private = Access;

    fn configured(_: &Shop) -> bool {
        true
    }

    fn convert(_: &Shop, _: Option<&NoInternal>) -> Result<DatabaseSpec, Failure> {
        Ok(DatabaseSpec {})
    }

    fn publish(_: NoPart, _: &mut Published) {}
}

impl ContractComponent for Site {
    type Spec = SiteSpec;
    type External = Published;
    type Private = NoPart;

    fn configured(shop: &Shop) -> bool {
        shop.spec.site.is_some()
    }

    fn convert(shop: &Shop, _: Option<&NoInternal>) -> Result<SiteSpec, Failure> {
        Ok(SiteSpec { host: shop.spec.site.clone().unwrap_or_default() })
    }

    fn publish(external: Published, published: &mut Published) {
        *published = external;
    }
}

struct Databases;

impl ComponentController for Databases {
    type Component = Database;
    async fn apply(&self, cx: &ApplyContext<Database>, _: Ready<Database>) -> Flow {
        cx.private(|private| private.address = Some(format!("database.{}.svc", cx.key().namespace())));
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, _: &CleanupContext<Database>, _: Maybe<Database>) -> Flow {
        Ok(())
    }
}

struct Sites;

impl ComponentController for Sites {
    type Component = Site;
    async fn apply(&self, cx: &ApplyContext<Site>, deps: Ready<Site>) -> Flow {
        let address = deps.get::<Database>().status.as_ref().and_then(|status| status.private.address.clone());
        cx.external(|external| external.url = Some(format!("https://{}", cx.component().spec.host)));
        cx.reconciliation("Served", format!("served from {}", address.unwrap_or_default()));
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, _: &CleanupContext<Site>, _: Maybe<Site>) -> Flow {
        Ok(())
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let sample = "{apiVersion: shops.example/v1, kind: Shop, metadata: {name: demo, namespace: default}, spec: {site: my.shop}}";
    let operator = Operator::new("shops.example").sample(sample).contract_owner::<Shops>();
    operator.component_controller(|| Databases).component_controller(|| Sites).main().await
}
