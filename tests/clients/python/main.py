"""Test of the generated Python client: signs in, creates an app, lists it, and reads the features of the tiers."""

import os

import labs_client

NAME = "Made by Python"


def feature(tiers, tier_code, code):
    tier = next(tier for tier in tiers if tier.code == tier_code)
    return next(feature for feature in tier.features if feature.code == code)


def check(found, expected, what):
    if found != expected:
        raise SystemExit(f"{what}: {found!r} instead of {expected!r}")


def main():
    # The default address is the server URL of the served contract.
    with labs_client.ApiClient(labs_client.Configuration()) as client:
        person = labs_client.SessionInput(
            email=os.environ["LABS_TEST_PERSON_EMAIL"], password=os.environ["LABS_TEST_PERSON_PASSWORD"]
        )
        client.configuration.access_token = labs_client.AuthApi(client).auth_sessions_create(person).access_token

        apps = labs_client.MarketplaceApi(client)
        made = apps.marketplace_apps_create(labs_client.AppCreate(name=NAME))
        check(made.name, NAME, "the app's name")
        listed = [app.name for app in apps.marketplace_apps_list(limit=100).data if app.uuid == made.uuid]
        check(listed, [NAME], "the listed app")
        check(labs_client.SystemApi(client).system_me_get().role, labs_client.PartnerRole.ADMINISTRATOR, "the role")

        tiers = labs_client.SubscriptionApi(client).subscription_public_tiers_list().data
        free = feature(tiers, "FREE", "apps")
        check((free.limit, free.value, free.enabled, free.unlimited), (3, 3, None, False), "apps of FREE")
        scale = feature(tiers, "SCALE", "apps")
        check((scale.limit, scale.value, scale.enabled, scale.unlimited), (None, None, None, True), "apps of SCALE")
        early = [feature(tiers, code, "early_access") for code in ("FREE", "SCALE")]
        check([(flag.enabled, flag.value, flag.limit) for flag in early], [(False, False, None), (True, True, None)], "flags")


if __name__ == "__main__":
    main()
