// The page of an unknown address: shows the nearest names.
import { element } from './dom';
import type { Kind } from './entries';
import { nearest, type Hit } from './find';
import { loadSearch } from './pieces';
import type { Place } from './places';

const KINDS: Partial<Record<Place['kind'], Kind>> = { concepts: 'Concept', operations: 'Operation', codes: 'Code', schemas: 'Schema', scopes: 'Scope', fields: 'Field' };

/** Fills the list of the nearest names, if the page has one. */
export async function fillNearest(main: HTMLElement, { kind, name }: Place): Promise<void> {
  const list = main.querySelector('[data-nearest]');
  const meant = KINDS[kind];
  if (!list || !meant || !name) return;
  const near = await loadSearch().then((sources) => nearest(name, meant, ...sources)).catch(() => []);
  if (!list.isConnected) return;
  const asked = element('p', {}, `You asked for `, element('code', {}, name), '.');
  const found = near.length > 0 ? [element('h2', {}, 'Nearest names'), element('ul', { class: 'operations' }, ...near.map(item))] : [];
  list.replaceChildren(asked, ...found);
}

function item({ kind, method, title, address }: Hit): HTMLElement {
  const badge = method ? [element('span', { class: `method ${method.toLowerCase()}` }, method), ' '] : [];
  const name = kind === 'Operation' ? [' ', element('code', {}, address.split('/').pop() ?? '')] : [];
  return element('li', {}, element('a', { href: address }, ...badge, element('span', {}, title)), ...name);
}
