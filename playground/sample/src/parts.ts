// Parts that several views share: cards, images, stars, lists with a "more" button, and empty states.
import { Refusal, Unreachable, type Schemas } from './api';
import { drawing, h, type Child } from './dom';
import { texts } from './language';
import { pictogram } from './pictograms';
import { again, link } from './router';

const STAR = 'M12 2.6l2.9 6 6.6.9-4.8 4.6 1.2 6.6L12 17.6l-5.9 3.1 1.2-6.6L2.5 9.5l6.6-.9z';

/** An image in all available sizes. The browser selects one. */
export function picture(sources: Schemas['PictureSources'], alt: string, sizes: string, attributes: Record<string, string> = {}): HTMLElement {
  const widest = sources.reduce((one, other) => (other.width > one.width ? other : one));
  const srcset = sources.map(({ url, width }) => `${url} ${width}w`).join(', ');
  return h('img', { src: widest.url, srcset, sizes, alt, width: widest.width, height: widest.height, loading: 'lazy', decoding: 'async', ...attributes });
}

/** The icon of a listing, or the first letter of its name. */
export function icon(listing: Pick<Schemas['ListingSummary'], 'icon' | 'name'>, sizes = '4rem'): HTMLElement {
  // The name is next to the icon, so an alternative text would only repeat it to screen readers.
  if (listing.icon && listing.icon.sources.length > 0) return picture(listing.icon.sources, '', sizes, { class: 'icon' });
  return h('span', { class: 'icon letter', 'aria-hidden': 'true' }, listing.name.slice(0, 1));
}

/** Average rating with the number of reviews. In a list, where space is short, only the number is visible. */
export function stars(rating: Schemas['ListingRating'], inList = false): HTMLElement {
  if (rating.average === null) return h('span', { class: 'stars none faint' }, texts().noReviewsYet);
  return h('span', { class: 'stars' }, drawn(rating.average), h('strong', {}, texts().decimal(rating.average)), h('span', { class: 'faint' }, ...(inList ? [h('span', { 'aria-hidden': 'true' }, `(${texts().number(rating.count)})`), h('span', { class: 'unseen' }, texts().reviews(rating.count))] : [texts().reviews(rating.count)])));
}

/** Five stars, filled to the nearest half. */
export function drawn(number: number): HTMLElement {
  const halves = Math.round(number * 2);
  const all = [1, 2, 3, 4, 5].map((place) => star(halves >= place * 2 ? 'full' : halves === place * 2 - 1 ? 'half' : 'none'));
  const rounded = Math.round(number * 10) / 10;
  const row = h('span', { class: 'drawn', role: 'img', 'aria-label': texts().stars(rounded) });
  row.append(...all);
  return row;
}

export function star(fill: 'full' | 'half' | 'none'): SVGElement {
  const parts = [drawing('path', { d: STAR, class: fill === 'full' ? 'fill' : 'empty' })];
  // The left half: the same star, cut in the middle.
  if (fill === 'half') parts.push(drawing('path', { d: 'M12 2.6v15l-5.9 3.1 1.2-6.6L2.5 9.5l6.6-.9z', class: 'fill' }));
  return drawing('svg', { class: `star ${fill}`, viewBox: '0 0 24 24', width: 16, height: 16, 'aria-hidden': 'true' }, ...parts);
}

export function verifiedMark(vendor: { verified: boolean }): HTMLElement | null {
  return vendor.verified ? h('span', { class: 'verified', title: texts().verified }, pictogram('verified'), h('span', { class: 'unseen' }, texts().verified)) : null;
}

/** A listing in a list. The note replaces the category. */
export function card(listing: Schemas['ListingSummary'], note?: string): HTMLElement {
  const category = listing.categories[0]?.name;
  return h(
    'li',
    { class: 'card' },
    h(
      'div',
      { class: 'card-head' },
      icon(listing),
      h(
        'div',
        {},
        h('h3', { lang: listing.locale }, h('a', { href: link(`/listings/${listing.slug}`) }, listing.name)),
        h('p', { class: 'small faint vendor-name' }, h('span', {}, listing.vendor.name), verifiedMark(listing.vendor)),
      ),
    ),
    h('p', { class: 'line', lang: listing.locale }, listing.tagline),
    h('p', { class: 'card-foot small' }, stars(listing.rating, true), h('span', { class: 'faint' }, note ?? category)),
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
  const button = h('button', { type: 'button', class: 'more' }, texts().showMore);
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
  if (error instanceof Unreachable) return [h('strong', {}, texts().noResponse), h('p', {}, error.message)];
  console.error(error);
  return [h('strong', {}, texts().pageError), h('p', {}, texts().seeConsole)];
}

/** A view that shows an error. */
export function broken(error: unknown): HTMLElement {
  if (error instanceof Refusal && error.problem.status === 404) return nothingHere(error.problem.detail);
  const retry = h('button', { type: 'button', onclick: again }, texts().tryAgain);
  return h('div', { class: 'narrow' }, h('h1', {}, texts().notLoaded), refusal(error), h('p', {}, retry));
}

export function nothingHere(detail: string): HTMLElement {
  return h('div', { class: 'narrow' }, h('h1', {}, texts().notFound), h('p', {}, detail), h('p', {}, h('a', { href: link('/') }, texts().toMarketplace)));
}

/** Placeholder for an empty list. */
export function empty(...said: Child[]): HTMLElement {
  return h('div', { class: 'empty-list' }, ...said.map((one) => (typeof one === 'string' ? h('p', {}, one) : one)).filter((one) => one instanceof Node));
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Shows a dialog until the user closes it or leaves the page. The browser returns the focus to the element that opened it. */
export function openDialog(dialog: HTMLDialogElement): void {
  const close = () => dialog.close();
  dialog.addEventListener('close', () => (removeEventListener('place', close), dialog.remove()));
  // The dialog element itself is the target of a click only outside of its content.
  dialog.addEventListener('click', (event) => event.target === dialog && close());
  addEventListener('place', close);
  document.body.append(dialog);
  dialog.showModal();
}
