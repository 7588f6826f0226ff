import type { Command } from 'commander';
import type { AgentsOptions } from '../backend/list-backends.ts';
import type { Env } from '../env.ts';

/** `nib agents` */
export function registerAgents(program: Command, env: Env): void {
  program
    .command('agents')
    .alias('ag')
    .description('List the backends on the PATH, and which one is used here and why.')
    .option('--check', 'see with plugboard check whether each keeps to the protocol')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib agents\n  nib agents --check')
    .action(async (options: AgentsOptions, command: Command) => {
      const { listBackends } = await import('../backend/list-backends.ts');
      await listBackends(env, command, options);
    });
}
