// Shows data that the service has and the contract does not: the tiers that grant a scope, and the changelog. If the
// service does not answer, the page is complete without it.
import { reaches } from '../../page/src/scopes';
import { element } from './dom';

interface Feature {
  name: string;
  scope: string | null;
  tiers: { tier_code: string; enabled: boolean | null }[];
}

interface Entry {
  slug: string;
  title: string;
  version: string | null;
  released_at: string;
}

const kept = new Map<string, Promise<unknown>>();

/** Fetches the `data` of a public list. Returns an empty list if the request fails. */
async function listOf<T>(address: string): Promise<T[]> {
  const asked = kept.get(address) ?? fetch(address, { credentials: 'omit' }).then((response) => (response.ok ? response.json() : { data: [] }));
  kept.set(address, asked);
  try {
    return ((await asked) as { data: T[] }).data;
  } catch {
    kept.delete(address);
    return [];
  }
}

/** Fills the elements of the page that need data from the service. */
export async function showLive(main: HTMLElement): Promise<void> {
  const article = main.querySelector<HTMLElement>('article');
  const { operation, audience, scope } = article?.dataset ?? {};
  const tasks = [];
  if (operation) tasks.push(fillEntries(main.querySelector('[data-live=changelog]'), `/v1/publication/public/changelog?operation=${operation}`));
  if (scope && audience !== 'staff') tasks.push(fillPlan(main.querySelector('[data-live=plan]'), scope));
  const deprecations = main.querySelector('[data-live=deprecations] ul');
  if (deprecations) tasks.push(fillEntries(deprecations, '/v1/publication/public/changelog?change=DEPRECATED'));
  await Promise.all(tasks);
}

async function fillEntries(list: Element | null, address: string): Promise<void> {
  const entries = await listOf<Entry>(address);
  if (!list?.isConnected || entries.length === 0) return;
  list.replaceChildren(...entries.map(({ slug, title, version, released_at }) =>
    element('li', {}, element('a', { href: `/changelog/${slug}` }, title), ` ${[version, released_at.slice(0, 10)].filter(Boolean).join(', ')}`)));
  list.closest('section')?.removeAttribute('hidden');
}

async function fillPlan(line: Element | null, scope: string): Promise<void> {
  const features = await listOf<Feature>('/v1/subscription/public/features?limit=100');
  const granting = features.find((feature) => feature.scope && reaches([feature.scope], scope));
  if (!line?.isConnected || !granting) return;
  const plans = granting.tiers.filter((tier) => tier.enabled).map((tier) => tier.tier_code);
  const where = plans.length === granting.tiers.length ? 'every tier' : plans.length === 0 ? 'no tier' : plans.join(', ');
  line.querySelector('dd')?.replaceChildren(`${granting.name}: in ${where}`);
  line.removeAttribute('hidden');
}
