// Test of the generated clients in TypeScript with the classes of openapi-generator: sign in, create an app, list it,
// read the feature values of the tiers.
import assert from 'node:assert/strict';
import { AuthApi, Configuration, MarketplaceApi, PartnerRole, SubscriptionApi, SystemApi } from './made/classes/index.js';

const name = 'Made by openapi-generator';
// The base URL comes from the served contract.
const sessionInput = { email: process.env.LABS_TEST_PERSON_EMAIL!, password: process.env.LABS_TEST_PERSON_PASSWORD! };
const { accessToken } = await new AuthApi().authSessionsCreate({ sessionInput });
const labs = new Configuration({ accessToken });

const apps = new MarketplaceApi(labs);
const made = await apps.marketplaceAppsCreate({ appCreate: { name } });
assert.equal(made.name, name);
const listed = (await apps.marketplaceAppsList({ limit: 100 })).data.filter(({ uuid }) => uuid === made.uuid);
assert.deepEqual(listed.map((app) => app.name), [name]);
assert.equal((await new SystemApi(labs).systemMeGet()).role, PartnerRole.Administrator);

const tiers = (await new SubscriptionApi().subscriptionPublicTiersList()).data;
const feature = (tierCode: string, code: string) => {
  const { value, limit, enabled, unlimited } = tiers.find((tier) => tier.code === tierCode)!.features.find((each) => each.code === code)!;
  return { value, limit, enabled, unlimited };
};
assert.deepEqual(feature('FREE', 'apps'), { value: 3, limit: 3, enabled: null, unlimited: false });
assert.deepEqual(feature('SCALE', 'apps'), { value: null, limit: null, enabled: null, unlimited: true });
assert.deepEqual(feature('FREE', 'early_access'), { value: false, limit: null, enabled: false, unlimited: false });
assert.deepEqual(feature('SCALE', 'early_access'), { value: true, limit: null, enabled: true, unlimited: false });
