// The roadmap: planned, in progress and shipped requests, and the staff's response times.
import { dataOf, type Schemas } from '../api';
import { count, day, h } from '../dom';
import { chosenLocale } from '../language';
import { empty } from '../parts';
import { link, type Place } from '../router';
import { type Session } from '../session';
import { tabs, topicName, type Summary } from './shared';

export async function roadmap(session: Session, { signal }: Place): Promise<HTMLElement> {
  const shown = await dataOf(session.api.GET('/v1/engagement/roadmap', { signal }));
  return h(
    'div',
    { class: 'stack' },
    h('h1', {}, 'Roadmap'),
    tabs('roadmap'),
    pace(shown.pace),
    h('div', { class: 'roadmap' }, column('Planned', shown.planned), column('In progress', shown.in_progress), column('Shipped in the last 180 days', shown.shipped)),
  );
}

function pace({ proposed, answered_share: share, median_days: days }: Schemas['BoardPace']): HTMLElement {
  const figures: [string, string][] = [
    [proposed.toLocaleString('en'), 'requests proposed'],
    [share === null ? '–' : `${Math.round(share * 100)} %`, 'with an answer or a new status'],
    [days === null ? '–' : count(days, 'day'), 'median time to the first answer'],
  ];
  return h('dl', { class: 'pace' }, ...figures.map(([number, text]) => h('div', {}, h('dt', {}, text), h('dd', {}, number))));
}

function column(title: string, requests: Summary[]): HTMLElement {
  const items = requests.map(({ uuid, title: wanted, votes, topic, status, status_at: at }) =>
    h('li', {}, h('a', { href: link(`/board/${uuid}`) }, wanted), h('p', { class: 'small faint' }, [topic && topicName(topic.names, chosenLocale()), count(votes, 'vote')].filter(Boolean).join(', '), status === 'SHIPPED' && ', ', status === 'SHIPPED' && day(at))),
  );
  return h('section', {}, h('h2', {}, `${title} `, h('span', { class: 'faint' }, String(requests.length))), items.length > 0 ? h('ul', { class: 'plain' }, ...items) : empty('No requests.'));
}
