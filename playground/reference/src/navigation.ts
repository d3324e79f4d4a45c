// The navigation next to the page, by audience; on a narrow screen it is behind a button.
import { byId } from './dom';
import type { Audience } from './pieces';

const nav = byId('nav');
const menu = byId<HTMLButtonElement>('menu');
const buttons = () => nav.querySelectorAll<HTMLButtonElement>('.audiences button');

/** Shows the operations of one audience and hides the others. */
export function showAudience(audience: Audience): void {
  for (const button of buttons()) button.setAttribute('aria-pressed', String(button.dataset.audience === audience));
  for (const list of nav.querySelectorAll<HTMLElement>('div[data-audience]')) list.hidden = list.dataset.audience !== audience;
}

/** Marks the link to this address as current and opens its group. */
export function markCurrent(address: string): void {
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

export function closeMenu(): void {
  setMenu(false);
}

function setMenu(open: boolean): void {
  menu.setAttribute('aria-expanded', String(open));
  document.body.classList.toggle('menu-open', open);
}

export function wakeNavigation(): void {
  for (const button of buttons()) button.addEventListener('click', () => showAudience(button.dataset.audience as Audience));
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
