// Tests how the page processes a query and its response, without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const part = async (name) => (await runnerImport(here(`../page/src/${name}.ts`), { configFile: false, logLevel: 'error' })).module;
const [{ csvOf }, tables, { nextPageOf }, { linkOf, handedBy }, suggest, { spotsOf }, { complaintOf }, { operationOf, isEmptyText }] = await Promise.all(
  ['csv', 'table', 'nextPage', 'link', 'suggest', 'jsonSpots', 'complaint', 'operation'].map(part),
);

test('CSV conforms to RFC 4180 and contains no formulas', () => {
  assert.equal(csvOf([['a', 'b'], ['x,y', 'say "so"'], ['two\nlines', '']]), 'a,b\r\n"x,y","say ""so"""\r\n"two\nlines",\r\n');
  assert.equal(csvOf([['=1+1', '+49', '-5', '@sum', '\tx', 'a=b']]), "'=1+1,'+49,'-5,'@sum,'\tx,a=b\r\n");
  assert.equal(csvOf([['=HYPERLINK("x","y")']]), `"'=HYPERLINK(""x"",""y"")"\r\n`);
});

test('lists become tables of columns, resources become tables of rows', () => {
  const list = { data: [{ uuid: '1', actor: { kind: 'X' }, tags: ['a', 'b'] }, { uuid: '2', actor: null, more: [{ z: 1 }] }], page: { has_more: false } };
  const [table] = tables.tablesOf({ data: { some_list: list } });
  assert.deepEqual(tables.textsOf(table), [['uuid', 'actor.kind', 'tags', 'more'], ['1', 'X', 'a, b', ''], ['2', '', '', '1 entry']]);
  const [thing, inner] = tables.tablesOf({ data: { one: { uuid: '1', of: { name: 'n' }, findings: [{ code: 'REQ-06' }] } } });
  assert.deepEqual(thing.rows.map((row) => row.map(({ text }) => text)), [['uuid', '1'], ['of.name', 'n'], ['findings', '1 entry']]);
  assert.deepEqual([inner.path, inner.columns], [['one', 'findings'], ['code']]);
  assert.deepEqual(tables.tablesOf({ data: null, errors: [] }), []);
  assert.equal(tables.mainTableOf(tables.tablesOf({ data: { one: { a: 1, b: 2, c: 3 }, list: { data: [{ x: 1 }] } } })).path[0], 'list');
});

test('next page writes the cursor into variable or query', () => {
  const body = { data: { things: { page: { next_cursor: 'c"2', has_more: true } } } };
  const next = (query, variables = {}) => nextPageOf({ query, variables }, body);
  assert.deepEqual(next('query a($cursor: String) { things(cursor: $cursor) { x } }', { limit: 1 }).variables, { limit: 1, cursor: 'c"2' });
  assert.equal(next('{ things { x } }').query, '{ things(cursor: "c\\"2") { x } }');
  assert.equal(next('{ things(limit: 1) { x } }').query, '{ things(cursor: "c\\"2", limit: 1) { x } }');
  assert.equal(next('{ things(cursor: "c1") { x } }').query, '{ things(cursor: "c\\"2") { x } }');
  assert.equal(next('{ things: others(limit: 1) { x } }').query, '{ things: others(cursor: "c\\"2", limit: 1) { x } }');
  const last = { data: { things: { page: { next_cursor: null, has_more: false } } } };
  assert.equal(nextPageOf({ query: '{ things { x } }', variables: {} }, last), null);
});

test('link contains only the query and its variables', () => {
  const handed = { query: '# Ünïcode & more\nquery a($x: Int) { b(x: $x) }', variables: '{\n  "x": 1\n}' };
  const link = linkOf(handed, 'https://labs.example/playground?x=1#old');
  assert.ok(link.startsWith('https://labs.example/playground?x=1#query='));
  assert.deepEqual(handedBy(new URL(link).hash), handed);
  assert.equal(handedBy(''), null);
  assert.equal(handedBy('#graphiql'), null);
  assert.equal(handedBy(`#query=${'x'.repeat(20_000)}`), null);
});

