#!/usr/bin/env node
import { run } from '../../hosts/terminal.mjs';

// Waits for the end of the pipe.
await run({ manners: { ends: (child) => new Promise((resolve) => child.on('close', resolve)) } });
