// The search itself, independent of the page.
import type { Audience, Fields, Index } from './pieces';

export interface Hit {
  kind: 'Operation' | 'Field' | 'Code' | 'Scope' | 'Schema' | 'Term';
  title: string;
  about: string;
  address: string;
  method?: string;
  audience?: Audience;
  score: number;
}

const MOST_OF_A_KIND: Record<Hit['kind'], number> = { Operation: 12, Field: 6, Code: 6, Scope: 6, Schema: 4, Term: 4 };

/** Words that the search ignores. */
const FILLERS = ['a', 'an', 'the', 'of', 'to', 'for'];

/** Returns the best hits of each kind, starting with the best kind. A hit matches all words. */
export function find(text: string, index: Index, fields: Fields): Hit[] {
  const words = text.toLowerCase().split(/[\s/]+/).filter((word) => word !== '' && !FILLERS.includes(word));
  if (words.length === 0) return [];
  const hits = [...operations(words, index, text.trim().toLowerCase()), ...named(words, index, fields)].filter((hit) => hit.score > 0);
  const best = (kind: Hit['kind']) => Math.max(0, ...hits.filter((hit) => hit.kind === kind).map((hit) => hit.score));
  const kinds = (Object.keys(MOST_OF_A_KIND) as Hit['kind'][]).sort((a, b) => best(b) - best(a));
  return kinds.flatMap((kind) => hits.filter((hit) => hit.kind === kind).sort((a, b) => b.score - a.score || a.title.length - b.title.length).slice(0, MOST_OF_A_KIND[kind]));
}

/** Score for a complete path, with or without its method. It is higher than any score of words. */
const WHOLE_ADDRESS = 100;

function operations(words: string[], index: Index, typed: string): Hit[] {
  const isWhole = (method: string, path: string) => [path, `${method} ${path}`].some((address) => address.toLowerCase() === typed);
  return index.operations.map(([id, method, path, title, , audience, scope]) => ({
    kind: 'Operation' as const, title, about: path, address: `/reference/operations/${id}`, method, audience,
    score: isWhole(method, path) ? WHOLE_ADDRESS : scoreOf(words, [[title, 3], [id, 3], [path, 2], [method, 1], [scope ?? '', 1]]),
  }));
}

function named(words: string[], index: Index, fields: Fields): Hit[] {
  const used = (name: string) => new Set(fields[name]?.flat()).size;
  return [
    ...Object.keys(fields).map((name): Hit => ({ kind: 'Field', title: name, about: `in ${used(name)} operations`, address: `/reference#/fields/${name}`, score: scoreOf(words, [[name, 3]]) })),
    ...index.codes.map(([code, about]): Hit => ({ kind: 'Code', title: code, about, address: `/reference/codes/${code}`, score: scoreOf(words, [[code, 3], [about, 1]]) })),
    ...index.scopes.map(([scope, about]): Hit => ({ kind: 'Scope', title: scope, about, address: `/reference#/scopes/${scope}`, score: scoreOf(words, [[scope, 3], [about, 1]]) })),
    ...index.schemas.map((name): Hit => ({ kind: 'Schema', title: name, about: '', address: `/reference#/schemas/${name}`, score: scoreOf(words, [[name, 2]]) })),
    ...index.terms.map(([id, term, about]): Hit => ({ kind: 'Term', title: term, about, address: `/reference#/glossary/${id}`, score: scoreOf(words, [[term, 3]]) })),
  ];
}

/** Scores the words against weighted texts. The score is 0 if a word is in none of the texts. */
function scoreOf(words: string[], texts: [text: string, weight: number][]): number {
  let score = 0;
  for (const word of words) {
    const best = Math.max(...texts.map(([text, weight]) => fit(word, text.toLowerCase()) * weight));
    if (best === 0) return 0;
    score += best;
  }
  return score / words.length;
}

/** Returns 4 for the whole text, 3 for its beginning, 2 for the beginning of a word, 1 for any other place, 0 for no match. */
function fit(word: string, text: string): number {
  if (text === word) return 4;
  const at = text.indexOf(word);
  if (at <= 0) return at === 0 ? 3 : 0;
  return beginsWord(word, text) ? 2 : 1;
}

function beginsWord(word: string, text: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (!/[a-z0-9]/.test(text[at - 1] ?? '')) return true;
  return false;
}
