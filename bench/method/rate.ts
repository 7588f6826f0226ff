/** How many times a second something is done by so many at once. */
export async function rate(
  clients: number,
  ms: number,
  work: (client: number) => Promise<unknown>,
): Promise<number> {
  const started = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (performance.now() - started < ms) {
        await work(client);
        done += 1;
      }
    }),
  );
  return (done / (performance.now() - started)) * 1000;
}
