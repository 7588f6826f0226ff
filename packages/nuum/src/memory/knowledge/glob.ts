/** Whether a path matches a pattern: `*` is anything but a slash, `**` anything, `?` one character. */
export function matchesGlob(path: string, pattern: string): boolean {
  const source = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll(/\/?\*\*\/?|\*|\?/g, (part) => {
    if (part === '?') return '[^/]';
    if (part === '*') return '[^/]*';
    // Between two slashes it may stand for nothing: one slash is left.
    if (part === '/**/') return '/(?:.*/)?';
    if (part === '**/') return '(?:.*/)?';
    return part === '/**' ? '(?:/.*)?' : '.*';
  });
  return new RegExp(`^${source}$`, 'u').test(path);
}
