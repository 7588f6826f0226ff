import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleAgent, bundlePrograms } from './bundle.ts';
import { compile, placeAgentTypes, placeCompiled } from './compile.ts';
import { writeManifest } from './manifest.ts';
import { writeNotices } from './notices.ts';
import { placePage } from './page.ts';
import { placePrograms } from './programs.ts';
import { LIBRARIES, PROGRAMS } from './workspace.ts';

/** Builds every published package into its `dist`. */
export async function buildAll(): Promise<void> {
  await buildPrograms();
  await buildLibraries();
}

/** Those that are installed as commands. */
export async function buildPrograms(): Promise<void> {
  for (const folder of PROGRAMS) writeNotices(folder, await bundlePrograms(folder));
  placePrograms(PROGRAMS);
  await placePage();
  for (const folder of PROGRAMS) writeManifest(folder);
}

/** Those that are imported, with their types. */
export async function buildLibraries(): Promise<void> {
  const compiled = mkdtempSync(join(tmpdir(), 'plugboard-build-'));
  try {
    compile(compiled);
    placeCompiled(compiled);
    await bundleAgent();
    placeAgentTypes(compiled);
    placePrograms(LIBRARIES);
    for (const folder of LIBRARIES) writeManifest(folder);
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
}
