// Tests that need no browser: the scope rule that the page uses in explanations, the codes, the policies.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { codeAt, stepAt } from './totp.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const part = async (name) => (await runnerImport(here(`../page/src/${name}.ts`), { configFile: false, logLevel: 'error' })).module;
const [scopes, pictures] = [await part('scopes'), await part('pictures')];

test('images of a submission need both ids and load once', () => {
  const [submission, picture] = ['0193a4b1-02aa-7e31-8c55-1d0f9a7b6c02', '0193a4b0-0000-7000-8000-000000000001'];
  const of = (data) => pictures.picturesOf({ data }).map(pictures.addressOf);
  const media = [{ uuid: picture, kind: 'ICON' }, { kind: 'BANNER' }, { uuid: '../../../me' }];
  const whole = { uuid: submission, submitted: { media } };
  const address = `/v1/marketplace/internal/submissions/${submission}/media/${picture}/content?variant=LARGE`;
  assert.deepEqual(of({ marketplace_submissions_get: whole, again: whole }), [address]);
  assert.deepEqual(of({ mine: { submitted: { media } } }), [], 'without the id of the submission nothing can be asked');
  assert.deepEqual(of({ mine: { uuid: submission, submitted: null } }), []);
  assert.deepEqual(pictures.picturesOf(null), []);
  const many = Array.from({ length: 40 }, (_, n) => ({ uuid: picture.replace(/..$/, String(n).padStart(2, '0')) }));
  assert.equal(of({ mine: { uuid: submission, submitted: { media: many } } }).length, pictures.MOST_PICTURES);
});

test('scope grants scopes below it at its own level', () => {
  assert.ok(scopes.reaches(['labs.admin'], 'labs.admin.audit'));
  assert.ok(scopes.reaches(['labs.admin.audit:write'], 'labs.admin.audit'));
  assert.ok(scopes.reaches(['labs.admin:write'], 'labs.admin.audit:write'));
  assert.ok(!scopes.reaches(['labs.admin'], 'labs.admin.audit:write'));
  assert.ok(!scopes.reaches(['labs.admin.audit'], 'labs.admin'));
  assert.ok(!scopes.reaches(['labs.admin.app'], 'labs.admin.apps'));
  assert.ok(!scopes.reaches(['labs:write'], 'labs.admin.audit'));
  assert.ok(!scopes.reaches([], 'labs.admin.audit'));
});

test('scopes are grouped by domain', () => {
  const domains = scopes.domainsOf(['labs.admin.audit', 'auth.account:write', 'labs.admin.apps:write']);
  assert.deepEqual(domains.map((domain) => [domain.name, domain.scopes.map((scope) => scope.base)]), [
    ['auth', ['auth.account']],
    ['labs.admin', ['labs.admin.apps', 'labs.admin.audit']],
  ]);
});

test('codes conform to RFC 6238', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  assert.equal(codeAt(secret, stepAt(59_000)), '287082');
  assert.equal(codeAt(secret, stepAt(1_111_111_109_000)), '081804');
  assert.equal(codeAt(secret, stepAt(20_000_000_000_000)), '353130');
});

test('no policy allows inline, evaluated or foreign scripts', () => {
  for (const [page, policy] of Object.entries(JSON.parse(readFileSync(here('../csp.json'), 'utf8')))) {
    const rules = new Map(policy.split(';').map((rule) => rule.trim().split(/ (.*)/s)));
    assert.ok(["'self'", undefined].includes(rules.get('script-src')), page);
    assert.ok(["'self'", "'none'"].includes(rules.get('default-src')), page);
    assert.equal(rules.get('frame-ancestors'), "'none'", page);
    assert.doesNotMatch(policy, /unsafe-eval|https?:|\*/, page);
  }
});
