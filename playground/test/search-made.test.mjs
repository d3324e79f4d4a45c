// Tests the search of the reference, without a browser: queries and the results that must come first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { readTexts } from '../reference/texts.mjs';

const load = async (path) => (await runnerImport(fileURLToPath(new URL(path, import.meta.url)), { configFile: false, logLevel: 'error' })).module;
const [{ makeSite }, { find, nearest }, { isOneErrorAway }] = await Promise.all(['../reference/make/index.ts', '../reference/src/find.ts', '../reference/src/words.ts'].map(load));
const site = makeSite(await readTexts());
const json = (name) => JSON.parse(site.files.get(`${site.pieces.slice(1)}${name}`));
const sources = ['index.json', 'fields.json', 'texts.json'].map(json);
const search = (text) => find(text, ...sources);

const concept = (name) => `/reference/concepts/${name}`;
const operation = (id) => `/reference/operations/${id}`;
const code = (name) => `/reference/codes/${name}`;

/** Each search, and the address of its first result. */
const FIRST = [
  // Names of operations, in words and as ids
  ['marketplace_apps_create', operation('marketplace_apps_create')],
  ['create an app', operation('marketplace_apps_create')],
  ['list apps', operation('marketplace_apps_list')],
  ['accept an invitation', operation('auth_invitations_accept')],
  ['vote', operation('engagement_votes_cast')],
  // Methods and paths
  ['GET /v1/marketplace/apps', operation('marketplace_apps_list')],
  ['POST /v1/marketplace/apps', operation('marketplace_apps_create')],
  ['post v1/marketplace/apps', operation('marketplace_apps_create')],
  ['/v1/system/me:explain', operation('system_me_explain')],
  ['https://labs.example/v1/system/health', operation('system_health_get')],
  ['DELETE /v1/marketplace/apps/019bb17b-dcc3-7651-a69e-0d37f2a74de4', operation('marketplace_apps_delete')],
  ['POST /v1/marketplace/apps/019bb17b-dcc3-7651-a69e-0d37f2a74de4:archive', operation('marketplace_apps_archive')],
  ['GET /v1/marketplace/public/listings?q=till', operation('marketplace_listings_search')],
  // Fields, codes, scopes, schemas
  ['tagline', '/reference#/fields/tagline'],
  ['illegal_transition', code('ILLEGAL_TRANSITION')],
  ['IDEMPOTENCY_KEY_REUSED', code('IDEMPOTENCY_KEY_REUSED')],
  ['marketplace.apps:write', '/reference#/scopes/marketplace.apps:write'],
  ['AppCreate', '/reference#/schemas/AppCreate'],
  // Statuses
  ['429', '/reference#/codes/429'],
  ['412', '/reference#/codes/412'],
  ['404 not found', '/reference#/codes/404'],
  ['unprocessable content', '/reference#/codes/422'],
  // Concepts, also by questions and related words
  ['pagination', concept('pagination')],
  ['cursor', concept('pagination')],
  ['next page', concept('pagination')],
  ['webhook', concept('webhooks-and-events')],
  ['webhooks', concept('webhooks-and-events')],
  ['polling', concept('webhooks-and-events')],
  ['sandbox', concept('testing')],
  ['test environment', concept('testing')],
  ['oauth scopes', '/reference#/scopes'],
  ['how do I publish', concept('publishing')],
  ['how do I publish an app?', concept('publishing')],
  ['how do I log in', concept('authentication')],
  ['rate limit', concept('rate-limits')],
  ['too many requests', concept('rate-limits')],
  ['idempotency', concept('idempotency')],
  ['etag', concept('concurrency')],
  ['optimistic locking', concept('concurrency')],
  ['breaking changes', concept('versioning')],
  ['upload a file', concept('files')],
  ['problem document', concept('errors')],
  ['openapi generator', concept('client-generators')],
  ['postman', concept('client-generators')],
  // One wrong letter
  ['pagnation', concept('pagination')],
  ['idempotancy', concept('idempotency')],
  ['webhok', concept('webhooks-and-events')],
  ['authentification', concept('authentication')],
  ['taglime', '/reference#/fields/tagline'],
  ['ILEGAL_TRANSITION', code('ILLEGAL_TRANSITION')],
  ['acept an invitation', operation('auth_invitations_accept')],
  ['create an ap', operation('marketplace_apps_create')],
];

