// One feature request: its text, its status, the requests merged into it, and its comments.
import { dataOf, type Schemas } from '../api';
import { day, h, safeHtml } from '../dom';
import { chosenLocale } from '../language';
import { link, type Place } from '../router';
import { type Session } from '../session';
import { comments } from './comments';
import { reportButton } from './report';
import { author, followButton, statusBadge, STATUSES, tabs, topicName, voteButton } from './shared';

type Duplicate = Schemas['FeatureRequestDuplicate'];
type Change = Schemas['FeatureRequestChange'];

export async function request(session: Session, { name, signal }: Place): Promise<HTMLElement> {
  const params = { path: { request_uuid: name } };
  const [shown, changes, duplicates, said] = await Promise.all([
    dataOf(session.api.GET('/v1/engagement/feature-requests/{request_uuid}', { params, signal })),
    dataOf(session.api.GET('/v1/engagement/feature-requests/{request_uuid}/status-changes', { params: { ...params, query: { limit: 50 } }, signal })),
    dataOf(session.api.GET('/v1/engagement/feature-requests/{request_uuid}/duplicates', { params: { ...params, query: { limit: 50 } }, signal })),
    dataOf(session.api.GET('/v1/engagement/feature-requests/{request_uuid}/comments', { params, signal })),
  ]);
  return h(
    'article',
    { class: 'stack' },
    tabs('list'),
    head(session, shown),
    shown.merged_into_uuid && h('p', { class: 'note' }, 'This request was merged into another request. ', h('a', { href: link(`/board/${shown.merged_into_uuid}`) }, 'Vote and comment there')),
    h('div', { class: 'columns' }, h('div', { class: 'stack' }, h('div', { class: 'request-text' }, safeHtml(shown.body_html), shown.allowed_actions.includes('report') && reportButton(session, 'request', shown.uuid)), comments(session, shown, said, signal)), h('aside', { class: 'stack', 'aria-label': 'History and duplicates' }, history(shown, changes.data, duplicates.data), merged(duplicates.data))),
  );
}

function head(session: Session, shown: Schemas['FeatureRequest']): HTMLElement {
  return h(
    'header',
    { class: 'request' },
    voteButton(session, shown),
    h(
      'div',
      {},
      h('h1', {}, shown.title),
      h(
        'p',
        { class: 'row' },
        statusBadge(shown.status),
        shown.topic && h('span', { class: 'badge' }, topicName(shown.topic.names, chosenLocale())),
        h('span', { class: 'faint' }, author(shown.proposed_by), ', ', day(shown.created_at), shown.edited_at && ' (edited)'),
      ),
      shown.changelog_entry && h('p', {}, 'Released: ', h('a', { href: `${session.base}/changelog/${shown.changelog_entry.slug}` }, shown.changelog_entry.title)),
    ),
    followButton(session, shown),
  );
}

function history(shown: Schemas['FeatureRequest'], changes: Change[], duplicates: Duplicate[]): HTMLElement {
  const titles = new Map(duplicates.map(({ uuid, title }) => [uuid, title]));
  const begun = h('li', {}, h('strong', {}, 'Proposed'), h('p', { class: 'small faint' }, day(shown.created_at)));
  return h('section', {}, h('h2', {}, 'History'), h('ol', { class: 'history' }, ...changes.map((change) => event(change, shown.uuid, titles)), begun));
}

/** An entry of the history. For a merge, it links the other request, with its title if known. */
function event({ kind, to_status: to, merged_uuid: merged, into_uuid: into, note, occurred_at: at }: Change, own: string, titles: Map<string, string>): HTMLElement {
  const isMerged = merged === own;
  const uuid = isMerged ? into : merged;
  const other = uuid ? h('a', { href: link(`/board/${uuid}`) }, titles.get(uuid) ?? 'another request') : 'another request';
  const said: Record<Change['kind'], () => (Node | string)[]> = {
    STATUS: () => [to ? STATUSES[to] : 'Changed'],
    MERGE: () => (isMerged ? ['Merged into ', other] : ['Merged ', other, ' into this request']),
    UNMERGE: () => ['Separated from ', other],
  };
  return h('li', {}, h('strong', {}, ...said[kind]()), h('p', { class: 'small faint' }, day(at)), note && h('p', {}, note));
}

function merged(duplicates: Duplicate[]): HTMLElement | null {
  if (duplicates.length === 0) return null;
  const items = duplicates.map(({ uuid, title, proposed_by: by }) => h('li', {}, h('a', { href: link(`/board/${uuid}`) }, title), h('p', { class: 'small faint' }, author(by))));
  return h('section', {}, h('h2', {}, 'Also proposed as'), h('p', { class: 'small faint' }, 'Votes for these requests count here. Each user counts only once.'), h('ul', { class: 'plain' }, ...items));
}
