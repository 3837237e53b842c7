// `standpipe login` authorizes access to a remote server in the browser; `logout` removes its tokens and revokes them if the authorization
// server supports it. Tokens are never printed.

import { createInterface } from 'node:readline/promises';
import { Option } from 'commander';
import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { maskedUrl } from '../../../base/secrets/mask-http.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { RemoteConfig } from '../../../config/server-config.ts';
import { rejections, unknownServer } from '../../../host/services/unknown-name.ts';
import { certificatesIn } from '../../../host/supervision/open-server.ts';
import { isAway, type ServerState } from '../../../host/supervision/server-state.ts';
import { type LoggedIn, logInTo, logOutOf } from '../../../wire/oauth/accounts.ts';
import { urlWithoutQuery } from '../../../wire/oauth/login.ts';
import { LoginStore, type StoredLogin } from '../../../wire/oauth/login-store.ts';
import { loopbackRedirect } from '../../../wire/oauth/loopback-redirect.ts';
import { ExitCode } from '../exit-code.ts';
import { type CommandBody, type CommandModule, type Invocation, invalidOption, type Settings } from '../invocation.ts';
import { openPage } from '../open-page.ts';
import { printRows, type Row } from '../output/table.ts';
import { loadServers } from '../servers/own-host.ts';
import { findRunningHost } from '../servers/running-host.ts';
import { serverAtAddress } from '../servers/server-at-address.ts';
import { collect, examples, readPort } from './server-options.ts';

interface LoginOptions {
  scope?: string[];
  clientId?: string;
  port?: number;
  open?: boolean;
  /** Set to false by `--no-browser`, the earlier name of `--no-open`. */
  browser: boolean;
  status?: boolean;
}

export const login: CommandModule = {
  define(command, run) {
    command
      .argument('[server]', 'remote server of the config, or its URL')
      .option('--scope <scope>', 'request this scope too; repeatable', collect)
      .option('--client-id <id>', 'use this registered OAuth client')
      .option('--port <number>', 'port of the redirect (default: any free one)', readPort)
      .option('--no-open', 'only print the address of the page')
      .addOption(new Option('--no-browser').hideHelp())
      .option('--status', 'list the logins and when they expire')
      .action(run(logIn));
    examples(
      command,
      'login github',
      'login https://mcp.example.com/mcp --no-open',
      'login notes --scope notes:write',
      'login --status',
    );
  },
};

const logIn: CommandBody = async (invocation, [word], given) => {
  const options = given as unknown as LoginOptions;
  const { out, settings } = invocation;
  if (options.status) return showStatus(invocation, word);
  if (word === undefined) {
    throw invalidOption('No server was given', `${ownCommand} login <server>, or login --status.`);
  }
  const { name, url, headers, oauth, ca } = await remoteTarget(word, settings);
  if (oauth === false) {
    throw invalidOption(`The config disables the login of "${name}"`, 'Remove "oauth": false from its entry.');
  }
  if (oauth.grant === 'client_credentials') {
    throw invalidOption(
      `"${name}" logs in automatically with the client credentials in its entry`,
      'Use it directly; it needs no interactive login.',
    );
  }
  const done = await logInTo({
    url,
    headers,
    oauth,
    ca: await certificatesIn(ca),
    clientId: options.clientId,
    scopes: options.scope?.flatMap((each) => each.split(/[\s,]+/)),
    interact: () => interaction(invocation, options, options.port ?? oauth.callbackPort),
  });
  if (name === word) await reconnect(name, settings, isAway);
  if (out.json) out.document({ name, ...factsOf(done) });
  else out.say(summaryOf(name, done));
  return ExitCode.done;
};

function interaction(
  { out, signal, settings }: Invocation,
  { open = true, browser }: LoginOptions,
  port: number | undefined,
) {
  const opens = open && browser;
  const canPaste = process.stdin.isTTY === true;
  return loopbackRedirect({
    port,
    signal,
    timeoutMs: settings.timeoutMs,
    paste: canPaste ? readLine : undefined,
    show(url) {
      out.say(`${opens ? 'Log in on the page that opens in the browser, or open' : 'Open'} this address:\n${url}`);
      if (canPaste) out.say('If the browser is on another machine, paste the address that it was redirected to here.');
      if (opens) openPage(url, 'Standpipe login');
    },
  });
}

async function readLine(signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // While readline reads from the terminal, Ctrl-C emits its SIGINT event and sends no signal.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await lines.question('', { signal });
  } finally {
    lines.close();
  }
}

