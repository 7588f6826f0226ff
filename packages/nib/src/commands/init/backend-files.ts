import { lstatSync } from 'node:fs';
import { reasonOf, terminalText } from '@plugboard/protocol';
import { askBackend } from '../../backend/ask-backend.ts';
import { withBackend } from '../../backend/with-backend.ts';
import type { Env } from '../../env.ts';
import { resolveInProject } from '../../files/project-path.ts';
import { NibError } from '../../nib-error.ts';
import { escapeForTerminal } from '../../terminal/colours.ts';

import type { CreatedProject } from './make-project.ts';

/**
 * Lets a backend add its own files to a new project. The project works without them, so a failure is only a warning.
 */
export async function scaffoldWithBackend(
  env: Env,
  { directory, name, agent }: CreatedProject,
): Promise<void> {
  try {
    await withBackend(env, directory, { name: agent }, async (session) => {
      const request = { operation: 'project-scaffold', fields: { project_name: name } };
      const { files = [] } = await askBackend(env, session, request, 'The backend adds its files');
      for (const file of files) reportFile(env, directory, file);
    });
  } catch (error) {
    // Exit code 1 is a failure of the backend, which leaves a usable project; a signal such as Ctrl-C ends the command.
    if (error instanceof NibError && error.exitCode !== 1) throw error;
    const why = reasonOf(error);
    env.err(escapeForTerminal(env, 'err', `warning: the backend has added no files of its own. ${why}\n`));
    env.err('The project is complete without them; nib init . --skip lets the backend try again.\n');
  }
}

/** Reports a file that the backend claims to have written, after a check that it exists. */
function reportFile(env: Env, directory: string, file: string): void {
  const isThere = lstatSync(resolveInProject(directory, file), { throwIfNoEntry: false }) !== undefined;
  if (isThere) env.out(`${terminalText(file)}\n`);
  else env.err(`warning: the backend says it wrote ${terminalText(file)}, which is not there.\n`);
}
