#!/usr/bin/env node
import { serve } from '@plugboard/agent';

await serve((turn) => `You said: ${turn.text}`, { version: '1.0.0' });
