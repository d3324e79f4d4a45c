// Test of the client that orval generates: sign in, create an app, list it, read the feature values of the tiers.
import assert from 'node:assert/strict';
import * as labs from './made/labs.js';

const name = 'Made by orval';
const email = process.env.LABS_TEST_PERSON_EMAIL!;
const password = process.env.LABS_TEST_PERSON_PASSWORD!;

const session = await labs.authSessionsCreate({ email, password });
assert.ok(session.status === 200, JSON.stringify(session.data));
const authorized = { headers: { Authorization: `Bearer ${session.data.access_token}` } };

const made = await labs.marketplaceAppsCreate({ name }, authorized);
assert.ok(made.status === 201, JSON.stringify(made.data));
const apps = await labs.marketplaceAppsList({ limit: 100 }, authorized);
assert.ok(apps.status === 200, JSON.stringify(apps.data));
assert.deepEqual(apps.data.data.filter(({ uuid }) => uuid === made.data.uuid).map((app) => app.name), [name]);
const me = await labs.systemMeGet(authorized);
assert.ok(me.status === 200, JSON.stringify(me.data));
assert.equal(me.data.role, labs.PartnerRole.ADMINISTRATOR);

const answer = await labs.subscriptionPublicTiersList();
assert.ok(answer.status === 200);
const tiers = answer.data.data;
const feature = (tierCode: string, code: string) => {
  const { value, limit, enabled, unlimited } = tiers.find((tier) => tier.code === tierCode)!.features.find((each) => each.code === code)!;
  return { value, limit, enabled, unlimited };
};
assert.deepEqual(feature('FREE', 'apps'), { value: 3, limit: 3, enabled: null, unlimited: false });
assert.deepEqual(feature('SCALE', 'apps'), { value: null, limit: null, enabled: null, unlimited: true });
assert.deepEqual(feature('FREE', 'early_access'), { value: false, limit: null, enabled: false, unlimited: false });
assert.deepEqual(feature('SCALE', 'early_access'), { value: true, limit: null, enabled: true, unlimited: false });
