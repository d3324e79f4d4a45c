/** The comments at the start of a file that declares a query. The first comment is the title; `# word: values` adds a property. */
export interface Header {
  title: string;
  /** Returns the values of a property, which commas separate. A property may have several lines. */
  valuesOf(word: string): string[];
}

export function headerOf(text: string): Header {
  const comments = text.split('\n').flatMap((line) => (line.startsWith('#') ? [line.slice(1).trim()] : []));
  const isProperty = /^[a-z]+: /;
  return {
    title: comments.find((comment) => comment !== '' && !isProperty.test(comment)) ?? '',
    valuesOf: (word) =>
      comments
        .filter((comment) => comment.startsWith(`${word}: `))
        .flatMap((comment) => comment.slice(word.length + 1).split(','))
        .map((value) => value.trim()),
  };
}

/** Returns the name of a file without folder and extension. */
export function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.graphql$/, '');
}

/** Removes the properties from a text, so that the editor shows only its comments and the query. */
export function withoutProperties(text: string): string {
  return text
    .replace(/^# [a-z]+: .*\n/gm, '')
    .replace(/^\n+/, '')
    .trimEnd()
    .concat('\n');
}

/**
 * Reads the property `actions`: the words of `allowed_actions`, each with the mutation that performs it. Without a mutation, its
 * name is the name of the resource's reading field with the action as verb: `admin_partners_get` and `suspend` give
 * `admin_partners_suspend`.
 */
export function actionsOf(header: Header, reader: string): Map<string, string> {
  const resource = reader.replace(/_(get|list)(_\w+)?$/, '');
  return new Map(
    header.valuesOf('actions').map((value) => {
      const [action = '', mutation] = value.split('=');
      return [action, mutation ?? `${resource}_${action.replaceAll('-', '_')}`];
    }),
  );
}
