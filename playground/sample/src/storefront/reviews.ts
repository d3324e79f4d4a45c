// The customer reviews of a listing: star distribution, filter by stars, sort order, and the partner's replies.
import { dataOf, given, storefront, type Schemas } from '../api';
import { count, day, h } from '../dom';
import { drawn, empty, going, isAbort, refusal, type Page } from '../parts';

type Sort = '-written_at' | '-rating' | 'rating';
type Review = Schemas['ListingReview'];
const SORTS: [Sort, string][] = [
  ['-written_at', 'Newest'],
  ['-rating', 'Best first'],
  ['rating', 'Worst first'],
];

/** The section with the first page of reviews. */
export async function reviews(slug: string, signal: AbortSignal): Promise<HTMLElement> {
  let [sort, rating]: [Sort, number | undefined] = ['-written_at', undefined];
  const ask = (cursor?: string) =>
    dataOf(storefront.GET('/v1/marketplace/public/listings/{listing_slug}/reviews', { params: { path: { listing_slug: slug }, query: { sort, limit: 5, ...given({ cursor, rating: rating ? [rating] : undefined }) } }, signal }));

  const first = await ask();
  const place = h('div', { 'aria-live': 'polite' }, list(first, ask));
  const anew = async () => {
    place.setAttribute('aria-busy', 'true');
    try {
      place.replaceChildren(list(await ask(), ask));
    } catch (error) {
      if (!isAbort(error)) place.replaceChildren(refusal(error));
    }
    place.removeAttribute('aria-busy');
  };
  const order = h('select', {}, ...SORTS.map(([value, text]) => h('option', { value }, text)));
  order.addEventListener('change', () => {
    sort = SORTS.find(([value]) => value === order.value)?.[0] ?? sort;
    void anew();
  });
  const spread = stars(first.ratings, (chosen) => {
    rating = chosen;
    void anew();
  });
  if (first.ratings.count === 0) return h('section', { id: 'reviews' }, h('h2', {}, 'Reviews'), empty('No reviews yet.'));
  return h('section', { id: 'reviews' }, h('div', { class: 'bar' }, h('h2', {}, 'Reviews'), h('label', { class: 'order' }, 'Sort by ', order)), spread, place);
}

/** The average, and a bar for each number of stars. A click on a bar filters the reviews, a second click removes the filter. */
function stars(ratings: Schemas['RatingSpread'], choose: (rating: number | undefined) => void): HTMLElement {
  const bars = ratings.stars.map(({ rating, count: number }) => {
    const meter = h('meter', { min: 0, max: Math.max(ratings.count, 1), value: number, 'aria-hidden': 'true' });
    const unseen = (text: string) => h('span', { class: 'unseen' }, text);
    const only = h('span', {}, unseen('Only '), `${rating} `, h('span', { 'aria-hidden': 'true' }, '★'), unseen(rating === 1 ? 'star: ' : 'stars: '));
    const bar = h('button', { type: 'button', class: 'spread', 'aria-pressed': 'false' }, only, meter, h('span', { class: 'number' }, String(number), unseen(number === 1 ? ' review' : ' reviews')));
    bar.addEventListener('click', () => {
      const pressed = bar.getAttribute('aria-pressed') === 'true';
      for (const one of bars) one.setAttribute('aria-pressed', String(one === bar && !pressed));
      choose(pressed ? undefined : rating);
    });
    return bar;
  });
  const average = h('p', { class: 'average' }, h('strong', {}, ratings.average?.toFixed(1) ?? '–'), drawn(ratings.average ?? 0), h('span', { class: 'small faint' }, count(ratings.count, 'review')));
  return h('div', { class: 'ratings' }, average, h('div', { role: 'group', 'aria-label': 'Reviews by stars' }, ...bars));
}

function list(first: Page<Review>, ask: (cursor: string) => Promise<Page<Review>>): HTMLElement {
  if (first.data.length === 0) return empty('No reviews with this rating.');
  return going(h('ul', { class: 'reviews' }), first, review, ask);
}

function review({ rating, title, body, locale, written_at, version_number: version, reply }: Review): HTMLElement {
  return h(
    'li',
    {},
    h('p', {}, drawn(rating), ' ', title && h('strong', { lang: locale }, title)),
    body && h('p', { lang: locale }, body),
    h('p', { class: 'small faint' }, day(written_at), version && `, for version ${version}`),
    reply && h('blockquote', {}, h('p', { class: 'small' }, h('strong', {}, 'Reply of the vendor'), ' ', day(reply.replied_at)), h('p', {}, reply.body), reply.to_earlier_text && h('p', { class: 'small faint' }, 'This reply refers to an earlier text of the review.')),
  );
}
