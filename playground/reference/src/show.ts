// Shows an address: inserts its fragment into the page and attaches the event handlers.
import { wakeForm } from './attempt';
import { byId, element } from './dom';
import { showField } from './field';
import { showLive } from './live';
import { fillNearest } from './missing';
import { closeMenu, markCurrent, showAudience } from './navigation';
import { load, Missing, type Audience, type Piece } from './pieces';
import { addressOf, pieceOf, placeOf, type Place } from './places';
import { wakeCode, wakeTabs } from './tabs';

const main = byId('main');
/** The shown place. The first page of a visit has its content already. */
let shown: string | null = null;
let asked = 0;

/** Shows the place of the current address. Every page except the first one of a visit moves the focus to its heading. */
export async function show(takesFocus: boolean): Promise<void> {
  const place = placeOf(new URL(location.href)) ?? { kind: 'unknown', name: '', anchor: '' } satisfies Place;
  const address = addressOf(place);
  if (place.kind !== 'unknown' && address !== location.pathname + location.hash) history.replaceState(history.state, '', address);
  const key = `${place.kind}/${place.name}`;
  if (shown === null && isComplete(key)) {
    shown = key;
    wake(place);
  }
  if (key !== shown && !(await exchange(place))) return;
  shown = key;
  arrive(place, takesFocus);
}

/** Whether the service sent the page with the content of this place, or with the explanation that it does not exist. */
function isComplete(key: string): boolean {
  const { place } = main.dataset;
  return place === key || (place === 'missing/' && !location.hash.startsWith('#/'));
}

/** Replaces the content of the page. Returns false if the user has opened another place during the request. */
async function exchange(place: Place): Promise<boolean> {
  const mine = (asked += 1);
  main.setAttribute('aria-busy', 'true');
  const content = await contentOf(place);
  if (mine !== asked) return false;
  main.replaceChildren(...content);
  wake(place);
  closeMenu();
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
    document.title = 'Error · Labs API reference';
    return [failure(error)];
  }
}

function failure(error: unknown): HTMLElement {
  if (error instanceof Missing) {
    return element('article', { 'data-missing': true }, element('h1', { tabindex: '-1' }, 'Page not found'),
      element('div', { 'data-nearest': true }),
      element('p', {}, 'Use the search or the list of operations. If the service was upgraded after you opened this page, reload it.'));
  }
  const again = element('button', { type: 'button' }, 'Try again');
  again.addEventListener('click', () => void show(true));
  return element('article', {}, element('h1', { tabindex: '-1' }, 'The page could not be loaded'), element('p', {}, String((error as Error).message)), again);
}

function wake(place: Place): void {
  main.setAttribute('aria-busy', 'false');
  markCurrent(addressOf({ ...place, anchor: '' }));
  const form = main.querySelector<HTMLFormElement>('.try form');
  if (form) wakeForm(form);
  wakeTabs(main);
  wakeCode(main);
  void fillNearest(main, place);
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

/** Navigates to an address of the reference. */
export function go(address: string): void {
  history.pushState(null, '', address);
  void show(true);
}

/** Opens links within the reference without a reload. The browser handles all other links. */
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
