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

/** Every code of the contract with its words. Throws, naming all that is missing or not known. */
export function readCodes(text: string, contract: Contract): Code[] {
  const words: Record<string, Words> = parse(text);
  const problems = [
    ...contract.codes.flatMap((code) => problemsOf(code, words[code])),
    ...Object.keys(words).filter((code) => !contract.codes.includes(code)).map((code) => `${code} is no code of the contract`),
  ];
  if (problems.length > 0) throw new Error(`contract/codes.yaml: ${problems.join('; ')}`);
  return contract.codes.map((code) => codeOf(code, words[code] ?? {}, contract));
}

function problemsOf(code: string, words: Words | undefined): string[] {
  if (!words) return [`${code} has no words`];
  return [
    ...(words.title ? [] : [`${code} has no title`]),
    ...(SENTENCE.test(words.means ?? '') ? [] : [`${code} does not say in a sentence what it means`]),
    ...(SENTENCE.test(words.do ?? '') ? [] : [`${code} does not say in a sentence what to do`]),
  ];
}

function codeOf(code: string, words: Words, contract: Contract): Code {
  const operations = contract.operations.filter((operation) => operation.codes.includes(code));
  const statuses = operations.flatMap((operation) => operation.answers.filter(([, answer]) => answer['x-codes']?.includes(code)).map(([status]) => status));
  const all = [...new Set([...statuses, ...(words.status ? [String(words.status)] : [])])].sort();
  if (all.length === 0) throw new Error(`contract/codes.yaml: no operation lists ${code}, so that it needs a status`);
  return { code, title: words.title ?? '', means: words.means ?? '', do: words.do ?? '', statuses: all, operations };
}
