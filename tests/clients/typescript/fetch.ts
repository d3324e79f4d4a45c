// Test of the generated clients in TypeScript with openapi-fetch: sign in, create an app, list it, read the feature
// values of the tiers.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './made/contract.js';

const name = 'Made by openapi-fetch';
const email = process.env.LABS_TEST_PERSON_EMAIL!;
const password = process.env.LABS_TEST_PERSON_PASSWORD!;
const labs = createClient<paths>({ baseUrl: process.env.LABS_TEST_BASE! });

const session = await labs.POST('/v1/auth/sessions', { body: { email, password } });
assert.ok(session.data, session.error?.detail);
const headers = { Authorization: `Bearer ${session.data.access_token}` };

const made = await labs.POST('/v1/marketplace/apps', { body: { name }, headers });
assert.equal(made.data?.name, name, made.error?.detail);
const apps = await labs.GET('/v1/marketplace/apps', { params: { query: { limit: 100 } }, headers });
const listed = apps.data?.data.filter(({ uuid }) => uuid === made.data?.uuid).map((app) => app.name);
assert.deepEqual(listed, [name]);
const role: components['schemas']['PartnerRole'] | null | undefined = (await labs.GET('/v1/system/me', { headers })).data?.role;
assert.equal(role, 'ADMINISTRATOR');

const tiers = (await labs.GET('/v1/subscription/public/tiers')).data!.data;
const feature = (tierCode: string, code: string) => {
  const { value, limit, enabled, unlimited } = tiers.find((tier) => tier.code === tierCode)!.features.find((each) => each.code === code)!;
  return { value, limit, enabled, unlimited };
};
assert.deepEqual(feature('FREE', 'apps'), { value: 3, limit: 3, enabled: null, unlimited: false });
assert.deepEqual(feature('SCALE', 'apps'), { value: null, limit: null, enabled: null, unlimited: true });
assert.deepEqual(feature('FREE', 'early_access'), { value: false, limit: null, enabled: false, unlimited: false });
assert.deepEqual(feature('SCALE', 'early_access'), { value: true, limit: null, enabled: true, unlimited: false });
// The compiler has the types of the contract: a limit is a number or null, a flag is a boolean or null.
const limit: number | null = tiers[0]!.features[0]!.limit;
const enabled: boolean | null = tiers[0]!.features[0]!.enabled;
assert.ok(limit === null || enabled === null);
