#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the rest can still say so.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `nib-agent-local needs Node 24.15 or newer, and this is ${process.version}. Inside a project, \`npx nib-agent-local\` uses the one installed there.\n`,
  );
  process.exit(2);
}
const { main } = await import('../src/backends/local/main.ts');
await main(process.argv.slice(2));
