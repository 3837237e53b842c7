// The fields of a form made from a JSON Schema. Every field holds a JSON value or undefined. Undefined values are omitted from the arguments.

import { useId } from 'react';
import type { Schema } from '../api/shapes.ts';
import { visible, visibleLine } from '../text/visible.ts';
import { ArrayField, ChoicesField } from './array-field.tsx';
import { JsonField } from './json-field.tsx';
import { ObjectField } from './object-field.tsx';
import { type Meaning, meaningOf, settled } from './read-schema.ts';
import { NumberField, StringField } from './text-fields.tsx';
import { VariantField } from './variant-field.tsx';

export interface FieldProps {
  name: string;
  schema: Schema;
  root: Schema;
  value: unknown;
  required: boolean;
  depth: number;
  onChange(value: unknown): void;
}

const compound = new Set<Meaning['form']>(['object', 'array', 'choices', 'variants']);

export function Field(props: FieldProps) {
  const id = useId();
  const schema = settled(props.schema, props.root);
  const meaning = meaningOf(schema, props.root);
  const label = visibleLine(String(schema.title ?? props.name));
  const description = typeof schema.description === 'string' ? visible(schema.description) : undefined;
  const inner = <Input {...props} schema={schema} meaning={meaning} id={id} label={label} />;
  const mark = props.required ? (
    <span className="required" title="required">
      {' '}
      *<span className="hidden-text"> required</span>
    </span>
  ) : null;
  const help = description && (
    <p className="field-help" id={`${id}help`}>
      {description}
    </p>
  );
  if (compound.has(meaning.form)) {
    return (
      <fieldset className="field group">
        <legend>
          {label}
          {mark}
        </legend>
        {help}
        {inner}
      </fieldset>
    );
  }
  return (
    <div className={meaning.form === 'boolean' ? 'field field-check' : 'field'}>
      <label htmlFor={id}>
        {label}
        {mark}
        <span className="field-type">{typeWords(meaning, schema)}</span>
      </label>
      {inner}
      {help}
    </div>
  );
}

export interface InputProps extends FieldProps {
  meaning: Meaning;
  id: string;
  label: string;
}

function Input(props: InputProps) {
  const { meaning, value, onChange, id, required } = props;
  switch (meaning.form) {
    case 'object':
      return <ObjectField {...props} meaning={meaning} />;
    case 'array':
      return <ArrayField {...props} meaning={meaning} />;
    case 'choices':
      return <ChoicesField {...props} meaning={meaning} />;
    case 'variants':
      return <VariantField {...props} meaning={meaning} />;
    case 'number':
      return <NumberField {...props} meaning={meaning} />;
    case 'string':
      return <StringField {...props} meaning={meaning} />;
    case 'boolean':
      return (
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          onChange={(event) =>
            onChange(event.target.checked || required || value !== undefined ? event.target.checked : undefined)
          }
        />
      );
    case 'constant':
      return <output id={id}>{visibleLine(JSON.stringify(meaning.value))}</output>;
    case 'choice': {
      const at = meaning.options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value));
      return (
        <select
          id={id}
          value={at < 0 ? '' : String(at)}
          onChange={(event) =>
            onChange(event.target.value === '' ? undefined : meaning.options[Number(event.target.value)]?.value)
          }
        >
          <option value="">{required ? 'choose…' : '(not given)'}</option>
          {meaning.options.map(({ title }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: titles may repeat, positions are fixed
            <option key={index} value={index}>
              {visibleLine(title)}
            </option>
          ))}
        </select>
      );
    }
    case 'json':
      return <JsonField {...props} />;
  }
}

function typeWords(meaning: Meaning, schema: Schema): string {
  if (meaning.form === 'number') {
    const limits = [schema.minimum ?? '', schema.maximum ?? ''];
    return `${meaning.integer ? 'integer' : 'number'}${limits.join('') === '' ? '' : ` ${limits.join('…')}`}`;
  }
  if (meaning.form === 'string') return typeof schema.format === 'string' ? visibleLine(schema.format) : 'string';
  return meaning.form === 'json' ? 'any JSON' : '';
}
