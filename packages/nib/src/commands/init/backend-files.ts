import { lstatSync } from 'node:fs';
import { reasonOf, terminalText } from '@plugboard/protocol';
import { ask } from '../../backend/ask.ts';
import { withBackend } from '../../backend/with-backend.ts';
import type { Env } from '../../env.ts';
import { NibError } from '../../failure.ts';
import { insideProject } from '../../files/inside.ts';
import { shownOn } from '../../terminal/paint.ts';

import type { Scaffolded } from './make-project.ts';

/** Lets a backend add its own files to a new project. The project is of use without them, so a failure is only told. */
export async function scaffoldWithBackend(env: Env, { directory, name, agent }: Scaffolded): Promise<void> {
  try {
    await withBackend(env, directory, { name: agent }, async (session) => {
      const request = { operation: 'project-scaffold', fields: { project_name: name } };
      const { files = [] } = await ask(env, session, request, 'The backend adds its files');
      for (const file of files) report(env, directory, file);
    });
  } catch (error) {
    // Ctrl-C ends the command; anything else leaves a project that can be worked with.
    if (error instanceof NibError && error.exitCode !== 1) throw error;
    const why = reasonOf(error);
    env.err(shownOn(env, 'err', `warning: the backend has added no files of its own. ${why}\n`));
    env.err('The project is complete without them; nib init . --skip lets the backend try again.\n');
  }
}

/** A backend says what it wrote; it is believed once the file is there. */
function report(env: Env, directory: string, file: string): void {
  const isThere = lstatSync(insideProject(directory, file), { throwIfNoEntry: false }) !== undefined;
  if (isThere) env.out(`${terminalText(file)}\n`);
  else env.err(`warning: the backend says it wrote ${terminalText(file)}, which is not there.\n`);
}
