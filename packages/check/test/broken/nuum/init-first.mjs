#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Writes a `tasks` line before `init`.
parts.write({ type: 'system', subtype: 'tasks', tasks: [] });
await run();
