// Runs the reference's samples unchanged against the service in LABS_TEST_BASE, with a partner administrator
// (LABS_TEST_PERSON_EMAIL, LABS_TEST_PERSON_PASSWORD) and a machine client (LABS_TEST_CLIENT_ID,
// LABS_TEST_CLIENT_SECRET).
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crc32, deflateSync } from 'node:zlib';
import { runnerImport } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const load = async (path) => (await runnerImport(here(path), { configFile: false, logLevel: 'error' })).module;
const { LABS_TEST_BASE, LABS_TEST_PERSON_EMAIL, LABS_TEST_PERSON_PASSWORD, LABS_TEST_CLIENT_ID, LABS_TEST_CLIENT_SECRET } = process.env;
const base = LABS_TEST_BASE?.replace(/\/$/, '');
const skip = !base && 'samples need a real service';

/** Operations whose samples run unchanged. */
const AS_THEY_STAND = [
  'system_health_get', 'system_contract_get', 'system_me_get', 'system_me_explain', 'auth_account_get', 'auth_account_update', 'auth_sessions_list',
  'auth_tokens_issue', 'subscription_public_tiers_list', 'publication_feeds_get', 'marketplace_apps_list', 'marketplace_apps_create',
];
/** Operations whose samples need the id of an existing app. */
const WITH_AN_APP = ['marketplace_apps_get', 'marketplace_apps_update', 'marketplace_media_upload'];
const PROGRAMS = { curl: ['bash', 'sample.sh'], TypeScript: [process.execPath, 'sample.mjs'], Python: [process.env.LABS_TEST_PYTHON ?? 'python3', 'sample.py'] };

let folder, contract, samples, token;
before(async () => {
  if (!base) return;
  const [made, module] = await Promise.all(['../reference/make/contract.ts', '../reference/make/samples/index.ts'].map(load));
  contract = made.readContract(await readFile(here('../../contract/openapi.yaml'), 'utf8'));
  samples = module.samplesOf;
  token = (await call('POST', '/v1/auth/sessions', { email: LABS_TEST_PERSON_EMAIL, password: LABS_TEST_PERSON_PASSWORD })).access_token;
  folder = await mkdtemp(join(tmpdir(), 'labs-samples-'));
  await writeFile(join(folder, 'icon.png'), picture(256));
});
after(async () => folder && rm(folder, { recursive: true }));

async function call(method, path, body) {
  const headers = { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(`${base}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  assert.ok(response.ok, `${method} ${path} answered ${response.status}`);
  return response.status === 204 ? null : response.json();
}

/** Creates a square PNG with one colour. */
function picture(side) {
  const chunk = (name, content) => {
    const whole = Buffer.concat([Buffer.from(name), content]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    sum.writeUInt32BE(crc32(whole));
    return Buffer.concat([length, whole, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8);
  const rows = Buffer.concat(Array.from({ length: side }, () => Buffer.concat([Buffer.from([0]), Buffer.alloc(side * 3, 120)])));
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

/** Runs a sample and returns its output. Throws if the sample fails. */
async function run(name, code) {
  const [program, file] = PROGRAMS[name];
  await writeFile(join(folder, file), code);
  const { LABS_TEST_BASE: _, ...rest } = process.env;
  const env = { ...rest, LABS_BASE: base, LABS_TOKEN: token, LABS_CLIENT_ID: LABS_TEST_CLIENT_ID, LABS_CLIENT_SECRET: LABS_TEST_CLIENT_SECRET };
  const { stdout } = await promisify(execFile)(program, [file], { cwd: folder, env, maxBuffer: 16e6 });
  return stdout;
}

const samplesOf = (id) => samples(contract, contract.operations.find((operation) => operation.id === id));
const appNamed = async (slug) => (await call('GET', '/v1/marketplace/apps?limit=100')).data.find((app) => app.slug === slug);

for (const id of AS_THEY_STAND) {
  test(`samples of ${id} run unchanged`, { skip }, async () => {
    for (const { name, code } of samplesOf(id)) {
      const said = await run(name, code);
      assert.ok(said.length > 2, `${name} printed ${said}`);
      if (id !== 'marketplace_apps_create') continue;
      // Every sample creates the same app. The test removes it, so that the next sample finds the slug free.
      const app = await appNamed('mise-shift-board');
      assert.ok(app && said.includes(app.uuid), name);
      await call('DELETE', `/v1/marketplace/apps/${app.uuid}`);
    }
  });
}

for (const id of WITH_AN_APP) {
  test(`samples of ${id} run with the id of an app`, { skip }, async () => {
    const app = await call('POST', '/v1/marketplace/apps', { name: `Samples of ${id.replaceAll('_', ' ')}` });
    for (const { name, code } of samplesOf(id)) {
      const own = code.replace('019bb17b-dcc3-7651-a69e-0d37f2a74de4', app.uuid);
      assert.notEqual(own, code);
      assert.ok((await run(name, own)).includes('uuid'), name);
    }
    const now = await call('GET', `/v1/marketplace/apps/${app.uuid}`);
    if (id === 'marketplace_apps_update') assert.equal(now.support_url, 'https://mise.example/help');
    if (id === 'marketplace_media_upload') assert.ok(now.icon, 'the icon is there');
    await call('DELETE', `/v1/marketplace/apps/${app.uuid}`);
  });
}

/** The first shell example of each concept page, and all of the page about following changes, each in a separate folder, with the status codes that their output must contain. */
const EXPECTED = { idempotency: /idempotency-replayed: true/i, concurrency: / 412 .*/, errors: /compnay_name/, 'rate-limits': /x-ratelimit-daily-remaining: \d+/i, publishing: /"ready":false/, testing: /"allowed":true/, agents: /marketplace_apps_create/, 'webhooks-and-events': /"next_cursor":"/ };

for (const name of ['authentication', 'errors', 'pagination', 'idempotency', 'concurrency', 'rate-limits', 'versioning', 'files', 'webhooks-and-events', 'publishing', 'testing', 'oauth', 'agents', 'client-generators']) {
  test(`example of the concept page ${name} runs unchanged`, { skip }, async () => {
    const text = await readFile(here(`../reference/concepts/${name}.md`), 'utf8');
    const examples = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, example]) => example);
    for (const example of name === 'webhooks-and-events' ? examples : examples.slice(0, 1)) {
      const said = await run('curl', `set -euo pipefail\n${example}`);
      assert.match(said, EXPECTED[name] ?? (name === 'client-generators' ? /^$/ : /./));
    }
    // The free tier allows three apps, and each example may create one.
    for (const app of (await call('GET', '/v1/marketplace/apps?limit=100')).data) if (app.name.startsWith('Table Pilot (')) await call('DELETE', `/v1/marketplace/apps/${app.uuid}`);
  });
}
