import './storage';
import '@stoplight/elements/styles.min.css';
import './style.css';
import '@stoplight/elements/web-components.min.js';

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
