import { z } from 'zod';
import { isLoopback } from '../config/loopback.ts';

/** Field for the address of a platform's API. Without TLS, the token may only go to a program on this machine. */
export function apiField(fallback: string) {
  return z
    .url({ protocol: /^https?$/, error: 'Expected an http or https address.' })
    .refine(isSafe, {
      error: 'An address without https, on another machine, would show the token to the network.',
    })
    .default(fallback);
}

function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
