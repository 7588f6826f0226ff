import type { ReactNode } from 'react';
import { visible } from '../text/visible.ts';

/** A name somebody else chose: text and nothing but text, kept from turning the direction of what stands around it. */
export function Name({ text, className }: { readonly text: string; readonly className?: string }): ReactNode {
  return <bdi className={className}>{visible(text)}</bdi>;
}
