// Test of the generated Go client: signs in, creates an app, lists it, and reads the features of the tiers.
package main

import (
	"context"
	"fmt"
	"os"
	"reflect"

	"labs"
)

const name = "Made by Go"

func main() {
	readExamples()
	discover()
	// The address is the server URL of the served contract.
	client := labs.NewAPIClient(labs.NewConfiguration())
	ctx := context.Background()
	person := labs.NewSessionInput(os.Getenv("LABS_TEST_PERSON_EMAIL"), os.Getenv("LABS_TEST_PERSON_PASSWORD"))
	session, _, err := client.AuthAPI.AuthSessionsCreate(ctx).SessionInput(*person).Execute()
	ensure(err)
	ctx = context.WithValue(ctx, labs.ContextAccessToken, session.AccessToken)

	made, _, err := client.MarketplaceAPI.MarketplaceAppsCreate(ctx).AppCreate(*labs.NewAppCreate(name)).Execute()
	ensure(err)
	check("the name of the app", made.Name, name)
	apps, _, err := client.MarketplaceAPI.MarketplaceAppsList(ctx).Limit(100).Execute()
	ensure(err)
	var listed []string
	for _, app := range apps.Data {
		if app.Uuid == made.Uuid {
			listed = append(listed, app.Name)
		}
	}
	check("the listed app", listed, []string{name})
	me, _, err := client.SystemAPI.SystemMeGet(ctx).Execute()
	ensure(err)
	check("the role", *me.Role.Get(), labs.PARTNERROLE_ADMINISTRATOR)

	tiers, _, err := client.SubscriptionAPI.SubscriptionPublicTiersList(ctx).Execute()
	ensure(err)
	yes, no, three := true, false, int64(3)
	check("apps of FREE", values(tiers.Data, "FREE", "apps"), []any{&three, float64(3), (*bool)(nil), false})
	check("apps of SCALE", values(tiers.Data, "SCALE", "apps"), []any{(*int64)(nil), nil, (*bool)(nil), true})
	check("early access of FREE", values(tiers.Data, "FREE", "early_access"), []any{(*int64)(nil), false, &no, false})
	check("early access of SCALE", values(tiers.Data, "SCALE", "early_access"), []any{(*int64)(nil), true, &yes, false})
}

// values returns limit, value, enabled and unlimited of a feature.
func values(tiers []labs.Tier, tierCode, code string) []any {
	for _, tier := range tiers {
		for _, feature := range tier.Features {
			if tier.Code == tierCode && feature.Code == code {
				return []any{feature.Limit.Get(), feature.Value, feature.Enabled.Get(), feature.Unlimited}
			}
		}
	}
	return nil
}

func check(what string, found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		ensure(fmt.Errorf("%s: %v instead of %v", what, found, expected))
	}
}

func ensure(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
