#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Has something to say before it says who it is.
parts.write({ type: 'system', subtype: 'tasks', tasks: [] });
await run();
