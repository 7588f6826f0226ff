/** Milliseconds since 1970, that run evenly: a wall clock that is set does not end a lease early or keep it for ever. */
export function steadyClock(): () => number {
  const began = Date.now() - performance.now();
  return () => began + performance.now();
}
