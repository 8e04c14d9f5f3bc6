/** Widgets by name; a form field names one or gets one by its kind. */
import { Checkbox, Input, InputNumber, Radio, Select, Switch } from 'antd'
import type { ComponentType, FocusEvent } from 'react'
import { msg, t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { REFERENCES } from '../view/references.ts'
import { ActionsTree } from './ActionsTree.tsx'
import { Code } from './code/CodeBody.tsx'
import { JsonEditor } from './code/JsonEditor.tsx'
import { Cron } from './cron/CronBody.tsx'
import { DateTime, DateTimeRange } from './DatesBody.tsx'
import { ImageUpload } from './ImageUploadBody.tsx'
import { IpGroup } from './IpGroupBody.tsx'
import { KeyFile } from './KeyFile.tsx'
import { KeyValues } from './KeyValuesBody.tsx'
import { Cascade, CheckboxGroup, ChoiceTree } from './ManyChoicesBody.tsx'
import { NodeSelect } from './NodeSelect.tsx'
import { PasswordWithRules } from './PasswordWithRules.tsx'
import { Protocols } from './Protocols.tsx'
import { RemoteSelect } from './remote-select/RemoteSelect.tsx'
import { Token } from './TokenBody.tsx'
import { WeekTimeGrid } from './week-time/WeekTimeGridBody.tsx'
import './widgets-body.css'

// biome-ignore lint/suspicious/noExplicitAny: each widget narrows its own value
type Widget = ComponentType<WidgetProps<any>>

const options = (props: WidgetProps<unknown>) =>
  (props.field.choices ?? []).map(({ value, display_name }) => ({ value, label: display_name }))

/**
 * One line; outer blank space goes when the field is left, so that words can be typed (spec A5.27).
 */
function Text({ field, context: _, ...props }: WidgetProps<string> & { onBlur?: (event: FocusEvent) => void }) {
  return (
    <Input
      {...props}
      {...keyboardFor(field)}
      suffix={field.unit && t(field.unit)}
      value={props.value ?? ''}
      onBlur={(event) => {
        const trimmed = event.target.value.trim()
        if (trimmed !== (props.value ?? '')) props.onChange?.(trimmed)
        props.onBlur?.(event)
      }}
      maxLength={field.max_length}
      placeholder={field.placeholder}
      onChange={(event) => props.onChange?.(event.target.value)}
    />
  )
}

/** Which keyboard a telephone shows. */
function keyboardFor({ type, name, widget }: WidgetProps['field']) {
  if (widget === 'phone') return { type: 'tel', autoComplete: 'tel' }
  return { type: type === 'email' || name === 'email' ? 'email' : 'text', autoComplete: 'off' }
}

function TextArea({ field, context: _, ...props }: WidgetProps<string>) {
  return (
    <Input.TextArea
      {...props}
      value={props.value ?? ''}
      rows={3}
      maxLength={field.max_length}
      placeholder={field.placeholder}
      onChange={(event) => props.onChange?.(event.target.value)}
    />
  )
}

function Password({ field, context: _, ...props }: WidgetProps<string>) {
  return (
    <Input.Password
      {...props}
      value={props.value ?? ''}
      maxLength={field.max_length}
      placeholder={field.placeholder}
      autoComplete="new-password"
      onChange={(event) => props.onChange?.(event.target.value)}
    />
  )
}

/**
 * Bounds are not given to the input, which would put a number within them in silence: the form says
 * what is wrong with it (spec A5.06 A5.07).
 */
function NumberInput({ field, context: _, onChange, ...props }: WidgetProps<number | null>) {
  return (
    <InputNumber
      {...props}
      suffix={field.unit && t(field.unit)}
      onChange={(value) => onChange?.(value === null ? null : Number(value))}
    />
  )
}

const MAX_INTERVAL_HOURS = 65_535

/** Whole hours between two runs (spec A5.09). */
function Interval({ field, ...props }: WidgetProps<number | null>) {
  return (
    <NumberInput
      {...props}
      field={{ min_value: 1, max_value: MAX_INTERVAL_HOURS, unit: msg('hours'), ...field, type: 'integer' }}
    />
  )
}

function Tick({ field, context: _, value, onChange, ...props }: WidgetProps<boolean>) {
  return (
    <Checkbox
      {...props}
      checked={value === true}
      aria-label={t(field.label)}
      onChange={({ target }) => onChange?.(target.checked)}
    />
  )
}

/** A way to another page, between the fields; nothing of it is sent. */
function LinkField({ field, id }: WidgetProps<undefined>) {
  return (
    <a id={id} href={field.href} target="_blank" rel="noreferrer">
      {t(field.placeholder ?? field.label)}
    </a>
  )
}

function OnOff({ field, context: _, value, onChange, ...props }: WidgetProps<boolean>) {
  return (
    <Switch
      {...props}
      checked={value === true}
      aria-label={t(field.label)}
      onChange={(checked) => onChange?.(checked)}
    />
  )
}

function Radios(props: WidgetProps<unknown>) {
  return (
    <Radio.Group
      id={props.id}
      value={props.value}
      disabled={props.disabled ?? false}
      options={options(props) as { value: string; label: string }[]}
      onChange={(event) => props.onChange?.(event.target.value)}
    />
  )
}

function Choice(props: WidgetProps<unknown>) {
  return (
    <Select
      id={props.id}
      value={props.value as string | undefined}
      disabled={props.disabled ?? false}
      options={options(props) as { value: string; label: string }[]}
      allowClear={props.field.required !== true}
      showSearch={{ optionFilterProp: 'label' }}
      placeholder={props.field.placeholder ?? t('Select')}
      onChange={(value) => props.onChange?.(value ?? null)}
    />
  )
}

function Choices(props: WidgetProps<unknown[]>) {
  return (
    <Select
      id={props.id}
      mode="multiple"
      value={(props.value ?? []) as string[]}
      disabled={props.disabled ?? false}
      options={options(props as WidgetProps<unknown>) as { value: string; label: string }[]}
      showSearch={{ optionFilterProp: 'label' }}
      placeholder={props.field.placeholder ?? t('Select')}
      onChange={(value) => props.onChange?.(value)}
    />
  )
}

function Strings(props: WidgetProps<string[]>) {
  return (
    <Select
      id={props.id}
      mode="tags"
      open={false}
      suffixIcon={null}
      value={props.value ?? []}
      disabled={props.disabled ?? false}
      tokenSeparators={[',', ' ', '\n']}
      placeholder={props.field.placeholder ?? t('Type and press enter')}
      onChange={(value: string[]) => props.onChange?.(value.map((one) => one.trim()).filter(Boolean))}
    />
  )
}

/** Pickers that know their list without the metadata's `related`. */
const LISTS = new Map<unknown, string>([
  ['label-picker', 'label'],
  ['node-picker', 'node'],
])
const MANY = new Set<unknown>(['references', ...LISTS.keys()])

function Reference(props: WidgetProps<string | string[] | null>) {
  const from = props.field.from ?? REFERENCES[LISTS.get(props.field.widget) ?? props.field.related ?? '']
  if (!from) throw new Error(`no list to choose ${props.field.name} from`)
  return (
    <RemoteSelect
      id={props.id}
      path={from.path}
      display={from.display}
      query={'query' in from ? from.query : undefined}
      multiple={props.field.many === true || MANY.has(props.field.widget)}
      value={props.value}
      onChange={props.onChange}
      disabled={props.disabled}
      clearable={props.field.required !== true}
      placeholder={props.field.placeholder}
    />
  )
}

const WIDGETS = {
  text: Text,
  phone: Text,
  textarea: TextArea,
  code: Code,
  json: JsonEditor,
  password: Password,
  'password-rules': PasswordWithRules,
  token: Token,
  'key-file': KeyFile,
  'image-upload': ImageUpload,
  number: NumberInput,
  interval: Interval,
  cron: Cron,
  datetime: DateTime,
  'datetime-range': DateTimeRange,
  switch: OnOff,
  checkbox: Tick,
  radio: Radios,
  select: Choice,
  multiselect: Choices,
  'checkbox-group': CheckboxGroup,
  'choice-tree': ChoiceTree,
  cascader: Cascade,
  strings: Strings,
  'key-values': KeyValues,
  reference: Reference,
  references: Reference,
  'label-picker': Reference,
  'node-picker': Reference,
  'node-select': NodeSelect,
  'ip-group': IpGroup,
  'week-time': WeekTimeGrid,
  protocols: Protocols,
  'permission-actions': ActionsTree,
  link: LinkField,
}

/** The widget of that name. @throws when a page asks for one that does not exist */
export function widgetNamed(name: string): Widget {
  const widget = WIDGETS[name as keyof typeof WIDGETS]
  if (!widget) throw new Error(`no widget named ${name}`)
  return widget
}
