import java.util.List;
import java.util.Objects;

import labs.ApiClient;
import labs.api.AuthApi;
import labs.api.MarketplaceApi;
import labs.api.SubscriptionApi;
import labs.api.SystemApi;
import labs.model.App;
import labs.model.AppCreate;
import labs.model.PartnerRole;
import labs.model.SessionInput;
import labs.model.Tier;
import labs.model.TierFeature;

/**
 * Test of the generated Java client: signs in, creates an app, lists it, and reads the features of the tiers. Request
 * objects continue to compile if an operation gains an optional parameter; a list of arguments does not.
 */
public final class Main {
    private static final String NAME = "Made by Java";

    public static void main(String[] arguments) throws Exception {
        // The address is the one that the served contract names.
        ApiClient client = new ApiClient();
        SessionInput person = new SessionInput()
            .email(System.getenv("LABS_TEST_PERSON_EMAIL"))
            .password(System.getenv("LABS_TEST_PERSON_PASSWORD"));
        String token = new AuthApi(client).authSessionsCreate(person).getAccessToken();
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));

        MarketplaceApi apps = new MarketplaceApi(client);
        App made = apps.marketplaceAppsCreate(
            MarketplaceApi.APIMarketplaceAppsCreateRequest.newBuilder().appCreate(new AppCreate().name(NAME)).build());
        check("the app's name", made.getName(), NAME);
        long listed = apps.marketplaceAppsList(MarketplaceApi.APIMarketplaceAppsListRequest.newBuilder().limit(100).build())
            .getData().stream()
            .filter(app -> app.getUuid().equals(made.getUuid()) && app.getName().equals(NAME))
            .count();
        check("how often the app is listed", listed, 1L);
        check("the role", new SystemApi(client).systemMeGet(
            SystemApi.APISystemMeGetRequest.newBuilder().build()).getRole(), PartnerRole.ADMINISTRATOR);

        List<Tier> tiers = new SubscriptionApi(client).subscriptionPublicTiersList(
            SubscriptionApi.APISubscriptionPublicTiersListRequest.newBuilder().build()).getData();
        TierFeature free = feature(tiers, "FREE", "apps");
        check("the limit of apps of FREE", free.getLimit(), 3L);
        check("their value", ((Number) free.getValue()).longValue(), 3L);
        check("enabled of a limit", free.getEnabled(), null);
        check("unlimited of FREE", free.getUnlimited(), false);
        TierFeature scale = feature(tiers, "SCALE", "apps");
        check("the limit of apps of SCALE", scale.getLimit(), null);
        check("value without a cap", scale.getValue(), null);
        check("unlimited of SCALE", scale.getUnlimited(), true);
        check("early access of FREE", feature(tiers, "FREE", "early_access").getEnabled(), false);
        check("early access of SCALE", feature(tiers, "SCALE", "early_access").getEnabled(), true);
        check("its value", feature(tiers, "SCALE", "early_access").getValue(), true);
    }

    private static TierFeature feature(List<Tier> tiers, String tierCode, String code) {
        Tier tier = tiers.stream().filter(each -> each.getCode().equals(tierCode)).findFirst().orElseThrow();
        return tier.getFeatures().stream().filter(each -> each.getCode().equals(code)).findFirst().orElseThrow();
    }

    private static void check(String what, Object found, Object expected) {
        if (!Objects.equals(found, expected)) {
            throw new AssertionError(what + ": " + found + " instead of " + expected);
        }
    }
}
