// Tests the endpoint for agents of the service in LABS_TEST_BASE: with the conformance suite of the protocol, and with
// its official client, as the person of LABS_TEST_PERSON_….
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { LABS_TEST_BASE: base, LABS_TEST_PERSON_EMAIL: email, LABS_TEST_PERSON_PASSWORD: password } = process.env;
const url = `${base}/mcp`;

let token;
before(async () => {
  const body = JSON.stringify({ email, password });
  const answer = await fetch(`${base}/v1/auth/sessions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  ({ access_token: token } = await answer.json());
  assert.ok(token, 'the sign-in returns a token');
});

test('endpoint passes the conformance suite', async () => {
  const suite = ['node_modules/@modelcontextprotocol/conformance/dist/index.js', 'server', '--url', url];
  const options = ['--import', './node20.mjs', ...suite, '--expected-failures', 'expected-failures.yaml'];
  const { stdout } = await promisify(execFile)(process.execPath, options, { maxBuffer: 64 << 20 });
  for (const scenario of ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']) {
    assert.match(stdout, new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`), stdout);
  }
});

/** Connects the official client, with the token of the person or without one. */
async function connect(headers) {
  const client = new Client({ name: 'labs-test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

const call = (client, args) => client.callTool({ name: 'call_operation', arguments: args });

test('client finds an operation, previews its call and confirms it', async () => {
  const client = await connect({ authorization: `Bearer ${token}` });
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ['find_operations', 'call_operation']);
  const found = await client.callTool({ name: 'find_operations', arguments: { words: 'create a new app' } });
  const [{ operation_id: id }] = found.structuredContent.operations;
  assert.equal(id, 'marketplace_apps_create');

  const body = { name: `Agent ${Date.now()}` };
  const preview = await call(client, { operation_id: id, body });
  assert.equal(preview.structuredContent.sent, false);
  assert.equal(preview.structuredContent.permission.allowed, true);
  const list = async () => (await call(client, { operation_id: 'marketplace_apps_list' })).structuredContent.body.data;
  assert.ok(!(await list()).some(({ name }) => name === body.name), 'nothing was written');

  const created = await call(client, { operation_id: id, body, confirm: true });
  assert.equal(created.structuredContent.status, 201);
  assert.ok((await list()).some(({ name }) => name === body.name));
  await client.close();
});

test('client without a token finds operations and is told what a call needs', async () => {
  const client = await connect({});
  const answer = await call(client, { operation_id: 'system_me_get' });
  assert.equal(answer.isError, true);
  assert.equal(answer.structuredContent.body.code, 'UNAUTHENTICATED');
  await client.close();
});

test('client with an invalid token is rejected', async () => {
  await assert.rejects(connect({ authorization: 'Bearer nonsense' }), /401|[Uu]nauthorized/);
});
