import { resolve } from 'node:path';
import type { Command } from '@plugboard/process';
import type { CommandSpec, Launch } from '@plugboard/protocol';

/** The process that a launch asks for. */
export function commandFor(launch: Launch, cwd: string, env: Record<string, string>): Command {
  const [file = '', ...args] = argvOf(launch.command);
  return { file, args, cwd: launch.cwd === undefined ? cwd : resolve(cwd, launch.cwd), env };
}

function argvOf(command: CommandSpec): readonly string[] {
  return 'shell' in command ? ['/bin/sh', '-c', command.shell] : command.argv;
}
