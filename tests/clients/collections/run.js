// The collection for Postman in newman, against a service with sample data that is thrown away: first as a program uses it,
// then every GET, which must answer 200, then everything else, of which nothing may be malformed or break the service.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import newman from 'newman';
import { callerOf, programs, tokens } from './callers.js';
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

/** Runs the requests and returns operation, status and body of each response. */
const answers = async (chosen, variables) => {
  const copy = structuredClone({ ...collection, item: chosen });
  copy.variable = copy.variable.filter(({ key }) => !(key in variables));
  copy.variable.push(...Object.entries(variables).map(([key, value]) => ({ key, value })));
  const { run: { executions } } = await run({ collection: copy, reporters: [], timeoutRequest: 30_000 });
  // A request before which a token was asked for is told twice.
  return [...new Map(executions.map((execution) => [execution.item.id, execution])).values()]
    .map(({ item, response, request, requestError }) => ({
      id: operationOf(item).id,
      url: request?.url?.toString(),
      status: response?.code,
      text: requestError ? String(requestError) : response?.stream?.toString('utf8', 0, 600),
    }));
};

/** Copies a request and inserts path values, token and file. */
const prepared = (item, values, token, picture) => {
  const { request } = structuredClone(item);
  for (const variable of request.url.variable) variable.value = values[variable.key] ?? variable.value;
  request.url.path = request.url.path.map((segment) => segment.replace(/\{\{(.+?)\}\}/, (all, name) => values[name] ?? all));
  request.url.raw = undefined;
  if (request.auth?.type !== 'noauth') request.auth = { type: 'bearer', bearer: [{ key: 'token', value: token, type: 'string' }] };
  if (request.body?.file) request.body.file.src = picture;
  for (const field of request.body?.formdata ?? []) if (field.type === 'file') field.src = picture;
  return { ...item, request };
};
const report = (told) => told.map(({ id, url, status, text }) => `${id}: ${status} ${url}\n  ${text}`).join('\n');

// 1. As it is, with a program's id and secret: it asks for its token by itself.
const search = items.filter((item) => operationOf(item).id === 'marketplace_listings_search');
const [asProgram] = await answers(search, programs['labs-client-storefront']);
assert.equal(asProgram.status, 200, report([asProgram]));

// 2. Every GET, after what the sample data has none of was made.
const own = await tokens();
const values = new Values(base, own, callerOf, operations, places(() => values));
const { json: { partner_uuid } } = await values.get('/v1/system/me');
await furnish(base, own, contract, partner_uuid);
const gets = [];
for (const item of items.filter(({ request }) => request.method === 'GET')) {
  const operation = operationOf(item);
  gets.push(prepared(item, await values.of(operation.path), own[callerOf(operation.scope)]));
}
const read = await answers(gets, {});
const failed = read.filter(({ status }) => status !== 200);
assert.equal(read.length, gets.length);
assert.equal(failed.length, 0, `${failed.length} of ${read.length} GETs did not return 200:\n${report(failed)}`);

// 3. Everything else, what ends sessions and accounts last.
const picture = join(mkdtempSync(join(tmpdir(), 'labs-')), 'picture.png');
const media = '/v1/marketplace/apps/{app_uuid}/media/{media_uuid}/content';
const shown = await fetch(base + fill(media, await values.of(media)), { headers: { authorization: `Bearer ${own.partner}` } });
writeFileSync(picture, Buffer.from(await shown.arrayBuffer()));
const order = ({ group, method }) => (group === 'auth' ? 2 : 0) + (method === 'DELETE' ? 1 : 0);
const writes = items.map((item) => ({ item, operation: operationOf(item) })).filter(({ operation }) => operation.method !== 'GET');
writes.sort((one, other) => order(one.operation) - order(other.operation));
const sent = [];
for (const { item, operation } of writes) {
  sent.push(prepared(item, await values.of(operation.path), own[callerOf(operation.scope)], picture));
}
const holding = { access_token: own.storefront, access_token_expires_at: Date.now() + 3_600_000 };
const written = await answers(sent, { ...programs['labs-client-storefront'], ...holding });
const allowed = ({ status }) => (status >= 200 && status < 400) || [401, 403, 404, 409, 410, 412, 422, 429].includes(status);
const refused = written.filter((answer) => !allowed(answer));
assert.equal(written.length, sent.length);
assert.equal(refused.length, 0, `${refused.length} of ${written.length} other requests were malformed or failed:\n${report(refused)}`);
const done = written.filter(({ status }) => status < 300).length;
assert.ok(done > written.length / 4, `${done} of ${written.length} succeeded`);
console.log(`newman: ${read.length} GETs returned 200; ${done} of ${written.length} other requests succeeded and none was malformed`);
