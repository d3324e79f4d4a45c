// The search itself, independent of the page.
import { libraryOf, type Entry, type Kind } from './entries';
import type { Fields, Index, Texts } from './pieces';
import { scorePath } from './path';
import { beginOfWord, corrected, fit, likeness, sentenceAt, wordsOf } from './words';

export interface Hit extends Pick<Entry, 'kind' | 'title' | 'about' | 'address' | 'method' | 'audience'> {
  score: number;
}

export interface Found {
  hits: Hit[];
  /** The words that the hits have, to mark them. */
  words: string[];
  /** A sentence about a corrected word or a missing word; otherwise empty. */
  note: string;
}

const MOST_OF_A_KIND: Record<Kind, number> = { Concept: 4, Status: 3, Operation: 12, Code: 6, Field: 6, Scope: 6, Schema: 4, Term: 4 };
const KINDS = Object.keys(MOST_OF_A_KIND) as Kind[];

/** Added to the score if the whole text is the title or a keyword of an entry. */
const WHOLE_PHRASE = 6;
/** Score of a word that a text contains, as a whole and as a beginning. The names of an entry score more. */
const [IN_TEXT, IN_TEXT_BEGUN] = [0.8, 0.5];
/** Hits below this share of the best score of their kind are omitted: a word in a text, if others have it in their names. */
const WEAKEST = 0.1;
/** If no entry has all words, a hit needs this share of the best score. */
const LEAST_SHARE = 0.2;

/** Returns the best hits of each kind, starting with the best kind. */
export function find(typed: string, index: Index, fields: Fields, texts: Texts): Found {
  const { entries, vocabulary } = libraryOf(index, fields, texts);
  const path = scorePath(typed, index.operations);
  if (path.size > 0) return { hits: sorted(entries.flatMap((entry) => hitOf(entry, path.get(entry.address) ?? 0, []))), words: [], note: '' };
  const asked = wordsOf(typed);
  if (asked.length === 0) return { hits: [], words: [], note: '' };
  const words = asked.map((word) => (entries.some((entry) => scoreOf(word, entry) > 0) ? word : (corrected(word, vocabulary) ?? word)));
  const phrase = words.join(' ');
  const scores = entries.map((entry) => words.map((word) => scoreOf(word, entry)));
  const whole = entries.flatMap((entry, at) => hitOf(entry, scoreOfAll(scores[at] ?? [], entry, phrase), words));
  if (whole.length > 0) return { hits: sorted(whole), words, note: correction(asked, words) };
  return { hits: sorted(withSome(entries, scores, words)), words, note: words.length > 1 ? 'No entry has all words. These entries have some of them.' : '' };
}

function correction(asked: string[], words: string[]): string {
  return asked.every((word, at) => word === words[at]) ? '' : `No entry has “${asked.join(' ')}”. Results for “${words.join(' ')}”.`;
}

function scoreOf(word: string, { names, text }: Entry): number {
  const best = Math.max(...names.map(([name, weight]) => fit(word, name) * weight));
  if (best > 0 || text === '') return best;
  const at = beginOfWord(word, text.toLowerCase());
  if (at < 0) return 0;
  return /[a-z0-9]/i.test(text[at + word.length] ?? '') ? IN_TEXT_BEGUN : IN_TEXT;
}

/** Returns 0 if a word is missing. */
function scoreOfAll(scores: number[], { phrases }: Entry, phrase: string): number {
  if (scores.some((score) => score === 0)) return 0;
  const isWhole = phrases.some((one) => one === phrase || wordsOf(one).join(' ') === phrase);
  return scores.reduce((sum, score) => sum + score, 0) / scores.length + (isWhole ? WHOLE_PHRASE : 0);
}

/** Returns the entries that have some of the words. A rare word counts more than a frequent one. */
function withSome(entries: Entry[], scores: number[][], words: string[]): Hit[] {
  // Only words in names count: with some of the words, a long text would match nearly every search.
  const named = scores.map((of) => of.map((score) => (score >= 1 ? score : 0)));
  const rarity = words.map((_, at) => Math.log(1 + entries.length / (1 + named.filter((of) => (of[at] ?? 0) > 0).length)));
  const sums = named.map((of) => of.reduce((sum, score, at) => sum + score * (rarity[at] ?? 0), 0));
  const least = Math.max(...sums) * LEAST_SHARE;
  return entries.flatMap((entry, at) => ((sums[at] ?? 0) >= least ? hitOf(entry, sums[at] ?? 0, words) : []));
}

function hitOf({ kind, title, about, address, method, audience, names, text }: Entry, score: number, words: string[]): Hit[] {
  if (score <= 0) return [];
  const inText = words.find((word) => !names.some(([name]) => fit(word, name) > 0));
  const at = inText ? beginOfWord(inText, text.toLowerCase()) : -1;
  return [{ kind, title, about: at >= 0 ? sentenceAt(text, at) : about, address, method, audience, score }];
}

function sorted(hits: Hit[]): Hit[] {
  const best = (kind: Kind) => Math.max(0, ...hits.filter((hit) => hit.kind === kind).map((hit) => hit.score));
  const kinds = [...KINDS].sort((a, b) => best(b) - best(a));
  const isGood = (hit: Hit) => hit.score >= best(hit.kind) * WEAKEST;
  return kinds.flatMap((kind) => hits.filter((hit) => hit.kind === kind && isGood(hit)).sort((a, b) => b.score - a.score || a.title.length - b.title.length).slice(0, MOST_OF_A_KIND[kind]));
}

/** Likeness from which a name is shown as near, and the number of names. */
const [NEAR, MOST_NEAR] = [0.45, 6];

/** Returns the entries of this kind whose names are nearest to an unknown name, nearest first. */
export function nearest(name: string, kind: Kind, index: Index, fields: Fields, texts: Texts): Hit[] {
  const entries = libraryOf(index, fields, texts).entries.filter((entry) => entry.kind === kind);
  const last = (address: string) => address.split('/').pop() ?? '';
  const near = entries.map((entry) => ({ entry, score: likeness(name.toLowerCase(), last(entry.address).toLowerCase()) }));
  return near.filter(({ score }) => score >= NEAR).sort((a, b) => b.score - a.score).slice(0, MOST_NEAR).flatMap(({ entry, score }) => hitOf(entry, score, []));
}
