// The addresses of the reference, and the fragment that each address shows.

export interface Place {
  kind: 'first' | 'concepts' | 'operations' | 'codes' | 'scopes' | 'schemas' | 'changes' | 'glossary' | 'fields' | 'unknown';
  /** Name of the item, or empty for the list. */
  name: string;
  /** The `id` to scroll to, or empty. For the glossary, the id of a term. */
  anchor: string;
}

const NAME = /^[\w.:-]+$/;
/** After `codes/`, a status means the section of the list. */
const STATUS = /^\d{3}$/;
const KINDS = ['concepts', 'operations', 'codes', 'scopes', 'schemas', 'changes', 'glossary', 'fields'] as const;

/** Returns the place that an address shows, or null for an address outside the reference. */
export function placeOf(url: URL): Place | null {
  if (url.origin !== location.origin) return null;
  const path = url.pathname.replace(/\/$/, '');
  const isHashPlace = url.hash.startsWith('#/');
  const anchor = isHashPlace ? '' : decoded(url.hash.slice(1));
  const real = /^\/reference\/(concepts|operations|codes)\/([\w-]+)$/.exec(path);
  if (real && !isHashPlace) return { kind: real[1] as Place['kind'], name: real[2] ?? '', anchor };
  if (path !== '/reference' && !real) return null;
  if (!isHashPlace || url.hash === '#/') return { kind: 'first', name: '', anchor };
  const [kind = '', name = ''] = decoded(url.hash.slice(2)).split('/');
  const known = KINDS.find((one) => one === kind);
  if (known === 'glossary' && (name === '' || NAME.test(name))) return { kind: known, name: '', anchor: name };
  if (known === 'codes' && STATUS.test(name)) return { kind: known, name: '', anchor: `status-${name}` };
  return known && (name === '' || NAME.test(name)) ? { kind: known, name, anchor } : { kind: 'unknown', name: kind, anchor };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the canonical address of a place. Concepts, operations and codes have a path; other places are after the `#`. */
export function addressOf({ kind, name, anchor }: Place): string {
  const end = anchor ? `#${anchor}` : '';
  if (kind === 'first') return `/reference${end}`;
  if (kind === 'glossary') return `/reference#/glossary${anchor && `/${anchor}`}`;
  if (kind === 'codes' && !name && anchor) return `/reference#/codes/${anchor.replace('status-', '')}`;
  if (name && (kind === 'concepts' || kind === 'operations' || kind === 'codes')) return `/reference/${kind}/${name}${end}`;
  return `/reference#/${kind}${name && `/${name}`}`;
}

/** Returns the file with the content of a place, or null if the place has no file. */
export function pieceOf({ kind, name }: Place): string | null {
  switch (kind) {
    case 'first': return 'pages/first.json';
    case 'changes': return 'pages/changes.json';
    case 'glossary': return 'pages/glossary.json';
    case 'codes': return name ? `codes/${name}.json` : 'pages/codes.json';
    case 'scopes': return name ? `scopes/${name.replace(':', '-')}.json` : 'pages/scopes.json';
    case 'concepts': return name ? `concepts/${name}.json` : null;
    case 'operations': return name ? `operations/${name}.json` : null;
    case 'schemas': return name ? `schemas/${name}.json` : null;
    default: return null;
  }
}
