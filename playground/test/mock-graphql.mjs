// The mock's playground endpoint: applies the same checks as the service, as far as the page can see them.
import { readFileSync } from 'node:fs';
import { buildSchema, execute, parse, validate } from 'graphql';
import { randomUUID } from 'node:crypto';
import { brokenLimits, madeFieldResolver } from './mock-made.mjs';
import { IDS, recordResolvers } from './mock-records.mjs';

const schema = buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'));
const records = [];

/** Executes a query and returns `{ status, body }`. For an error, the body has the fields of a problem document. */
export async function answer({ query, variables, operationName }, person, requestId) {
  const document = read(query);
  if (document instanceof Error) return broken(ofQuery(document.message));
  const [error] = validate(schema, document);
  if (error) return broken(ofQuery(inTheWordsOfTheService(error.message)));
  for (const field of rootFields(document)) {
    const needed = scopeOf(field);
    if (!needed || person.scopes.some((held) => reaches(held, needed))) continue;
    record(field, person, requestId, 'REFUSED', 'SCOPE_MISSING');
    return { status: 403, body: missing(needed) };
  }
  for (const field of rootFields(document)) if (scopeOf(field)) record(field, person, requestId, 'SUCCEEDED', null);
  const faults = brokenLimits(document, schema, variables ?? {});
  if (faults.length > 0) return broken(faults);
  const result = await execute({ schema, document, variableValues: variables, operationName, rootValue: resolvers, fieldResolver: madeFieldResolver });
  return { status: 200, body: result };
}

/** Builds the error of an invalid query, in the words of the service, which suggests no names. */
function ofQuery(message) {
  return [{ pointer: '/query', code: 'QUERY', message }];
}

function broken(errors) {
  const detail = 'The request breaks the rules listed in `errors`. Fix each error and send the request again.';
  return { status: 422, body: { type: 'about:blank', title: 'The content breaks a rule', code: 'VALIDATION_FAILED', detail, errors } };
}

function inTheWordsOfTheService(message) {
  const [, field, type] = /^Cannot query field "(\w+)" on type "(\w+)"/.exec(message) ?? [];
  if (!field) return message;
  return type === 'Query' || type === 'Mutation' ? `The schema has no root field \`${field}\`.` : `Unknown field "${field}" on type "${type}".`;
}

/** Images of the submission. The mock has the bytes of the first one only. */
export const PICTURES = [
  { uuid: '0193a4b0-0000-7000-8000-000000000001', kind: 'ICON', position: 1, alt_text: 'A bottle and a key', caption: null },
  { uuid: '0193a4b0-0000-7000-8000-000000000002', kind: 'SCREENSHOT', position: 1, alt_text: null, caption: 'What is missing in room 12' },
];

const page = { next_cursor: null, has_more: false };

/** Returns a page of a list. The cursor is the id of the last entry of the previous page. */
function paged(list, { limit = 20, cursor }) {
  const start = cursor ? list.findIndex(({ uuid }) => uuid === cursor) + 1 : 0;
  const data = list.slice(start, start + limit);
  const has_more = start + limit < list.length;
  return { data, page: { has_more, next_cursor: has_more ? data.at(-1).uuid : null, total: list.length } };
}

const submissions = [
  submission('0193a4b2-7c10-7d4e-9b1a-3f2b8c6d5e01', 'SUBMITTED', '2026-11-20T09:12:44.120000Z', 'Tableside Orders', 'Brasserie Software SARL', null),
  submission('0193a4b1-02aa-7e31-8c55-1d0f9a7b6c02', 'IN_REVIEW', '2026-11-18T15:02:10.000000Z', 'Minibar Stock', 'Nordlicht Hotelsysteme GmbH', 'Ines Duarte'),
  submission('018d0000-02aa-7e31-8c55-1d0f9a7b6c03', 'APPROVED', '2024-02-01T08:00:00.000000Z', 'Wine Cellar', 'Nordlicht Hotelsysteme GmbH', 'Ines Duarte'),
];

