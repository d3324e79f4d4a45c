// Meanings of the problem document codes: reads contract/codes.yaml and checks it against the contract.
import { parse } from 'yaml';
import type { Contract, Operation } from './contract';

export interface Code {
  code: string;
  title: string;
  means: string;
  do: string;
  statuses: string[];
  operations: Operation[];
}

interface Words {
  title?: string;
  means?: string;
  do?: string;
  status?: number;
}

const SENTENCE = /^[A-Z`].*\.$/s;

/** Returns every code of the contract with its description. Throws an error that lists all missing and unknown codes. */
export function readCodes(text: string, contract: Contract): Code[] {
  const words: Record<string, Words> = parse(text);
  const problems = [
    ...contract.codes.flatMap((code) => problemsOf(code, words[code])),
    ...Object.keys(words).filter((code) => !contract.codes.includes(code)).map((code) => `${code} is not a code of the contract`),
  ];
  if (problems.length > 0) throw new Error(`contract/codes.yaml: ${problems.join('; ')}`);
  return contract.codes.map((code) => codeOf(code, words[code] ?? {}, contract));
}

function problemsOf(code: string, words: Words | undefined): string[] {
  if (!words) return [`${code} has no description`];
  return [
    ...(words.title ? [] : [`${code} has no title`]),
    ...(SENTENCE.test(words.means ?? '') ? [] : [`${code} needs a sentence in means`]),
    ...(SENTENCE.test(words.do ?? '') ? [] : [`${code} needs a sentence in do`]),
  ];
}

function codeOf(code: string, words: Words, contract: Contract): Code {
  const operations = contract.operations.filter((operation) => operation.codes.includes(code));
  const statuses = operations.flatMap((operation) => operation.answers.filter(([, answer]) => answer['x-codes']?.includes(code)).map(([status]) => status));
  const all = [...new Set([...statuses, ...(words.status ? [String(words.status)] : [])])].sort();
  if (all.length === 0) throw new Error(`contract/codes.yaml: no operation lists ${code}, so it needs a status`);
  return { code, title: words.title ?? '', means: words.means ?? '', do: words.do ?? '', statuses: all, operations };
}
