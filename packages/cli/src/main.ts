import { tellOutputClosed } from './signals.ts';
import { VERSION } from './version.ts';

/** Runs the command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  watchOutput();
  // Answered before anything else is loaded: scripts ask for it often.
  if (argv[0] === '--version' || argv[0] === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  // Would open a debugger to everybody on this machine.
  process.on('SIGUSR1', () => {});
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(argv);
}

/** Whoever reads our output may stop at any time, as `head` does; a full disk is told. Either way the agent must end. */
function watchOutput(): void {
  let told = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return tellOutputClosed();
    if (told) return;
    told = true;
    process.stderr.write(`plugboard: the output cannot be written: ${error.message}\n`);
    // However the command ends now: whoever relies on its output does not have it.
    process.on('exit', () => {
      process.exitCode = 1;
    });
    process.emit('SIGTERM', 'SIGTERM');
  });
}
