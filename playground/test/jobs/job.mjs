// The parts that all daily jobs share: the steps of a staff member on the page, and the REST API with the token of a user.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { answerTo } from '../house.mjs';
import { freshCode } from '../totp.mjs';

/**
 * A daily job on the page. Every click, choice and confirmation is a step. A typed text is not a step, because it is part of its
 * field. The job starts on the start page.
 */
export class Job {
  steps = 0;

  constructor(page) {
    this.page = page;
  }

  /** Shows the start page with current lists. The job starts here, so this is not a step. */
  async start() {
    const isStart = await this.page.locator('.view.start').isVisible();
    const isBlocked = await this.page.getByRole('dialog').isVisible();
    if (isStart || isBlocked) {
      await this.page.evaluate(() => (location.hash = '#/'));
      await this.page.reload();
    } else await this.page.getByRole('link', { name: 'Start', exact: true }).click();
    await this.page.getByRole('heading', { name: 'Start', level: 2 }).waitFor();
  }

  async click(locator) {
    this.steps += 1;
    await locator.click();
  }

  async type(label, text) {
    await this.field(label).fill(text);
  }

  /** Chooses a value of an enumeration. */
  async select(label, option) {
    this.steps += 1;
    await this.field(label).selectOption(option);
  }

  /** Chooses a time in the picker. */
  async pickTime(label, time) {
    this.steps += 1;
    await this.field(label).fill(time.toISOString().slice(0, 16));
  }

  /** Chooses a found value. Without `option`, it chooses the first one. */
  async choose(label, option) {
    this.steps += 1;
    await this.field(label).click();
    const options = this.page.locator('.popup').getByRole('option', option ? { name: option } : {});
    await options.first().click();
  }

  /** Types into the search of the start page, and opens a result. */
  async find(text, option) {
    await this.page.getByRole('combobox', { name: 'Search records and tasks' }).fill(text);
    await this.click(this.page.getByRole('option', { name: option }).first());
  }

  /** Clicks a task of an entry in a list of the start page. */
  async act(list, task, entry) {
    await this.click(this.page.getByRole('list', { name: list }).getByRole('button', { name: `${task}: ${entry}`, exact: true }).first());
  }

  /** Runs the mutation of the form, and confirms it. Returns the answered object, which the page shows. */
  async runAndConfirm(name) {
    await this.click(this.page.getByRole('form', { name: 'Variables' }).getByRole('button', { name: 'Run' }));
    const answered = answerTo(this.page, name);
    await this.click(this.page.getByRole('dialog', { name: 'Run this mutation?' }).getByRole('button', { name: 'Run' }));
    return this.#resultOf(await answered);
  }

  /** Waits for the response to a query that runs when it opens. */
  async read(name, act) {
    const answered = answerTo(this.page, name);
    await act();
    return this.#resultOf(await answered);
  }

  async #resultOf({ status, body }) {
    assert.deepEqual([status, body.errors], [200, undefined]);
    await this.page.locator('.answer .badge.good').first().waitFor();
    return Object.values(body.data)[0];
  }

  /** The field with this label. The label of the page can also say that the field is optional, and count its characters. */
  field(label) {
    const text = new RegExp(`^\\s*${label}\\s*(optional\\s*)?([\\d,]+ / [\\d,]+\\s*)?$`);
    return this.page.getByRole('form', { name: 'Variables' }).getByLabel(text).and(this.page.locator('input, select, textarea'));
  }
}

/** The REST API with one token. */
export class Api {
  constructor(base, token) {
    this.base = base;
    this.token = token;
  }

  get(path) {
    return this.#send('GET', path);
  }

  post(path, body) {
    return this.#send('POST', path, body);
  }

  patch(path, body) {
    return this.#send('PATCH', path, body);
  }

  async #send(method, path, body) {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
    const response = await fetch(`${this.base}${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }
}

/** Signs a user of the sample data in without a browser. */
export async function apiOf(base, email) {
  const sheet = readFileSync(`${process.env.LABS_FOLDER}/sign-ins.txt`, 'utf8');
  const [, password, secret] = new RegExp(`email     ${email.replaceAll('.', '\\.')}\\n    password  (\\S+)(?:\\n    totp      (\\S+))?`).exec(sheet) ?? [];
  assert.ok(password, `sign-ins.txt contains ${email}`);
  const send = async (path, body) => {
    const response = await fetch(`${base}${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    return response.json();
  };
  let answer = await send('/v1/auth/sessions', { email, password });
  if (secret) answer = await send('/v1/auth/sessions:verify-mfa', { challenge: answer.challenge, code: await freshCode(secret) });
  assert.ok(answer.access_token, JSON.stringify(answer));
  return new Api(base, answer.access_token);
}

/** Returns a time on the minute, this number of days from now. */
export function inDays(days) {
  return new Date(Math.floor(Date.now() / 60_000) * 60_000 + days * 86_400_000);
}
