import './styles/index.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { connect } from './state/connect.ts';

createRoot(document.getElementById('root')!).render(<App />);
void connect();
