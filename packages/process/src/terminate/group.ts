/** A negative target is a process group. Gone already (ESRCH) or not ours (EPERM): there is nothing left to do. */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  // After a clean exit the group is nearly always gone, and the stack of that error would cost more than the call.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    process.kill(target, signal);
  } catch {
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
