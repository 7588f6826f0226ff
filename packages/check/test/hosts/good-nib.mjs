#!/usr/bin/env node
import { run } from './nib.mjs';

await run();
