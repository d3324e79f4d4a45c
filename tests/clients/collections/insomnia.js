// Insomnia's own importer reads the export, and what it reads is what the contract has.
import assert from 'node:assert/strict';
import importers from 'insomnia-importers';

const base = process.env.LABS_TEST_BASE;
const download = async (slug) => (await fetch(`${base}/v1/publication/public/developer-resources/${slug}/artefact`)).text();
const { type, data } = await importers.convert(await download('insomnia-export'));
assert.equal(type.id, 'insomnia-4');
const contract = JSON.parse(await download('openapi-json'));
const operations = Object.values(contract.paths).flatMap((item) => Object.values(item));
const of = (kind) => data.resources.filter(({ _type }) => _type === kind);
assert.deepEqual(of('request').map(({ name }) => name).sort(), operations.map(({ summary }) => summary).sort());
assert.equal(of('request_group').length, contract.tags.length);
assert.equal(of('environment')[0].data.base_url, base);
assert.equal(new Set(data.resources.map(({ _id }) => _id)).size, data.resources.length);
console.log(`insomnia: its importer reads ${of('request').length} requests`);
