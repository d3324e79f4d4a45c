// The search field: a combobox that lists the search results. The page loads the index at first use.
import { byId, element } from './dom';
import { find, type Found, type Hit } from './find';
import { loadSearch } from './pieces';
import { go } from './show';

const AUDIENCES = { partner: 'Partner', storefront: 'Storefront', staff: 'Staff', public: 'No token' };
const input = byId<HTMLInputElement>('search');
const list = byId('results');
const options = byId('options');
const note = byId('note');
const found = byId('found');
let hits: Hit[] = [];
let active = -1;

export function wakeSearch(): void {
  const prepare = () => void loadSearch().catch(() => undefined);
  input.addEventListener('focus', prepare, { once: true });
  input.addEventListener('input', () => void search());
  input.addEventListener('keydown', keyed);
  input.addEventListener('blur', close);
  input.addEventListener('focus', () => void search());
  // The list must not take the focus from the field. Otherwise it would close before the click event.
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  list.addEventListener('click', (event) => choose(Number((event.target as Element).closest<HTMLElement>('[role=option]')?.dataset.at ?? -1)));
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target as Element)) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

function isWriting(target: Element): boolean {
  return target.matches('input, textarea, select, [contenteditable]');
}

async function search(): Promise<void> {
  const text = input.value;
  if (text.trim() === '') return close();
  try {
    const sources = await loadSearch();
    if (text !== input.value || document.activeElement !== input) return;
    draw(find(text, ...sources));
  } catch {
    close();
    found.textContent = 'The search index could not be loaded.';
  }
}

function draw(result: Found): void {
  hits = result.hits;
  options.replaceChildren(...hits.map((hit, at) => option(hit, at, result.words)));
  note.textContent = hits.length === 0 ? 'No match. Try another word.' : result.note;
  note.hidden = note.textContent === '';
  const count = hits.length === 0 ? 'No results.' : hits.length === 1 ? '1 result.' : `${hits.length} results.`;
  found.textContent = [result.note, count].join(' ').trim();
  open();
}

function open(): void {
  list.hidden = false;
  input.setAttribute('aria-expanded', 'true');
  mark(hits.length > 0 ? 0 : -1);
}

function option(hit: Hit, at: number, words: string[]): HTMLElement {
  const badge = hit.method ? element('span', { class: `method ${hit.method.toLowerCase()}` }, hit.method) : element('span', { class: 'kind' }, hit.kind);
  const whose = hit.audience ? [element('span', { class: 'whose' }, AUDIENCES[hit.audience])] : [];
  return element('div', { role: 'option', id: `option-${at}`, 'data-at': String(at), 'aria-selected': 'false' },
    badge, ' ', element('span', { class: 'what' }, element('span', { class: 'hit' }, ...marked(hit.title, words)), ' ', element('span', { class: 'about' }, ...marked(hit.about, words))), ' ', ...whose);
}

/** Splits a text into its parts, and marks the parts that begin with a searched word. */
function marked(text: string, words: string[]): (Node | string)[] {
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).sort((a, b) => b.length - a.length);
  if (escaped.length === 0) return [text];
  // Every second part is a match.
  return text.split(new RegExp(`(?<![a-z0-9])(${escaped.join('|')})`, 'i')).map((part, at) => (at % 2 === 1 ? element('mark', {}, part) : part));
}

function mark(at: number): void {
  list.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
  active = at;
  const one = at < 0 ? null : document.getElementById(`option-${at}`);
  if (!one) return input.removeAttribute('aria-activedescendant');
  one.setAttribute('aria-selected', 'true');
  one.scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', one.id);
}

function keyed(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    if (list.hidden) input.value = '';
    close();
    event.preventDefault();
  } else if (event.key === 'Enter' && !list.hidden) {
    event.preventDefault();
    choose(active);
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && hits.length > 0) {
    event.preventDefault();
    if (list.hidden) return open();
    mark((active + (event.key === 'ArrowDown' ? 1 : -1) + hits.length) % hits.length);
  }
}

function choose(at: number): void {
  const hit = hits[at];
  if (!hit) return;
  close();
  input.value = '';
  go(hit.address);
}

function close(): void {
  list.hidden = true;
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-activedescendant');
}
