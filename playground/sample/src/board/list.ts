// The board: all feature requests, with filters and a sort order that are kept in the URL.
import { dataOf, given } from '../api';
import { h } from '../dom';
import { chosenLocale } from '../language';
import { empty, going } from '../parts';
import { go, link, type Place } from '../router';
import { type Session } from '../session';
import { row, STATUSES, tabs, topicName, type Status } from './shared';

type Sort = '-votes' | '-trend' | '-created_at' | '-active_at';
const SORTS: [Sort, string][] = [
  ['-votes', 'Most votes'],
  ['-trend', 'Trending'],
  ['-created_at', 'Newest'],
  ['-active_at', 'Latest activity'],
];
const WHOSE: [string, string][] = [
  ['', 'All requests'],
  ['mine', 'Proposed by me'],
  ['voted', 'I voted for'],
  ['followed', 'I follow'],
];

export async function list(session: Session, { query, signal }: Place): Promise<HTMLElement> {
  const wanted = parameters(query);
  const ask = (cursor?: string) => dataOf(session.api.GET('/v1/engagement/feature-requests', { params: { query: { ...wanted, ...given({ cursor }) } }, signal }));
  const [found, topics] = await Promise.all([ask(), dataOf(session.api.GET('/v1/engagement/topics', { params: { query: { limit: 100 } }, signal }))]);
  const names: [string, string][] = topics.data.map(({ uuid, names }) => [uuid, topicName(names, chosenLocale())]);
  const requests = going(h('ul', { class: 'requests' }), found, (one) => row(session, one, chosenLocale()), ask);
  return h('div', { class: 'stack' }, h('h1', {}, 'Feature requests'), tabs('list'), filters(query, names), found.data.length > 0 ? requests : nothing());
}

/** Reads the query parameters of the operation from the address. */
function parameters(query: URLSearchParams) {
  const status = query.getAll('status').filter((one): one is Status => one in STATUSES);
  const topic = query.get('topic');
  const whose = query.get('whose');
  return {
    limit: 10,
    sort: SORTS.find(([sort]) => sort === query.get('sort'))?.[0] ?? ('-votes' as const),
    ...given({ q: query.get('q') || undefined, status: status.length > 0 ? status : undefined, topic_uuid: topic ? [topic] : undefined }),
    ...given({ mine: whose === 'mine' || undefined, voted: whose === 'voted' || undefined, followed: whose === 'followed' || undefined }),
  };
}

/** The form with the filters. Every change navigates to a new address. The search starts when the user confirms the text. */
function filters(query: URLSearchParams, topics: [string, string][]): HTMLElement {
  const statuses = Object.entries(STATUSES).map(([value, text]) => h('label', { class: 'chip' }, h('input', { type: 'checkbox', name: 'status', value, id: `status-${value}`, checked: query.getAll('status').includes(value) }), text));
  const form = h(
    'form',
    { class: 'filterbar', role: 'search', 'aria-label': 'Requests' },
    h('label', {}, 'Search text', h('input', { type: 'search', name: 'q', id: 'words', maxlength: 100, value: query.get('q') })),
    select('Topic', 'topic', [['', 'All topics'], ...topics], query.get('topic')),
    select('Show', 'whose', WHOSE, query.get('whose')),
    select('Sort by', 'sort', SORTS, query.get('sort')),
    h('fieldset', { class: 'row' }, h('legend', {}, 'Status'), ...statuses),
  );
  // Enter in the search field also fires a change event if the text differs.
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', () => {
    const data = new FormData(form);
    const one = (name: string) => String(data.get(name) ?? '').trim();
    const sort = one('sort');
    go(link('/board', { q: one('q'), topic: one('topic'), whose: one('whose'), sort: sort === '-votes' ? '' : sort, status: data.getAll('status').map(String) }));
  });
  return form;
}

function select(text: string, name: string, options: [string, string][], chosen: string | null): HTMLElement {
  return h('label', {}, text, h('select', { name, id: `by-${name}` }, ...options.map(([value, said]) => h('option', { value, selected: value === chosen }, said))));
}

function nothing(): HTMLElement {
  return empty(h('h2', {}, 'No requests match'), h('a', { href: link('/board') }, 'Show all requests'), h('a', { href: link('/board/new') }, 'Propose a feature'));
}
