// The texts of the pages in English. The other languages have the same keys.

const number = (value: number) => value.toLocaleString('en');
const plural = (value: number, one: string, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

export const en = {
  number,
  decimal: (value: number) => value.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 }),

  // Frame
  skip: 'Skip to the content',
  pages: 'Pages',
  marketplace: 'Marketplace',
  board: 'Board',
  language: 'Language',
  browserLanguage: (name: string) => `${name} (auto)`,
  originalLanguage: 'Original language',
  signOut: 'Sign out',
  footer: 'A sample application for the Labs API.',
  reference: 'API reference',
  service: 'The service',
  loading: 'Loading…',

  // Search field
  searchApps: 'Search apps',
  search: 'Search',
  suggestions: 'Suggestions',
  noSuggestions: 'No suggestions',
  manySuggestions: (value: number) => `${plural(value, 'suggestion')}. Use the arrow keys to select one.`,
  kinds: { WORD: 'Search', CATEGORY: 'Category', VENDOR: 'Vendor', LISTING: 'App', COLLECTION: 'Collection' } as Record<string, string>,

  // Lists
  apps: (value: number) => plural(value, 'app'),
  reviews: (value: number) => plural(value, 'review'),
  noReviewsYet: 'No reviews yet',
  verified: 'Verified vendor',
  stars: (value: number) => `${value} of 5 stars`,
  showMore: 'Show more',
  showAll: 'Show all',

  // Front page
  headline: 'Apps for your restaurant',
  lead: (value: number) => `${plural(value, 'app')} for point of sale, kitchen, team and guests. All of them work with the platform that you already use.`,
  categories: 'Categories',
  featured: 'Featured app',
  fromCollection: 'From the collection',
  viewApp: 'View app',
  newApps: 'New apps',
  allApps: 'All apps',

  // Search and filters
  appsFor: (words: string) => `Apps for “${words}”`,
  results: 'Results',
  filters: 'Filters',
  filter: { category: 'Category', rating: 'Rating', language: 'Language', vendor: 'Vendor' },
  any: 'Any',
  starsFrom: (value: number) => (value === 1 ? '1 star or more' : `${value} stars or more`),
  verifiedOnly: 'Verified vendors',
  removeFilter: (name: string) => `Remove the filter ${name}`,
  clearAll: 'Clear all filters',
  sortBy: 'Sort by',
  sorts: { relevance: 'Best match', '-rating': 'Best rated', '-published_at': 'Last updated', '-first_published_at': 'Newest', name: 'Name' },
  corrected: 'No results for',
  correctedTo: 'Showing results for',
  leftOut: 'No app has all words. These apps do not contain:',
  noMatch: 'No apps match',
  fewerWords: 'Use fewer words, or remove filters.',
  fewerFilters: 'Remove filters to see more apps.',
  showAllApps: 'Show all apps',

  // Listing
  by: 'by',
  visitWebsite: 'Visit website',
  getHelp: 'Get help',
  images: 'Images',
  enlarge: 'Enlarge the image:',
  appImage: 'Image of the app',
  previousImage: 'Previous image',
  nextImage: 'Next image',
  scrollBack: 'Scroll back',
  scrollOn: 'Scroll forward',
  close: 'Close',
  imageOf: (place: number, all: number) => `Image ${place} of ${all}`,
  about: 'About',
  newIn: (version: string) => `New in ${version}`,
  details: 'Details',
  version: 'Version',
  published: 'Published',
  languages: 'Languages',
  permissions: 'What this app can access',
  permissionsNote: 'You confirm the access before you install the app.',
  permission: (code: string) => {
    const [name = '', write] = code.split(':');
    const things: Record<string, string> = { reservations: 'reservations', orders: 'orders', payments: 'payments', guests: 'guest data', menu: 'the menu', invoices: 'invoices', staff: 'staff data', reports: 'reports', stock: 'stock', suppliers: 'supplier data' };
    return `${write ? 'View and change' : 'View'} ${things[name] ?? name.replaceAll(/[.-]/g, ' ')}`;
  },
  support: 'Support',
  website: 'Website',
  privacy: 'Privacy policy',
  terms: 'Terms of use',
  related: 'You may also like',
  reasons: { SAME_CATEGORY: 'In the same category', SAME_VENDOR: 'By the same vendor', SIMILAR_TEXT: 'Similar' },

  // Reviews
  reviewsTitle: 'Reviews',
  reviewSorts: { default: 'With text first', '-written_at': 'Newest', '-rating': 'Best first', rating: 'Worst first' },
  byStars: 'Reviews by stars',
  onlyStars: (value: number, count: number) => `Only ${value} ${value === 1 ? 'star' : 'stars'}: ${plural(count, 'review')}`,
  noReviewsWithRating: 'No reviews with this rating.',
  forVersion: (version: string) => `for version ${version}`,
  reply: 'Reply of the vendor',
  replyToEarlier: 'This reply refers to an earlier text of the review.',

  // Vendor, category and collection
  regions: 'Regions',
  logoOf: (name: string) => `Logo of ${name}`,
  noVendor: 'The marketplace has no vendor with this name.',
  breadcrumb: 'Breadcrumb',
  subcategories: 'Subcategories',
  searchInCategory: 'Search in this category',
  emptyCategory: 'This category has no apps.',
  collection: 'Collection',
  emptyCollection: 'This collection has no apps.',

  // Errors
  notFound: 'Not found',
  noPage: 'This page does not exist.',
  toMarketplace: 'Go to the marketplace',
  notLoaded: 'The page could not be loaded',
  tryAgain: 'Try again',
  noResponse: 'The service did not respond',
  pageError: 'This page has an error',
  seeConsole: 'See the browser console for details.',
};

export type Texts = typeof en;
