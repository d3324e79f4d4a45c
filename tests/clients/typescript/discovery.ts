// Test that a program finds everything from a rejection: openid-client reads the metadata of the OAuth server and gets a
// token, and openapi-fetch makes the first call with it.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import * as oauth from 'openid-client';
import type { paths } from './made/contract.js';

const labs = createClient<paths>({ baseUrl: process.env.LABS_TEST_BASE! });

const rejected = await labs.GET('/v1/system/me');
assert.equal(rejected.response.status, 401);
const address = /resource_metadata="([^"]+)"/.exec(rejected.response.headers.get('www-authenticate')!)![1]!;
const resource: { resource: string; authorization_servers: string[] } = await (await fetch(address)).json();
assert.equal(resource.resource, process.env.LABS_TEST_BASE);

const server = new URL(resource.authorization_servers[0]!);
const config = await oauth.discovery(server, process.env.LABS_TEST_CLIENT_ID!, process.env.LABS_TEST_CLIENT_SECRET!, undefined, {
  algorithm: 'oauth2',
  // The service under test uses plain HTTP on the loopback interface.
  execute: [oauth.allowInsecureRequests],
});
const token = await oauth.clientCredentialsGrant(config, { scope: 'storefront' });
assert.equal(token.scope, 'storefront');
const headers = { Authorization: `Bearer ${token.access_token}` };
const me = await labs.GET('/v1/system/me', { headers });
assert.equal(me.data?.client_id, process.env.LABS_TEST_CLIENT_ID, me.error?.detail);

assert.equal((await oauth.tokenIntrospection(config, token.access_token)).active, true);
await oauth.tokenRevocation(config, token.access_token);
// A revocation takes effect within one second.
const deadline = Date.now() + 5_000;
while ((await oauth.tokenIntrospection(config, token.access_token)).active && Date.now() < deadline) {
  await new Promise((resume) => setTimeout(resume, 50));
}
assert.equal((await labs.GET('/v1/system/me', { headers })).response.status, 401);
