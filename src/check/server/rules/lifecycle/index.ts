import type { ServerRule } from '../../server-rule.ts';
import { discoverAnswered, initializeAfterDiscover, pingFirst, requestFirst } from './before-initialize.ts';
import { pingBeforeInitialized, quietBeforeInitialized, secondInitialize } from './before-initialized.ts';
import { clientCapabilities, declaredWorks, undeclaredRefused } from './capabilities.ts';
import {
  endsBeforeInitialize,
  endsDuringCall,
  endsWithSigterm,
  endsWithStdin,
  exitCode,
  noProcessLeft,
} from './ending.ts';
import { keepsRunning } from './keeps-running.ts';
import { initializeAgain, malformedInitialize } from './malformed-initialize.ts';
import { capabilitiesObject, instructions, serverInfo } from './opening.ts';
import { opens } from './opens.ts';
import { futureVersion, knownVersions, offersVersion, unknownVersion } from './versions.ts';

export const lifecycleRules: readonly ServerRule[] = [
  opens,
  keepsRunning,
  knownVersions,
  unknownVersion,
  futureVersion,
  offersVersion,
  capabilitiesObject,
  serverInfo,
  instructions,
  discoverAnswered,
  initializeAfterDiscover,
  pingFirst,
  requestFirst,
  malformedInitialize,
  initializeAgain,
  pingBeforeInitialized,
  quietBeforeInitialized,
  secondInitialize,
  declaredWorks,
  undeclaredRefused,
  clientCapabilities,
  endsWithStdin,
  exitCode,
  noProcessLeft,
  endsBeforeInitialize,
  endsDuringCall,
  endsWithSigterm,
];
