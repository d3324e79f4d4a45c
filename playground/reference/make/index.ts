// Generates the files of the reference from the contract: HTML fragments, search indexes and Markdown.
import { createHash } from 'node:crypto';
import { readCodes, type Code } from './codes';
import { examplesOf, readContract, type Contract, type Operation } from './contract';
import { readGlossary, type Term } from './glossary';
import type { Html } from './html';
import { markdown } from './markdown';
import { navigation } from './nav';
import { operationPage } from './operation';
import { changesPage, codePage, codesPage, firstPage, glossaryPage, schemaPage, scopePage, scopesPage } from './pages';
import type { Reader } from './schema';
import { codeText, firstText, glossaryText, indexText, operationText } from './text';
import { usesOf, type Uses } from './uses';

export interface Site {
  /** Contents by file name below dist/. */
  files: Map<string, string>;
  /** Replacement for `%navigation%` in index.html. */
  navigation: string;
  /** Address of the folder with the pieces. Replacement for `%pieces%`. */
  pieces: string;
}

/** Generates all files of the reference. The result depends only on the texts. */
export function makeSite(contractText: string, codesText: string, glossary: string): Site {
  const contract = readContract(contractText);
  const codes = readCodes(codesText, contract);
  const terms = readGlossary(glossary, contract);
  const links = {
    operations: new Map(contract.operations.map(({ id, method, path }) => [`${method} ${path}`, id])),
    codes: new Set(contract.codes),
  };
  const reader: Reader = { contract, markdown: markdown(links) };
  const uses = new Map(contract.operations.map((operation) => [operation, usesOf(contract, operation)]));
  const pieces = new Map([...pagePieces(reader, codes, terms), ...operationPieces(reader, codes), ...schemaPieces(reader, uses), ...searchPieces(reader, codes, terms, uses)]);
  const folder = `reference/assets/${hashOf(pieces)}`;
  const files = new Map([...pieces].map(([name, text]) => [`${folder}/${name}`, text]));
  for (const [name, text] of texts(contract, codes, terms)) files.set(name, text);
  return { files, navigation: navigation(contract.operations).text, pieces: `/${folder}/` };
}

/** Returns the name of the folder. It depends on the contents, so clients may cache the pieces without expiry. */
function hashOf(pieces: Map<string, string>): string {
  const hash = createHash('sha256');
  for (const [name, text] of pieces) hash.update(`${name}\n${text}\n`);
  return hash.digest('hex').slice(0, 12);
}

type File = [name: string, text: string];

const piece = (title: string, content: Html) => JSON.stringify({ title, html: content.text });

function pagePieces(reader: Reader, codes: Code[], terms: Term[]): File[] {
  const { scopes } = reader.contract;
  return [
    ['pages/first.json', piece('API reference', firstPage(reader))],
    ['pages/codes.json', piece('Error codes', codesPage(reader, codes))],
    ['pages/scopes.json', piece('Scopes', scopesPage(reader))],
    ['pages/changes.json', piece('Changes', changesPage(reader))],
    ['pages/glossary.json', piece('Glossary', glossaryPage(reader, terms))],
    ...codes.map((code): File => [`codes/${code.code}.json`, piece(code.code, codePage(reader, code, exampleOf(code)))]),
    ...Object.keys(scopes).map((scope): File => [`scopes/${scope.replace(':', '-')}.json`, piece(scope, scopePage(reader, scope))]),
  ];
}

/** Returns a problem document with this code, if the contract has an example. */
function exampleOf({ code, operations }: Code): unknown {
  const media = operations.flatMap((operation) => operation.answers).flatMap(([, answer]) => Object.values(answer.content ?? {}));
  const values = media.flatMap(examplesOf).map((example) => example.value as { code?: string } | null);
  return values.find((value) => value?.code === code);
}

function operationPieces(reader: Reader, codes: Code[]): File[] {
  const known = new Map(codes.map((code) => [code.code, code]));
  return reader.contract.operations.map((operation) => [`operations/${operation.id}.json`, piece(operation.title, operationPage(reader, operation, known))]);
}

function schemaPieces(reader: Reader, uses: Map<Operation, Uses>): File[] {
  return Object.entries(reader.contract.schemas).map(([name, schema]) => {
    const users = [...uses].filter(([, { schemas }]) => schemas.has(name)).map(([operation]) => operation);
    return [`schemas/${name}.json`, piece(name, schemaPage(reader, name, schema, users))];
  });
}

/** `index.json` lists everything that the search finds, except fields. `fields.json` lists the operations that accept or return a field. */
function searchPieces({ contract }: Reader, codes: Code[], terms: Term[], uses: Map<Operation, Uses>): File[] {
  const index = {
    operations: contract.operations.map(({ id, method, path, title, group, audience, scope }) => [id, method, path, title, group, audience, scope]),
    codes: codes.map(({ code, title }) => [code, title]),
    scopes: Object.entries(contract.scopes),
    schemas: Object.keys(contract.schemas),
    terms: terms.map(({ id, term, definition }) => [id, term, definition]),
  };
  const fields: Record<string, [asked: number[], answered: number[]]> = {};
  [...uses.values()].forEach(({ asked, answered }, at) => {
    for (const name of asked) (fields[name] ??= [[], []])[0].push(at);
    for (const name of answered) (fields[name] ??= [[], []])[1].push(at);
  });
  return [['index.json', JSON.stringify(index)], ['fields.json', JSON.stringify(Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))))]];
}

function texts(contract: Contract, codes: Code[], terms: Term[]): File[] {
  const known = new Map(codes.map((code) => [code.code, code]));
  return [
    ['llms.txt', indexText(contract, codes)],
    ['reference/index.md', firstText(contract)],
    ['reference/glossary.md', glossaryText(terms)],
    ...contract.operations.map((operation): File => [`reference/operations/${operation.id}.md`, operationText(contract, operation, known)]),
    ...codes.map((code): File => [`reference/codes/${code.code}.md`, codeText(code)]),
  ];
}

export { readContract, type Contract };
