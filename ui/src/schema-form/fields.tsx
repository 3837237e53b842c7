// The fields of a form made from a JSON Schema. Every field holds a JSON value or undefined. Undefined values are omitted from the arguments.

import { useId } from 'react';
import type { Schema } from '../api/shapes.ts';
import { visible, visibleLine } from '../text/visible.ts';
import { ArrayField, ChoicesField, TupleField } from './array-field.tsx';
import { JsonField } from './json-field.tsx';
import { ObjectField } from './object-field.tsx';
import { isNullable, type Meaning, meaningOf, settled } from './read-schema.ts';
import { NumberField, StringField } from './text-fields.tsx';
import { useFaultsAt } from './use-draft.ts';
import { VariantField } from './variant-field.tsx';

export interface FieldProps {
  name: string;
  /** The place of the value in the whole value. */
  path: string;
  schema: Schema;
  root: Schema;
  value: unknown;
  required: boolean;
  depth: number;
  onChange(value: unknown): void;
}

const compound = new Set<Meaning['form']>(['object', 'array', 'tuple', 'choices', 'variants']);

export function Field(props: FieldProps) {
  const id = useId();
  const schema = settled(props.schema, props.root);
  const meaning = meaningOf(schema, props.root);
  const nullable = isNullable(schema, props.root) && meaning.form !== 'choice' && meaning.form !== 'json';
  const here = useFaultsAt(props.path);
  const faults = meaning.form === 'variants' ? [] : here; // the field of the chosen alternative shows them
  const label = visibleLine(props.name);
  const given = typeof schema.title === 'string' ? schema.title : '';
  const title = given.toLowerCase() === props.name.toLowerCase() ? '' : visibleLine(given); // a title that adds nothing
  const description = typeof schema.description === 'string' ? visible(schema.description) : undefined;
  const describedBy = faults.length > 0 ? `${id}faults` : description ? `${id}help` : undefined;
  const input = <Input {...props} schema={schema} meaning={meaning} id={id} label={label} describedBy={describedBy} />;
  const inner = nullable ? <Nullable {...props}>{input}</Nullable> : input;
  const mark = props.required ? (
    <span className="required" title="required">
      {' '}
      *<span className="hidden-text"> required</span>
    </span>
  ) : null;
  const caption = (
    <>
      <code className="field-key">{label}</code>
      {title && <span className="field-title"> {title}</span>}
      {mark}
    </>
  );
  const help = description && (
    <p className="field-help" id={`${id}help`}>
      {description}
    </p>
  );
  const complaints = faults.length > 0 && (
    <ul className="field-fault" id={`${id}faults`}>
      {faults.map((fault) => (
        <li key={fault}>{visible(fault === 'is missing' ? `"${props.name}" is missing` : fault)}</li>
      ))}
    </ul>
  );
  if (compound.has(meaning.form)) {
    return (
      <fieldset className={faults.length > 0 ? 'field group unfit' : 'field group'}>
        <legend>{caption}</legend>
        {help}
        {inner}
        {complaints}
      </fieldset>
    );
  }
  const form = meaning.form === 'boolean' ? 'field field-check' : 'field';
  return (
    <div className={faults.length > 0 ? `${form} unfit` : form}>
      <label htmlFor={id}>
        {caption}
        <span className="field-type">{typeWords(meaning, schema, nullable)}</span>
      </label>
      {inner}
      {help}
      {complaints}
    </div>
  );
}

/** A value that may also be null: a checkbox beside its field. */
function Nullable({ name, value, onChange, children }: FieldProps & { children: React.ReactNode }) {
  const isNull = value === null;
  return (
    <div className="nullable">
      {isNull ? <output className="mono">null</output> : children}
      <label className="check">
        <input
          type="checkbox"
          aria-label={`${visibleLine(name)} is null`}
          checked={isNull}
          onChange={(event) => onChange(event.target.checked ? null : undefined)}
        />{' '}
        null
      </label>
    </div>
  );
}

export interface InputProps extends FieldProps {
  meaning: Meaning;
  id: string;
  label: string;
  describedBy: string | undefined;
}

function Input(props: InputProps) {
  const { meaning, value, onChange, id, required, describedBy } = props;
  switch (meaning.form) {
    case 'object':
      return <ObjectField {...props} meaning={meaning} />;
    case 'array':
      return <ArrayField {...props} meaning={meaning} />;
    case 'tuple':
      return <TupleField {...props} meaning={meaning} />;
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
          aria-describedby={describedBy}
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
          aria-describedby={describedBy}
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

function typeWords(meaning: Meaning, schema: Schema, nullable: boolean): string {
  const orNull = nullable ? ' or null' : '';
  if (meaning.form === 'number') {
    const limits = [schema.minimum ?? '', schema.maximum ?? ''];
    return `${meaning.integer ? 'integer' : 'number'}${limits.join('') === '' ? '' : ` ${limits.join('…')}`}${orNull}`;
  }
  if (meaning.form === 'string')
    return `${typeof schema.format === 'string' ? visibleLine(schema.format) : 'string'}${orNull}`;
  if (meaning.form === 'json') return meaning.type === 'object' ? 'object as JSON' : 'any JSON';
  return nullable ? 'or null' : '';
}
