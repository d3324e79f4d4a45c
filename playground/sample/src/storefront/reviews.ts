// The customer reviews of a listing: star distribution, filter by stars, sort order, and the partner's replies.
import { dataOf, given, storefront, type Schemas } from '../api';
import { day, h } from '../dom';
import { texts } from '../language';
import { drawn, empty, going, isAbort, refusal, star, type Page } from '../parts';

type Sort = 'default' | '-written_at' | '-rating' | 'rating';
type Review = Schemas['ListingReview'];
const SORTS: Sort[] = ['default', '-written_at', '-rating', 'rating'];

/** The section with the first page of reviews. */
export async function reviews(slug: string, signal: AbortSignal): Promise<HTMLElement> {
  let [sort, rating]: [Sort, number | undefined] = ['default', undefined];
  const ask = async (cursor?: string) => {
    const query = { limit: 10, ...given({ cursor, sort: sort === 'default' ? undefined : sort, rating: rating ? [rating] : undefined }) };
    const page = await dataOf(storefront.GET('/v1/marketplace/public/listings/{listing_slug}/reviews', { params: { path: { listing_slug: slug }, query }, signal }));
    return sort === 'default' ? putTextsFirst(page) : page;
  };

  const [t, first] = [texts(), await ask()];
  if (first.ratings.count === 0) return h('section', { id: 'reviews' }, h('h2', {}, t.reviewsTitle), empty(t.noReviewsYet));
  const place = h('div', { 'aria-live': 'polite' }, list(first, ask));
  const reload = async () => {
    place.setAttribute('aria-busy', 'true');
    try {
      place.replaceChildren(list(await ask(), ask));
    } catch (error) {
      if (!isAbort(error)) place.replaceChildren(refusal(error));
    }
    place.removeAttribute('aria-busy');
  };
  const order = h('select', {}, ...SORTS.map((value) => h('option', { value }, t.reviewSorts[value])));
  order.addEventListener('change', () => {
    sort = SORTS.find((value) => value === order.value) ?? sort;
    void reload();
  });
  const spread = distribution(first.ratings, (chosen) => {
    rating = chosen;
    void reload();
  });
  return h('section', { id: 'reviews' }, h('div', { class: 'bar' }, h('h2', {}, t.reviewsTitle), h('label', { class: 'order' }, `${t.sortBy} `, order)), spread, place);
}

/** Puts the reviews with text of a page before its ratings without text, in an otherwise unchanged order. */
function putTextsFirst<T extends Page<Review>>(page: T): T {
  const hasText = ({ title, body }: Review) => Boolean(title ?? body);
  return { ...page, data: [...page.data.filter(hasText), ...page.data.filter((one) => !hasText(one))] };
}

/** The average, and a bar for each number of stars. A click on a bar filters the reviews, a second click removes the filter. */
function distribution(ratings: Schemas['RatingSpread'], choose: (rating: number | undefined) => void): HTMLElement {
  const t = texts();
  const bars = ratings.stars.map(({ rating, count }) => {
    const meter = h('meter', { min: 0, max: Math.max(ratings.count, 1), value: count });
    const shown = h('span', { class: 'spread-row', 'aria-hidden': 'true' }, h('span', { class: 'spread-star' }, String(rating)), meter, h('span', { class: 'number' }, String(count)));
    shown.firstElementChild?.append(star('full'));
    const bar = h('button', { type: 'button', class: 'spread', 'aria-pressed': 'false' }, h('span', { class: 'unseen' }, t.onlyStars(rating, count)), shown);
    bar.addEventListener('click', () => {
      const pressed = bar.getAttribute('aria-pressed') === 'true';
      for (const one of bars) one.setAttribute('aria-pressed', String(one === bar && !pressed));
      choose(pressed ? undefined : rating);
    });
    return bar;
  });
  const average = h('p', { class: 'average' }, h('strong', {}, ratings.average === null ? '–' : t.decimal(ratings.average)), drawn(ratings.average ?? 0), h('span', { class: 'small faint' }, t.reviews(ratings.count)));
  return h('div', { class: 'ratings' }, average, h('div', { role: 'group', 'aria-label': t.byStars }, ...bars));
}

function list(first: Page<Review>, ask: (cursor: string) => Promise<Page<Review>>): HTMLElement {
  if (first.data.length === 0) return empty(texts().noReviewsWithRating);
  return going(h('ul', { class: 'reviews' }), first, review, ask);
}

function review({ rating, title, body, locale, written_at, version_number: version, reply }: Review): HTMLElement {
  const t = texts();
  const facts = h('span', { class: 'small faint' }, day(written_at, 'short'), version && `, ${t.forVersion(version)}`);
  if (!title && !body) return h('li', { class: 'bare' }, drawn(rating), facts);
  return h(
    'li',
    {},
    h('p', { class: 'row' }, drawn(rating), facts),
    title && h('h3', { lang: locale }, title),
    body && h('p', { lang: locale }, body),
    reply && h('blockquote', {}, h('p', { class: 'small' }, h('strong', {}, t.reply), ' ', h('span', { class: 'faint' }, day(reply.replied_at, 'short'))), h('p', {}, reply.body), reply.to_earlier_text && h('p', { class: 'small faint' }, t.replyToEarlier)),
  );
}
