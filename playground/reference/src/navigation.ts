// The navigation next to the page, by audience; on a narrow screen it is behind a button.
import { byId } from './dom';
import { load, type Audience, type Piece } from './pieces';

const nav = byId('nav');
const menu = byId<HTMLButtonElement>('menu');
let audience: Audience = 'partner';
let current = '';

/** Shows the operations of one audience and hides the others. */
export function showAudience(wanted: Audience): void {
  audience = wanted;
  for (const button of nav.querySelectorAll<HTMLButtonElement>('.audiences button')) button.setAttribute('aria-pressed', String(button.dataset.audience === wanted));
  for (const list of nav.querySelectorAll<HTMLElement>('div[data-audience]')) list.hidden = list.dataset.audience !== wanted;
}

/** Marks the link to this address as current and opens its group. */
export function markCurrent(address: string): void {
  current = address;
  nav.querySelector('[aria-current]')?.removeAttribute('aria-current');
  const link = [...nav.querySelectorAll('a')].find((one) => one.getAttribute('href') === address);
  if (!link) return;
  link.setAttribute('aria-current', 'page');
  const group = link.closest('details');
  if (group) group.open = true;
  const { top, bottom } = link.getBoundingClientRect();
  const frame = nav.getBoundingClientRect();
  if (top < frame.top || bottom > frame.bottom) nav.scrollTop += top - frame.top - frame.height / 3;
}

/** Replaces a short navigation with the whole one. If that fails, the short one stays. */
async function complete(): Promise<void> {
  if (!nav.querySelector('[data-short]')) return;
  const { html } = await load<Piece>('navigation.json');
  nav.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes);
  showAudience(audience);
  markCurrent(current);
}

export function closeMenu(): void {
  setMenu(false);
}

function setMenu(open: boolean): void {
  menu.setAttribute('aria-expanded', String(open));
  document.body.classList.toggle('menu-open', open);
}

export function wakeNavigation(): void {
  void complete().catch(() => undefined);
  nav.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('.audiences button');
    if (button) showAudience(button.dataset.audience as Audience);
  });
  menu.addEventListener('click', () => setMenu(menu.getAttribute('aria-expanded') !== 'true'));
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || menu.getAttribute('aria-expanded') !== 'true') return;
    closeMenu();
    menu.focus();
  });
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-show]');
    if (!button) return;
    showAudience(button.dataset.show as Audience);
    if (getComputedStyle(menu).display !== 'none') setMenu(true);
    nav.querySelector<HTMLElement>('.audiences [aria-pressed=true]')?.focus();
  });
}
