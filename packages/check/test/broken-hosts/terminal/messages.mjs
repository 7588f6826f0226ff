#!/usr/bin/env node
import { run } from '../../hosts/terminal.mjs';

// Shows the last message only.
await run({ onMessage: (shown, text) => shown.splice(0, shown.length, text) });
