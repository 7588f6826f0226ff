import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { STYLES } from '../../scaffold/style-guide.ts';
import type { CreatedProject, InitOptions } from './make-project.ts';

/** Called when the files of a project are written: a backend may add its own. */
export type AfterScaffold = (env: Env, project: CreatedProject) => Promise<void>;

const EXAMPLES = `
Examples:
  nib init my-novel
  nib init my-novel --style third-close --agent local
  nib init . --skip                      in this directory, keeping what is there`;

/** `nib init` */
export function registerInit(program: Command, env: Env, afterScaffold: AfterScaffold): void {
  program
    .command('init <name>')
    .alias('in')
    .description('Make a project: book.yaml, a style guide, and an empty story database.')
    .option('--style <name>', `the style guide to begin with: ${STYLES.join(', ')}`, STYLES[0])
    .option('--no-style', 'no style guide')
    .option('--no-git', 'do not make it a git repository')
    .option('--agent <name>', 'the backend to use, as in nib-agent-NAME')
    .option('--force', 'replace files that are there already')
    .option('--skip', 'keep files that are there already')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, options: InitOptions) => {
      const { makeProject } = await import('./make-project.ts');
      const project = await makeProject(env, name, options);
      await afterScaffold(env, project);
      env.err(
        `The project ${project.name} is ready in ${project.directory}. Next: nib ch add, then nib sc add 1 NAME.\n`,
      );
    });
}