const resolvers = {
  ...recordResolvers,
  admin_audit_records_list: ({ limit, cursor, filter: { outcome, operation, request_id, target_uuid, partner_uuid } = {} }) => {
    // The records of the mock have no target.
    if (target_uuid || partner_uuid) return paged([], {});
    const found = records
      .filter((record) => !request_id || request_id.includes(record.request_id))
      .filter((record) => !outcome || outcome.includes(record.outcome))
      .filter((record) => !operation || operation.includes(record.operation));
    return paged(found, { limit, cursor });
  },
  admin_jobs_list: () => ({ data: [{ code: 'TIDYING', state: 'IDLE', purpose: 'Deletes expired rows.', failures: 0 }], page }),
  admin_jobs_list_runs: () => ({ data: [], page }),
  admin_jobs_run: ({ job_code }) => ({ uuid: randomUUID(), job_code, state: 'QUEUED', trigger: 'STAFF', created_at: new Date().toISOString(), is_overrun: false }),
  admin_staff_get: ({ staff_uuid }) => staffMember(staff_uuid),
  marketplace_submissions_list: ({ filter: { state, waiting_on, appeal } = {}, sort, limit, cursor }) => {
    const found = submissions.filter((one) => (!state || state.includes(one.state)) && (!waiting_on || one.state !== 'APPROVED') && !appeal).map((one) => ({ ...one }));
    if (sort === 'SUBMITTED_AT' || sort === 'QUEUED_AT') found.sort((a, b) => a.submitted_at.localeCompare(b.submitted_at));
    return paged(found, { limit, cursor });
  },
  marketplace_submissions_get: ({ submission_uuid }) => ({
    ...submissions.find(({ uuid }) => uuid === submission_uuid),
    partner: recordResolvers.admin_partners_get({ id: IDS.partner }),
    submitted: { slug: 'minibar-stock', default_locale: 'en', texts: [], media: PICTURES },
    differences: [
      { path: '/texts/en/tagline', live: 'Orders', submitted: 'Orders at the table', parts: [] },
      { path: '/version/manifest/permissions/orders:write', live: null, submitted: 'orders:write', parts: [] },
    ],
    findings: [],
    checklist: { ready: true, items: [{ code: 'REQ-06', title: 'Screenshots', met: true, blocker: true }] },
  }),
  marketplace_submissions_claim: ({ submission_uuid }) => ({
    ...submissions.find(({ uuid }) => uuid === submission_uuid),
    state: 'IN_REVIEW',
    reviewer: { uuid: randomUUID(), name: 'Ines Duarte' },
  }),
  marketplace_categories_list: () => ({
    data: [
      category('0193a000-0000-7000-8000-000000000001', null, 'payments', 'Payments'),
      category('0193a000-0000-7000-8000-000000000002', '0193a000-0000-7000-8000-000000000001', 'terminals', 'Card terminals'),
    ],
    page,
  }),
  system_me_get: () => ({ principal_type: 'STAFF_USER' }),
};

function read(query) {
  try {
    return parse(query);
  } catch (error) {
    return error;
  }
}

function rootFields(document) {
  return document.definitions
    .filter((definition) => definition.kind === 'OperationDefinition')
    .flatMap((operation) => operation.selectionSet.selections.map((field) => ({ operation: operation.operation, name: field.name.value })));
}

/** Returns the scope of a root field. Introspection also requires one, so that tests can provoke an error. */
function scopeOf({ operation, name }) {
  if (name.startsWith('__schema')) return 'labs.admin.audit';
  const type = operation === 'mutation' ? schema.getMutationType() : schema.getQueryType();
  const access = type.getFields()[name]?.astNode.directives?.find((directive) => directive.name.value === 'access');
  const needs = access?.arguments[0].value.value;
  return needs === 'any' || needs === 'public' ? undefined : needs;
}

function reaches(held, needed) {
  const write = (scope) => scope.endsWith(':write');
  const base = (scope) => scope.replace(/:write$/, '');
  return (base(needed) === base(held) || base(needed).startsWith(`${base(held)}.`)) && (write(held) || !write(needed));
}

function missing(scope) {
  return {
    type: 'about:blank',
    title: 'Scope missing',
    code: 'SCOPE_MISSING',
    detail: `This operation requires the scope ${scope}. GET /v1/system/me shows the scopes of your token.`,
    required_scope: scope,
  };
}

function record({ name }, person, requestId, outcome, code) {
  if (name.startsWith('__')) return;
  records.unshift({
    uuid: randomUUID(),
    recorded_at: new Date().toISOString(),
    operation: name,
    outcome,
    code,
    actor: { kind: 'STAFF_USER', uuid: person.uuid, label: person.name },
    request_id: requestId,
    address: '127.0.0.1',
  });
}

function submission(uuid, state, submitted_at, app_name, partner_name, reviewer) {
  const allowed_actions = state === 'SUBMITTED' ? ['claim'] : [];
  return { uuid, state, submitted_at, app_name, app_uuid: IDS.app, version_number: '1.0.3', partner_name, partner_uuid: IDS.partner, reviewer: reviewer && { uuid: IDS.colleague, name: reviewer }, appeal: false, new_permissions: false, queued_at: submitted_at, due_at: submitted_at, waiting_on: 'REVIEWERS', messages: [], allowed_actions };
}

function staffMember(uuid) {
  const now = new Date().toISOString();
  return { uuid, name: 'Ines Duarte', email: 'staff@labs.example', state: 'ACTIVE', roles: [], effective_scopes: [], sessions_count: 1, created_at: now, updated_at: now, allowed_actions: [] };
}

function category(uuid, parent_uuid, slug, name) {
  return { uuid, parent_uuid, slug, names: { en: name }, state: 'ACTIVE', apps_count: 2 };
}
