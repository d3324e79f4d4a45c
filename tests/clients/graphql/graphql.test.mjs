// Tests the playground's endpoint, of the service in LABS_TEST_BASE, with the audit suite of GraphQL over HTTP and with
// three GraphQL clients. Signs in as the staff member of LABS_TEST_STAFF_….
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { serverAudits } from 'graphql-http';
import { GraphQLClient } from 'graphql-request';
import { freshCode } from '../../../playground/test/totp.mjs';

const { LABS_TEST_BASE: base, LABS_TEST_STAFF_EMAIL: email, LABS_TEST_STAFF_PASSWORD: password } = process.env;
const url = `${base}/playground/graphql`;

/** Audits that the endpoint fails on purpose, each with its reason. */
const EXCEPTIONS = {
  '5A70': 'queries are accepted only as POST: a URL is logged, and a query can contain ids and names of people',
  D6D5: 'as 5A70',
  '6A70': 'as 5A70',
};

let authorization;
before(async () => {
  const { challenge } = await post('/v1/auth/sessions', { email, password });
  const code = await freshCode(process.env.LABS_TEST_STAFF_TOTP_SECRET);
  const { access_token: token } = await post('/v1/auth/sessions:verify-mfa', { challenge, code });
  assert.ok(token, 'the sign-in returns a token');
  authorization = `Bearer ${token}`;
});

async function post(path, body) {
  const answer = await fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return answer.json();
}

test('endpoint passes the audits of GraphQL over HTTP', async () => {
  const fetchFn = (to, init = {}) => fetch(to, { ...init, headers: { ...init.headers, authorization } });
  const failed = {};
  // One after the other, because an account has a budget per second.
  for (const audit of serverAudits({ url, fetchFn })) {
    const result = await audit.fn();
    if (result.status !== 'ok') failed[audit.id] = `${audit.name}: ${result.reason}`;
  }
  assert.deepEqual(Object.keys(failed).sort(), Object.keys(EXCEPTIONS).sort(), JSON.stringify(failed, null, 2));
});

/** Each client returns the errors of a query: the message and the extensions of each. */
const CLIENTS = {
  'graphql-request': async (query, variables) => {
    const client = new GraphQLClient(url, { headers: { authorization } });
    const error = await client.request(query, variables).then(() => undefined, (error) => error);
    return error?.response.errors ?? [];
  },
  urql: async (query, variables) => {
    const client = new Client({ url, exchanges: [fetchExchange], preferGetMethod: false, fetchOptions: { headers: { authorization } } });
    const { error } = await client[kindOf(query)](query, variables).toPromise();
    return error?.graphQLErrors ?? [];
  },
  Apollo: async (query, variables) => {
    const link = ApolloLink.from([new HttpLink({ uri: url, headers: { authorization } })]);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const method = { query: 'query', mutation: 'mutate' }[kindOf(query)];
    const error = await client[method]({ [kindOf(query)]: gql(query), variables }).then(() => undefined, (error) => error);
    return error?.errors ?? [];
  },
};

/** Returns the first word of a query: `query` or `mutation`. */
function kindOf(query) {
  return query.split(' ', 1)[0];
}

for (const [name, ask] of Object.entries(CLIENTS)) {
  test(`${name} shows why a query was rejected`, async () => {
    assert.deepEqual(await ask('query me { system_me_get { principal_type } }', {}), []);

    const [unknown] = await ask('query wrong { no_such_field { uuid } }', {});
    assert.match(unknown.message, /The schema has no root field `no_such_field`/);

    const job = 'mutation run($job: JobCode!) { admin_jobs_run(job_code: $job) { uuid } }';
    const [missing] = await ask(job, {});
    assert.match(missing.message, /The variable `\$job` is missing/);
    assert.equal(missing.extensions.errors[0].pointer, '/variables/job');

    const lock = `mutation lock($user: UUID!) { admin_users_lock(user_uuid: $user, body: {reason: ""}) { uuid } }`;
    const [short] = await ask(lock, { user: '00000000-0000-7000-8000-000000000000' });
    assert.equal(short.extensions.code, 'VALIDATION_FAILED');
    assert.equal(short.extensions.errors[0].pointer, '/reason');
    assert.ok(short.message.includes(short.extensions.errors[0].message), short.message);
  });
}
