// The definition of a tool, resource or prompt as the server sent it.

import { JsonTree } from '../../parts/json-tree.tsx';
import type { Offered } from './offered.ts';

export function Definition({ offered }: { offered: Offered }) {
  const outputSchema = offered.kind === 'tool' ? offered.tool.outputSchema : undefined;
  return (
    <div className="definitions">
      {outputSchema !== undefined && (
        <details>
          <summary>Output schema</summary>
          <JsonTree value={outputSchema} label="Output schema" />
        </details>
      )}
      <details>
        <summary>Definition</summary>
        <JsonTree value={definitionOf(offered)} label="Definition" />
      </details>
    </div>
  );
}

function definitionOf(offered: Offered): unknown {
  switch (offered.kind) {
    case 'tool':
      return offered.tool;
    case 'resource':
      return offered.resource;
    case 'template':
      return offered.template;
    case 'prompt':
      return offered.prompt;
  }
}
