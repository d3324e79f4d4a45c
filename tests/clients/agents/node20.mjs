// Lets the conformance suite start with Node 20, which has no `fs.globSync`. The suite imports it for a command that
// is not used here.
import { register } from 'node:module';

const shim = "data:text/javascript,export*from'node:fs';export{default}from'node:fs';export const globSync=undefined;";
const hooks = `export async function resolve(name, context, next) {
  const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/');
  return name === 'fs' && isSuite ? { url: ${JSON.stringify(shim)}, shortCircuit: true } : next(name, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
