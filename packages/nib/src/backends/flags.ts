/** What a person, rather than nib, has started a backend for. */
export type Wish = 'serve' | 'help' | 'version' | 'check' | { readonly unknown: string };

/** Reads the command line of a backend; nib itself gives it no arguments. */
export function wishOf(argv: readonly string[]): Wish {
  const [flag, more] = argv;
  if (flag === undefined) return 'serve';
  if (more !== undefined) return { unknown: more };
  switch (flag) {
    case '--help':
    case '-h':
      return 'help';
    case '--version':
    case '-V':
      return 'version';
    case '--check':
      return 'check';
    default:
      return { unknown: flag };
  }
}
