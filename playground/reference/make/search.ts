// Generates the indexes of the search. The page loads them at the first use of the search field.
import type { Code } from './codes';
import { headingsOf, plainText, type Concept } from './concepts';
import type { Contract, Operation } from './contract';
import type { Term } from './glossary';
import { idOf } from './html';
import type { Uses } from './uses';
import { STATUS_WORDS } from './words';

/** Everything that the search reads. */
export interface Sources {
  contract: Contract;
  codes: Code[];
  terms: Term[];
  concepts: Concept[];
  uses: Map<Operation, Uses>;
}

/** Pages and sections that are not concepts, with words that readers search for. */
const LISTS: [address: string, title: string, about: string, words: string[]][] = [
  ['/reference#first-calls', 'First calls', 'Register, sign in, read the calling principal, and create an app.', ['getting started', 'get started', 'quickstart', 'quick start', 'tutorial', 'first steps', 'hello world']],
  ['/reference#data-formats', 'Data formats', 'Names, ids, times, money and texts.', ['data formats', 'date format', 'time format', 'dates', 'time zone', 'timezone', 'rfc 3339', 'money', 'amounts', 'ids', 'null', 'merge patch', 'unicode', 'snake_case']],
  ['/reference#/codes', 'Error codes', 'Every code of an error response, by status.', ['error codes', 'codes', 'errors']],
  ['/reference#/scopes', 'Scopes', 'Every scope, with the operations that require it.', ['scopes', 'scope', 'oauth scopes', 'permissions', 'access rights']],
  ['/reference#/changes', 'Changes', 'Deprecated elements, and the operations that each version added.', ['changes', 'deprecated', 'deprecations', 'new operations']],
  ['/reference#/glossary', 'Glossary', 'The terms that the contract and the documentation use.', ['glossary', 'terms', 'definitions', 'terminology']],
];

/** Other names under which readers search for an operation. */
const ALSO_CALLED: Record<string, string[]> = {
  auth_registrations_create: ['sign up', 'signup', 'create an account', 'new account', 'join'],
  auth_passwords_request_reset: ['forgot password', 'lost password'],
  auth_mfa_enrol_totp: ['2fa', 'two factor', 'two-factor authentication', 'authenticator app', 'otp'],
  system_me_get: ['who am i', 'whoami', 'current user', 'my scopes'],
  system_me_explain: ['why 403', 'test a scope', 'dry run of a scope'],
  system_health_get: ['status page', 'uptime', 'ping', 'liveness'],
  subscription_public_tiers_list: ['pricing', 'prices', 'plans', 'price list'],
  subscription_change_requests_create: ['change plan', 'upgrade plan', 'downgrade', 'change tier'],
  partner_account_request_closure: ['delete account', 'close account', 'cancel account'],
  partner_data_exports_create: ['gdpr', 'gdpr export', 'data portability', 'export my data', 'backup'],
  partner_invitations_create: ['invite a colleague', 'add a user', 'add a team member'],
  partner_imagery_put: ['upload logo', 'company logo'],
  publication_feeds_get: ['rss', 'atom', 'newsletter', 'changelog feed', 'changelog rss'],
  admin_machine_clients_update: ['ip allowlist', 'ip whitelist', 'allowed networks'],
};

/**
 * - `index.json`: names and titles of everything that the search finds, except fields
 * - `texts.json`: the texts of operations, codes and pages, in the order of the index
 * - `fields.json`: the operations that accept or return a field
 */
export function searchPieces(sources: Sources): [name: string, text: string][] {
  return [
    ['index.json', JSON.stringify(indexOf(sources))],
    ['texts.json', JSON.stringify(textsOf(sources))],
    ['fields.json', JSON.stringify(fieldsOf(sources.uses))],
  ];
}

function indexOf({ contract, codes, terms, concepts }: Sources): object {
  const unknown = Object.keys(ALSO_CALLED).filter((id) => !contract.operations.some((operation) => operation.id === id));
  if (unknown.length > 0) throw new Error(`reference/make/search.ts: the contract has no operation ${unknown.join(', ')}`);
  const statuses = [...new Set(codes.flatMap((code) => code.statuses))].sort();
  return {
    operations: contract.operations.map(({ id, method, path, title, group, audience, scope }) => [id, method, path, title, group, audience, scope, ...(ALSO_CALLED[id] ? [ALSO_CALLED[id]] : [])]),
    pages: [...concepts.map(({ name, title, summary, words }) => [`/reference/concepts/${name}`, title, summary, words]), ...LISTS],
    sections: [...concepts.flatMap((concept) => headingsOf(concept).map(([id, title]) => [`/reference/concepts/${concept.name}#${id}`, title, concept.title])), ...firstSections(contract, concepts)],
    statuses: statuses.map((status) => [status, STATUS_WORDS[status] ?? '']),
    codes: codes.map(({ code, title, statuses: of }) => [code, title, of]),
    scopes: Object.entries(contract.scopes),
    schemas: Object.keys(contract.schemas),
    terms: terms.map(({ id, term, definition }) => [id, term, definition]),
  };
}

/** The sections of the first page about which no other page is. */
function firstSections({ description }: Contract, concepts: Concept[]): [address: string, title: string, page: string][] {
  const pages = [...concepts.map(({ title }) => title), ...LISTS.map(([, title]) => title)];
  const titles = [...description.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
  return titles.filter((title) => !pages.includes(title)).map((title) => [`/reference#${idOf(title)}`, title, 'API reference']);
}

function textsOf({ contract, codes, concepts }: Sources): object {
  return {
    operations: contract.operations.map(({ description }) => plainText(description)),
    codes: codes.map(({ means, do: remedy }) => plainText(`${means} ${remedy}`)),
    pages: concepts.map(({ text }) => plainText(text)),
  };
}

function fieldsOf(uses: Map<Operation, Uses>): object {
  const fields: Record<string, [asked: number[], answered: number[]]> = {};
  [...uses.values()].forEach(({ asked, answered }, at) => {
    for (const name of asked) (fields[name] ??= [[], []])[0].push(at);
    for (const name of answered) (fields[name] ??= [[], []])[1].push(at);
  });
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}
