// Test of the Postman collection in newman, against a service with sample data that is deleted afterwards. It sets only what
// a user sets: credentials, variables of the collection, enumerated path values and files. First a machine client and a
// user, then every GET, which must return 200, then everything else, of which nothing may be malformed or break the service.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import newman from 'newman';
import { callerOf, credentials, programs, tokens } from './callers.js';
import { furnish, places } from './furnish.js';
import { fill, Values } from './values.js';

const base = process.env.LABS_TEST_BASE;
const run = promisify(newman.run);
const download = async (slug) => (await fetch(`${base}/v1/publication/public/developer-resources/${slug}/artefact`)).text();
const collection = JSON.parse(await download('postman-collection'));
const contract = JSON.parse(await download('openapi-json'));

const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    id: operation.operationId,
    group: operation.tags[0],
    scope: operation.security?.[0]?.labs?.[0],
  })),
);
/** Converts the path of a request to the path template of the contract. */
const templateOf = ({ request: { url } }) =>
  `/${url.path.map((segment) => segment.replace(/^:(.+)$/, '{$1}').replace(/\{\{(.+?)\}\}/, '{$1}')).join('/')}`;
const items = collection.item.flatMap((folder) => folder.item);
assert.equal(items.length, operations.length);
const ofItems = new Map(
  items.map((item) => [item.id, operations.find(({ method, path }) => method === item.request.method && path === templateOf(item))]),
);
const operationOf = ({ id }) => ofItems.get(id);

const itemOf = (id) => items.find((item) => operationOf(item).id === id);
const isShared = new Set(collection.variable.map(({ key }) => key));

/** Sends requests in one run with these variables of the collection. Returns operation, status and body of each response. */
const send = async (chosen, variables) => {
  const copy = structuredClone({ ...collection, item: chosen });
  copy.variable = copy.variable.filter(({ key }) => !(key in variables));
  copy.variable.push(...Object.entries(variables).map(([key, value]) => ({ key, value })));
  const { run: { executions } } = await run({ collection: copy, reporters: [], timeoutRequest: 30_000 });
  // A request before which the script issued a token is reported twice.
  return [...new Map(executions.map((execution) => [execution.item.id, execution])).values()]
    .map(({ item, response, request, requestError }) => ({
      id: operationOf(item).id,
      url: request?.url?.toString(),
      status: response?.code,
      text: requestError ? String(requestError) : response?.stream?.toString('utf8', 0, 600),
    }));
};

/** Copies a request and inserts what a user changes in the request itself: enumerated path values, and files. */
const edited = (item, values, picture) => {
  const { request } = structuredClone(item);
  for (const variable of request.url.variable) {
    if (!isShared.has(variable.key)) variable.value = values[variable.key] ?? variable.value;
  }
  if (request.body?.file) request.body.file.src = picture;
  for (const field of request.body?.formdata ?? []) if (field.type === 'file') field.src = picture;
  return { ...item, request };
};

/** Divides requests into runs, in which one caller sends all requests and each variable has one value. */
const runsOf = async (chosen, picture) => {
  const runs = [];
  for (const item of chosen) {
    const operation = operationOf(item);
    const caller = callerOf(operation.scope);
    const all = await values.of(operation.path);
    // The response of `GET /v1/system/me` sets the partner of a user.
    const isSet = ([key]) => isShared.has(key) && !(caller === 'partner' && key === 'partner_uuid');
    const set = Object.entries(all).filter(isSet);
    const order = orderOf(operation);
    const fits = (one) => one.caller === caller && one.order === order && set.every(([key, value]) => (one.set[key] ?? value) === value);
    const one = runs.find(fits) ?? { caller, order, set: {}, chosen: [] };
    if (one.chosen.length === 0) runs.push(one);
    Object.assign(one.set, Object.fromEntries(set));
    one.chosen.push(edited(item, all, picture));
  }
  return runs.sort((one, other) => one.order - other.order);
};

/** Sends requests, each as a caller who may, and returns the responses. */
const sendAll = async (chosen, picture) => {
  const told = [];
  for (const { caller, set, chosen: part } of await runsOf(chosen, picture)) {
    const before = caller === 'partner' && !part.some(({ id }) => id === me.id) ? [me] : [];
    const first = part.filter(({ id }) => id === me.id);
    const token = { access_token: own[caller], access_token_expires_at: Date.now() + 3_600_000 };
    const sent = [...before, ...first, ...part.filter(({ id }) => id !== me.id)];
    const answers = await send(sent, { ...programs['labs-client-storefront'], ...token, ...set });
    told.push(...answers.slice(before.length));
  }
  assert.equal(told.length, chosen.length);
  return told;
};
const report = (told) => told.map(({ id, url, status, text }) => `${id}: ${status} ${url}\n  ${text}`).join('\n');
const ensureOk = (told) => {
  const failed = told.filter(({ status }) => status !== 200);
  assert.equal(failed.length, 0, `${failed.length} of ${told.length} requests did not return 200:\n${report(failed)}`);
};

// 1. A machine client: with its id and secret, the collection issues the token.
ensureOk(await send([itemOf('marketplace_listings_search')], programs['labs-client-storefront']));

// 2. A user signs in and reads `GET /v1/system/me`. The collection saves the token and the partner.
const me = itemOf('system_me_get');
const signIn = structuredClone(itemOf('auth_sessions_create'));
signIn.request.body.raw = JSON.stringify(credentials('jonas.thielemann@elbkontor.example'));
const needsOnlyPartner = /^\{\{base_url\}\}\/v1\/partner\/:partner_uuid(\/[a-z-]+)?$/;
const ofPartner = items.filter(({ request: { method, url } }) => method === 'GET' && needsOnlyPartner.test(url.raw));
assert.ok(ofPartner.length > 5, 'the collection has requests that need no other variable than the partner');
ensureOk(await send([signIn, me, ...ofPartner], {}));

// 3. Every GET, after the resources that the sample data does not have were created.
const own = await tokens();
const values = new Values(base, own, callerOf, operations, places(() => values));
const { json: { partner_uuid } } = await values.get('/v1/system/me');
await furnish(base, own, contract, partner_uuid);
/** Requests that end sessions and accounts come last. */
const orderOf = ({ group, method }) => (method === 'GET' ? 0 : (group === 'auth' ? 2 : 0) + (method === 'DELETE' ? 1 : 0));
const read = await sendAll(items.filter(({ request }) => request.method === 'GET'));
ensureOk(read);

// 4. Everything else.
const picture = join(mkdtempSync(join(tmpdir(), 'labs-')), 'picture.png');
const media = '/v1/marketplace/apps/{app_uuid}/media/{media_uuid}/content';
const shown = await fetch(base + fill(media, await values.of(media)), { headers: { authorization: `Bearer ${own.partner}` } });
writeFileSync(picture, Buffer.from(await shown.arrayBuffer()));
const written = await sendAll(items.filter(({ request }) => request.method !== 'GET'), picture);
const allowed = ({ status }) => (status >= 200 && status < 400) || [401, 403, 404, 409, 410, 412, 422, 429].includes(status);
const refused = written.filter((answer) => !allowed(answer));
assert.equal(refused.length, 0, `${refused.length} of ${written.length} other requests were malformed or failed:\n${report(refused)}`);
const done = written.filter(({ status }) => status < 300).length;
assert.ok(done > written.length / 4, `${done} of ${written.length} succeeded`);
console.log(`newman: ${read.length} GETs returned 200; ${done} of ${written.length} other requests succeeded and none was malformed`);
