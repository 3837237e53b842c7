// Reads and validates an entry of a config before expansion. There is no draft if the findings have an error.

import { eraOf } from '../../mcp/revisions.ts';
import { didYouMean, nearest } from '../nearest.ts';
import type { Findings, Position } from '../problem.ts';
import {
  type CommandConfig,
  defaultCommandSettings,
  defaultPlace,
  defaultRemoteSettings,
  defaultRestart,
  defaultSettings,
  defaultShare,
  defaultTasks,
  type Place,
  type RemoteConfig,
  type RemoteTransport,
  type ServerSettings,
} from '../server-config.ts';
import type { Fields, Located } from './fields.ts';
import { readKeys } from './key.ts';
import {
  addressKeys,
  commandKeys,
  formatsOfRemotes,
  keysOfOthers,
  type OAuthDraft,
  remoteKeys,
  replacements,
  settingKeys,
  stdioTypes,
  transportOfType,
} from './keys.ts';

const replacementOf = new Map(Object.entries(replacements));

/** `place`: has an effect only in the config of a fleet. */
export type Draft = (CommandDraft | RemoteDraft) & { place?: (Place & { at: Position }) | undefined };

export function readDraft(name: string, source: Position, fields: Fields, findings: Findings): Draft | undefined {
  const remote = isRemote(fields, findings);
  const [own, other] = remote ? [remoteKeys, commandKeys] : [commandKeys, remoteKeys];
  const known = { ...settingKeys, ...own, ...other, ...(remote ? formatsOfRemotes : {}) };
  fields.warnUnknown(Object.keys(known), (key) => (Object.hasOwn(keysOfOthers, key) ? '' : replacementOf.get(key)));
  const foreign = Object.keys(other).filter((key) => !Object.hasOwn(own, key));
  for (const key of foreign.filter((each) => fields.has(each) && !findings.failed)) {
    const server = remote ? 'remote server' : 'server that is started as a command';
    findings.warn(fields.keyAt(key), `"${key}" has no effect for a ${server}`, 'Remove it.');
  }
  const { settings, place } = readSettings(name, source, fields);
  const draft = remote ? readRemoteDraft(settings, fields, findings) : readCommandDraft(settings, fields, findings);
  return draft && { ...draft, place };
}

function readSettings(name: string, source: Position, fields: Fields) {
  if (name.trim() === '') fields.findings.error(source, 'A server needs a name');
  const { enabled, disabled, place, ...given } = readKeys(fields, settingKeys);
  if (enabled !== undefined && enabled === disabled) {
    const message = '"enabled" and "disabled" contradict each other: the server stays disabled';
    fields.findings.warn(fields.keyAt('disabled'), message);
  }
  const { secrets: _, ...defaults } = defaultSettings;
  const settings = {
    name,
    source,
    ...defaults,
    ...given,
    enabled: enabled !== false && disabled !== true,
    restart: { ...defaultRestart, ...given.restart },
    share: { ...defaultShare, ...given.share },
    tasks: given.tasks && { afterMs: given.tasks.after ?? defaultTasks.afterMs },
  };
  checkEra(settings, fields);
  const labels = [...new Set(place?.labels)];
  return { settings, place: place && { ...defaultPlace, ...place, labels, at: fields.keyAt('place') } };
}

/** `connect` would report this error at every start, without a position. */
function checkEra({ era, revision }: Pick<ServerSettings, 'era' | 'revision'>, fields: Fields): void {
  if (!revision || era === 'auto' || eraOf(revision) === era) return;
  const message = `Revision ${revision} does not belong to the ${era} era`;
  fields.findings.error(fields.valueAt('revision'), message, 'Remove "era".');
}

export interface CommandDraft {
  /** Members that need no expansion. */
  literal: Omit<CommandConfig, 'command' | 'args' | 'env' | 'cwd' | 'secrets'>;
  command: Located;
  args: readonly Located[];
  /** Null removes a variable, even one of the `envFile`. */
  env: ReadonlyMap<string, Located | null>;
  envFile: Located | undefined;
  cwd: Located | undefined;
  url?: undefined;
}

function readCommandDraft(
  settings: Omit<ServerSettings, 'secrets'>,
  fields: Fields,
  findings: Findings,
): CommandDraft | undefined {
  if (!fields.has('command')) {
    findings.error(fields.at, 'There is no "command" and no "url"', likelyCommand(fields));
  }
  const { command, args = [], env = new Map(), envFile, cwd, ...given } = readKeys(fields, commandKeys);
  if (!command || findings.failed) return undefined;
  warnOfLikelyMistakes({ command, args, cwd, envFile }, fields.has('args'), findings);
  const { protocol, framing, stop, keepDaemons } = { ...defaultCommandSettings, ...given };
  return { literal: { ...settings, protocol, framing, stop, keepDaemons }, command, args, env, envFile, cwd };
}

function likelyCommand(fields: Fields): string {
  const known = { ...settingKeys, ...commandKeys };
  const others = fields.keys().filter((key) => !Object.hasOwn(known, key));
  const meant = others.find((key) => /^(?:cmd|exec|executable|program|run)$/i.test(key)) ?? nearest('command', others);
  if (meant) return `Did you mean "command" instead of "${meant}"?`;
  const address = nearest('url', others);
  return address ? `Did you mean "url" instead of "${address}"?` : 'Write "command": "…", or "url": "https://…".';
}

