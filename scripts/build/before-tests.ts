import { buildAll } from './all.ts';

/** Tests start commands as they are published: those begin twice as fast as from source, and are what people run. */
export async function setup(): Promise<void> {
  await buildAll();
}
