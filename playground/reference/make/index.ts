// Generates the files of the reference from the contract: pages, HTML fragments, search indexes and Markdown.
import { createHash } from 'node:crypto';
import { readCodes, type Code } from './codes';
import { readConcepts, type Concept } from './concepts';
import { examplesOf, readContract, type Contract, type Operation } from './contract';
import { readGlossary, type Term } from './glossary';
import type { Html } from './html';
import { markdown } from './markdown';
import { navigation, shortNavigation } from './nav';
import { operationPage } from './operation';
import { fillPage, missingPage, type Page } from './page';
import { changesPage, codePage, codesPage, conceptPage, firstPage, glossaryPage, schemaPage, scopePage, scopesPage } from './pages';
import type { Reader } from './schema';
import { searchPieces } from './search';
import { codeText, conceptText, firstText, glossaryText, indexText, operationText } from './text';
import { usesOf, type Uses } from './uses';

export interface Site {
  /** Contents by file name below dist/. */
  files: Map<string, string>;
  /** The complete HTML pages, by file name below dist/. */
  pages: (template: string) => Map<string, string>;
  /** The whole navigation. */
  navigation: string;
  /** Address of the folder with the pieces. */
  pieces: string;
}

/** The texts from which the site is made. */
export interface SiteTexts {
  contract: string;
  codes: string;
  glossary: string;
  /** Markdown of the concept pages, by name. */
  concepts: Map<string, string>;
}

/** Title, text and address of a fragment that has an HTML page. */
interface Addressed {
  kind: 'operations' | 'codes' | 'concepts';
  name: string;
  title: string;
  description: string;
  content: Html;
  operation?: Operation;
}

/** Generates all files of the reference. The result depends only on the texts. */
export function makeSite(given: SiteTexts): Site {
  const contract = readContract(given.contract);
  const codes = readCodes(given.codes, contract);
  const terms = readGlossary(given.glossary, contract);
  const concepts = readConcepts(given.concepts);
  const reader: Reader = { contract, markdown: markdown(linksOf(contract)) };
  const uses = new Map(contract.operations.map((operation) => [operation, usesOf(contract, operation)]));
  const addressed = [...conceptParts(reader, concepts), ...codeParts(reader, codes), ...operationParts(reader, codes)];
  const nav = navigation(concepts, contract.operations);
  const pieces = new Map([
    ...pagePieces(reader, codes, concepts, terms),
    ...addressed.map(({ kind, name, title, content }): File => [`${kind}/${name}.json`, piece(title, content)]),
    ...schemaPieces(reader, uses),
    ...searchPieces({ contract, codes, terms, concepts, uses }),
    ['navigation.json', piece('', nav)] satisfies File,
  ]);
  const folder = `reference/assets/${hashOf(pieces)}`;
  const files = new Map([...pieces].map(([name, text]) => [`${folder}/${name}`, text]));
  for (const [name, text] of texts(contract, codes, terms, concepts)) files.set(name, text);
  const first = firstPage(reader, concepts);
  const pages = (template: string) => new Map([
    ['reference/index.html', fillPage(template, { ...FIRST, navigation: nav, content: first }, `/${folder}/`)],
    ['reference/missing.html', fillPage(template, { ...MISSING, navigation: nav, content: missingPage() }, `/${folder}/`)],
    ...addressed.map((part): File => [`reference/${part.kind}/${part.name}.html`, fillPage(template, pageOf(part, concepts, contract), `/${folder}/`)]),
  ]);
  return { files, pages, navigation: nav.text, pieces: `/${folder}/` };
}

const FIRST = {
  title: 'Labs API reference', place: 'first/',
  description: 'Every operation of the Labs API: parameters, bodies, responses, error codes, scopes, code samples, and a form that sends requests.',
};
const MISSING = { title: 'Page not found · Labs API reference', place: 'missing/', description: 'The reference has no page with this address.' };

