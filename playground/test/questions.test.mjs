// Tests the saved queries, the lookups for their variables' values, and the page's schema data.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildSchema, parse, validate } from 'graphql';
import { runnerImport } from 'vite';
import { accessOf } from '../page/plugins.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const part = async (name) => (await runnerImport(here(`../page/src/${name}.ts`), { configFile: false, logLevel: 'error' })).module;
const [{ QUESTIONS, WORKS }, { FINDERS, choicesOf }, { standingOf, openRoots }, things, { readingOf }] = await Promise.all(['questions', 'finders', 'access', 'things', 'reading'].map(part));

const sdl = readFileSync(here('../../schema/schema.graphql'), 'utf8');
const schema = buildSchema(sdl);
const access = accessOf(sdl);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/;

for (const name of readdirSync(here('../questions'))) {
  test(`saved query ${name} is described and fits the schema`, () => {
    const text = readFileSync(here(`../questions/${name}`), 'utf8');
    const [title, sentence] = text.split('\n');
    assert.match(title, /^# [A-Z].*[^.]$/);
    assert.match(sentence, /^# [A-Z].*\.$/);
    assert.deepEqual(validate(schema, parse(text)).map(String), []);
    assert.doesNotMatch(text, UUID, 'a saved query contains no invented id');
    const question = QUESTIONS.find((one) => `${one.name}.graphql` === name);
    assert.ok(WORKS.includes(question.work), question.work);
    assert.equal(question.operation.name, question.name);
    const given = Object.keys(question.variables ? JSON.parse(question.variables) : {});
    const sought = question.operation.variables.filter((one) => one.isRequired && !given.includes(one.name));
    assert.deepEqual(sought.filter((one) => !FINDERS.has(one.name)), [], 'each required variable has a finder or an initial value');
  });
}

for (const name of readdirSync(here('../finders'))) {
  test(`finder ${name} fits the schema and is used`, () => {
    const text = readFileSync(here(`../finders/${name}`), 'utf8');
    assert.match(text, /^# [A-Z].*[^.]\n/);
    assert.match(text, /\bvalue: \w+/);
    assert.deepEqual(validate(schema, parse(text)).map(String), []);
    const variable = name.replace('.graphql', '');
    const isAsked = QUESTIONS.some(({ operation }) => operation.variables.some((one) => one.name === variable));
    assert.ok(isAsked || access.readers.some((reader) => reader.variable === variable));
  });
}

test('waiting submissions are selected by state, oldest first', () => {
  const { text } = QUESTIONS.find(({ name }) => name === 'submissions_waiting');
  assert.match(text, /state: \[SUBMITTED, IN_REVIEW\]/);
  assert.match(text, /sort: SUBMITTED_AT\b/);
});

test('staff roles can run exactly the queries of their scopes', () => {
  const roles = {
    reviewer: ['labs.admin.submissions:write', 'labs.admin.reviews:write', 'labs.admin.apps', 'labs.admin.categories'],
    support: ['labs.admin.support:write', 'labs.admin.partners', 'labs.admin.users', 'labs.admin.apps', 'labs.admin.subscriptions'],
    auditor: ['labs.admin.audit', 'labs.admin.overview'],
  };
  const open = (held) => QUESTIONS.filter(({ operation }) => standingOf(access, held, operation).missing.length === 0).map(({ name }) => name);
  assert.ok(['submissions_waiting', 'submission_claim', 'submission_approve', 'submission_request_changes'].every((name) => open(roles.reviewer).includes(name)));
  assert.ok(['tickets_waiting', 'partner_by_name', 'person_by_address'].every((name) => open(roles.support).includes(name)));
  assert.ok(['audit_latest', 'audit_refused'].every((name) => open(roles.auditor).includes(name)));
  assert.ok(!open(roles.auditor).includes('submissions_waiting') && !open(roles.support).includes('submission_claim'));
  assert.ok(['throttled', 'mail_failed', 'jobs'].every((name) => open(['labs.admin.limits:write', 'labs.admin.operations:write']).includes(name)));
});

test('access of every root field equals the schema', () => {
  for (const [type, needs] of [[schema.getQueryType(), access.query], [schema.getMutationType(), access.mutation]]) {
    const said = Object.entries(type.getFields()).flatMap(([name, { astNode }]) => {
      const directive = astNode.directives.find((one) => one.name.value === 'access');
      return directive ? [[name, directive.arguments[0].value.value]] : [];
    });
    assert.deepEqual(needs, Object.fromEntries(said));
  }
  assert.deepEqual(standingOf(access, ['labs.admin'], { kind: 'mutation', roots: ['marketplace_submissions_claim'] }), { missing: ['labs.admin.submissions:write'], closed: [] });
  assert.equal(standingOf(access, ['labs.admin:write'], { kind: 'query', roots: ['admin_audit_records_export'] }).closed.length, 1, 'a file comes by REST');
  assert.deepEqual(standingOf(access, [], { kind: 'query', roots: ['system_me_get'] }), { missing: [], closed: [] });
  assert.ok(openRoots(access, ['labs.admin.audit'], 'query').includes('admin_audit_records_list'));
  assert.ok(!openRoots(access, ['labs.admin.audit'], 'query').includes('admin_partners_list'));
});

test('id is recognized by field, containing object or root field', () => {
  const id = '0193a4b1-02aa-7e31-8c55-1d0f9a7b6c02';
  const at = (root, path, holder = {}, value = id) => things.thingAt(access, { root, path: path.split('.'), holder }, value)?.variable ?? null;
  assert.equal(at('marketplace_submissions_list', 'uuid'), 'submission_uuid');
  assert.equal(at('admin_partners_list', 'uuid'), 'partner_uuid');
  assert.equal(at('marketplace_submissions_list', 'partner_uuid'), 'partner_uuid');
  assert.equal(at('admin_partners_list', 'apps.uuid'), 'app_uuid', 'behind an edge');
  assert.equal(at('admin_partners_list', 'apps.versions.submissions.uuid'), 'submission_uuid', 'behind several');
  assert.equal(at('partner_support_desk_get', 'opened_by_uuid'), 'user_uuid');
  assert.equal(at('marketplace_submissions_list', 'reviewer.uuid'), 'staff_uuid');
  assert.equal(at('admin_audit_records_list', 'actor.uuid', { kind: 'STAFF_USER' }), 'staff_uuid');
  assert.equal(at('admin_audit_records_list', 'target.uuid', { kind: 'SUPPORT_TICKET' }), 'ticket_uuid');
  assert.equal(at('admin_audit_records_list', 'request_id', {}, '01a2180c'), 'request_id');
  assert.equal(at('admin_users_list_sessions', 'uuid'), null, 'the id of a session does not identify a user');
  assert.equal(at('admin_audit_records_list', 'operation', {}, 'admin_jobs_run'), null);
});

test('resource without a saved query gets a generated query', () => {
  const all = () => true;
  assert.equal(things.readerOf(access, 'partner_uuid', all), 'admin_partners_get');
  assert.equal(things.readerOf(access, 'partner_uuid', (name) => name === 'admin_profiles_get'), 'admin_profiles_get');
  assert.equal(things.readerOf(access, 'partner_uuid', () => false), undefined);
  for (const { field, variable } of access.readers) {
    const text = readingOf(schema, access, field, { variable, id: '' });
    assert.deepEqual(validate(schema, parse(text)).map(String), [], text);
  }
  assert.doesNotMatch(readingOf(schema, access, 'marketplace_submissions_get', { variable: 'submission_uuid', id: '' }), /^ {4}app \{/m, 'an edge requires a separate scope');
});

test('choices are the entries of the first list with values', () => {
  const body = { data: { a: { checklist: { items: [{ value: 'REQ-06', title: 'Screenshots', more: { name: 'x' }, none: null }, { value: null }] } } } };
  assert.deepEqual(choicesOf(body), [{ value: 'REQ-06', label: 'Screenshots · x' }]);
  assert.deepEqual(choicesOf({ data: null }), []);
});
