// Parts that several views share: cards, images, stars, lists with a "more" button, and empty states.
import { Refusal, Unreachable, type Schemas } from './api';
import { count, h, type Child } from './dom';
import { again, link } from './router';

/** A picture in the sizes that there are; the browser takes the one that it needs. */
export function picture(sources: Schemas['PictureSources'], alt: string, sizes: string, attributes: Record<string, string> = {}): HTMLElement {
  const widest = sources.reduce((one, other) => (other.width > one.width ? other : one));
  const srcset = sources.map(({ url, width }) => `${url} ${width}w`).join(', ');
  return h('img', { src: widest.url, srcset, sizes, alt, width: widest.width, height: widest.height, loading: 'lazy', decoding: 'async', ...attributes });
}

/** An icon, or the first letter of the name where there is none. */
export function icon(listing: Pick<Schemas['ListingSummary'], 'icon' | 'name'>): HTMLElement {
  // The name is next to the icon, so an alternative text would only repeat it to screen readers.
  if (listing.icon && listing.icon.sources.length > 0) return picture(listing.icon.sources, '', '4rem', { class: 'icon' });
  return h('span', { class: 'icon letter', 'aria-hidden': 'true' }, listing.name.slice(0, 1));
}

/** Stars with how many reviews they are of. */
export function stars(rating: Schemas['ListingRating']): HTMLElement {
  if (rating.average === null) return h('span', { class: 'stars none' }, 'No reviews yet');
  return h('span', { class: 'stars' }, drawn(rating.average), ` ${rating.average.toFixed(1)} `, h('span', { class: 'faint' }, `(${count(rating.count, 'review')})`));
}

/** Five stars, so many of them full. */
export function drawn(number: number): HTMLElement {
  const full = Math.round(number);
  return h('span', { class: 'drawn', role: 'img', 'aria-label': `${number} of 5 stars` }, '★'.repeat(full), h('span', { class: 'empty' }, '★'.repeat(5 - full)));
}

export function verifiedMark(vendor: { verified: boolean }): HTMLElement | null {
  return vendor.verified ? h('span', { class: 'badge good' }, 'Verified') : null;
}

/** A listing as lists show it. */
export function card(listing: Schemas['ListingSummary'], note?: string): HTMLElement {
  return h(
    'li',
    { class: 'card' },
    icon(listing),
    h(
      'div',
      {},
      h('h3', { lang: listing.locale }, h('a', { href: link(`/listings/${listing.slug}`) }, listing.name)),
      h('p', { lang: listing.locale }, listing.tagline),
      h('p', { class: 'small' }, listing.vendor.name, ' ', verifiedMark(listing.vendor)),
      h('p', { class: 'small' }, stars(listing.rating)),
      note && h('p', { class: 'small faint' }, note),
    ),
  );
}

export function cards(listings: Schemas['ListingSummary'][]): HTMLElement {
  return h('ul', { class: 'cards' }, ...listings.map((listing) => card(listing)));
}

/** A page of a list, as the service answers it. */
export interface Page<T> {
  data: T[];
  page: Schemas['Page'];
}

/** A list that goes on where its reader asks for more. */
export function going<T>(list: HTMLElement, first: Page<T>, drawOne: (item: T) => HTMLElement, next: (cursor: string) => Promise<Page<T>>): HTMLElement {
  let cursor = first.page.next_cursor;
  const add = (page: Page<T>): HTMLElement[] => {
    const items = page.data.map(drawOne);
    list.append(...items);
    cursor = page.page.has_more ? page.page.next_cursor : null;
    button.hidden = cursor === null;
    return items;
  };
  const button = h('button', { type: 'button', class: 'more' }, 'Show more');
  button.addEventListener('click', () =>
    acting(button, async () => {
      if (cursor === null) return;
      const [added] = add(await next(cursor));
      // The button may no longer exist, so the focus moves to the first new entry.
      added?.setAttribute('tabindex', '-1');
      added?.focus();
    }),
  );
  add(first);
  return h('div', { class: 'going' }, list, button);
}

/** Does what a button is for: once at a time, and with what went wrong told beneath it. */
export async function acting(button: HTMLElement, act: () => Promise<void>): Promise<void> {
  if (button.getAttribute('aria-disabled') === 'true') return;
  button.setAttribute('aria-disabled', 'true');
  const told = button.nextElementSibling;
  if (told?.classList.contains('refusal')) told.remove();
  try {
    await act();
  } catch (error) {
    if (!isAbort(error)) button.after(refusal(error));
  } finally {
    button.removeAttribute('aria-disabled');
  }
}

/** What went wrong, in the service's own words where it said some. */
export function refusal(error: unknown): HTMLElement {
  return h('div', { class: 'refusal', role: 'alert' }, ...words(error));
}

function words(error: unknown): Child[] {
  if (error instanceof Refusal) {
    const { title, detail, errors = [], request_id: id } = error.problem;
    const fields = errors.map(({ pointer, parameter, message }) => h('li', {}, [parameter ?? pointer?.slice(1), message].filter(Boolean).join(': ')));
    return [h('strong', {}, title), h('p', {}, detail), fields.length > 0 && h('ul', {}, ...fields), id && h('p', { class: 'small faint' }, `Request ${id}`)];
  }
  if (error instanceof Unreachable) return [h('strong', {}, 'The service did not answer'), h('p', {}, error.message)];
  console.error(error);
  return [h('strong', {}, 'This page has a fault'), h('p', {}, 'The console of the browser tells more.')];
}

/** A whole view for what went wrong. */
export function broken(error: unknown): HTMLElement {
  if (error instanceof Refusal && error.problem.status === 404) return nothingHere(error.problem.detail);
  const retry = h('button', { type: 'button', onclick: again }, 'Try again');
  return h('div', { class: 'narrow' }, h('h1', {}, 'That did not work'), refusal(error), h('p', {}, retry));
}

export function nothingHere(detail: string): HTMLElement {
  return h('div', { class: 'narrow' }, h('h1', {}, 'Nothing here'), h('p', {}, detail), h('p', {}, h('a', { href: link('/') }, 'Go to the marketplace')));
}

/** What stands in place of an empty list. */
export function empty(...said: Child[]): HTMLElement {
  return h('div', { class: 'empty-list' }, ...said.map((one) => (typeof one === 'string' ? h('p', {}, one) : one)).filter((one) => one instanceof Node));
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
