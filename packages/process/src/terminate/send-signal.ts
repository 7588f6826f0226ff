import { constants } from 'node:os';

/**
 * The binding below `process.kill`, which returns an errno. `process.kill` throws on an error, and after a clean exit
 * the group is nearly always gone: creating that exception takes 10 times as long as the call, a measurable part of a
 * short turn.
 */
const kill: unknown = Reflect.get(process, '_kill');

/**
 * A negative `target` is a process group. ESRCH (exited) and EPERM (another user's) are ignored: no action is left to
 * take.
 */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  if (typeof kill === 'function') return void kill.call(process, target, constants.signals[signal]);
  try {
    process.kill(target, signal);
  } catch {}
}
