/** The time now as the kernel writes it into files: the wall clock, since no other can be compared with them. */
export function currentFileTime(): number {
  return Date.now();
}
