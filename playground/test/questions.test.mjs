// Tests the saved queries, the lookups for their variables' values, and the page's schema data.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildSchema, parse, validate } from 'graphql';
import { runnerImport } from 'vite';
import { inputsPlugin } from '../page/inputs.mjs';
import { accessOf } from '../page/plugins.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const options = { configFile: false, logLevel: 'error', plugins: [inputsPlugin()] };
const part = async (name) => (await runnerImport(here(`../page/src/${name}.ts`), options)).module;
const [{ QUESTIONS, WORKS }, { FINDERS, choicesOf }, { standingOf, openRoots }, things, { readingOf }, { shapesOf }] = await Promise.all(
  ['questions', 'finders', 'access', 'things', 'reading', 'form/shape'].map(part),
);

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
    const shapes = shapesOf(question.text, question.fields);
    assert.deepEqual(shapes.map((shape) => shape.name), question.operation.variables.map((one) => one.name).filter((one) => one !== 'cursor'));
    const fields = flatten(shapes);
    assert.deepEqual(fields.filter(isUnfillable).map((one) => one.name), [], 'each required field has a control, and each id has a finder');
    assert.deepEqual(Object.keys(question.fields).filter((one) => !fields.some((field) => field.name === one)), [], 'options of unknown fields');
    for (const { finder } of fields) {
      const needed = finder?.operation.variables.filter((one) => one.isRequired) ?? [];
      assert.deepEqual(needed.filter((one) => !shapes.some((shape) => shape.name === one.name)), [], `finder ${finder?.variable}`);
    }
  });
}

/** The fields of a form with the fields inside them. */
function flatten(shapes) {
  return shapes.flatMap((shape) => [shape, ...flatten(shape.fields)]);
}

/** An id without a finder, or a required value of any type, which has no better control than JSON. */
function isUnfillable({ type, kind, finder, isRequired }) {
  return (/^\[?UUID/.test(type) && !finder) || (isRequired && kind === 'json');
}

test('every limit of a field comes from the contract', () => {
  const fieldOf = (name, field) => flatten(shapesOf(QUESTIONS.find((one) => one.name === name).text, {})).find((one) => one.name === field);
  assert.deepEqual([fieldOf('submission_request_changes', 'text').min, fieldOf('submission_request_changes', 'text').max], [5, 2000]);
  assert.equal(fieldOf('submission_approve', 'note').kind, 'lines');
  assert.equal(fieldOf('rate_limit_override', 'expires_at').kind, 'time');
  assert.deepEqual(fieldOf('feature_request_change_status', 'status').choices.at(-1), ['DECLINED', 'Will not be implemented.']);
  assert.equal(fieldOf('feature_request_change_status', 'feature_request_uuid').label, 'Feature request');
  assert.match(fieldOf('user_lock', 'reason').description, /Only staff can read it\./, 'the contract of the operation decides who reads a reason');
});

/** Changes that no role makes weekly. The editor and its completion serve for them. */
const RARE = [
  ['admin_machine_clients', ['create', 'update', 'put_scopes', 'rotate_secret', 'delete_secret']],
  ['admin_partners', ['create', 'erase']],
  ['admin_profiles', ['delete_image']],
  ['admin_signing_keys', ['rotate']],
  ['admin_staff', ['create', 'update', 'put_roles', 'disable', 'enable']],
  ['admin_staff_roles', ['create', 'update', 'delete']],
  ['admin_deprecations', ['delete']],
  ['engagement_topics', ['create', 'update']],
  ['marketplace_categories', ['create', 'update', 'move', 'delete']],
  ['marketplace_collections', ['create', 'delete']],
  ['publication_items', ['put_artefact']],
  ['subscription_features', ['create', 'update']],
  ['subscription_tiers', ['create', 'update', 'put_features', 'offer', 'retire']],
].flatMap(([resource, verbs]) => verbs.map((verb) => `${resource}_${verb}`));

test('every frequent change of staff has a task', (context) => {
  const changes = Object.keys(access.mutation).filter((name) => access.mutation[name].startsWith('labs.admin'));
  const served = new Set(QUESTIONS.filter(({ operation }) => operation.kind === 'mutation').flatMap(({ operation }) => operation.roots));
  context.diagnostic(`${served.size} of ${changes.length} changes have a task: ${[...served].sort().join(', ')}`);
  assert.deepEqual(changes.filter((name) => !served.has(name)).sort(), RARE.sort());
});

for (const name of readdirSync(here('../finders'))) {
  test(`finder ${name} fits the schema and is used`, () => {
    const text = readFileSync(here(`../finders/${name}`), 'utf8');
    assert.match(text, /^# [A-Z].*[^.]\n/);
    assert.match(text, /\bvalue: \w+/);
    assert.deepEqual(validate(schema, parse(text)).map(String), []);
    const [variable] = name.split('.');
    const isAsked = QUESTIONS.some(({ text, fields }) => flatten(shapesOf(text, fields)).some((one) => one.finder?.variable === variable));
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

/** Scopes of the roles that the service creates, without those of the account. */
const ROLES = {
  REVIEWER: ['labs.admin.apps', 'labs.admin.categories', 'labs.admin.reviews:write', 'labs.admin.submissions:write'],
  CATALOGUE: ['labs.admin.apps', 'labs.admin.categories:write', 'labs.admin.storefront:write', 'labs.admin.tiers:write'],
  AUDITOR: ['labs.admin.audit', 'labs.admin.overview'],
  OPERATOR: ['clients:write', 'limits:write', 'operations:write', 'overview', 'security:write', 'statistics:write'].map((one) => `labs.admin.${one}`),
  SUPPORT: ['apps', 'limits', 'partners', 'subscriptions', 'support:write', 'users'].map((one) => `labs.admin.${one}`),
  ACCOUNT_MANAGER: ['overview', 'partners:write', 'subscriptions:write', 'users:write'].map((one) => `labs.admin.${one}`),
  EDITOR: ['labs.admin.publication:write'],
  COMMUNITY: ['labs.admin.engagement:write'],
};

for (const [role, scopes] of Object.entries(ROLES)) {
  test(`role ${role} has a finder for every id in its tasks`, (context) => {
    const mayRun = ({ operation }) => standingOf(access, scopes, operation).missing.length === 0;
    const open = QUESTIONS.filter(mayRun);
    const found = open.flatMap(({ name, text, fields }) => flatten(shapesOf(text, fields)).filter(({ finder }) => finder).map(({ finder }) => ({ name, finder })));
    const missing = found.filter(({ finder }) => ![finder, ...finder.others].some(mayRun));
    context.diagnostic(`${open.length} tasks, ${open.filter(({ operation }) => operation.kind === 'mutation').length} of them change data`);
    assert.ok(open.length > 0);
    assert.deepEqual(missing.map(({ name, finder }) => `${name}: ${finder.variable}`), []);
  });
}

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
  assert.equal(at('admin_users_list_sessions', 'uuid'), 'session_uuid', 'the id of a session does not identify a user');
  assert.equal(at('marketplace_moderation_list_reviews', 'uuid'), 'review_uuid', 'a list that no other query reads one by one');
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
