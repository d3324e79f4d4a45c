// Tests the sample's server in front of a mock service that records every request.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { after, afterEach, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { codingOf } from '../compress.mjs';
import { settings } from '../program.mjs';
import { start } from '../server.mjs';

const SECRET = 'labs_cs_the-secret-of-the-program';
const LISTINGS = '/v1/marketplace/public/listings';

let service;
let sample;
let reached = [];
let tokens = 0;
/** Handler of the mock for reads. A test can replace it. */
let answer;
const found = (_request, response) => response.writeHead(200, { 'Content-Type': 'application/json', ETag: '"1"', 'Set-Cookie': 'a=b', Server: 'inside' }).end('{"data":[]}');

before(async () => {
  answer = found;
  service = await listening((asked, response) => {
    reached.push({ method: asked.method, url: asked.url, headers: asked.headers });
    if (asked.url === '/v1/oauth/token') return issue(asked, response);
    answer(asked, response);
  });
  sample = await start({ base: baseOf(service), port: 0, id: 'a-program', secret: SECRET });
  reached = [];
});
after(() => Promise.all([service, sample].map((server) => new Promise((closed) => (server.closeAllConnections(), server.close(closed))))));
afterEach(() => {
  answer = found;
  reached = [];
});

async function issue(asked, response) {
  let body = '';
  for await (const part of asked) body += part;
  const form = new URLSearchParams(body);
  assert.deepEqual(Object.fromEntries(form), { grant_type: 'client_credentials', client_id: 'a-program', client_secret: SECRET, scope: 'storefront' });
  tokens += 1;
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ access_token: `token-${tokens}`, token_type: 'Bearer', expires_in: 3600 }));
}

function listening(handle) {
  const server = createServer((asked, response) => void Promise.resolve(handle(asked, response)));
  return new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(server)));
}

const baseOf = (server) => `http://127.0.0.1:${server.address().port}`;

/** Sends a request to the sample without normalizing the target, unlike most client libraries. */
function ask(path, { method = 'GET', headers = {} } = {}) {
  return new Promise((done, failed) => {
    const asked = request({ host: '127.0.0.1', port: sample.address().port, path, method, headers, agent: false }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part)).on('end', () => done({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(parts), body: Buffer.concat(parts).toString() }));
    });
    asked.on('error', failed).end();
  });
}

test('GET of the storefront is forwarded without the browser’s credentials', async () => {
  const { status, headers, body } = await ask(`${LISTINGS}?q=a%20b&category=x&category=y`, { headers: { Cookie: '__Host-refresh=of-a-person', Authorization: 'Bearer of-a-person', 'If-None-Match': '"0"', 'X-Forwarded-For': '10.0.0.1' } });
  assert.deepEqual([status, body, headers.etag], [200, '{"data":[]}', '"1"']);
  assert.equal(headers['set-cookie'] ?? headers.server, undefined, 'only necessary headers are forwarded');
  const [{ url, headers: sent }] = reached;
  assert.equal(url, `${LISTINGS}?q=a%20b&category=x&category=y`);
  assert.equal(sent.authorization, `Bearer token-${tokens}`);
  assert.equal(sent['if-none-match'], '"0"');
  assert.equal(sent.cookie ?? sent['x-forwarded-for'], undefined);
});

test('other methods than GET are rejected', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
    const { status, headers, body } = await ask(`${LISTINGS}/tip-jar/reviews`, { method });
    assert.deepEqual([status, headers.allow, headers['content-type']], [405, 'GET', 'application/problem+json'], method);
    if (method !== 'HEAD') assert.equal(JSON.parse(body).status, 405);
  }
  assert.deepEqual(reached, []);
});

test('other paths than the storefront are rejected in every spelling', async () => {
  const others = [
    '/v1/engagement/feature-requests',
    '/v1/oauth/token',
    '/v1/marketplace/apps',
    '/v1/marketplace/public',
    '/v1/marketplace/publicity/listings',
    '/v1/marketplace/public/../apps',
    '/v1/marketplace/public/%2e%2e/apps',
    '/v1/marketplace/public/.%2e/%2E./system/me',
    '/v1\\marketplace\\public\\..\\..\\system\\me',
    '//v1/marketplace/public/listings',
    'http://127.0.0.1:1/v1/marketplace/public/listings',
    '/server.mjs',
    '/../server.mjs',
    '/assets/../../program.mjs',
  ];
  for (const path of others) {
    const { status, headers, body } = await ask(path);
    assert.deepEqual([status, headers['content-type']], [404, 'application/problem+json'], path);
    assert.equal(typeof JSON.parse(body).detail, 'string');
  }
  assert.deepEqual(reached, []);
});

test('no response contains secret or token', async () => {
  const answers = [];
  for (const path of ['/', '/board', '/config.json', '/icon.svg', LISTINGS, '/none', `${LISTINGS}?q=${'x'.repeat(9_000)}`]) answers.push(await ask(path));
  answers.push(await ask(LISTINGS, { method: 'POST' }));
  answer = (_asked, response) => response.writeHead(500, { 'Content-Type': 'application/problem+json' }).end('{"status":500}');
  answers.push(await ask(LISTINGS));
  answer = (_asked, response) => response.destroy();
  answers.push(await ask(LISTINGS));
  assert.deepEqual(answers.slice(-2).map(({ status }) => status), [500, 502]);
  for (const { headers, body } of answers) assert.doesNotMatch(JSON.stringify(headers) + body, /the-secret|token-\d|a-program/);
});

