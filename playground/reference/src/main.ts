import { wakeNavigation } from './navigation';
import { wakeSearch } from './search';
import { followLinks, show } from './show';
import { wakeTheme } from './theme';

wakeTheme();
wakeNavigation();
wakeSearch();
followLinks();
void show(false);