test('only similar and permitted names are suggested', () => {
  const names = ['admin_partners_list', 'admin_partners_get', 'admin_jobs_list', 'system_me_get'];
  assert.deepEqual(suggest.nearestNames('admin_partner_list', names), ['admin_partners_list']);
  assert.deepEqual(suggest.nearestNames('unheard_of', names), []);
  assert.equal(suggest.didYouMean(['a', 'b', 'c']), 'Did you mean "a", "b" or "c"?');
  const said = 'Cannot query field "admin_partner_list" on type "Query". Did you mean "admin_partners_list" or "partner_secrets_list"?';
  assert.equal(suggest.withOpenNames(said, () => names), 'Cannot query field "admin_partner_list" on type "Query". Did you mean "admin_partners_list"?');
  assert.equal(suggest.withOpenNames(said, () => []), 'Cannot query field "admin_partner_list" on type "Query".');
  const inner = 'Cannot query field "nam" on type "AdminPartner". Did you mean "name"?';
  assert.equal(suggest.withOpenNames(inner, () => []), inner);
});

test('positions of texts match the printed response', () => {
  const answer = { data: { some_list: { data: [{ uuid: 'ä"1', actor: { uuid: 'b', kind: 'X' } }], page: {} }, tags: ['t'] }, errors: [{ message: 'no' }] };
  const json = JSON.stringify(answer, null, 2);
  const spots = spotsOf(json);
  const lines = json.split('\n');
  for (const { line, from, until, value } of spots) assert.equal(JSON.parse(`"${lines[line - 1].slice(from - 1, until - 1)}"`), value);
  assert.deepEqual(spots.map(({ root, path, value }) => [root, path.join('.'), value]), [['some_list', 'uuid', 'ä"1'], ['some_list', 'actor.uuid', 'b'], ['some_list', 'actor.kind', 'X'], ['tags', '', 't']]);
  assert.equal(spots[1].holder.kind, 'X');
  assert.deepEqual(spotsOf('no JSON'), []);
});

test('error shows each sentence once, and the position of syntax errors', () => {
  const problem = { status: 422, title: 'The content breaks a rule', code: 'VALIDATION_FAILED', detail: 'Fix each.', errors: [{ parameter: 'limit', code: 'RANGE', message: 'Send at most 100.' }] };
  const { sentences: none, faults } = complaintOf({ problem }, '{ a }');
  assert.deepEqual([none, faults.map((one) => [one.parameter, one.message])], [[], [['limit', 'Send at most 100.']]]);
  const whole = { ...problem, errors: [{ pointer: '/query', code: 'QUERY', message: 'The query is wrong.' }] };
  assert.deepEqual(complaintOf({ problem: whole }, '{ a }').sentences, ['The query is wrong.']);
  const broken = complaintOf({ problem }, 'query a {\n  b(\n}');
  assert.deepEqual([broken.title, broken.place.line, broken.place.column], ['Syntax error', 3, 1]);
  const body = { data: null, errors: [{ message: 'Not yours.', path: ['a'], locations: [{ line: 1, column: 3 }], extensions: { code: 'NOT_FOUND' } }, { message: 'Not yours.' }] };
  const { sentences, code, place } = complaintOf({ problem: null, body });
  assert.deepEqual([sentences, code, place], [['Not yours.'], 'NOT_FOUND', { line: 1, column: 3 }]);
  assert.equal(complaintOf({ problem: null, body: { data: {} } }), null);
});

test('operation is parsed from its text', () => {
  const text = 'query a { x } mutation b($u: [UUID!]!, $n: Int = 1) { ...f } fragment f on Mutation { y z: w ...f }';
  assert.deepEqual(operationOf(text, 'b'), {
    kind: 'mutation',
    name: 'b',
    roots: ['y', 'w'],
    variables: [
      { name: 'u', type: '[UUID!]!', isList: true, isRequired: true },
      { name: 'n', type: 'Int', isList: false, isRequired: false },
    ],
  });
  assert.equal(operationOf(text)?.name, 'a');
  assert.equal(operationOf('query {'), null);
  assert.ok(isEmptyText('# a\n\n  # b') && !isEmptyText('# a\nquery'));
});
