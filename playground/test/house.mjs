// Shared parts of the browser tests: the service under test, and the steps of a user on the page.
import { openBrowser } from './browser.mjs';
import { startMock, PEOPLE } from './mock.mjs';
import { freshCode } from './totp.mjs';

/** Error responses that a sign-in causes. The last one occurs only if an earlier run used the code. */
export const SIGN_IN_REFUSALS = [
  { path: '/v1/auth/sessions:refresh', status: 401 },
  { path: '/v1/auth/sessions', status: 401 },
  { path: '/v1/auth/sessions:verify-mfa', status: 401 },
];

/**
 * Returns the service of LABS_TEST_BASE with its users, or starts the mock if the variable is not set.
 * The result is `{ base, staff, limited, mock, close }`. `mock` is null for a real service.
 */
export async function startService() {
  const base = process.env.LABS_TEST_BASE?.replace(/\/$/, '');
  if (base) return { base, staff: personOf('LABS_TEST_STAFF'), limited: personOf('LABS_TEST_LIMITED'), mock: null, close: async () => {} };
  const mock = await startMock();
  return { base: mock.base, staff: PEOPLE[0], limited: PEOPLE[1], mock, close: mock.close };
}

function personOf(prefix) {
  const [email, password, secret] = ['EMAIL', 'PASSWORD', 'TOTP_SECRET'].map((name) => process.env[`${prefix}_${name}`]);
  if (!email || !password || !secret) throw new Error(`${prefix}_EMAIL, ${prefix}_PASSWORD and ${prefix}_TOTP_SECRET are needed with LABS_TEST_BASE`);
  return { email, password, secret };
}

/** Signs in with password and code, and waits for the editor, whose address survives the sign-in. */
export async function signIn(page, base, person) {
  await page.goto(`${base}/playground#/queries`);
  await enterCredentials(page, person);
  await editorReady(page);
}

/** Enters password and code on the sign-in page. */
export async function enterCredentials(page, person) {
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.keyboard.press('Enter');
  await enterCode(page, person);
}

async function enterCode(page, person) {
  // If an earlier run used the code of this half minute, the next code is used.
  for (let tries = 0; tries < 2; tries += 1) {
    await page.getByLabel('Code').fill(await freshCode(person.secret));
    const answered = page.waitForResponse((response) => response.url().endsWith(':verify-mfa'));
    await page.keyboard.press('Enter');
    if ((await answered).ok()) return;
  }
  throw new Error('no code was accepted');
}

/** Waits for the editors, which are hidden while the query is folded. */
export async function editorReady(page) {
  await page.locator('.graphiql-query-editor .monaco-editor').waitFor({ state: 'attached' });
  await page.locator('.graphiql-response .monaco-editor').waitFor({ state: 'attached' });
}

/**
 * Signs a user in once for many tests. Returns `{ context, watch, open, close }`. Each `open()` opens a page with a separate editor
 * in the same session, and clears `watch`.
 */
export async function signedIn(service, person) {
  const { context, page, watch, close } = await openBrowser();
  await signIn(page, service.base, person);
  const open = async (hash = '#/queries') => {
    for (const seen of Object.values(watch)) seen.length = 0;
    const fresh = await context.newPage();
    await fresh.goto(`${service.base}/playground${hash}`);
    await editorReady(fresh);
    return fresh;
  };
  return { context, watch, open, close };
}

/** Sets the text of the editor. If a test typed it, the editor would add brackets and indentation. */
export async function write(page, text, model = 'operation.graphql') {
  await page.evaluate(([value, name]) => globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith(name)).setValue(value), [text, model]);
}

/** Opens a saved query by its title. If no value is missing, it also runs. */
export async function openQuestion(page, title) {
  const panel = page.getByRole('button', { name: 'Show Saved queries' });
  if (await panel.isVisible()) await panel.click();
  const entry = page.locator('.questions button').filter({ has: page.locator('strong').getByText(title, { exact: true }) });
  await page.locator('.questions').first().waitFor();
  // Queries that the user cannot run are folded away at the end.
  const isFolded = (await page.locator('.beyond:not([open]) strong').getByText(title, { exact: true }).count()) > 0;
  if (isFolded) await page.locator('.beyond > summary').click();
  await entry.click();
}

/** Opens a saved query that runs by itself. Returns the response, as `run` does. */
export async function openAndRun(page, title, name) {
  const answered = answerTo(page, name);
  await openQuestion(page, title);
  return answered;
}

/** Chooses a value in a field with a list. */
export async function choose(page, label, option) {
  await page.getByRole('combobox', { name: label }).click();
  await page.locator('.popup').getByRole('option', { name: option }).first().click();
}

/** Clicks the button that runs the query: of the form, or of the editor if the query has no form. */
export async function execute(page) {
  await page.getByRole('button', { name: /^(Run$|Execute)/ }).first().click();
}

/**
 * Runs the operation with this name in the editor. Returns `{ status, body, requestId }` of the response. The name identifies the
 * response, because the page requests the schema at the same address.
 */
export async function run(page, name) {
  const answered = answerTo(page, name);
  await execute(page);
  return answered;
}

/** Waits for the response to the next operation with this name. */
export async function answerTo(page, name) {
  const isOfQuery = (request) => new RegExp(`^(query|mutation) ${name}\\b`, 'm').test(request.postDataJSON()?.query ?? '');
  const response = await page.waitForResponse((one) => one.url().endsWith('/playground/graphql') && isOfQuery(one.request()));
  return { status: response.status(), body: await response.json(), requestId: await response.headerValue('X-Request-Id') };
}