test('policy of pages names only the service', async () => {
  for (const path of ['/', '/listings', '/listings/tip-jar', '/board/new']) {
    const { status, headers, body } = await ask(path);
    assert.deepEqual([status, headers['content-type'], headers['x-content-type-options']], [200, 'text/html; charset=utf-8', 'nosniff']);
    const policy = headers['content-security-policy'];
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.deepEqual([...new Set(policy.match(/https?:\/\/\S+?(?=[;\s]|$)/g))], [baseOf(service)]);
    assert.doesNotMatch(body, /<script(?![^>]* src=)|<style|\son\w+=/);
  }
});

test('requests share a token, and a rejected token is replaced', async () => {
  const before = tokens;
  await Promise.all(Array.from({ length: 8 }, () => ask(LISTINGS)));
  assert.equal(tokens, before);
  const old = `Bearer token-${tokens}`;
  answer = (asked, response) => (asked.headers.authorization === old ? response.writeHead(401).end() : found(asked, response));
  assert.equal((await ask(LISTINGS)).status, 200);
  assert.equal(tokens, before + 1);
  answer = (_asked, response) => response.writeHead(401, { 'Content-Type': 'application/problem+json' }).end('{"status":401}');
  assert.equal((await ask(LISTINGS)).status, 401, 'the second 401 is forwarded');
  assert.equal(tokens, before + 2);
});

test('429 is forwarded with Retry-After', async () => {
  answer = (_asked, response) => response.writeHead(429, { 'Content-Type': 'application/problem+json', 'Retry-After': '7' }).end('{"status":429}');
  const { status, headers } = await ask(LISTINGS);
  assert.deepEqual([status, headers['retry-after'], headers['content-type']], [429, '7', 'application/problem+json']);
});

test('missing settings are reported', async () => {
  assert.throws(() => settings({ LABS_FOLDER: '/nowhere' }), /there is no \/nowhere\/sign-ins\.txt[\s\S]*LABS_CLIENT_ID/);
  assert.throws(() => settings({ LABS_BASE: 'labs' }), /LABS_BASE is not an http or https URL: labs/);
  const set = settings({ LABS_CLIENT_ID: 'a', LABS_CLIENT_SECRET: SECRET });
  assert.deepEqual(set, { base: 'http://127.0.0.1:8080', port: 8090, id: 'a', secret: SECRET });
  const refusing = await listening((_asked, response) => response.writeHead(401).end());
  await assert.rejects(start({ ...set, base: baseOf(refusing), port: 0 }), (error) => /issued no token for the machine client a /.test(error.message) && !error.message.includes(SECRET));
  await new Promise((closed) => refusing.close(closed));
  await assert.rejects(start({ ...set, base: baseOf({ address: () => ({ port: 1 }) }), port: 0 }), /does not respond\. Start it with \.\/run/);
});

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync };

test('browser chooses the coding', () => {
  const cases = { '': 'identity', identity: 'identity', gzip: 'gzip', 'gzip, deflate, br, zstd': 'br', 'br;q=0.5, gzip;q=0.8': 'gzip', 'br;q=0, gzip': 'gzip', 'br;q=0, gzip;q=0': 'identity', '*': 'br', '*;q=0': 'identity', 'GZIP': 'gzip', 'br;q=x': 'identity' };
  for (const [accepted, coding] of Object.entries(cases)) assert.equal(codingOf(accepted), coding, accepted);
});

test('files are compressed and validated, each coding with its own tag', async () => {
  const script = /src="(\/assets\/[^"]+\.js)"/.exec((await ask('/')).body)[1];
  const style = /href="(\/assets\/[^"]+\.css)"/.exec((await ask('/')).body)[1];
  for (const path of [script, style]) {
    const plain = await ask(path);
    assert.equal(plain.headers['content-encoding'], undefined);
    const tags = new Set([plain.headers.etag]);
    for (const [coding, decode] of Object.entries(DECODERS)) {
      const { status, headers, bytes } = await ask(path, { headers: { 'Accept-Encoding': coding } });
      assert.deepEqual([status, headers['content-encoding'], headers.vary], [200, coding, 'Accept-Encoding']);
      assert.ok(bytes.length < plain.bytes.length / 2, `${path} as ${coding}: ${bytes.length} of ${plain.bytes.length} bytes`);
      assert.deepEqual(decode(bytes), plain.bytes);
      const again = await ask(path, { headers: { 'Accept-Encoding': coding, 'If-None-Match': headers.etag } });
      assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, headers.etag]);
      tags.add(headers.etag);
    }
    assert.equal(tags.size, 3);
  }
});

test('forwarded response is compressed with a weak tag', async () => {
  const long = JSON.stringify({ data: Array.from({ length: 200 }, (_, place) => `app ${place}`) });
  answer = (_asked, response) => response.writeHead(200, { 'Content-Type': 'application/json', ETag: '"1"' }).end(long);
  for (const [coding, decode] of Object.entries(DECODERS)) {
    const { headers, bytes } = await ask(LISTINGS, { headers: { 'Accept-Encoding': coding } });
    assert.deepEqual([headers['content-encoding'], headers.etag, headers.vary], [coding, 'W/"1"', 'Accept-Encoding']);
    assert.equal(decode(bytes).toString(), long);
    assert.ok(bytes.length < long.length / 2);
  }
  answer = (_asked, response) => response.writeHead(304, { ETag: '"1"' }).end();
  const { status, headers, bytes } = await ask(LISTINGS, { headers: { 'Accept-Encoding': 'br', 'If-None-Match': 'W/"1"' } });
  assert.deepEqual([status, headers['content-encoding'], bytes.length], [304, undefined, 0]);
});
