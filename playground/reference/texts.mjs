// Reads the texts from which the reference is generated: the contract, the error codes, the glossary and the concepts.
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const read = (path) => readFile(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

export async function readTexts() {
  const names = (await readdir(fileURLToPath(new URL('concepts', import.meta.url)))).filter((name) => name.endsWith('.md')).sort();
  const [contract, codes, glossary, ...concepts] = await Promise.all(
    ['../../contract/openapi.yaml', '../../contract/codes.yaml', '../../docs/glossary.md', ...names.map((name) => `concepts/${name}`)].map(read),
  );
  return { contract, codes, glossary, concepts: new Map(names.map((name, at) => [name.replace(/\.md$/, ''), concepts[at]])) };
}
