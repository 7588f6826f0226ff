import { statSync } from 'node:fs';
import type { Scaffolded } from './commands/init/make-project.ts';
import type { Env, StopSignal } from './env.ts';
import { VERSION } from './version.ts';

/** Runs the command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // Answered before anything else is loaded: scripts ask for it often.
  if (argv[0] === '--version' || argv[0] === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  // Whoever reads our output may stop at any time, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE')
      process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  const [{ runProgram }, env] = await Promise.all([import('./program.ts'), realEnv()]);
  process.exitCode = await runProgram(argv, env, { afterScaffold });
}

/** Loaded when a project has been made: a backend then adds what it needs there. */
async function afterScaffold(env: Env, project: Scaffolded): Promise<void> {
  const { scaffoldWithBackend } = await import('./commands/init/backend-files.ts');
  await scaffoldWithBackend(env, project);
}

async function realEnv(): Promise<Env> {
  const [{ createKeyboard }, { runChild }] = await Promise.all([
    import('./terminal/keyboard.ts'),
    import('./terminal/child.ts'),
  ]);
  return {
    cwd: shellDirectory(),
    variables: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    // A question is only seen when stderr is a terminal as well.
    keyboard: createKeyboard(process.stdin, process.stdin.isTTY === true && process.stderr.isTTY === true),
    screen: {
      out: process.stdout.isTTY === true,
      err: process.stderr.isTTY === true,
      // A terminal that does not know its width says 0.
      columns: () => process.stderr.columns || 80,
    },
    now: () => Date.now(),
    run: (command, options) => runChild(command, options, process.env),
    onStop,
  };
}

const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function onStop(listener: (signal: StopSignal) => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}

/** The directory as the shell names it, with its links, when that is still where we are. */
function shellDirectory(): string {
  const here = process.cwd();
  const named = process.env.PWD;
  if (named === undefined || !named.startsWith('/')) return here;
  const [a, b] = [statSync(here, { throwIfNoEntry: false }), statSync(named, { throwIfNoEntry: false })];
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev ? named : here;
}
