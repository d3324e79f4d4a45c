// What the browser tests share: the service under test, and the steps a person takes on the page.
import { openBrowser } from './browser.mjs';
import { startMock, PEOPLE } from './mock.mjs';
import { freshCode } from './totp.mjs';

/** The refusals that a sign-in passes through; the last only when an earlier run spent the code. */
export const SIGN_IN_REFUSALS = [
  { path: '/v1/auth/sessions:refresh', status: 401 },
  { path: '/v1/auth/sessions', status: 401 },
  { path: '/v1/auth/sessions:verify-mfa', status: 401 },
];

/**
 * The service that LABS_TEST_BASE names, with its sign-ins; without it the stand-in.
 * Answers `{ base, staff, limited, mock, close }`; `mock` is null for a real service.
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

/** Signs in with both steps and waits for the editor. */
export async function signIn(page, base, person) {
  await page.goto(`${base}/playground`);
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.keyboard.press('Enter');
  await enterCode(page, person);
  await editorReady(page);
}

async function enterCode(page, person) {
  // An earlier run may have spent this half minute's code: then the next one is taken.
  for (let tries = 0; tries < 2; tries += 1) {
    await page.getByLabel('Code').fill(await freshCode(person.secret));
    const answered = page.waitForResponse((response) => response.url().endsWith(':verify-mfa'));
    await page.keyboard.press('Enter');
    if ((await answered).ok()) return;
  }
  throw new Error('no code was accepted');
}

export async function editorReady(page) {
  await page.locator('.graphiql-query-editor .monaco-editor').waitFor();
  await page.locator('.graphiql-response .monaco-editor').waitFor();
}

/**
 * Signs a person in once for many tests. Answers `{ context, watch, open, close }`: each `open()` is a page with an editor of
 * its own, in the same session, and begins to watch anew.
 */
export async function signedIn(service, person) {
  const { context, page, watch, close } = await openBrowser();
  await signIn(page, service.base, person);
  const open = async (hash = '') => {
    for (const seen of Object.values(watch)) seen.length = 0;
    const fresh = await context.newPage();
    await fresh.goto(`${service.base}/playground${hash}`);
    await editorReady(fresh);
    return fresh;
  };
  return { context, watch, open, close };
}

/** Puts a text into the editor, whole: of what is typed the editor closes brackets and indents lines. */
export async function write(page, text, model = 'operation.graphql') {
  await page.evaluate(([value, name]) => globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith(name)).setValue(value), [text, model]);
}

/** Opens a saved question by its title. */
export async function openQuestion(page, title) {
  const panel = page.getByRole('button', { name: 'Show Saved queries' });
  if (await panel.isVisible()) await panel.click();
  await page.locator('.questions').getByRole('button', { name: title }).click();
}

/**
 * Runs what stands in the editor, which is the query of this name. Answers `{ status, body, requestId }` of the service.
 * The page asks for the schema at the same address, so that the answer is known by what was sent.
 */
export async function run(page, name) {
  const answered = answerTo(page, name);
  await page.getByRole('button', { name: /^Execute/ }).click();
  return answered;
}

/** The answer to the operation of this name, which is still to be asked. */
export async function answerTo(page, name) {
  const isOfQuery = (request) => new RegExp(`^(query|mutation) ${name}\\b`, 'm').test(request.postDataJSON()?.query ?? '');
  const response = await page.waitForResponse((one) => one.url().endsWith('/playground/graphql') && isOfQuery(one.request()));
  return { status: response.status(), body: await response.json(), requestId: await response.headerValue('X-Request-Id') };
}