const showStatus = async ({ out, settings }: Invocation, word: string | undefined) => {
  const server = word === undefined ? undefined : new URL((await remoteTarget(word, settings)).url).href;
  const logins = new LoginStore().list().filter((each) => server === undefined || each.server === server);
  if (out.json) out.document({ logins: logins.map(({ secrets: _, ...facts }) => shownFacts(facts)) });
  else if (logins.length > 0) printRows(out, ['SERVER', 'AT', 'SCOPES', 'UNTIL', 'TOKENS IN'], logins.map(toRow));
  else out.say(`There are no logins. Log in with: ${ownCommand} login <server>`);
  return ExitCode.done;
};

function toRow({ server, issuer, scope = '', tokensIn, ...login }: StoredLogin): Row {
  return [urlWithoutQuery(server), urlWithoutQuery(issuer), visibleLine(scope), untilOf(login), tokensIn];
}

function untilOf({ expires, canRefresh }: Pick<StoredLogin, 'expires' | 'canRefresh'>) {
  if (canRefresh) return 'refreshed as needed';
  if (expires === undefined) return 'unknown';
  const isOver = Date.parse(expires) <= Date.now();
  return {
    text: `${expires.slice(0, 16)}Z${isOver ? ' (expired)' : ''}`,
    colour: isOver ? ('red' as const) : undefined,
  };
}

function factsOf({ login: { secrets: _, ...facts }, tokensIn }: LoggedIn) {
  return { ...shownFacts(facts), tokensIn };
}

/** The query of a URL may contain a key. */
function shownFacts<F extends { server: string }>(facts: F): F {
  return { ...facts, server: maskedUrl(facts.server) };
}

function summaryOf(name: string, { login, tokensIn }: LoggedIn): string {
  const until = untilOf(login);
  const end = login.canRefresh
    ? 'Tokens are refreshed as needed'
    : `Tokens expire: ${typeof until === 'string' ? until : until.text}`;
  const place =
    tokensIn === 'keyring' ? 'in the keyring' : `in ${new LoginStore().file}: there is no keyring, or it is locked`;
  return `Logged in to ${visibleLine(name)} at ${urlWithoutQuery(login.issuer)}. ${end}; they are ${place}.`;
}

export const logout: CommandModule = {
  define(command, run) {
    command.argument('<server>', 'remote server of the config, or its URL').action(run(logOut));
    examples(command, 'logout github', 'logout https://mcp.example.com/mcp');
  },
};

const logOut: CommandBody = async ({ out, settings }, [word]) => {
  const { name, url, oauth, ca } = await remoteTarget(word!, settings);
  const done = await logOutOf({ url, oauth: oauth || undefined, ca: await certificatesIn(ca) });
  if (!done) {
    throw new UsageError('NAME_UNKNOWN', `You are not logged in to ${visibleLine(name)}`, {
      hint: `\`${ownCommand} login --status\` shows all logins.`,
    });
  }
  // A running host still has the token in memory.
  if (name === word) await reconnect(name, settings, (state) => state !== 'stopped' && state !== 'disabled');
  if (out.json) out.document({ server: name, ...done });
  else {
    const end = done.isRevoked ? 'and the authorization server has revoked them' : 'but may be valid until they expire';
    out.say(`Logged out of ${visibleLine(name)}. The tokens are removed, ${end}.`);
  }
  return ExitCode.done;
};

/** Makes a running host reconnect. The host reports failures. */
async function reconnect(
  name: string,
  settings: Settings,
  isConcerned: (state: ServerState) => boolean,
): Promise<void> {
  const host = await findRunningHost(settings, () => undefined).catch(() => undefined);
  if (!host) return;
  try {
    const { servers } = await host.status();
    const found = servers.some((server) => server.name === name && isConcerned(server.state));
    if (found) await host.control('standpipe/restart', { server: name });
  } catch {
    // the next call tries again
  } finally {
    await host.close();
  }
}

type RemoteTarget = Pick<RemoteConfig, 'url' | 'headers' | 'oauth' | 'ca'> & { name: string };

async function remoteTarget(word: string, settings: Settings): Promise<RemoteTarget> {
  if (/^https?:\/\//i.test(word)) {
    const { server } = serverAtAddress(word, {}, settings);
    return { ...server, name: urlWithoutQuery(server.url) };
  }
  const config = await loadServers(settings);
  const found = config.servers.find(({ name }) => name === word);
  if (!found)
    throw unknownServer(
      word,
      config.servers.map(({ name }) => name),
      rejections(config),
    );
  if (found.url !== undefined) return found;
  throw invalidOption(`"${word}" is a local command and has no login`, 'Set its credentials in "env" of its entry.');
}
