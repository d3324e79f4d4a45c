// Tests the form of a query's variables without a browser: where variables are used, which field a fault belongs to, values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { inputsPlugin } from '../page/inputs.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const options = { configFile: false, logLevel: 'error', plugins: [inputsPlugin()] };
const part = async (name) => (await runnerImport(here(`../page/src/${name}.ts`), options)).module;
const [{ declaredBy }, { placeOfFault }, { shapesOf, missingFields, labelOf }, value, time, { nameIn }, { complaintOf }] = await Promise.all(
  ['form/uses', 'form/faults', 'form/shape', 'form/value', 'form/time', 'form/labels', 'complaint'].map(part),
);

const CHANGES = `mutation m($s: UUID!, $findings: [FindingInput!]!, $code: String!, $note: String, $n: Int = 3) {
  one: marketplace_submissions_request_changes(submission_uuid: $s, body: {findings: $findings, note: $note}) { uuid }
  two: marketplace_submissions_reject(submission_uuid: $s, body: {findings: [{requirement_code: $code, where: "/media", text: "Text", observed: "Text"}]}) { uuid }
}`;

test('uses of variables are the paths below the arguments', () => {
  const declared = declaredBy(CHANGES);
  const paths = (name) => declared.find((one) => one.name === name).uses.map(({ alias, path }) => [alias, path.join('.')]);
  assert.deepEqual(paths('findings'), [['one', 'body.findings']]);
  assert.deepEqual(paths('code'), [['two', 'body.findings.0.requirement_code']]);
  assert.deepEqual(paths('s'), [['one', 'submission_uuid'], ['two', 'submission_uuid']]);
  assert.deepEqual(declared.find(({ name }) => name === 'n').defaultValue, 3);
  assert.deepEqual(declaredBy('query {'), []);
});

test('fault belongs to the variable with the longest matching path', () => {
  const declared = declaredBy(CHANGES);
  const at = (fault) => placeOfFault(fault, declared)?.join('.') ?? null;
  assert.equal(at({ pointer: '/findings/1/text', alias: 'one' }), 'findings.1.text');
  assert.equal(at({ pointer: '/findings/0/requirement_code', alias: 'two' }), 'code');
  assert.equal(at({ pointer: '/findings/0/text', alias: 'two' }), null, 'the query itself has this text');
  assert.equal(at({ pointer: '/findings', alias: 'two' }), 'code', 'the fault of a list belongs to a variable inside it');
  assert.equal(at({ pointer: '/note' }), 'note');
  assert.equal(at({ parameter: 'submission_uuid' }), 's');
  assert.equal(at({ pointer: '/variables/findings/0' }), 'findings.0');
  assert.equal(at({ pointer: '/else' }), null);
  const filtered = declaredBy('query q($state: [SubmissionState!]) { marketplace_submissions_list(filter: {state: $state}) { data { uuid } } }');
  assert.deepEqual(placeOfFault({ parameter: 'state' }, filtered), ['state']);
});

test('errors of GraphQL show every member of the problem document', () => {
  const errors = [{ pointer: '/findings/0/text', code: 'LENGTH', message: 'Send 5 to 2,000 characters.' }, { pointer: '/query', code: 'QUERY', message: 'Too deep.' }];
  const extensions = { code: 'VALIDATION_FAILED', title: 'The content breaks a rule', detail: 'See `errors`.', errors, allowed_actions: ['claim'], required_scope: 'labs.admin.submissions:write', retry_after: 7 };
  const complaint = complaintOf({ problem: null, body: { data: null, errors: [{ message: 'See `errors`.', path: ['one'], extensions }] } }, CHANGES);
  const { title, code, sentences, faults, allowedActions, requiredScope, retryAfter } = complaint;
  assert.deepEqual([title, code, sentences], ['The content breaks a rule', 'VALIDATION_FAILED', ['Too deep.']]);
  assert.deepEqual(faults.map((one) => [one.alias, one.pointer, one.message]), [['one', '/findings/0/text', 'Send 5 to 2,000 characters.']]);
  assert.deepEqual([allowedActions, requiredScope, retryAfter], [['claim'], 'labs.admin.submissions:write', 7]);
});

test('fields have the controls of their types', () => {
  const shapes = shapesOf(`query q($state: [SubmissionState!], $mine: Boolean, $partner_uuid: UUID, $until: Time, $limit: Int, $cursor: String) {
    marketplace_submissions_list(filter: {state: $state, mine: $mine, partner_uuid: $partner_uuid, due_at_until: $until}, limit: $limit, cursor: $cursor) { data { uuid } }
  }`);
  assert.deepEqual(shapes.map(({ name, kind }) => `${name} ${kind}`), ['state choices', 'mine yes-no', 'partner_uuid text', 'until time', 'limit number']);
  assert.equal(shapes[2].finder.variable, 'partner_uuid');
  assert.deepEqual([shapes[4].least, shapes[4].most, shapes[4].label], [1, 100, 'Entries per page']);
  const [, findings, code] = shapesOf(CHANGES);
  assert.deepEqual(findings.fields.map(({ name, kind }) => `${name} ${kind}`), ['requirement_code text', 'text lines', 'where text', 'observed lines', 'why_now lines']);
  assert.equal(code.max, 6, 'a variable inside a literal has the limits of its place');
  assert.equal(labelOf('internal_note'), 'Internal note');
});

test('required fields without a value are found in entries too', () => {
  const missing = (values) => missingFields(shapesOf(CHANGES), values, value.isBlank).map((path) => path.join('.'));
  assert.deepEqual(missing({}), ['s', 'findings', 'code']);
  const finding = { requirement_code: 'REQ-01', text: 'Text', where: '/media' };
  assert.deepEqual(missing({ s: 'x', code: 'y', findings: [finding] }), ['findings.0.observed']);
  assert.deepEqual(missing({ s: 'x', code: 'y', findings: [{ ...finding, observed: 'z' }] }), []);
});

test('values are written without changing others', () => {
  const before = { a: 1, list: [{ x: 'y' }] };
  assert.deepEqual(value.withValue(before, ['list', 1, 'x'], 'z'), { a: 1, list: [{ x: 'y' }, { x: 'z' }] });
  assert.deepEqual(value.withValue(before, ['a'], undefined), { list: [{ x: 'y' }] });
  assert.deepEqual(Object.keys(value.withValue(before, ['a'], 2)), ['a', 'list'], 'the order stays');
  assert.deepEqual(before, { a: 1, list: [{ x: 'y' }] });
  assert.deepEqual([value.valuesOf(''), value.valuesOf('{"a": 1}'), value.valuesOf('[1]'), value.valuesOf('{')], [{}, { a: 1 }, null, null]);
});

test('picked times are converted to UTC and back', () => {
  const picked = '2026-11-20T09:30';
  assert.equal(time.localOf(time.timeOf(picked)), picked);
  assert.equal(time.timeOf(picked), new Date(2026, 10, 20, 9, 30).toISOString().replace('.000Z', 'Z'));
  assert.deepEqual([time.timeOf(''), time.localOf('no time')], ['', '']);
});

test('label of an id comes from any response that names it', () => {
  const body = { data: { list: { data: [{ uuid: '1', app_name: 'Minibar', partner_uuid: '2', partner_name: 'Nordlicht', reviewer: { uuid: '3', name: 'Ines' } }] } } };
  assert.deepEqual(['1', '2', '3', '4'].map((id) => nameIn(body, id)), ['Minibar', 'Nordlicht', 'Ines', undefined]);
});
