// Holds the imports of one file against the table. Every violation names the file, the line, the import and the rule.

import { posix } from 'node:path';
import { type ImportRule, importRules } from './import-rules.ts';
import { type Import, readImports } from './read-imports.ts';

/** `file`: its path below `src`, such as `jsonrpc/peer.ts`. */
export function checkImports(file: string, source: string): string[] {
  const folder = folderOf(file);
  const rule = importRules[folder];
  if (!rule) return [`src/${file}: the folder ${folder} is not in the table; add it to import-rules.ts`];
  return readImports(source).flatMap((each) => {
    const why = whyNot(each, file, folder, rule);
    return why ? [`src/${file}:${each.line} imports ${each.specifier ?? 'a computed name'}: ${why}`] : [];
  });
}

/** Files that lie in no folder are a row of their own. */
function folderOf(file: string): string {
  return file.split('/')[0]!;
}

function whyNot(each: Import, file: string, folder: string, rule: ImportRule): string | undefined {
  const { specifier } = each;
  if (specifier === undefined) return 'a name must be written out, or nobody can check it';
  if (specifier.startsWith('node:')) return whyNotNode(specifier, folder, rule);
  if (specifier.startsWith('.')) return whyNotFile(each, posix.join(posix.dirname(file), specifier), folder, rule);
  return whyNotPackage(each, packageOf(specifier), folder, rule);
}

function whyNotNode(specifier: string, folder: string, rule: ImportRule): string | undefined {
  if (!rule.node) return `${folder} is pure and may import nothing of Node.js`;
  const forbidden = rule.node !== 'all' && specifier === 'node:child_process';
  return forbidden ? 'only process may import node:child_process' : undefined;
}

function whyNotFile(each: Import, target: string, folder: string, rule: ImportRule): string | undefined {
  if (target.startsWith('..')) return 'it lies outside of src';
  const targetFolder = folderOf(target);
  if (targetFolder === folder || rule.folders.includes(targetFolder) || rule.folders.includes(target)) return undefined;
  if (rule.types?.includes(targetFolder) || rule.types?.includes(target)) {
    return each.typeOnly ? undefined : `${folder} may use only types of ${target}: write \`import type\``;
  }
  const files = rule.types?.filter((type) => folderOf(type) === targetFolder) ?? [];
  if (files.length > 0) return `of ${targetFolder}, ${folder} may use only types of ${files.join(' and ')}`;
  return `${folder} may not import ${targetFolder}; it may import ${rule.folders.join(', ') || 'nothing'}`;
}

function whyNotPackage(each: Import, name: string, folder: string, rule: ImportRule): string | undefined {
  if (rule.packages?.includes(name)) return undefined;
  if (rule.lazyPackages?.includes(name)) {
    return each.typeOnly || each.dynamic
      ? undefined
      : `${folder} may load ${name} on first use alone: write \`import()\``;
  }
  if (rule.types?.includes(name)) {
    return each.typeOnly ? undefined : `${folder} may use only types of ${name}: write \`import type\``;
  }
  return `${folder} may not import the package ${name}`;
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
