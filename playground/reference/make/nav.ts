// Renders the navigation next to every page: concepts, and all operations by audience, group and resource.
import type { Concept } from './concepts';
import type { Audience, Operation } from './contract';
import { html, type Html } from './html';
import { AUDIENCE_ORDER, AUDIENCES, titled } from './words';

/** The whole navigation. */
export function navigation(concepts: Concept[], operations: Operation[]): Html {
  return html`${placesOf(concepts)}
${audiencesOf('partner')}
${AUDIENCE_ORDER.map((audience) => html`<div data-audience="${audience}"${audience !== 'partner' && html` hidden`}>${groupsOf(operations, audience, false)}</div>
`)}`;
}

/**
 * The navigation of a page that is complete without a script: with the operations of one group, or with none. The script
 * replaces it with the whole navigation, which every page would otherwise repeat.
 */
export function shortNavigation(concepts: Concept[], operations: Operation[], near?: Operation): Html {
  const group = near ? operations.filter(({ audience, group }) => audience === near.audience && group === near.group) : [];
  return html`${placesOf(concepts)}
${near && html`<div data-audience="${near.audience}">${groupsOf(group, near.audience, true)}</div>`}
<p data-short><a href="/reference">All operations</a></p>`;
}

function placesOf(concepts: Concept[]): Html {
  return html`<ul class="places"><li><a href="/reference">Start</a></li><li><a href="/reference#/codes">Error codes</a></li><li><a href="/reference#/scopes">Scopes</a></li><li><a href="/reference#/changes">Changes</a></li><li><a href="/reference#/glossary">Glossary</a></li></ul>
<details class="concepts" open><summary>Concepts</summary><ul>${concepts.map(({ name, title }) => html`<li><a href="/reference/concepts/${name}">${title}</a></li>`)}</ul></details>`;
}

function audiencesOf(pressed: Audience): Html {
  return html`<div class="audiences" role="group" aria-label="Operations for">${AUDIENCE_ORDER.map((audience) => html`<button type="button" data-audience="${audience}" aria-pressed="${audience === pressed ? 'true' : 'false'}">${AUDIENCES[audience].title}</button>`)}</div>`;
}

function groupsOf(operations: Operation[], audience: Audience, open: boolean): Html {
  const here = operations.filter((operation) => operation.audience === audience);
  return html`<p class="audience">${AUDIENCES[audience].title}</p>${grouped(here, (operation) => operation.group).map(([group, members]) => html`<details${open && html` open`}><summary>${titled(group)} <span class="count">${members.length}</span></summary>${
    grouped(members, (operation) => operation.resource).map(([resource, few]) => html`<p class="resource">${titled(resource)}</p><ul>${few.map(linkOf)}</ul>`)}</details>
`)}`;
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