/** Warns about values that work only in a shell or in another host. */
function warnOfLikelyMistakes(
  { command, args, cwd, envFile }: Pick<CommandDraft, 'command' | 'args' | 'cwd' | 'envFile'>,
  hasArgs: boolean,
  findings: Findings,
): void {
  for (const { text, at } of [command, ...args, ...(cwd ? [cwd] : []), ...(envFile ? [envFile] : [])]) {
    if (/^~[\\/]/.test(text)) {
      findings.warn(at, 'No shell is used: ~ is not expanded', 'Write ${userHome} instead of ~.');
    }
    // In JSON, the \t of "C:\tools" is a tab.
    if (/^[A-Za-z]:[\s\S]*[\b\f\n\r\t]/.test(text)) {
      findings.warn(at, 'This path contains a control character', 'Write Windows paths with / or with \\\\.');
    }
  }
  // The command is not quoted in the message: it may begin with a secret, as in `TOKEN=… node server.js`.
  if (!hasArgs && /^[^\s\\/]+\s+\S/.test(command.text)) {
    const suggestion = 'Write only the program; put its arguments in "args", one string each.';
    findings.warn(command.at, 'No shell is used: all of "command" is the name of one program', suggestion);
  }
}

export interface RemoteDraft {
  literal: Omit<RemoteConfig, 'url' | 'headers' | 'oauth' | 'ca' | 'secrets'>;
  url: Located;
  headers: ReadonlyMap<string, Located>;
  oauth: OAuthDraft | false;
  ca: Located | undefined;
  command?: undefined;
}

const { url: addressKey, ...otherKeys } = remoteKeys;
const transportOf = new Map(Object.entries(transportOfType));
const webSocketTypes = ['ws', 'websocket'];

function isRemote(fields: Fields, findings: Findings): boolean {
  const type = fields.text('type');
  const address = addressKeys.find((key) => fields.has(key));
  if (type && webSocketTypes.includes(type.text)) {
    const suggestion = 'Write "type": "http" and the https:// address of the server.';
    findings.error(type.at, 'MCP over WebSocket is not supported', suggestion);
  } else if (type && !stdioTypes.includes(type.text) && !transportOf.has(type.text)) {
    const types = [...stdioTypes, ...transportOf.keys()];
    findings.error(type.at, '"type" must be "stdio", "http" or "sse"', didYouMean(type.text, types));
  } else if (address && fields.has('command')) {
    const suggestion = 'Remove one of them, or make two entries.';
    findings.error(fields.keyAt(address), `An entry cannot have both "command" and "${address}"`, suggestion);
  } else if (type && address && stdioTypes.includes(type.text)) {
    const suggestion = 'Remove "type", or write "type": "http".';
    findings.error(type.at, `An entry with "${address}" cannot be of type "${type.text}"`, suggestion);
  }
  return type && transportOf.has(type.text) ? true : address !== undefined;
}

function readRemoteDraft(
  settings: Omit<ServerSettings, 'secrets'>,
  fields: Fields,
  findings: Findings,
): RemoteDraft | undefined {
  const url = readAddress(fields, findings);
  const transport = readTransport(fields, findings);
  const { headers = new Map(), oauth: login, ca } = readKeys(fields, otherKeys);
  const oauth = checkOAuth(login, fields);
  if (commandKeys.protocol.read(fields, 'protocol') === 'litemcp') {
    findings.error(fields.valueAt('protocol'), 'LiteMCP has no transport over HTTP', 'Remove "protocol".');
  }
  if (!url || findings.failed) return undefined;
  return { literal: { ...settings, transport, protocol: 'mcp' }, url, headers, oauth, ca };
}

function readAddress(fields: Fields, findings: Findings): Located | undefined {
  const [key, ...others] = addressKeys.filter((each) => fields.has(each));
  if (!key) {
    findings.error(fields.at, 'There is no "url"', 'Write "url": "https://…".');
    return undefined;
  }
  for (const other of others) findings.warn(fields.keyAt(other), `"${key}" is used instead of "${other}"`);
  return addressKey.read(fields, key);
}

function checkOAuth(
  given: boolean | (OAuthDraft & { enabled?: boolean }) | undefined,
  fields: Fields,
): OAuthDraft | false {
  if (given === true) {
    const message = '"oauth": true has no effect: a server may always ask for a login';
    fields.findings.warn(fields.valueAt('oauth'), message);
  }
  if (typeof given !== 'object') return given === false ? false : {};
  const { enabled, ...oauth } = given;
  return enabled === false ? false : oauth;
}

/** `transport` and `transportType` are aliases of `type`. */
function readTransport(fields: Fields, findings: Findings): RemoteTransport {
  const key = (['type', 'transport', 'transportType'] as const).find((each) => fields.has(each));
  if (!key) return fields.has('httpUrl') ? 'http' : defaultRemoteSettings.transport;
  const transport = transportOf.get(fields.value(key)!.value);
  if (!transport && key !== 'type') {
    const suggestion = 'Write "type": "http" or "type": "sse".';
    findings.warn(fields.valueAt(key), `"${key}" is not a known transport: the transport is detected`, suggestion);
  }
  return transport ?? defaultRemoteSettings.transport;
}
