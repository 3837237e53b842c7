// The extension Skills: the rows of its methods, and the skills that a declared server serves.

import { UsageError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { invalidParams } from '../../protocol-errors.ts';
import type { Params, Result, Service } from '../../service.ts';
import type { Extension, ServerPart } from '../extension.ts';
import { type ServedFile, withResources } from '../served-resources.ts';
import { SKILL_FILE, SKILLS, type Skill, sha256, skillProblems, skillRoot } from './skill.ts';

export interface SkillSource {
  /** The directory below `skill://`, such as `acme/billing/refunds`. Its last segment is the name of the skill. */
  path: string;
  /** The YAML at the start of SKILL.md, as JSON. Both must have the same content. */
  frontmatter: Skill['frontmatter'];
  /** Contents by path below the directory. A string is sent as text, bytes as base64. */
  files: Readonly<Record<string, string | Uint8Array>>;
}

type Rewrite = (uri: string) => string;
const DIRECTORY = 'inode/directory';
/** The official SDK requires the hints of a cacheable result from directories too. */
const ofSkills = { from: 'client', since: '2026-07-28', repeat: 'always', isCacheable: true } as const;

const target = { list: 'resources', parameter: 'uri', isNotInHeader: true } as const;

/** A host with this extension serves the skills of all its servers as one server. It declares nothing. */
export const skillMethods: Extension = {
  id: SKILLS,
  schemes: ['skill'],
  methods: {
    'skills/list': {
      ...ofSkills,
      resultMember: 'skills',
      merges: { member: 'skills', nameKey: 'uri' },
      withUris: eachOf('skills', withSkillUris),
    },
    'skills/get': {
      ...ofSkills,
      target,
      resultMember: 'skill',
      withUris: (result, rewrite) => ({ ...result, skill: withSkillUris(result.skill, rewrite) }),
    },
    'resources/directory/read': {
      ...ofSkills,
      target,
      resultMember: 'resources',
      withUris: eachOf('resources', withUri),
    },
  },
};

/** The extension of a server that serves these skills. */
export function skills(sources: readonly SkillSource[]): Extension {
  return { ...skillMethods, server: skillServer(sources) };
}

function eachOf(member: string, change: (entry: unknown, rewrite: Rewrite) => unknown) {
  return (result: Result, rewrite: Rewrite): Result => {
    const entries = result[member];
    return Array.isArray(entries) ? { ...result, [member]: entries.map((entry) => change(entry, rewrite)) } : result;
  };
}

function withUri(entry: unknown, rewrite: Rewrite): unknown {
  return isObject(entry) && typeof entry.uri === 'string' ? { ...entry, uri: rewrite(entry.uri) } : entry;
}

function withSkillUris(entry: unknown, rewrite: Rewrite): unknown {
  const skill = withUri(entry, rewrite);
  if (!isObject(skill) || !Array.isArray(skill.resources)) return skill;
  return { ...skill, resources: skill.resources.map((file) => withUri(file, rewrite)) };
}

/** Files and directories of all skills, by URI. */
class SkillTree {
  readonly files = new Map<string, ServedFile>();
  /** The names in each directory. */
  readonly #children = new Map<string, Set<string>>();

  add(uri: string, file: ServedFile): void {
    this.files.set(uri, file);
    const scheme = uri.indexOf('://') + '://'.length;
    for (let child = uri; ; ) {
      const slash = child.lastIndexOf('/');
      if (slash < scheme) return;
      const parent = child.slice(0, slash);
      const known = this.#children.get(parent);
      if (known) known.add(child);
      else this.#children.set(parent, new Set([child]));
      child = parent;
    }
  }

  directory(uri: unknown): Result {
    const children = this.#children.get(uri as string);
    if (!children) throw invalidParams(`Not a directory: ${JSON.stringify(uri)}`, { uri });
    const resources = [...children].map((child) => {
      const name = child.slice(child.lastIndexOf('/') + 1);
      const file = this.files.get(child);
      return file ? described(child, name, file) : { uri: child, name, mimeType: DIRECTORY };
    });
    return { resources };
  }
}

function described(uri: string, name: string, { mimeType }: ServedFile): Record<string, string> {
  return mimeType === undefined ? { uri, name } : { uri, name, mimeType };
}

function skillServer(sources: readonly SkillSource[]): ServerPart {
  const tree = new SkillTree();
  for (const { path, files } of sources) {
    for (const [file, content] of Object.entries(files)) {
      tree.add(uriOf(`${path}/${file}`), { content, mimeType: mimeTypeOf(file) });
    }
  }
  let known: Promise<ReadonlyMap<string, Skill>> | undefined;
  const entries = () => {
    known ??= entriesOf(sources, tree);
    return known;
  };
  entries().catch(() => undefined); // the first request reports the error
  const onePage = ({ cursor }: Params) => {
    if (cursor !== undefined) throw invalidParams('Unknown cursor: this list has one page');
  };
  const answers: Record<string, (params: Params) => Result | Promise<Result>> = {
    'skills/list': async (params) => {
      onePage(params);
      return { skills: [...(await entries()).values()] };
    },
    'skills/get': async ({ uri }) => {
      const skill = (await entries()).get(uri as string);
      if (!skill) throw invalidParams(`Unknown skill: ${JSON.stringify(uri)}`, { uri });
      return { skill };
    },
    'resources/directory/read': (params) => {
      onePage(params);
      return tree.directory(params.uri);
    },
  };
  /** Entries in `resources/list`, for clients without the extension. */
  const listed = async () =>
    [...(await entries()).values()].map(({ uri, frontmatter: { name, description } }) => ({
      uri,
      name,
      description,
      mimeType: 'text/markdown',
    }));
  const over = (service: Service): Partial<Service> => {
    const served = withResources(service, { files: tree.files, listed });
    const request: Service['request'] = (method, params, caller) =>
      Object.hasOwn(answers, method) ? answers[method]!(params) : served.request!(method, params, caller);
    return { ...served, request };
  };
  return { settings: { directoryRead: true }, over };
}

function uriOf(path: string): string {
  return `skill://${path.split('/').map(encodeURIComponent).join('/')}`;
}

async function entriesOf(sources: readonly SkillSource[], tree: SkillTree): Promise<ReadonlyMap<string, Skill>> {
  const found = new Map<string, Skill>();
  for (const { path, frontmatter } of sources) {
    const uri = uriOf(`${path}/${SKILL_FILE}`);
    // Files of nested skills belong to the skill too.
    const own = [...tree.files].filter(([file]) => file.startsWith(`${skillRoot(uri)}/`));
    const resources = await Promise.all(
      own.map(async ([file, { content }]) => {
        const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
        return { uri: file, digest: await sha256(bytes), size: bytes.length };
      }),
    );
    const skill: Skill = { uri, frontmatter, resources };
    const [problem] = skillProblems(skill);
    if (problem) throw new UsageError('INVALID_OPTION', `skills: ${problem}`);
    found.set(uri, skill);
  }
  return found;
}

const mimeTypes: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  txt: 'text/plain',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/x-typescript',
  py: 'text/x-python',
  sh: 'application/x-sh',
  png: 'image/png',
  jpg: 'image/jpeg',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
};

function mimeTypeOf(file: string): string | undefined {
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(mimeTypes, ending) ? mimeTypes[ending] : undefined;
}
