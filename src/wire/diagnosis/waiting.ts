// Servers that run and will not answer: they wait for input from a person, listen on a port, or have no stdin. A prompt
// is recognised only at the end of its stream, without a newline.

import { commandWords, programName } from '../../base/command-line.ts';
import type { Observations } from './observations.ts';
import { exitRule, lastError, quoted, type Rule } from './rule.ts';

const npxPrompt: Rule = {
  name: 'npx-prompt',
  isFinal: true,
  find(observed) {
    if (!observed.openLines.some((line) => /^Ok to proceed\? \(y\)/.test(line))) return undefined;
    return {
      problem: 'is npx, which asks whether it may install the package',
      fix: 'Add "-y" as the first argument of npx.',
    };
  },
};

const denoPrompt: Rule = {
  name: 'deno-permission',
  isFinal: true,
  find(observed) {
    if (!observed.openLines.some((line) => /Allow\? \[y\/n/.test(line))) return undefined;
    const flag = /--allow-[a-z]+/.exec(observed.stderr + observed.lines)?.[0] ?? '--allow-read, --allow-net, …';
    return {
      problem: 'is Deno, which asks for a permission',
      fix: `Add ${flag} after "deno run", and --no-prompt to fail instead of asking.`,
    };
  },
};

const PROMPTS =
  /^(?:(?:please )?(?:enter|type|input)\b.{0,80}|.{0,40}\b(?:password|passphrase|passcode)(?: (?:for|of) .{1,60})?|user ?name|api[ _-]?key|(?:access )?token)\s*[:?>]$|^(?:do you|are you sure|continue|proceed|overwrite)\b.{0,80}[?\])]:?$|\[y\/n\]:?$|\(y(?:es)?\/n(?:o)?\)\s*[:?]?$|^press (?:any key|enter|return)\b.{0,40}$/i;

const prompt: Rule = {
  name: 'prompt',
  isFinal: true,
  find(observed) {
    const asked = observed.openLines.find((line) => PROMPTS.test(line));
    if (asked === undefined) return undefined;
    return {
      problem: `waits for a person: its last output is the prompt ${quoted(asked)}`,
      fix: 'stdin carries the protocol, so nothing can be typed. Pass the value in "env" or "args", or use an option of the server that turns prompts off (--yes, --non-interactive).',
    };
  },
};

const LISTENS =
  /\b(?:listening|running|started|serving|available|ready|accepting connections)\b[^\n]{0,60}?(?:\bhttps?:\/\/[^\s"']+|\bport[ :=]+\d{2,5}\b|\b(?:localhost|0\.0\.0\.0|127\.0\.0\.1|\[::1?\]):\d{2,5})/i;

const networkServer: Rule = {
  name: 'network-server',
  find(observed) {
    const line = [observed.lines, observed.stderr]
      .flatMap((text) => text.split('\n'))
      .find((each) => LISTENS.test(each) && !/debugger|inspector/i.test(each));
    if (line === undefined || observed.hasExited) return undefined;
    return {
      problem: `listens on a network address (${quoted(line)}) and writes no answer to stdout`,
      fix: 'Start it in its stdio mode: often an argument (stdio, --stdio, --transport stdio) or a variable (MCP_TRANSPORT=stdio).',
    };
  },
};

const dockerStdin: Rule = {
  name: 'docker-without-stdin',
  find({ symptoms, stderr, hasFailed }) {
    // Errors of the container runtime: the container was never started.
    if (
      hasFailed &&
      (symptoms.exitCode === 125 || /^(?:docker: |Error: |Cannot connect|permission denied)/m.test(stderr))
    )
      return undefined;
    const words = commandWords(symptoms.command);
    const at = words.findIndex((word) => ['docker', 'podman', 'nerdctl'].includes(programName(word)));
    if (at < 0 || at > 1) return undefined;
    const rest = words.slice(at + 1);
    const verb = rest[0] === 'container' ? rest[1] : rest[0];
    if (verb !== 'run' && verb !== 'exec') return undefined;
    if (rest.some((word) => /^-[a-zA-Z]*i[a-zA-Z]*$|^--interactive(?:=true)?$/.test(word))) return undefined;
    return {
      problem: `runs in a container whose stdin is closed: "${programName(words[at]!)} ${verb}" has no -i`,
      fix: `Write ${programName(words[at]!)} ${verb} -i …`,
    };
  },
};

const dockerTerminal = exitRule('docker-without-stdin', /the input device is not a TTY/i, () => ({
  problem: 'runs in a container with a terminal (-t), but stdin is not a terminal',
  fix: 'Leave out -t: docker run -i …',
}));

const watcher: Rule = {
  name: 'watcher-waits',
  isFinal: true,
  find({ lines, stderr }) {
    if (!/^\[nodemon\] app crashed|^Failed running .*\. Waiting for file changes/m.test(`${lines}\n${stderr}`))
      return undefined;
    return {
      problem: 'has crashed under a file watcher, which waits for a change',
      fix: 'Start the server itself, without nodemon or --watch; its stderr shows why it crashed.',
    };
  },
};

const NOT_REACHED =
  /(?:connect |getaddrinfo )?\bE(?:CONNREFUSED|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|TIMEDOUT)\b[^\n]{0,80}|\b(?:fetch failed|Connection refused|Could not resolve host|Name or service not known|Network is unreachable)\b/;

/** A server that runs proves nothing until its stdin was closed: it may be slow, and report that a service is optional. */
const unreachable: Rule = {
  name: 'service-unreachable',
  find(observed) {
    const { hasFailed, stderr, symptoms } = observed;
    if (!hasFailed && symptoms.bytesBeforeEof === undefined) return undefined;
    const match = hasFailed
      ? lastError(NOT_REACHED, stderr)
      : [...stderr.matchAll(new RegExp(NOT_REACHED, 'g'))].at(-1);
    if (!match) return undefined;
    return {
      problem: `cannot reach a service: its stderr has ${quoted(match[0])}`,
      fix: 'Start the service, or correct its address in "env" or "args" of the server. Proxy variables such as HTTPS_PROXY are not inherited: set them in "env".',
    };
  },
};

/** Usage text that a program prints before it exits because it requires other arguments. */
const usage: Rule = {
  name: 'usage',
  find(observed) {
    if (!observed.hasExited) return undefined;
    const missing = missingArgument(observed);
    if (missing) {
      return { problem: `requires other arguments: ${quoted(missing)}`, fix: 'Add the named arguments to "args".' };
    }
    const line = USAGE.exec(observed.stderr)?.[0] ?? USAGE.exec(observed.lines)?.[0];
    if (line === undefined) return undefined;
    return {
      problem: `printed its usage and exited: ${quoted(line)}`,
      fix: 'Correct "args": a subcommand, a path or an option is missing or unknown.',
    };
  },
};

/** Avoids `\s*` at the start, which also matches the ends of empty lines. */
const USAGE = /^[ \t]*usage:?\s.*$/im;

const MISSING_ARGUMENT =
  /^.*(?:the following arguments are required|unrecognized arguments|missing required (?:argument|option)|required option|unknown (?:option|argument|command)|error: unexpected argument).*$/im;

function missingArgument({ stderr, lines }: Observations): string | undefined {
  return MISSING_ARGUMENT.exec(stderr)?.[0] ?? MISSING_ARGUMENT.exec(lines)?.[0];
}

export const waiting: readonly Rule[] = [
  npxPrompt,
  denoPrompt,
  prompt,
  watcher,
  dockerTerminal,
  dockerStdin,
  networkServer,
  unreachable,
];
export const usageRules: readonly Rule[] = [usage];
