// Tests the files that declare record pages, waiting lists and searches, and how the page derives links and next steps from them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildSchema, parse, TypeInfo, validate, visit, visitWithTypeInfo } from 'graphql';
import { runnerImport } from 'vite';
import { accessPlugin } from '../page/plugins.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const part = async (name) =>
  (await runnerImport(here(`../page/src/${name}.ts`), { configFile: false, logLevel: 'error', plugins: [accessPlugin()] })).module;
const names = ['records', 'waiting', 'searches', 'steps', 'facts', 'route', 'lane', 'recent', 'times', 'questions'];
const [records, waiting, searches, steps, facts, route, { Lane }, { RecentWork }, times, { QUESTIONS }] = await Promise.all(names.map(part));

const schema = buildSchema(readFileSync(here('../../schema/schema.graphql'), 'utf8'));
const mutations = schema.getMutationType().getFields();
const ALL = ['labs.admin:write'];
const ID = '0193a4b0-0000-7000-8000-00000000000a';
const kindOf = (name) => records.RECORDS.find((kind) => kind.name === name);

/** Returns the root fields whose scopes the edges of a query need. */
function readsOf(text) {
  const info = new TypeInfo(schema);
  const reads = new Set();
  visit(
    parse(text),
    visitWithTypeInfo(info, {
      Field() {
        const edge = info.getFieldDef()?.astNode?.directives?.find(({ name }) => name.value === 'edge');
        for (const { value } of edge?.arguments[0].value.values ?? []) reads.add(value.replace(/^\w+: /, ''));
      },
    }),
  );
  return [...reads].sort();
}

