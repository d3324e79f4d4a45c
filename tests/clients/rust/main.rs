//! Test of the generated clients in Rust: sign in, create an app, list it, read the feature values of the tiers.

use std::env;
use std::error::Error;

use labs_client::apis::configuration::Configuration;
use labs_client::apis::{auth_api, marketplace_api, subscription_api, system_api};
use labs_client::models::{AppCreate, PartnerRole, SessionInput, Tier, TierFeature};
use serde_json::json;

const NAME: &str = "Made by Rust";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The base URL comes from the served contract.
    let mut labs = Configuration::new();
    let person = SessionInput::new(env::var("LABS_TEST_PERSON_EMAIL")?, env::var("LABS_TEST_PERSON_PASSWORD")?);
    labs.bearer_access_token = Some(auth_api::auth_sessions_create(&labs, person).await?.access_token);

    let made = marketplace_api::marketplace_apps_create(&labs, AppCreate::new(NAME.to_owned()), None).await?;
    assert_eq!(made.name, NAME);
    let listed = marketplace_api::marketplace_apps_list(&labs, None, None, None, None, None, None, Some(100), None);
    let listed = listed.await?;
    let names = listed.data.iter().filter(|app| app.uuid == made.uuid).map(|app| app.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), [NAME]);
    let me = system_api::system_me_get(&labs, None, None).await?;
    assert_eq!(me.role, Some(PartnerRole::Administrator));

    let tiers = subscription_api::subscription_public_tiers_list(&labs, None, None, None).await?.data;
    let free = feature(&tiers, "FREE", "apps");
    assert_eq!((free.limit, &free.value, free.enabled, free.unlimited), (Some(3), &Some(json!(3)), None, false));
    let scale = feature(&tiers, "SCALE", "apps");
    assert_eq!((scale.limit, &scale.value, scale.enabled, scale.unlimited), (None, &None, None, true));
    let early = |tier: &str| feature(&tiers, tier, "early_access").enabled;
    assert_eq!((early("FREE"), early("SCALE")), (Some(false), Some(true)));
    assert_eq!(feature(&tiers, "SCALE", "early_access").value, Some(json!(true)));
    Ok(())
}

fn feature<'a>(tiers: &'a [Tier], tier_code: &str, code: &str) -> &'a TierFeature {
    let tier = tiers.iter().find(|tier| tier.code == tier_code).unwrap();
    tier.features.iter().find(|feature| feature.code == code).unwrap()
}
