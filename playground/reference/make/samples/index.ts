// Generates the code samples of an operation, one for each language.
import type { Contract, Operation } from '../contract';
import { curl } from './curl';
import { planOf } from './plan';
import { python } from './python';
import { typescript } from './typescript';

export interface Sample {
  name: string;
  language: 'bash' | 'typescript' | 'python';
  code: string;
}

export function samplesOf(contract: Contract, operation: Operation): Sample[] {
  const plan = planOf(contract, operation);
  return [
    { name: 'curl', language: 'bash', code: curl(plan) },
    { name: 'TypeScript', language: 'typescript', code: typescript(plan) },
    { name: 'Python', language: 'python', code: python(plan) },
  ];
}