for (const kind of records.RECORDS) {
  test(`record page ${kind.name} fits the schema`, () => {
    assert.ok(kind.title && /^[a-z-]+$/.test(kind.address));
    assert.ok(kind.sections.length >= 2 && kind.sections.length <= 12, `${kind.sections.length} requests`);
    for (const section of kind.sections) {
      assert.deepEqual(validate(schema, parse(section.text)).map(String), [], section.name);
      assert.deepEqual(
        section.operation.variables.map(({ name }) => name),
        [kind.variable],
        section.name,
      );
      assert.ok(section.title && section.name.startsWith(kind.name), section.name);
      assert.ok(section.operation.roots.length <= 20);
      assert.doesNotMatch(section.text, /^# [a-z]+: /m, 'the editor shows no properties');
      assert.deepEqual(section.needs.roots.filter((root) => !section.operation.roots.includes(root)).sort(), readsOf(section.text), section.name);
      for (const limit of section.text.matchAll(/limit: (\d+)/g)) assert.ok(Number(limit[1]) <= 10, `${section.name} reads ${limit[1]} entries`);
      for (const [action, mutation] of section.actions) assert.ok(mutations[mutation], `${action}: ${mutation} is no mutation`);
    }
    for (const field of kind.label) assert.match(kind.sections[0].text, new RegExp(`\\b${field}\\b`));
  });
}

test('latest changes by staff are those of all mutations about the record', () => {
  for (const kind of records.RECORDS) {
    const { text } = kind.sections.find(({ name }) => name.endsWith('_audit'));
    const listed = [...text.matchAll(/^ {8}"(\w+)"$/gm)].map(([, operation]) => operation);
    const takes = ([name, { args }]) => name.startsWith(kind.within) && args.some((argument) => argument.name === kind.variable);
    const isOfStaff = ([, { astNode }]) =>
      astNode.directives.some(({ name, arguments: given }) => name.value === 'access' && given[0].value.value.startsWith('labs.admin'));
    const about = Object.entries(mutations)
      .filter((one) => takes(one) && isOfStaff(one))
      .map(([name]) => name);
    assert.deepEqual(listed, [...new Set([...about, ...kind.sections[0].actions.values()])].sort(), kind.name);
  }
});

test('each kind of attention has a waiting list', () => {
  const kinds = schema
    .getType('AttentionKind')
    .getValues()
    .map(({ name }) => name);
  assert.deepEqual(waiting.WAITING.flatMap(({ kind }) => kind ?? []).sort(), kinds.sort());
});

for (const list of [...waiting.WAITING, ...searches.SEARCHES]) {
  test(`list ${list.name} fits the schema`, () => {
    assert.deepEqual(validate(schema, parse(list.text)).map(String), []);
    assert.match(list.title, /^[A-Z].*[^.]$/);
    assert.equal(list.operation.roots.length, 1);
    for (const [action, mutation] of list.actions ?? []) assert.ok(mutations[mutation], `${action}: ${mutation}`);
    if (list.handledBy) assert.ok(mutations[list.handledBy], list.handledBy);
  });
}

test('saved queries of the waiting lists exist', () => {
  const named = waiting.WAITING.filter(({ name }) => /# task: /.test(readFileSync(here(`../waiting/${name}.graphql`), 'utf8')));
  assert.deepEqual(
    named.filter(({ task }) => !task).map(({ name }) => name),
    [],
  );
});

test('each role sees the lists and searches of its scopes', () => {
  assert.deepEqual(waiting.listsFor(['labs.admin.submissions', 'labs.admin.partners']), [], 'a reader handles nothing');
  const lists = (...scopes) => waiting.listsFor(scopes).map(({ name }) => name);
  assert.deepEqual(lists('labs.admin.publication:write'), ['publication_draft', 'publication_scheduled']);
  assert.deepEqual(lists('labs.admin.engagement:write'), ['board_reported', 'feature_request_unanswered']);
  assert.deepEqual(lists('labs.admin.support:write'), ['ticket_waiting']);
  assert.deepEqual(lists('labs.admin.submissions:write', 'labs.admin.reviews:write'), [
    'submission_mine',
    'appeal_waiting',
    'review_flagged',
    'review_reported',
    'review_waiting',
    'submission_waiting',
  ]);
  assert.deepEqual(lists('labs.admin.categories'), []);
  assert.deepEqual(
    searches.searchesFor(ALL).map(({ name }) => name),
    ['everything', 'feature_request', 'publication_item'],
  );
  assert.deepEqual(
    searches.searchesFor(['labs.admin.partners', 'labs.admin.support']).map(({ name }) => name),
    ['partner', 'ticket'],
  );
});

test('next steps follow the allowed actions', () => {
  const { actions } = kindOf('submission').sections[0];
  const of = (scopes, allowed) => steps.stepsFor(scopes, actions, allowed, { submission_uuid: ID });
  const [claim, approve] = of(ALL, ['claim', 'approve', 'unheard-of']);
  assert.deepEqual([claim.order.question.name, claim.order.known], ['submission_claim', { submission_uuid: ID }]);
  assert.equal(approve.order.question.name, 'submission_approve');
  assert.deepEqual(of(['labs.admin.submissions'], ['claim']), [], 'a reader cannot claim');
  assert.deepEqual(of(ALL, []), []);
});

test('action without a saved query gets a generated mutation', () => {
  const change = { takes: { partner_uuid: 'UUID!', body: 'Reason!' }, starts: { body: { reason: '' } }, gives: ['uuid'] };
  const { query, variables } = steps.written('admin_partners_erase', change, { partner_uuid: ID, user_uuid: ID });
  assert.deepEqual(JSON.parse(variables), { partner_uuid: ID, body: { reason: '' } });
  assert.deepEqual(validate(schema, parse(query)).map(String), []);
  const { actions } = kindOf('partner').sections[0];
  assert.ok(steps.stepsFor(ALL, actions, ['erase'], { partner_uuid: ID }).length === 1);
});

test('every action of a record leads to one step', () => {
  for (const kind of records.RECORDS) {
    for (const { name, actions } of kind.sections) {
      const found = steps.stepsFor(ALL, actions, [...actions.keys()], { [kind.variable]: ID });
      assert.equal(found.length, actions.size, name);
      assert.equal(new Set(found.map(({ title }) => title)).size, actions.size, name);
    }
  }
});

test('further tasks take the id and leave out actions that are not allowed', () => {
  const tasks = (name) => steps.furtherSteps(ALL, kindOf(name), { [kindOf(name).variable]: ID }).map(({ order }) => order.question.name);
  assert.ok(!tasks('submission').includes('submission_approve'));
  assert.ok(!tasks('feature_request').some((name) => name.startsWith('tier_')), 'a tier change request also has a request_uuid');
  for (const kind of records.RECORDS) {
    for (const { order } of steps.furtherSteps(ALL, kind, { [kind.variable]: ID }))
      assert.ok(Object.values(order.known).includes(ID), order.question.name);
  }
});

test('values of a task come from the argument that takes the variable', () => {
  const uses = steps.usesOf('mutation a($x: UUID!) { engagement_moderation_pin(request_uuid: $x) { uuid } }');
  assert.deepEqual(uses, [{ root: 'engagement_moderation_pin', argument: 'request_uuid', variable: 'x' }]);
  assert.deepEqual(steps.knownIn({ review_uuid: '1', waiting: { text_uuid: '2', body: 'x' }, list: [{ app_uuid: '3' }] }), {
    review_uuid: '1',
    text_uuid: '2',
  });
  for (const question of QUESTIONS) assert.equal(typeof steps.knownFor(question, {}), 'object');
});

test('ids and names next to them become one link', () => {
  const entry = {
    uuid: ID,
    app_uuid: ID,
    app_name: 'Minibar',
    company_name: 'Nordlicht',
    partner_uuid: ID,
    reviewer: { uuid: ID, name: 'Ines' },
    allowed_actions: ['x'],
  };
  const found = facts.fieldsOf('marketplace_submissions_list', entry).map(({ label, fact }) => [label, fact.name, fact.record?.kind.name]);
  assert.deepEqual(found, [
    ['Id', '…00000000000a', 'submission'],
    ['App', 'Minibar', 'app'],
    ['Partner', 'Nordlicht', 'partner'],
    ['Reviewer', 'Ines', undefined],
  ]);
  const board = facts.fieldsOf('engagement_moderation_list_feature_requests', { uuid: ID, title: 'Webhooks' });
  assert.deepEqual(
    board.map(({ fact }) => [fact.name, fact.record?.kind.name]),
    [['Webhooks', 'feature_request']],
  );
});

test('values are shown by their type', () => {
  const of = (value) => facts.fieldsOf('x', { value })[0].fact;
  assert.deepEqual(of('IN_REVIEW'), { kind: 'word', text: 'IN_REVIEW' });
  assert.deepEqual(of('2026-11-20T09:12:44.120000Z'), { kind: 'time', at: '2026-11-20T09:12:44.120000Z' });
  assert.deepEqual(of({ amount_minor: 4900, currency: 'EUR' }), { kind: 'text', text: '€49.00' });
  assert.deepEqual(
    [of(true), of(1234), of(null), of([])].map(({ kind, text }) => text ?? kind),
    ['yes', '1,234', 'none', 'none'],
  );
  const table = facts.tableOf(
    'x',
    [
      { a: 1, b: null },
      { a: null, b: null },
    ],
    {},
  );
  assert.deepEqual(table.columns, ['A'], 'a column without values is left out');
});

test('address determines the view', () => {
  const view = (hash) => route.routeOf(hash).view;
  assert.deepEqual(['', '#/', '#/unknown/1', '#/partners/none'].map(view), ['start', 'start', 'start', 'start']);
  assert.deepEqual(['#/queries', '#query=%7Ba%7D', '#variables=1&query=x'].map(view), ['queries', 'queries', 'queries']);
  const { record } = route.routeOf(`#/partners/${ID}`);
  assert.deepEqual([record.kind.name, record.id, route.addressOf(record)], ['partner', ID, `#/partners/${ID}`]);
});

test('at most the given number of tasks runs at the same time', async () => {
  const lane = new Lane(2);
  const done = [];
  let [running, most] = [0, 0];
  const task = (name) => async () => {
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    done.push(name);
    if (name === 'b') throw new Error('failed');
  };
  const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((name) => lane.run(task(name))));
  assert.deepEqual([most, done.join(''), results.filter(({ status }) => status === 'rejected').length], [2, 'abcde', 1]);
});

test('recent work is stored once per target, newest first', () => {
  const stored = new Map([['labs:recent', '{"owner":"me","entries":[{"kind":"task"}, 3, "x"]}']]);
  const store = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) };
  const work = new RecentWork(store, 'me');
  assert.deepEqual(work.entries(), [], 'entries of another form are ignored');
  for (const target of ['a', 'b', 'a']) work.note({ kind: 'record', title: target, about: 'Partner', target });
  assert.deepEqual(
    new RecentWork(store, 'me').entries().map(({ target }) => target),
    ['a', 'b'],
  );
  assert.deepEqual(new RecentWork(store, 'other').entries(), [], 'each user sees only their own work');
});

test('times are written as spans and distances', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  assert.equal(times.spanSince('2026-11-17T11:00:00Z', now), '3 days');
  assert.equal(times.distanceTo('2026-11-20T14:30:00Z', now), 'in 2 hours');
  assert.equal(times.distanceTo('2026-11-19T12:00:00Z', now), '1 day ago');
});
