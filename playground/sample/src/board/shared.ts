// Parts that the views of the board share: status labels, author names, and the vote and follow buttons.
import { dataOf, type Schemas } from '../api';
import { count, h, type Child } from '../dom';
import { acting } from '../parts';
import { link } from '../router';
import { type Session } from '../session';
import { unreadCount } from './unread';

export type Summary = Schemas['FeatureRequestSummary'];
export type Status = Schemas['FeatureRequestStatus'];

export const STATUSES: Record<Status, string> = { OPEN: 'Open', UNDER_REVIEW: 'Under review', PLANNED: 'Planned', IN_PROGRESS: 'In progress', SHIPPED: 'Shipped', DECLINED: 'Declined' };

export function statusBadge(status: Status): HTMLElement {
  return h('span', { class: `badge status ${status.toLowerCase()}` }, STATUSES[status]);
}

/** Returns the name of the company, and of the user if attribution shows it. */
export function author(by: Pick<Schemas['BoardAuthor'], 'company_name' | 'person_name'>): string {
  const company = by.company_name ?? 'A former partner';
  return by.person_name ? `${by.person_name}, ${company}` : company;
}

/** Returns the name of a topic in the selected locale, else in English. */
export function topicName(names: Schemas['BoardTopicNames'], locale: string | undefined): string {
  return names[locale ?? 'en'] ?? names[locale?.split('-')[0] ?? 'en'] ?? names.en;
}

type Tab = 'list' | 'roadmap' | 'new' | 'notifications' | 'attribution';

export function tabs(shown: Tab): HTMLElement {
  const tab = (name: Tab, path: string, text: string, ...more: Child[]) => h('li', {}, h('a', { href: link(path), 'aria-current': name === shown && 'page' }, text, ...more));
  return h(
    'nav',
    { 'aria-label': 'Board pages' },
    h('ul', { class: 'tabs' }, tab('list', '/board', 'Requests'), tab('roadmap', '/board/roadmap', 'Roadmap'), tab('new', '/board/new', 'Propose'), tab('notifications', '/board/notifications', 'Notifications', unreadCount()), tab('attribution', '/board/attribution', 'Your name')),
  );
}

/** A feature request in the list. */
export function row(session: Session, one: Summary, locale: string | undefined): HTMLElement {
  return h(
    'li',
    { class: 'request' },
    voteButton(session, one),
    h(
      'div',
      {},
      h('h3', {}, h('a', { href: link(`/board/${one.uuid}`) }, one.title)),
      h('p', { class: 'excerpt' }, one.excerpt),
      h(
        'p',
        { class: 'row small faint' },
        one.pinned && h('span', { class: 'badge good' }, 'Pinned'),
        statusBadge(one.status),
        one.topic && h('span', {}, topicName(one.topic.names, locale)),
        h('span', {}, author(one.proposed_by)),
        h('span', {}, count(one.comments_count, 'comment')),
        one.followed && h('span', {}, 'You follow this'),
      ),
    ),
  );
}

/**
 * A button that casts or withdraws a vote. It shows the result immediately, and then the number of votes in the response. If
 * `allowed_actions` contains neither action, only the number is shown.
 */
export function voteButton(session: Session, first: Summary, told: (now: Schemas['FeatureRequest']) => void = () => {}): HTMLElement {
  const can = first.allowed_actions;
  if (!can.includes('vote') && !can.includes('withdraw-vote')) return h('div', { class: 'vote' }, h('strong', {}, String(first.votes)), h('span', { class: 'small' }, first.votes === 1 ? 'vote' : 'votes'));
  const button = h('button', { type: 'button', class: 'vote' });
  let now: Pick<Summary, 'votes' | 'voted'> = first;
  const draw = ({ votes, voted }: Pick<Summary, 'votes' | 'voted'>) => {
    const number = [h('strong', {}, String(votes)), ' ', h('span', { class: 'small' }, votes === 1 ? 'vote' : 'votes')];
    button.replaceChildren(h('span', { class: 'unseen' }, `Vote for ${first.title}: `), h('span', { 'aria-hidden': 'true' }, '▲'), ...number);
    button.setAttribute('aria-pressed', String(voted));
  };
  draw(now);
  button.addEventListener('click', () =>
    acting(button, async () => {
      const { votes, voted } = now;
      draw({ votes: voted ? votes - 1 : votes + 1, voted: !voted });
      try {
        const params = { path: { request_uuid: first.uuid } };
        const path = '/v1/engagement/feature-requests/{request_uuid}/vote';
        const answered = await dataOf(voted ? session.api.DELETE(path, { params }) : session.api.PUT(path, { params }));
        now = answered;
        told(answered);
      } finally {
        draw(now);
      }
    }),
  );
  return h('div', {}, button);
}

/** A button that follows or unfollows a request. Null if neither action is allowed. */
export function followButton(session: Session, first: Summary): HTMLElement | null {
  if (!first.allowed_actions.includes('follow') && !first.allowed_actions.includes('unfollow')) return null;
  const button = h('button', { type: 'button' });
  let { followed } = first;
  const draw = () => {
    button.textContent = followed ? 'Following' : 'Follow';
    button.setAttribute('aria-pressed', String(followed));
  };
  draw();
  button.addEventListener('click', () =>
    acting(button, async () => {
      const params = { path: { request_uuid: first.uuid } };
      const path = '/v1/engagement/feature-requests/{request_uuid}/follow';
      ({ followed } = await dataOf(followed ? session.api.DELETE(path, { params }) : session.api.PUT(path, { params })));
      draw();
    }),
  );
  return h('div', {}, button);
}
