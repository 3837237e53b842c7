// Sends a recorded request again: to the server of a running host. A tap and a recording cannot send, so the command that repeats the
// request is shown.

import { shellWord } from '../../../base/command-line.ts';
import { decodeText } from '../../../base/decode-text.ts';
import { toError } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { RemoteHost } from '../../../host/control/remote-host.ts';
import { methodsOfMcp } from '../../../mcp/methods.ts';
import type { FrameEvent } from '../../../observe/flow/event.ts';
import type { Entry } from '../../../observe/show/entries.ts';
import { serverOf } from '../../../observe/show/entry-filter.ts';
import type { FoundTraffic } from './find-traffic.ts';

export interface Resent {
  lines: string[];
  /** The user has to agree first. */
  asks?: boolean;
}

export async function resend(
  entry: Entry,
  frames: readonly FrameEvent[],
  found: FoundTraffic,
  confirmed: boolean,
): Promise<Resent> {
  const server = serverOf(entry);
  if (entry.type !== 'exchange' || server === undefined || entry.exchange.direction !== 'toServer') {
    return { lines: ['Only requests to a server can be sent again'] };
  }
  const { method, requestSeq } = entry.exchange;
  const request = frames.find(({ seq }) => seq === requestSeq);
  const params = request && paramsOf(request);
  if (!params) return { lines: ['The request is not complete in memory, so it cannot be sent again'] };
  if (request.redacted) return { lines: ['The request has hidden secrets, so it cannot be sent again'] };
  if (!methodsOfMcp.get(method)?.target)
    return { lines: [`${method} cannot be sent again: only calls, reads and prompts can`] };
  const control = found.live?.control;
  if (control === undefined) return { lines: repeatLines(method, params, server, found) };
  const what = `${method} ${entry.target ?? ''}`.trim();
  if (!confirmed) return { lines: [`Send ${what} to ${server} again? y/n`], asks: true };
  return { lines: [await send(control, server, method, params, what)] };
}

async function send(
  control: string,
  server: string,
  method: string,
  params: JsonObject,
  what: string,
): Promise<string> {
  try {
    const host = await RemoteHost.connect(control);
    if (!host) return 'The host has ended';
    try {
      const { isError } = await host.client(server).request(method, params);
      return `${what} was answered${isError === true ? ': the tool reported an error' : ''}`;
    } finally {
      await host.close();
    }
  } catch (thrown) {
    return `${what} failed: ${toError(thrown).message}`;
  }
}

function paramsOf(frame: FrameEvent): JsonObject | undefined {
  if (frame.cut) return undefined;
  try {
    const message: unknown = JSON.parse(decodeText(frame.payload));
    if (!isObject(message)) return undefined;
    const { _meta, ...params } = isObject(message.params) ? message.params : {};
    return params;
  } catch {
    return undefined; // a message after other text on its line
  }
}

function repeatLines(method: string, params: JsonObject, server: string, found: FoundTraffic): string[] {
  const words = wordsOf(method, params);
  if (!words) return [`${method} cannot be repeated by a command`];
  if (found.live) {
    const command = found.live.command ?? '<command of the server>';
    return [
      `A tap does not send requests of its own. To repeat this one with another process:`,
      `${ownCommand} ${words} -- ${command}`,
    ];
  }
  const replay = `${ownCommand} replay ${shellWord(found.file)} --server ${shellWord(server)}`;
  return ['A recording has no server. To get the recorded answer:', `${ownCommand} ${words} -- ${replay}`];
}

function wordsOf(method: string, params: JsonObject): string | undefined {
  const { name, uri, arguments: args = {} } = params;
  if (method === 'tools/call' && typeof name === 'string')
    return `call ${shellWord(name)} --args ${shellWord(JSON.stringify(args))}`;
  if (method === 'resources/read' && typeof uri === 'string') return `read ${shellWord(uri)}`;
  if (method !== 'prompts/get' || typeof name !== 'string' || !isObject(args)) return undefined;
  const given = Object.entries(args).map(([key, value]) => shellWord(`${key}=${String(value)}`));
  return ['prompt', shellWord(name), ...given].join(' ');
}
