import type { ReactNode } from 'react';
import { markInvisible } from '../text/visible.ts';

/**
 * An untrusted name: `visible` marks hidden characters, and `bdi` keeps it from changing the direction of the
 * surrounding text.
 */
export function Name({ text, className }: { readonly text: string; readonly className?: string }): ReactNode {
  return <bdi className={className}>{markInvisible(text)}</bdi>;
}
