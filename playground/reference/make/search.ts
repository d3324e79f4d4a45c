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

/** Pages that are not concepts, with words that readers search for. */
const LISTS: [address: string, title: string, about: string, words: string[]][] = [
  ['/reference#/codes', 'Error codes', 'Every code of an error response, by status.', ['error codes', 'codes', 'errors']],
  ['/reference#/scopes', 'Scopes', 'Every scope, with the operations that require it.', ['scopes', 'scope', 'oauth scopes', 'permissions', 'access rights']],
  ['/reference#/changes', 'Changes', 'Deprecated elements, and the operations that each version added.', ['changes', 'deprecated', 'deprecations', 'new operations']],
  ['/reference#/glossary', 'Glossary', 'The terms that the contract and the documentation use.', ['glossary', 'terms', 'definitions', 'terminology']],
];

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
  const statuses = [...new Set(codes.flatMap((code) => code.statuses))].sort();
  return {
    operations: contract.operations.map(({ id, method, path, title, group, audience, scope }) => [id, method, path, title, group, audience, scope]),
    pages: [...concepts.map(({ name, title, summary, words }) => [`/reference/concepts/${name}`, title, summary, words]), ...LISTS],
    sections: [...concepts.flatMap((concept) => headingsOf(concept).map(([id, title]) => [`/reference/concepts/${concept.name}#${id}`, title, concept.title])), ...firstSections(contract)],
    statuses: statuses.map((status) => [status, STATUS_WORDS[status] ?? '']),
    codes: codes.map(({ code, title, statuses: of }) => [code, title, of]),
    scopes: Object.entries(contract.scopes),
    schemas: Object.keys(contract.schemas),
    terms: terms.map(({ id, term, definition }) => [id, term, definition]),
  };
}

/** The sections of the first page. */
function firstSections({ description }: Contract): [address: string, title: string, page: string][] {
  return [...description.matchAll(/^## (.+)$/gm)].map(([, title = '']) => [`/reference#${idOf(title)}`, title, 'API reference']);
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
