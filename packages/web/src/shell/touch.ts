/** A touch device without a keyboard: Enter inserts a line there, and hints about keys are left out. */
export function isTouched(): boolean {
  return window.matchMedia('(hover: none) and (pointer: coarse)').matches;
}
