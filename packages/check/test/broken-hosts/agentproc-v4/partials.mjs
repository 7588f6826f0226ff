#!/usr/bin/env node
import { run } from '../../hosts/agentproc-v4.mjs';

// Says everything twice.
await run({ reply: (partials, result) => `${partials}\n${result}` });
