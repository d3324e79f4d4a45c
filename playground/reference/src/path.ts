// Finds operations by a typed method and path: `GET /v1/marketplace/apps`, a path with real ids, or a part of a path.
import type { Listed } from './pieces';

const METHODS = /^(get|head|post|put|patch|delete)\s+/i;
/** Scores of an equal path, a path with the ids filled in, and a path that begins like the typed one. */
const [EQUAL, FILLED, BEGUN] = [100, 90, 50];

/** Returns the score of each operation by its address; empty if the text is not a path. */
export function scorePath(typed: string, operations: Listed[]): Map<string, number> {
  const text = typed.trim();
  const method = METHODS.exec(text)?.[1]?.toUpperCase();
  const path = text.replace(METHODS, '').replace(/^https?:\/\/[^/]+/, '').replace(/[?#].*$/, '').replace(/(.)\/$/, '$1');
  if (!/^\/?(v1\/)?\S+$/.test(path) || !path.includes('/')) return new Map();
  const wanted = segmentsOf(path);
  if (wanted.length === 0) return new Map();
  const scores = operations.map(([id, verb, template]): [string, number] => {
    // HEAD is answered where GET is.
    const isVerb = !method || verb === method || (method === 'HEAD' && verb === 'GET');
    return [`/reference/operations/${id}`, isVerb ? fitOf(wanted, segmentsOf(template)) : 0];
  });
  return new Map(scores.filter(([, score]) => score > 0));
}

/** Splits a path at slashes and before the colon of a verb, without the version. */
function segmentsOf(path: string): string[] {
  const segments = path.toLowerCase().split(/\/|(?=:)/).filter((segment) => segment !== '');
  return segments[0] === 'v1' ? segments.slice(1) : segments;
}

function fitOf(wanted: string[], template: string[]): number {
  if (wanted.length > template.length) return 0;
  let score = wanted.length === template.length ? EQUAL : BEGUN - (template.length - wanted.length);
  for (const [at, segment] of wanted.entries()) {
    const known = template[at] ?? '';
    if (known === segment) continue;
    const isId = known.startsWith('{') && !segment.startsWith(':');
    const isBegun = at === wanted.length - 1 && known.startsWith(segment);
    if (!isId && !isBegun) return 0;
    score = Math.min(score, isId && wanted.length === template.length ? FILLED : BEGUN - (template.length - wanted.length) - 1);
  }
  return score;
}
