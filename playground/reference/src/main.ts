import './storage';
import '@stoplight/elements/styles.min.css';
import './style.css';
import '@stoplight/elements/web-components.min.js';

// An operation has an address of its own; the page shows it by its hash.
const named = /^\/reference\/operations\/([a-z_]+)\/?$/.exec(location.pathname);
if (named && !location.hash) {
  location.hash = `#/operations/${named[1]}`;
}

const reference = document.createElement('elements-api');
for (const [name, value] of Object.entries({
  apiDescriptionUrl: '/v1/publication/public/api-reference',
  router: 'hash',
  layout: 'responsive',
  logo: `${import.meta.env.BASE_URL}icon.svg`,
  tryItCredentialsPolicy: 'omit',
})) {
  reference.setAttribute(name, value);
}
document.getElementById('root')?.append(reference);
