import { tellOutputClosed } from './signals.ts';
import { VERSION } from './version.ts';

/** Runs the command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  watchOutput();
  // Before `program.ts` is imported, because scripts call `--version` often.
  if (argv[0] === '--version' || argv[0] === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  // By default Node opens its debugger on SIGUSR1, reachable for all users of this machine.
  process.on('SIGUSR1', () => {});
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(argv);
}

/**
 * A reader such as `head` may close stdout at any time (EPIPE, a success); other write errors are reported. The agent
 * is ended in both cases.
 */
function watchOutput(): void {
  let told = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return tellOutputClosed();
    if (told) return;
    told = true;
    process.stderr.write(`plugboard: the output cannot be written: ${error.message}\n`);
    // Set at exit, so that the command cannot overwrite it: the output is incomplete.
    process.on('exit', () => {
      process.exitCode = 1;
    });
    process.emit('SIGTERM', 'SIGTERM');
  });
}
