// The addresses of the reference, and the fragment that each address shows.

export interface Place {
  kind: 'first' | 'operations' | 'codes' | 'scopes' | 'schemas' | 'changes' | 'fields' | 'unknown';
  /** Which one, or empty for the list of all. */
  name: string;
  /** The `id` to scroll to, or empty. */
  anchor: string;
}

const NAME = /^[\w.:-]+$/;
const KINDS = ['operations', 'codes', 'scopes', 'schemas', 'changes', 'fields'] as const;

/** What this address shows; null when it lies outside of the reference. */
export function placeOf(url: URL): Place | null {
  if (url.origin !== location.origin) return null;
  const path = url.pathname.replace(/\/$/, '');
  const isHashPlace = url.hash.startsWith('#/');
  const anchor = isHashPlace ? '' : decoded(url.hash.slice(1));
  const real = /^\/reference\/(operations|codes)\/(\w+)$/.exec(path);
  if (real && !isHashPlace) return { kind: real[1] as Place['kind'], name: real[2] ?? '', anchor };
  if (path !== '/reference' && !real) return null;
  if (!isHashPlace || url.hash === '#/') return { kind: 'first', name: '', anchor };
  const [kind = '', name = ''] = decoded(url.hash.slice(2)).split('/');
  const known = KINDS.find((one) => one === kind);
  return known && (name === '' || NAME.test(name)) ? { kind: known, name, anchor } : { kind: 'unknown', name: kind, anchor };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The one address of a place; operations and codes have a path, the others stand behind the `#`. */
export function addressOf({ kind, name, anchor }: Place): string {
  const end = anchor ? `#${anchor}` : '';
  if (kind === 'first') return `/reference${end}`;
  if (name && (kind === 'operations' || kind === 'codes')) return `/reference/${kind}/${name}${end}`;
  return `/reference#/${kind}${name && `/${name}`}`;
}

/** The file of a place's piece, or null for what has none. */
export function pieceOf({ kind, name }: Place): string | null {
  switch (kind) {
    case 'first': return 'pages/first.json';
    case 'changes': return 'pages/changes.json';
    case 'codes': return name ? `codes/${name}.json` : 'pages/codes.json';
    case 'scopes': return name ? `scopes/${name.replace(':', '-')}.json` : 'pages/scopes.json';
    case 'operations': return name ? `operations/${name}.json` : null;
    case 'schemas': return name ? `schemas/${name}.json` : null;
    default: return null;
  }
}
