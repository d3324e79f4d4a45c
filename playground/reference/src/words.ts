// Compares the words of a search with texts.

/** Words that the search ignores, unless the text has no other word. */
const FILLERS = new Set(('a an the of to for in on at by with from and or is are be do does did can could should i my me we our you your it its ' +
  'how what where when which why who there this that need want please').split(' '));

/** Words of at least this length may have a typing error, and from the second length also in their first letter. */
const [SHORTEST_CORRECTED, LONG] = [4, 6];

/** Splits a search text into its words in lower case. */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(/[\s/,;?!"“”'()]+/).filter((word) => word !== '');
  const kept = words.filter((word) => !FILLERS.has(word));
  return kept.length > 0 ? kept : words;
}

/** Returns how well a word fits a name: 4 for the whole text, 3 for its beginning, 2 for the beginning of a word, 1 for any other place. */
export function fit(word: string, text: string): number {
  const best = fitAsWritten(word, text);
  // A plural also finds the singular.
  return best === 0 && word.length > 3 && word.endsWith('s') ? fitAsWritten(word.slice(0, -1), text) * 0.9 : best;
}

function fitAsWritten(word: string, text: string): number {
  if (text === word) return 4;
  const at = text.indexOf(word);
  if (at <= 0) return at === 0 ? 3 : 0;
  return beginOfWord(word, text) >= 0 ? 2 : word.length > 2 ? 1 : 0;
}

/** Returns the first position at which a word of the text begins with this word, or -1. */
export function beginOfWord(word: string, text: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (!/[a-z0-9]/.test(text[at - 1] ?? '')) return at;
  return -1;
}

/** Returns the sentence of a text around a position, shortened to about a line. */
export function sentenceAt(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf('. ', at) + 2, 0);
  const from = at - start > 80 ? text.lastIndexOf(' ', at - 40) + 1 : start === 1 ? 0 : start;
  const rest = text.slice(from, from + 140);
  const end = rest.indexOf('. ');
  const cut = end >= at - from ? rest.slice(0, end + 1) : rest.length < 140 ? rest : `${rest.slice(0, rest.lastIndexOf(' '))} …`;
  return from > start && start > 1 ? `… ${cut}` : cut;
}

/** Returns the known word that a mistyped word probably means: with one letter wrong, missing, extra or swapped. */
export function corrected(word: string, vocabulary: Map<string, number>): string | null {
  if (word.length < SHORTEST_CORRECTED || /\d/.test(word)) return null;
  const known = [...vocabulary.keys()].filter((one) => word.length >= LONG || one[0] === word[0]);
  const whole = known.filter((one) => isOneErrorAway(word, one));
  // While the reader types, the word may be the beginning of a longer one.
  const near = whole.length > 0 ? whole : known.filter((one) => one.length > word.length && isOneErrorAway(word, one.slice(0, word.length)));
  return near.sort((a, b) => (vocabulary.get(b) ?? 0) - (vocabulary.get(a) ?? 0))[0] ?? null;
}

export function isOneErrorAway(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 1 || left === right) return false;
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const same = (a: number, b: number) => left.slice(a) === right.slice(b);
  const isSwapped = left[at] === right[at + 1] && left[at + 1] === right[at] && same(at + 2, at + 2);
  return isSwapped || same(at + 1, at + 1) || same(at + 1, at) || same(at, at + 1);
}

/** Returns the likeness of two names from 0 to 1, by their common pairs of letters (Dice's coefficient). */
export function likeness(left: string, right: string): number {
  const pairs = (name: string) => Array.from({ length: Math.max(0, name.length - 1) }, (_, at) => name.slice(at, at + 2));
  const of = pairs(right);
  const total = of.length + left.length - 1;
  let common = 0;
  for (const pair of pairs(left)) {
    const at = of.indexOf(pair);
    if (at < 0) continue;
    of.splice(at, 1);
    common += 1;
  }
  return total > 0 ? (2 * common) / total : 0;
}