function linksOf({ operations, codes }: Contract) {
  const names = operations.flatMap(({ id, method, path }) => [[`${method} ${path}`, id], [id, id]] as const);
  return { operations: new Map(names), codes: new Set(codes) };
}

function pageOf({ kind, name, title, description, content, operation }: Addressed, concepts: Concept[], contract: Contract): Page {
  return { title: `${title} · Labs API reference`, description, place: `${kind}/${name}`, navigation: shortNavigation(concepts, contract.operations, operation), content };
}

/** Returns the name of the folder. It depends on the contents, so clients may cache the pieces without expiry. */
function hashOf(pieces: Map<string, string>): string {
  const hash = createHash('sha256');
  for (const [name, text] of pieces) hash.update(`${name}\n${text}\n`);
  return hash.digest('hex').slice(0, 12);
}

type File = [name: string, text: string];

const piece = (title: string, content: Html) => JSON.stringify({ title, html: content.text });

function pagePieces(reader: Reader, codes: Code[], concepts: Concept[], terms: Term[]): File[] {
  const { scopes } = reader.contract;
  return [
    ['pages/first.json', piece('API reference', firstPage(reader, concepts))],
    ['pages/codes.json', piece('Error codes', codesPage(reader, codes))],
    ['pages/scopes.json', piece('Scopes', scopesPage(reader))],
    ['pages/changes.json', piece('Changes', changesPage(reader))],
    ['pages/glossary.json', piece('Glossary', glossaryPage(reader, terms))],
    ...Object.keys(scopes).map((scope): File => [`scopes/${scope.replace(':', '-')}.json`, piece(scope, scopePage(reader, scope))]),
  ];
}

function conceptParts(reader: Reader, concepts: Concept[]): Addressed[] {
  return concepts.map((concept, at) => ({
    kind: 'concepts', name: concept.name, title: concept.title, description: concept.summary,
    content: conceptPage(reader, concept, concepts[at - 1], concepts[at + 1]),
  }));
}

function codeParts(reader: Reader, codes: Code[]): Addressed[] {
  return codes.map((code) => ({ kind: 'codes', name: code.code, title: code.code, description: code.means, content: codePage(reader, code, exampleOf(code)) }));
}

/** Returns a problem document with this code, if the contract has an example. */
function exampleOf({ code, operations }: Code): unknown {
  const media = operations.flatMap((operation) => operation.answers).flatMap(([, answer]) => Object.values(answer.content ?? {}));
  const values = media.flatMap(examplesOf).map((example) => example.value as { code?: string } | null);
  return values.find((value) => value?.code === code);
}

function operationParts(reader: Reader, codes: Code[]): Addressed[] {
  const known = new Map(codes.map((code) => [code.code, code]));
  return reader.contract.operations.map((operation) => ({
    kind: 'operations', name: operation.id, title: operation.title, description: `${operation.title}: ${operation.method} ${operation.path}`,
    content: operationPage(reader, operation, known), operation,
  }));
}

function schemaPieces(reader: Reader, uses: Map<Operation, Uses>): File[] {
  return Object.entries(reader.contract.schemas).map(([name, schema]) => {
    const users = [...uses].filter(([, { schemas }]) => schemas.has(name)).map(([operation]) => operation);
    return [`schemas/${name}.json`, piece(name, schemaPage(reader, name, schema, users))];
  });
}

function texts(contract: Contract, codes: Code[], terms: Term[], concepts: Concept[]): File[] {
  const known = new Map(codes.map((code) => [code.code, code]));
  return [
    ['llms.txt', indexText(contract, codes, concepts)],
    ['reference/index.md', firstText(contract)],
    ['reference/glossary.md', glossaryText(terms)],
    ...concepts.map((concept): File => [`reference/concepts/${concept.name}.md`, conceptText(concept)]),
    ...contract.operations.map((operation): File => [`reference/operations/${operation.id}.md`, operationText(contract, operation, known)]),
    ...codes.map((code): File => [`reference/codes/${code.code}.md`, codeText(code)]),
  ];
}

export { readContract, type Contract };
