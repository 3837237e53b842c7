// All imports of a TypeScript source: `import …`, `import '…'`, `export … from`, and `import('…')`, as value or as type.

import { type Token, tokens } from './tokens.ts';

export interface Import {
  /** Undefined for a computed specifier. */
  specifier: string | undefined;
  line: number;
  /** Removed by the compiler. `import { type A }` is not: it leaves an `import {}`. */
  typeOnly: boolean;
  /** `import('…')`. In a type position it loads nothing, but the tokens are the same. */
  dynamic: boolean;
}

export function readImports(source: string): Import[] {
  const all = tokens(source);
  return all.flatMap((token, at) => {
    if (token.kind !== 'word' || all[at - 1]?.text === '.') return [];
    if (token.text === 'import') return importAt(all, at) ?? [];
    if (token.text === 'export') return exportAt(all, at) ?? [];
    return [];
  });
}

function importAt(all: Token[], at: number): Import | undefined {
  const next = all[at + 1];
  if (!next || next.text === '.' || next.text === ':') return undefined; // import.meta, or a key
  if (next.kind === 'string') return found(next, all[at]!, {});
  if (next.text === '(') return found(all[at + 2], all[at]!, { dynamic: true });
  // `import type from '…'` imports a default export that is called "type".
  const typeOnly = next.text === 'type' && !['from', ','].includes(all[at + 2]?.text ?? '');
  return found(specifierAfter(all, at + 1), all[at]!, { typeOnly });
}

function exportAt(all: Token[], at: number): Import | undefined {
  const typeOnly = all[at + 1]?.text === 'type';
  const opening = typeOnly ? at + 2 : at + 1;
  if (all[opening]?.text !== '{' && all[opening]?.text !== '*') return undefined;
  const specifier = specifierAfter(all, opening);
  return specifier && found(specifier, all[at]!, { typeOnly });
}

/** The string after the next `from`, unless the statement ends without one. */
function specifierAfter(all: Token[], from: number): Token | undefined {
  for (let at = from; at < all.length && all[at]!.text !== ';'; at++) {
    if (all[at]!.text === 'from' && all[at + 1]?.kind === 'string') return all[at + 1];
    if (all[at]!.text === '}' && all[at + 1]?.text !== 'from') return undefined;
  }
  return undefined;
}

function found(specifier: Token | undefined, statement: Token, traits: Partial<Import>): Import {
  return {
    specifier: specifier?.kind === 'string' ? specifier.text : undefined,
    line: statement.line,
    typeOnly: false,
    dynamic: false,
    ...traits,
  };
}
