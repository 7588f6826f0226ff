#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Does not answer `heartbeat`.
await run({ controls: { ...parts.controls, heartbeat: () => {} } });
