import type { Command } from 'commander';
import { withAskOptions } from '../../backend/options.ts';
import type { Env } from '../../env.ts';
import type { IndexOptions } from '../../indexing/run.ts';
import { wholeNumber } from '../number.ts';

/** More at a time would be more than a model's host lets through. */
const MOST_JOBS = 64;

/** `nib ct index` */
export function continuityIndex(group: Command, env: Env): void {
  const command = group
    .command('index [range]')
    .alias('ix')
    .description('Have scenes read into the index; without a range, the scene in focus.')
    .option('-f, --force', 'also scenes that are indexed as they are')
    .option('-y, --yes', 'store what the backend finds without a review')
    .option('-j, --jobs <number>', 'how many scenes are read at a time', '4')
    .option('-v, --verbose', 'show what the backend is told');
  withAskOptions(command)
    .addHelpText('after', '\nExamples:\n  nib ct index\n  nib ct index 1-5\n  nib ct index 1-16 --yes')
    .action(async (range: string | undefined, options: Omit<IndexOptions, 'jobs'> & { jobs: string }) => {
      const jobs = wholeNumber(options.jobs, '--jobs', [1, MOST_JOBS]);
      const { index } = await import('../../indexing/run.ts');
      await index(env, range, { ...options, jobs });
    });
}
