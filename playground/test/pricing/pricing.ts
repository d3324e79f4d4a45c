// A pricing page built from the public catalogue. Every name below is typed by the contract: if a field is renamed or
// becomes nullable, this file no longer compiles.
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './made/contract.js';

type Tier = components['schemas']['Tier'];
type Feature = components['schemas']['PublicFeature'];
type Cell = components['schemas']['PublicFeatureValue'];

/** Content of a pricing page: a card for each tier, and a table of features. */
export type PricingPage = { cards: Card[]; table: Row[] };
export type Card = { code: string; title: string; price: string; action: 'choose' | 'ask'; limits: string[] };
export type Row = { title: string; cells: string[] };

/** Creates a client with the types of the contract. */
export function labs(baseUrl: string): Client<paths> {
  return createClient<paths>({ baseUrl });
}

/** Reads all tiers and features, page by page, and builds the pricing page. */
export async function pricingPage(client: Client<paths>): Promise<PricingPage> {
  const [tiers, features] = await Promise.all([allTiers(client), allFeatures(client)]);
  return { cards: tiers.map(card), table: features.map((feature) => row(feature, tiers)) };
}

async function allTiers(client: Client<paths>): Promise<Tier[]> {
  const found: Tier[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data, error } = await client.GET('/v1/subscription/public/tiers', { params: { query: { limit: 2, ...(cursor ? { cursor } : {}) } } });
    if (!data) throw new Error(`${error.code}: ${error.detail}`);
    found.push(...data.data);
    cursor = data.page.next_cursor;
  }
  return found;
}

async function allFeatures(client: Client<paths>): Promise<Feature[]> {
  const found: Feature[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data, error } = await client.GET('/v1/subscription/public/features', { params: { query: { limit: 5, ...(cursor ? { cursor } : {}) } } });
    if (!data) throw new Error(`${error.code}: ${error.detail}`);
    found.push(...data.data);
    cursor = data.page.next_cursor;
  }
  return found;
}

function card(tier: Tier): Card {
  const { burst_per_second, daily_requests, apps, team_members } = tier.limits;
  return {
    code: tier.code,
    title: tier.highlighted ? `${tier.name} (recommended)` : tier.name,
    price: price(tier),
    action: tier.self_service ? 'choose' : 'ask',
    limits: [`${burst_per_second}/s`, `${daily_requests}/day`, `${apps ?? 'unlimited'} apps`, `${team_members ?? 'unlimited'} people`],
  };
}

function price({ price: { amount_minor, currency }, billing_period }: Tier): string {
  if (amount_minor === 0) return 'free';
  const amount = new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount_minor / 100);
  return { NONE: amount, MONTH: `${amount} a month`, YEAR: `${amount} a year` }[billing_period];
}

/** A row of the table, with one cell per card. */
function row(feature: Feature, tiers: Tier[]): Row {
  const cell = (tier: Tier) => feature.tiers.find(({ tier_code }) => tier_code === tier.code);
  return { title: feature.unit ? `${feature.name} (${feature.unit})` : feature.name, cells: tiers.map((tier) => written(cell(tier))) };
}

function written(cell: Cell | undefined): string {
  if (!cell) return '';
  if (cell.unlimited) return 'unlimited';
  if (cell.limit !== null) return String(cell.limit);
  return cell.enabled ? 'yes' : '–';
}
