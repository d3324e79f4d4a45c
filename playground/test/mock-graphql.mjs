// The stand-in's playground endpoint: the guards of the service as far as the page can see them.
import { readFileSync } from 'node:fs';
import { buildSchema, execute, parse, validate } from 'graphql';
import { randomUUID } from 'node:crypto';

const schema = buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'));
const records = [];

/** Answers one question as `{ status, body }`; a refusal comes as the fields of a problem. */
export async function answer({ query, variables, operationName }, person, requestId) {
  const document = read(query);
  if (document instanceof Error) return { status: 200, body: { errors: [document.toJSON?.() ?? { message: document.message }] } };
  const errors = validate(schema, document);
  if (errors.length > 0) return { status: 200, body: { errors } };
  for (const field of rootFields(document)) {
    const needed = scopeOf(field);
    if (!needed || person.scopes.some((held) => reaches(held, needed))) continue;
    record(field, person, requestId, 'REFUSED', 'SCOPE_MISSING');
    return { status: 403, body: missing(needed) };
  }
  for (const field of rootFields(document)) if (scopeOf(field)) record(field, person, requestId, 'SUCCEEDED', null);
  const result = await execute({ schema, document, variableValues: variables, operationName, rootValue: resolvers });
  return { status: 200, body: result };
}

/** What is handed in: the bytes of the first come, those of the second do not. */
export const PICTURES = [
  { uuid: '0193a4b0-0000-7000-8000-000000000001', kind: 'ICON', position: 1, alt_text: 'A bottle and a key', caption: null },
  { uuid: '0193a4b0-0000-7000-8000-000000000002', kind: 'SCREENSHOT', position: 1, alt_text: null, caption: 'What is missing in room 12' },
];

const page = { next_cursor: null, has_more: false };

const resolvers = {
  admin_audit_records_list: ({ limit, filter: { outcome, operation, request_id } = {} }) => ({
    data: records
      .filter((record) => !request_id || request_id.includes(record.request_id))
      .filter((record) => !outcome || outcome.includes(record.outcome))
      .filter((record) => !operation || operation.includes(record.operation))
      .slice(0, limit),
    page,
  }),
  marketplace_submissions_list: () => ({
    data: [
      submission('0193a4b2-7c10-7d4e-9b1a-3f2b8c6d5e01', 'SUBMITTED', 'Tableside Orders', '2.4.0', 'Brasserie Software SARL', null),
      submission('0193a4b1-02aa-7e31-8c55-1d0f9a7b6c02', 'IN_REVIEW', 'Minibar Stock', '1.0.3', 'Nordlicht Hotelsysteme GmbH', 'Ines Duarte'),
    ],
    page,
  }),
  marketplace_submissions_get: ({ submission_uuid }) => ({
    ...submission(submission_uuid, 'IN_REVIEW', 'Minibar Stock', '1.0.3', 'Nordlicht Hotelsysteme GmbH', 'Ines Duarte'),
    submitted: { slug: 'minibar-stock', texts: [], media: PICTURES },
    differences: [],
    findings: [],
    allowed_actions: [],
  }),
  marketplace_categories_list: () => ({
    data: [
      category('0193a000-0000-7000-8000-000000000001', null, 'payments', 'Payments'),
      category('0193a000-0000-7000-8000-000000000002', '0193a000-0000-7000-8000-000000000001', 'terminals', 'Card terminals'),
    ],
    page,
  }),
  admin_machine_clients_get: () => null,
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

/** The scope a root field needs. To look at the schema takes one too, so that a refusal can be seen. */
function scopeOf({ operation, name }) {
  if (name.startsWith('__schema')) return 'labs.admin.audit';
  const type = operation === 'mutation' ? schema.getMutationType() : schema.getQueryType();
  const access = type.getFields()[name]?.astNode.directives?.find((directive) => directive.name.value === 'access');
  return access?.arguments[0].value.value;
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
    detail: `This operation needs the scope ${scope}. GET /v1/system/me shows the scopes your token carries.`,
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
    actor: { kind: 'STAFF_USER', label: person.name },
    request_id: requestId,
    address: '127.0.0.1',
  });
}

function submission(uuid, state, app_name, version_number, partner_name, reviewer) {
  return { uuid, state, app_name, version_number, partner_name, reviewer: reviewer && { name: reviewer }, submitted_at: '2026-11-20T09:12:44.120000Z' };
}

function category(uuid, parent_uuid, slug, name) {
  return { uuid, parent_uuid, slug, names: { en: name }, state: 'ACTIVE', apps_count: 2 };
}
