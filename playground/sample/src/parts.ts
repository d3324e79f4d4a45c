// Parts that several views share: cards, images, stars, lists with a "more" button, and empty states.
import { Refusal, Unreachable, type Schemas } from './api';
import { count, h, type Child } from './dom';
import { again, link } from './router';

/** An image in all available sizes. The browser selects one. */
export function picture(sources: Schemas['PictureSources'], alt: string, sizes: string, attributes: Record<string, string> = {}): HTMLElement {
  const widest = sources.reduce((one, other) => (other.width > one.width ? other : one));
  const srcset = sources.map(({ url, width }) => `${url} ${width}w`).join(', ');
  return h('img', { src: widest.url, srcset, sizes, alt, width: widest.width, height: widest.height, loading: 'lazy', decoding: 'async', ...attributes });
}

/** The icon of a listing, or the first letter of its name. */
export function icon(listing: Pick<Schemas['ListingSummary'], 'icon' | 'name'>): HTMLElement {
  // The name is next to the icon, so an alternative text would only repeat it to screen readers.
  if (listing.icon && listing.icon.sources.length > 0) return picture(listing.icon.sources, '', '4rem', { class: 'icon' });
  return h('span', { class: 'icon letter', 'aria-hidden': 'true' }, listing.name.slice(0, 1));
}

/** Average rating with the number of reviews. */
export function stars(rating: Schemas['ListingRating']): HTMLElement {
  if (rating.average === null) return h('span', { class: 'stars none' }, 'No reviews yet');
  return h('span', { class: 'stars' }, drawn(rating.average), ` ${rating.average.toFixed(1)} `, h('span', { class: 'faint' }, `(${count(rating.count, 'review')})`));
}

/** Five stars. The first `number` are full. */
export function drawn(number: number): HTMLElement {
  const full = Math.round(number);
  return h('span', { class: 'drawn', role: 'img', 'aria-label': `${number} of 5 stars` }, '★'.repeat(full), h('span', { class: 'empty' }, '★'.repeat(5 - full)));
}

export function verifiedMark(vendor: { verified: boolean }): HTMLElement | null {
  return vendor.verified ? h('span', { class: 'badge good' }, 'Verified') : null;
}

/** A listing in a list. */
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

/** A page of a list in a response. */
export interface Page<T> {
  data: T[];
  page: Schemas['Page'];
}

/** A list with a button that loads the next page. */
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

/** Runs the action of a button, and shows an error below the button. It ignores clicks while the action runs. */
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

/** An error message, with the text of the service if there is one. */
export function refusal(error: unknown): HTMLElement {
  return h('div', { class: 'refusal', role: 'alert' }, ...words(error));
}

function words(error: unknown): Child[] {
  if (error instanceof Refusal) {
    const { title, detail, errors = [], request_id: id } = error.problem;
    const fields = errors.map(({ pointer, parameter, message }) => h('li', {}, [parameter ?? pointer?.slice(1), message].filter(Boolean).join(': ')));
    return [h('strong', {}, title), h('p', {}, detail), fields.length > 0 && h('ul', {}, ...fields), id && h('p', { class: 'small faint' }, `Request ${id}`)];
  }
  if (error instanceof Unreachable) return [h('strong', {}, 'The service did not respond'), h('p', {}, error.message)];
  console.error(error);
  return [h('strong', {}, 'This page has an error'), h('p', {}, 'See the browser console for details.')];
}

/** A view that shows an error. */
export function broken(error: unknown): HTMLElement {
  if (error instanceof Refusal && error.problem.status === 404) return nothingHere(error.problem.detail);
  const retry = h('button', { type: 'button', onclick: again }, 'Try again');
  return h('div', { class: 'narrow' }, h('h1', {}, 'The page could not be loaded'), refusal(error), h('p', {}, retry));
}

export function nothingHere(detail: string): HTMLElement {
  return h('div', { class: 'narrow' }, h('h1', {}, 'Not found'), h('p', {}, detail), h('p', {}, h('a', { href: link('/') }, 'Go to the marketplace')));
}

/** Placeholder for an empty list. */
export function empty(...said: Child[]): HTMLElement {
  return h('div', { class: 'empty-list' }, ...said.map((one) => (typeof one === 'string' ? h('p', {}, one) : one)).filter((one) => one instanceof Node));
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
