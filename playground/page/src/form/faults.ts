import type { Fault } from '../complaint';
import type { Declared, Path } from './uses';

/**
 * Returns the variable that a fault is about, with the path inside its value. The service names places in the REST request,
 * so the query's own text decides: the variable whose place is the longest beginning of the named place. A fault of a whole
 * object belongs to the first variable inside it. Returns null if no variable fits, because the query has the value itself.
 */
export function placeOfFault({ pointer, parameter, alias }: Fault, declared: Declared[]): Path | null {
  const tokens = pointer === undefined ? undefined : tokensOf(pointer);
  if (tokens?.[0] === 'variables') return known(declared, tokens.slice(1));
  const places: Path[] = tokens ? [['body', ...tokens], tokens] : parameter ? [[parameter], ['filter', parameter]] : [];
  for (const place of places) {
    const found = at(declared, place, alias);
    if (found) return found;
  }
  return null;
}

function at(declared: Declared[], place: Path, alias: string | undefined): Path | null {
  const uses = declared.flatMap(({ name, uses }) => uses.filter((use) => !alias || use.alias === alias).map((use) => ({ name, path: use.path })));
  const [longest] = uses.filter(({ path }) => isBeginning(path, place)).sort((a, b) => b.path.length - a.path.length);
  if (longest) return [longest.name, ...place.slice(longest.path.length)];
  const inside = uses.find(({ path }) => place.length > 1 && isBeginning(place, path));
  return inside ? [inside.name] : null;
}

function known(declared: Declared[], [name, ...below]: Path): Path | null {
  return declared.some((one) => one.name === name) && name !== undefined ? [name, ...below] : null;
}

function isBeginning(path: Path, place: Path): boolean {
  return path.length <= place.length && path.every((key, index) => String(key) === String(place[index]));
}

/** Splits a JSON pointer (RFC 6901). Numbers are indexes. */
function tokensOf(pointer: string): Path {
  const tokens = pointer.split('/').slice(1).map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return tokens.map((token) => (/^\d+$/.test(token) ? Number(token) : token));
}
