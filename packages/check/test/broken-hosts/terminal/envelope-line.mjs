#!/usr/bin/env node
import { run } from '../../hosts/terminal.mjs';

// Forgets the line feed.
await run({ inputOf: (envelope) => JSON.stringify(envelope) });
