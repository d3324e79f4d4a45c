import { textOf } from './answer';
import type { Access } from './access';

/** A resource in a response: its id, and the variable that queries use for this id. */
export interface Thing {
  variable: string;
  id: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Fields that name the role of a resource instead of its type. */
const PARTS: Record<string, string> = {
  person_uuid: 'user_uuid',
  submitted_by_uuid: 'user_uuid',
  opened_by_uuid: 'user_uuid',
  author_uuid: 'user_uuid',
  reviewer_uuid: 'staff_uuid',
  assignee_uuid: 'staff_uuid',
};

/** Variables for objects that have a `uuid`, by the name of the field that contains the object. */
const HOLDERS: Record<string, string> = {
  reviewer: 'staff_uuid',
  assignee: 'staff_uuid',
  app: 'app_uuid',
  apps: 'app_uuid',
  partner: 'partner_uuid',
  parent: 'category_uuid',
  comments: 'comment_uuid',
  feature_request: 'feature_request_uuid',
  most_wanted: 'feature_request_uuid',
  submission: 'submission_uuid',
  submissions: 'submission_uuid',
  team: 'user_uuid',
  tickets: 'ticket_uuid',
};

/** Variables by the `kind` next to a `uuid`, in actors, targets, accounts and search results. */
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

/** Variables for the entries of lists that no other query reads one by one, and of fields that do not end in `_get`. */
const ROOTS: Record<string, string> = {
  admin_deprecations_list: 'deprecation_uuid',
  admin_invitations_list: 'invitation_uuid',
  admin_network_denials_list: 'denial_uuid',
  admin_notes_list: 'note_uuid',
  admin_sign_in_blocks_list: 'block_uuid',
  admin_tier_change_requests_list: 'tier_change_request_uuid',
  admin_users_list_sessions: 'session_uuid',
  engagement_moderation_get_feature_request: 'feature_request_uuid',
  engagement_moderation_list_comments: 'comment_uuid',
  engagement_moderation_list_feature_requests: 'feature_request_uuid',
  engagement_reports_list: 'report_uuid',
  marketplace_collections_list: 'collection_uuid',
  marketplace_moderation_list_reviews: 'review_uuid',
};

/** Position of a value in a response: root field, keys below it, and the object that contains it. */
export interface Spot {
  root: string;
  path: string[];
  holder: Record<string, unknown>;
}

/** Returns the resource that a value identifies, based on the name of its field. Null if the value is not an id. */
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
  return ROOTS[root] ?? byRoot(access, root) ?? kind;
}

/** `marketplace_submissions_list` lists the resources that `marketplace_submissions_get` reads. Other verbs can return other resources. */
function byRoot(access: Access, root: string): string | undefined {
  return access.readers.find(({ field }) => {
    const resource = field.slice(0, -'get'.length);
    const verb = root.startsWith(resource) ? root.slice(resource.length) : undefined;
    return verb === 'get' || verb === 'list' || verb === 'list_of_partner';
  })?.variable;
}

/**
 * Returns the root field that reads a resource, among the fields that the user can query. If several fields take the id, it prefers the field that
 * returns the resource itself.
 */
export function readerOf(access: Access, variable: string, mayAsk: (field: string) => boolean): string | undefined {
  const readers = access.readers.filter((one) => one.variable === variable && mayAsk(one.field)).map(({ field }) => field);
  const noun = variable.replace(/_uuid$/, '');
  return readers.find((field) => field.includes(`_${noun}s_get`)) ?? readers[0];
}

/** Returns the resources that the variables of a query identify. */
export function thingsAsked(variables: Record<string, unknown>): Thing[] {
  return Object.entries(variables).flatMap(([variable, value]) => {
    const id = textOf(value);
    return id && UUID.test(id) ? [{ variable, id }] : [];
  });
}