test('searches have the expected first result', () => {
  const wrong = FIRST.map(([text, expected]) => ({ text, expected, found: search(text).hits[0]?.address })).filter(({ expected, found }) => found !== expected);
  assert.deepEqual(wrong, []);
});

/** Each search, and addresses that must be among the results. */
const AMONG = [
  ['429', [code('RATE_LIMITED'), concept('rate-limits')]],
  ['oauth scopes', [concept('authentication')]],
  ['scopes', ['/reference#/scopes', '/reference/concepts/authentication#scopes']],
  ['idempotency key', ['/reference#/glossary/idempotency-key', concept('idempotency')]],
  ['publish', [concept('publishing'), operation('marketplace_versions_publish')]],
  ['webhook', [concept('webhooks-and-events')]],
  // A word of a description: no name contains it.
  ['megapixels', [concept('files')]],
  ['location and camera', [operation('marketplace_media_upload')]],
];

test('searches also find texts, related pages and statuses', () => {
  for (const [text, expected] of AMONG) {
    const found = search(text).hits.map(({ address }) => address);
    assert.deepEqual(expected.filter((address) => !found.includes(address)), [], `${text}: ${found.join(' ')}`);
  }
});

test('result of a description shows the sentence with the word', () => {
  const hit = search('megapixels').hits.find(({ kind }) => kind === 'Concept');
  assert.match(hit.about, /megapixels/);
  assert.ok(hit.about.length < 180, hit.about);
});

test('words that no entry has together are searched separately, and the result says so', () => {
  const { hits, note } = search('invitation tagline');
  const addresses = hits.map(({ address }) => address);
  assert.match(note, /No entry has all words/);
  assert.ok(addresses.includes('/reference#/fields/tagline') && addresses.some((address) => address.includes('invitation')), addresses.join(' '));
  assert.equal(search('create an app').note, '');
});

test('correction is reported and needs a long enough word', () => {
  assert.equal(search('pagnation').note, 'No entry has “pagnation”. Results for “pagination”.');
  assert.deepEqual(search('zqx').hits, []);
  assert.deepEqual(search('zzz qqqqqqqq').hits, []);
  assert.deepEqual(search('  ').hits, []);
  for (const [left, right] of [['abcd', 'abxd'], ['abcd', 'abd'], ['abd', 'abcd'], ['abcd', 'acbd']]) assert.ok(isOneErrorAway(left, right), `${left} ${right}`);
  for (const [left, right] of [['abcd', 'abcd'], ['abcd', 'axxd'], ['abcd', 'ab'], ['abcd', 'badc']]) assert.ok(!isOneErrorAway(left, right), `${left} ${right}`);
});

test('unknown name has the nearest names', () => {
  const near = (name, kind = 'Operation') => nearest(name, kind, ...sources).map(({ address }) => address);
  assert.equal(near('marketplace_app_create')[0], operation('marketplace_apps_create'));
  assert.equal(near('apps_create')[0], operation('marketplace_apps_create'));
  assert.ok(near('marketplace_apps_drop').includes(operation('marketplace_apps_delete')) || near('marketplace_apps_drop').length > 0);
  assert.equal(near('NOT_FOND', 'Code')[0], code('NOT_FOUND'));
  assert.deepEqual(near('xyz'), []);
});

test('index is small enough to load while the reader types', () => {
  const bytes = ['index.json', 'fields.json', 'texts.json'].map((name) => site.files.get(`${site.pieces.slice(1)}${name}`).length);
  assert.ok(bytes.reduce((sum, one) => sum + one) < 400_000, String(bytes));
});
