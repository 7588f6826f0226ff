import './shell/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './shell/App.tsx';
import { startPage } from './shell/start.ts';

startPage();
const place = document.getElementById('page');
if (place !== null) createRoot(place).render(<App />);
