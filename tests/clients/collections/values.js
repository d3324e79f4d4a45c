// What stands in the places of a path: every one is taken from a list that the service answers.

/** Returns the value of an entry for the path parameter with this name. */
const called = (entry, name) => {
  const [, last] = /_(uuid|slug|code)$/.exec(name) ?? [];
  return [name, last ?? name, 'uuid'].map((field) => entry?.[field]).find((value) => typeof value === 'string');
};

export class Values {
  #answers = new Map();
  #found = new Map();

  /** `known` has functions for path templates without a list that returns the values. */
  constructor(base, tokens, callerOf, operations, known) {
    Object.assign(this, { base, tokens, callerOf, operations, known });
  }

  /** Sends a GET request as a caller with the required scope, and caches the response. */
  async get(path, template = path) {
    const operation = this.operations.find((each) => each.method === 'GET' && each.path === template);
    if (!operation) return { status: 0 };
    if (!this.#answers.has(path)) {
      const headers = { authorization: `Bearer ${this.tokens[this.callerOf(operation.scope)]}` };
      let answer = await fetch(this.base + path, { headers });
      while (answer.status === 429) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        answer = await fetch(this.base + path, { headers });
      }
      const isJson = answer.headers.get('content-type')?.startsWith('application/json');
      this.#answers.set(path, { status: answer.status, json: isJson ? await answer.json() : {}, path });
    }
    return this.#answers.get(path);
  }

  /** Returns up to thirty combinations of path values for a template, in the order of the lists. */
  async ways(template) {
    const end = template.lastIndexOf('}') + 1;
    if (end === 0) return [{}];
    const places = template.slice(0, end);
    if (!this.#found.has(places)) this.#found.set(places, (await this.#look(places)).slice(0, 30));
    return this.#found.get(places);
  }

  async #look(places) {
    const before = places.slice(0, places.lastIndexOf('/{'));
    const name = places.slice(before.length + 2, -1);
    const found = [];
    for (const way of await this.ways(before)) {
      const { json } = this.known[places] ? {} : await this.get(`${fill(before, way)}`, before);
      const entries = this.known[places] ? await this.known[places](way) : (json?.data ?? []);
      const named = entries.map((entry) => called(entry, name)).filter(Boolean);
      found.push(...named.map((value) => ({ ...way, [name]: value })));
    }
    return found;
  }

  /** Returns path values with which a GET of the template, or of its resource, returns 200. Without such values, it returns the first ones. */
  async of(template) {
    const ways = await this.ways(template);
    const about = template.slice(0, template.lastIndexOf('}') + 1);
    for (const asked of [template, about]) {
      for (const way of ways) {
        if ((await this.get(fill(asked, way), asked)).status === 200) return way;
      }
    }
    return ways[0] ?? {};
  }
}

export const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? name));
