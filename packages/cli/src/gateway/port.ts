import { createServer } from 'node:net';

/** The reason why `host` and `port` cannot be bound, or undefined when they can. */
export async function portProblem({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<string | undefined> {
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
  if (error === undefined) return undefined;
  if (error.code === 'EADDRINUSE') return `Port ${port} is taken.`;
  if (error.code === 'EACCES') return `Port ${port} may not be used: those below 1024 need special rights.`;
  if (error.code === 'EADDRNOTAVAIL') return `This machine has no address ${host}.`;
  return `Cannot listen on ${host}:${port}: ${error.message}.`;
}
