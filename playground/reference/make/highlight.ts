// Syntax highlighting as class names that the stylesheet defines.
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { escape, Html } from './html';

for (const [name, language] of Object.entries({ bash, json, python, typescript })) highlighter.registerLanguage(name, language);

/** Returns code as HTML, highlighted if the language is registered. */
export function highlight(code: string, language: string): Html {
  if (!highlighter.getLanguage(language)) return new Html(escape(code));
  // Punctuation has no separate colour; without its tags the fragments are much smaller.
  return new Html(highlighter.highlight(code, { language }).value.replace(/<span class="hljs-punctuation">([^<]*)<\/span>/g, '$1'));
}
