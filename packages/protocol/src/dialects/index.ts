export { terminal } from './terminal/index.ts';
