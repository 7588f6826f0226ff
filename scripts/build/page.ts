import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { distOf, ROOT } from './workspace.ts';

/** Builds the web page and puts it beside the program that serves it. */
export async function placePage(): Promise<void> {
  const root = join(ROOT, 'packages', 'web');
  await build({ root, logLevel: 'warn' });
  cpSync(join(root, 'dist'), join(distOf('cli'), 'lib', 'page'), { recursive: true });
}
