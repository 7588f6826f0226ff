import type { Fields } from '@plugboard/host/profile';
import type { ServerConfig } from './config.ts';
import { isLoopback } from './loopback.ts';
import { problemAt } from './reader.ts';

/** Settings without effect: `exposed` beside a loopback `host`. */
export function remarksOn(fields: Fields, { host, exposed }: ServerConfig): readonly string[] {
  if (!exposed || !isLoopback(host)) return [];
  const sentence =
    `This changes nothing: the gateway listens on ${host}, which other machines cannot reach. ` +
    'Say "host: 0.0.0.0" beside it if they are to, or leave it out.';
  return [problemAt(fields, ['server', 'exposed'], sentence)];
}
