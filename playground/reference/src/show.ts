// Shows an address: inserts its fragment into the page and attaches the event handlers.
import { wakeForm } from './attempt';
import { byId, element } from './dom';
import { showField } from './field';
import { showLive } from './live';
import { closeMenu, markCurrent, showAudience } from './navigation';
import { load, Missing, type Audience, type Piece } from './pieces';
import { addressOf, pieceOf, placeOf, type Place } from './places';
import { wakeTabs } from './tabs';

const main = byId('main');
let shown: string | null = null;
let asked = 0;

/** Shows what the address bar says. The first page of a visit does not take the focus; those that follow do. */
export async function show(takesFocus: boolean): Promise<void> {
  const place = placeOf(new URL(location.href)) ?? { kind: 'unknown', name: '', anchor: '' } satisfies Place;
  const address = addressOf(place);
  if (place.kind !== 'unknown' && address !== location.pathname + location.hash) history.replaceState(history.state, '', address);
  const key = `${place.kind}/${place.name}`;
  if (key !== shown && !(await exchange(place))) return;
  shown = key;
  arrive(place, takesFocus);
}

/** Puts the piece into the page. Answers whether it is still the one that is wanted. */
async function exchange(place: Place): Promise<boolean> {
  const mine = (asked += 1);
  main.setAttribute('aria-busy', 'true');
  const content = await contentOf(place);
  if (mine !== asked) return false;
  main.replaceChildren(...content);
  main.setAttribute('aria-busy', 'false');
  wake();
  closeMenu();
  markCurrent(addressOf({ ...place, anchor: '' }));
  return true;
}

async function contentOf(place: Place): Promise<Node[]> {
  try {
    if (place.kind === 'fields') return await showField(place.name);
    const name = pieceOf(place);
    if (!name) throw new Missing(place.kind);
    const { title, html } = await load<Piece>(name);
    document.title = `${title} · Labs API reference`;
    return [...new DOMParser().parseFromString(html, 'text/html').body.childNodes];
  } catch (error) {
    document.title = 'Not shown · Labs API reference';
    return [failure(error)];
  }
}

function failure(error: unknown): HTMLElement {
  if (error instanceof Missing) {
    return element('article', {}, element('h1', { tabindex: '-1' }, 'This page does not exist'),
      element('p', {}, 'Search for it, or look through the list of operations. If the service has become newer since this page was opened, load it again.'));
  }
  const again = element('button', { type: 'button' }, 'Try again');
  again.addEventListener('click', () => void show(true));
  return element('article', {}, element('h1', { tabindex: '-1' }, 'The page could not be fetched'), element('p', {}, String((error as Error).message)), again);
}

function wake(): void {
  const form = main.querySelector<HTMLFormElement>('.try form');
  if (form) wakeForm(form);
  wakeTabs(main);
  void showLive(main);
  const operation = main.querySelector<HTMLElement>('[data-operation]');
  if (operation) showAudience(operation.dataset.audience as Audience);
}

function arrive({ anchor }: Place, takesFocus: boolean): void {
  const target = anchor ? document.getElementById(anchor) : null;
  if (target && main.contains(target)) {
    target.scrollIntoView();
    if (!target.hasAttribute('tabindex')) target.setAttribute('tabindex', '-1');
    target.focus({ preventScroll: true });
    return;
  }
  if (!takesFocus) return;
  window.scrollTo(0, 0);
  main.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
}

/** Goes to an address of the reference, as a link does. */
export function go(address: string): void {
  history.pushState(null, '', address);
  void show(true);
}

/** Links within the reference change the page without loading it anew; all others are the browser's. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest('a');
    if (!link || link.hasAttribute('data-plain') || link.classList.contains('skip') || link.target) return;
    if (!placeOf(new URL(link.href))) return;
    event.preventDefault();
    go(link.href);
  });
  window.addEventListener('popstate', () => void show(true));
}
