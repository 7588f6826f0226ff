/** A finger and no keyboard: there Enter begins a new line, and nothing is known of other keys. */
export function isTouched(): boolean {
  return window.matchMedia('(hover: none) and (pointer: coarse)').matches;
}
