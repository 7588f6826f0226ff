import { tellOutputClosed } from './signals.ts';
import { VERSION } from './version.ts';

/** Runs the command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // Answered before anything else is loaded: scripts ask for it often.
  if (argv[0] === '--version' || argv[0] === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  // Would open a debugger to everybody on this machine.
  process.on('SIGUSR1', () => {});
  watchOutput();
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(argv);
}

/** Whoever reads our output may stop at any time, as `head` does; a full disk is told. Either way the agent must end. */
function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE')
      process.stderr.write(`plugboard: the output cannot be written: ${error.message}\n`);
    if (error.code === 'EPIPE') tellOutputClosed();
    else process.emit('SIGTERM', 'SIGTERM');
  });
}
