import './workers';
import '@graphiql/react/style.css';
import 'graphiql/graphiql.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import './style.css';
import './task.css';
import './desk.css';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { Session } from './session';

const session = new Session();
void session.resume();
createRoot(document.getElementById('root')!).render(<App session={session} />);
