import { constants } from 'node:os';

/**
 * Node's own call, which answers with a number. `process.kill` makes an exception of an error, and after a clean exit the
 * group is nearly always gone: the exception costs ten times the call, a measurable part of a short turn.
 */
const kill: unknown = Reflect.get(process, '_kill');

/** A negative target is a process group. Gone already (ESRCH) or not ours (EPERM): there is nothing left to do. */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  if (typeof kill === 'function') return void kill.call(process, target, constants.signals[signal]);
  try {
    process.kill(target, signal);
  } catch {}
}
