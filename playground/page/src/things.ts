import { textOf } from './answer';
import type { Access } from './access';

/** A thing that an answer names: the variable by which questions ask for it, and its id. */
export interface Thing {
  variable: string;
  id: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Fields that name a thing by its part in the story, and not by what it is. */
const PARTS: Record<string, string> = {
  person_uuid: 'user_uuid',
  submitted_by_uuid: 'user_uuid',
  opened_by_uuid: 'user_uuid',
  author_uuid: 'user_uuid',
  reviewer_uuid: 'staff_uuid',
  assignee_uuid: 'staff_uuid',
};

/** Objects with a `uuid` of their own, by the name under which they stand. */
const HOLDERS: Record<string, string> = {
  reviewer: 'staff_uuid',
  assignee: 'staff_uuid',
  app: 'app_uuid',
  apps: 'app_uuid',
  partner: 'partner_uuid',
  parent: 'category_uuid',
  submission: 'submission_uuid',
  submissions: 'submission_uuid',
  team: 'user_uuid',
  tickets: 'ticket_uuid',
};

/** What `kind` says beside a `uuid`: of an actor, of a target, of an account, of a search's result. */
const KINDS: Record<string, string> = {
  APP: 'app_uuid',
  AUDIT_RECORD: 'record_uuid',
  CATEGORY: 'category_uuid',
  MACHINE_CLIENT: 'client_uuid',
  PARTNER: 'partner_uuid',
  PARTNER_USER: 'user_uuid',
  PERSON: 'user_uuid',
  PROGRAM: 'client_uuid',
  PUBLICATION_ITEM: 'item_uuid',
  STAFF_MEMBER: 'staff_uuid',
  STAFF_USER: 'staff_uuid',
  STATISTICS_IMPORT: 'import_uuid',
  SUBMISSION: 'submission_uuid',
  SUPPORT_TICKET: 'ticket_uuid',
  TICKET: 'ticket_uuid',
  TIER: 'tier_uuid',
  USER: 'user_uuid',
};

/** Where a value stands in an answer: the root field and the keys below it, and the object that holds it. */
export interface Spot {
  root: string;
  path: string[];
  holder: Record<string, unknown>;
}

/** The thing that a value is the id of, known by the name of its field. Null for any other value. */
export function thingAt(access: Access, { root, path, holder }: Spot, value: unknown): Thing | null {
  const id = textOf(value);
  const key = path.at(-1) ?? '';
  if (!id) return null;
  if (key === 'request_id') return { variable: 'request_id', id };
  if (!UUID.test(id)) return null;
  const variable = key === 'uuid' ? byHolder(access, root, path, holder) : key.endsWith('_uuid') ? (PARTS[key] ?? key) : undefined;
  return variable ? { variable, id } : null;
}

function byHolder(access: Access, root: string, path: string[], holder: Record<string, unknown>): string | undefined {
  const kind = KINDS[textOf(holder.kind) ?? ''];
  const name = path.at(-2);
  if (name) return HOLDERS[name] ?? kind;
  return byRoot(access, root) ?? kind;
}

/** `marketplace_submissions_list` lists what `marketplace_submissions_get` reads. A verb further on is about other things. */
function byRoot(access: Access, root: string): string | undefined {
  return access.readers.find(({ field }) => {
    const resource = field.slice(0, -'get'.length);
    const verb = root.startsWith(resource) ? root.slice(resource.length) : undefined;
    return verb === 'get' || verb === 'list' || verb === 'list_of_partner';
  })?.variable;
}

/**
 * The root field that reads a thing, among those that may be asked: where several take the id, that of the thing itself and
 * not of what it has.
 */
export function readerOf(access: Access, variable: string, mayAsk: (field: string) => boolean): string | undefined {
  const readers = access.readers.filter((one) => one.variable === variable && mayAsk(one.field)).map(({ field }) => field);
  const noun = variable.replace(/_uuid$/, '');
  return readers.find((field) => field.includes(`_${noun}s_get`)) ?? readers[0];
}

/** The thing that a question is about: what its variables name, when an answer came. */
export function thingsAsked(variables: Record<string, unknown>): Thing[] {
  return Object.entries(variables).flatMap(([variable, value]) => {
    const id = textOf(value);
    return id && UUID.test(id) ? [{ variable, id }] : [];
  });
}

