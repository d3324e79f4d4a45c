// The entries that the search compares: one for each operation, page, code, field and so on.
import type { Audience, Fields, Index, Texts } from './pieces';

export type Kind = 'Concept' | 'Status' | 'Operation' | 'Code' | 'Field' | 'Scope' | 'Schema' | 'Term';

export interface Entry {
  kind: Kind;
  title: string;
  about: string;
  address: string;
  method?: string;
  audience?: Audience;
  /** Names in lower case, each with its weight. */
  names: [name: string, weight: number][];
  /** Phrases in lower case that mean exactly this entry, for example the keywords of a concept. */
  phrases: string[];
  /** A longer text, as written. */
  text: string;
}

export interface Library {
  entries: Entry[];
  /** Every word of a name or text, with a weight: words of names weigh more than words of texts. */
  vocabulary: Map<string, number>;
}

const made = new WeakMap<Index, Library>();

export function libraryOf(index: Index, fields: Fields, texts: Texts): Library {
  const found = made.get(index);
  if (found) return found;
  const entries = [...pages(index, texts), ...statuses(index), ...operations(index, texts), ...codes(index, texts), ...rest(index, fields)];
  const library = { entries, vocabulary: vocabularyOf(entries) };
  made.set(index, library);
  return library;
}

const lower = (...names: [name: string, weight: number][]) => names.map(([name, weight]): [string, number] => [name.toLowerCase(), weight]);

function pages({ pages: all, sections }: Index, texts: Texts): Entry[] {
  const page = ([address, title, about, words]: Index['pages'][number], at: number): Entry => ({
    kind: 'Concept', title, about, address, names: lower([title, 3], ...words.map((word): [string, number] => [word, 3]), [about, 1]),
    phrases: [title, ...words].map((word) => word.toLowerCase()), text: texts.pages[at] ?? '',
  });
  const section = ([address, title, of]: Index['sections'][number]): Entry => ({ kind: 'Concept', title, about: of, address, names: lower([title, 2]), phrases: [], text: '' });
  return [...all.map(page), ...sections.map(section)];
}

function statuses({ statuses: all, codes: known }: Index): Entry[] {
  return all.map(([status, words]) => ({
    kind: 'Status', title: `${status} ${words}`, about: known.filter(([, , of]) => of.includes(status)).map(([code]) => code).join(', '),
    address: `/reference#/codes/${status}`, names: lower([status, 4], [words, 2.5]), phrases: [status, words.toLowerCase(), `${status} ${words}`.toLowerCase()], text: '',
  }));
}

function operations({ operations: all }: Index, texts: Texts): Entry[] {
  return all.map(([id, method, path, title, , audience, scope], at) => ({
    kind: 'Operation', title, about: path, address: `/reference/operations/${id}`, method, audience,
    names: lower([title, 3], [id, 3], [path, 2], [method, 1], [scope ?? '', 1]), phrases: [title.toLowerCase(), id], text: texts.operations[at] ?? '',
  }));
}

function codes({ codes: all }: Index, texts: Texts): Entry[] {
  return all.map(([code, about, of], at) => ({
    kind: 'Code', title: code, about, address: `/reference/codes/${code}`, names: lower([code, 3], [about, 1.5], ...of.map((status): [string, number] => [status, 2.5])),
    phrases: [code.toLowerCase()], text: texts.codes[at] ?? '',
  }));
}

function rest({ scopes, schemas, terms }: Index, fields: Fields): Entry[] {
  const used = (name: string) => new Set(fields[name]?.flat()).size;
  const entry = (kind: Kind, title: string, about: string, address: string, names: [string, number][]): Entry => ({ kind, title, about, address, names: lower(...names), phrases: [title.toLowerCase()], text: '' });
  return [
    ...Object.keys(fields).map((name) => entry('Field', name, `in ${used(name)} operations`, `/reference#/fields/${name}`, [[name, 3]])),
    ...scopes.map(([scope, about]) => entry('Scope', scope, about, `/reference#/scopes/${scope}`, [[scope, 3], [about, 1]])),
    ...schemas.map((name) => entry('Schema', name, '', `/reference#/schemas/${name}`, [[name, 2]])),
    ...terms.map(([id, term, about]) => entry('Term', term, about, `/reference#/glossary/${id}`, [[term, 2.9]])),
  ];
}

function vocabularyOf(entries: Entry[]): Map<string, number> {
  const vocabulary = new Map<string, number>();
  const add = (word: string, weight: number) => word.length > 3 && vocabulary.set(word, (vocabulary.get(word) ?? 0) + weight);
  for (const { names, text, kind } of entries) {
    for (const [name, weight] of names) for (const word of new Set([name, ...name.split(/[^a-z0-9]+/)])) if (!word.includes(' ')) add(word, kind === 'Concept' ? weight * 5 : weight);
    for (const word of text.toLowerCase().split(/[^a-z0-9]+/)) add(word, 0.1);
  }
  return vocabulary;
}
