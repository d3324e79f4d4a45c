// Renders the navigation next to every page: all operations by audience, group and resource.
import type { Audience, Operation } from './contract';
import { html, type Html } from './html';
import { AUDIENCE_ORDER, AUDIENCES, titled } from './words';

export function navigation(operations: Operation[]): Html {
  const buttons = AUDIENCE_ORDER.map((audience, at) => html`<button type="button" data-audience="${audience}" aria-pressed="${at === 0 ? 'true' : 'false'}">${AUDIENCES[audience].title}</button>`);
  return html`<ul class="places"><li><a href="/reference">Start</a></li><li><a href="/reference#/codes">Error codes</a></li><li><a href="/reference#/scopes">Scopes</a></li><li><a href="/reference#/changes">Changes</a></li><li><a href="/reference#/glossary">Glossary</a></li></ul>
<div class="audiences" role="group" aria-label="Operations for">${buttons}</div>
${AUDIENCE_ORDER.map((audience, at) => html`<div data-audience="${audience}"${at > 0 && html` hidden`}>${groupsOf(operations, audience)}</div>
`)}`;
}

function groupsOf(operations: Operation[], audience: Audience): Html[] {
  const here = operations.filter((operation) => operation.audience === audience);
  return grouped(here, (operation) => operation.group).map(([group, members]) => html`<details><summary>${titled(group)} <span class="count">${members.length}</span></summary>${
    grouped(members, (operation) => operation.resource).map(([resource, few]) => html`<p class="resource">${titled(resource)}</p><ul>${few.map(linkOf)}</ul>`)}</details>
`);
}

function linkOf({ id, method, title }: Operation): Html {
  return html`<li><a href="/reference/operations/${id}"><span class="method ${method.toLowerCase()}">${method}</span> <span>${title}</span></a></li>`;
}

/** Groups members by a key, in the order in which the keys first appear. */
export function grouped<T>(members: T[], key: (member: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const member of members) groups.set(key(member), [...(groups.get(key(member)) ?? []), member]);
  return [...groups];
}
