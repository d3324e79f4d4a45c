// Syntax highlighting as class names that the stylesheet defines.
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import csharp from 'highlight.js/lib/languages/csharp';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import typescript from 'highlight.js/lib/languages/typescript';
import { escape, Html } from './html';

const LANGUAGES = { bash, csharp, go, java, json, kotlin, php, python, ruby, rust, typescript };
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);

/** Returns code as HTML, highlighted if the language is registered. */
export function highlight(code: string, language: string): Html {
  if (!highlighter.getLanguage(language)) return new Html(escape(code));
  // Punctuation has no separate colour; without its tags the fragments are much smaller.
  return new Html(highlighter.highlight(code, { language }).value.replace(/<span class="hljs-punctuation">([^<]*)<\/span>/g, '$1'));
}
