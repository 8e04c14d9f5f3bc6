/** Widgets by name; a form field names one or gets one by its kind. */
import { DatePicker, Input, InputNumber, Radio, Select, Switch } from 'antd'
import dayjs from 'dayjs'
import type { ComponentType, FocusEvent } from 'react'
import { parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../define-pages.ts'
import { REFERENCES } from '../references.ts'
import { ActionsTree } from './ActionsTree.tsx'
import { JsonEditor } from './JsonEditor.tsx'
import { KeyFile } from './KeyFile.tsx'
import { NodeSelect } from './NodeSelect.tsx'
import { PasswordWithRules } from './PasswordWithRules.tsx'
import { Protocols } from './Protocols.tsx'
import { RemoteSelect } from './RemoteSelect.tsx'

// biome-ignore lint/suspicious/noExplicitAny: each widget narrows its own value
type Widget = ComponentType<WidgetProps<any>>

const options = (props: WidgetProps<unknown>) =>
  (props.field.choices ?? []).map(({ value, display_name }) => ({ value, label: display_name }))

/** One line; outer blank space goes when the field is left, so that words can be typed (spec A5.27). */
function Text({ field, context: _, ...props }: WidgetProps<string> & { onBlur?: (event: FocusEvent) => void }) {
  return (
    <Input
      {...props}
      type={field.type === 'email' || field.name === 'email' ? 'email' : 'text'}
      value={props.value ?? ''}
      onBlur={(event) => {
        const trimmed = event.target.value.trim()
        if (trimmed !== (props.value ?? '')) props.onChange?.(trimmed)
        props.onBlur?.(event)
      }}
      maxLength={field.max_length}
      placeholder={field.placeholder}
      autoComplete="off"
      onChange={(event) => props.onChange?.(event.target.value)}
    />
  )
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

function NumberInput({ field, context: _, onChange, ...props }: WidgetProps<number | null>) {
  return (
    <InputNumber
      {...props}
      {...(field.min_value === undefined ? {} : { min: field.min_value })}
      {...(field.max_value === undefined ? {} : { max: field.max_value })}
      precision={field.type === 'integer' ? 0 : undefined}
      onChange={(value) => onChange?.(value === null ? null : Number(value))}
    />
  )
}

function OnOff({ field, context: _, value, onChange, ...props }: WidgetProps<boolean>) {
  return <Switch {...props} checked={value === true} aria-label={t(field.label)} onChange={(checked) => onChange?.(checked)} />
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

function DateTime(props: WidgetProps<string | null>) {
  const date = parseDate(props.value)
  return (
    <DatePicker
      id={props.id ?? ''}
      showTime
      value={date ? dayjs(date) : null}
      disabled={props.disabled ?? false}
      allowClear={props.field.required !== true}
      onChange={(value) => props.onChange?.(value ? value.toISOString() : null)}
    />
  )
}

function Reference(props: WidgetProps<string | string[] | null>) {
  const from = props.field.from ?? REFERENCES[props.field.related ?? '']
  if (!from) throw new Error(`no list to choose ${props.field.name} from`)
  return (
    <RemoteSelect
      id={props.id}
      path={from.path}
      display={from.display}
      query={'query' in from ? from.query : undefined}
      multiple={props.field.many === true || props.field.widget === 'references'}
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
  textarea: TextArea,
  password: Password,
  'password-rules': PasswordWithRules,
  number: NumberInput,
  switch: OnOff,
  radio: Radios,
  select: Choice,
  multiselect: Choices,
  strings: Strings,
  datetime: DateTime,
  reference: Reference,
  references: Reference,
  json: JsonEditor,
  protocols: Protocols,
  'permission-actions': ActionsTree,
  'key-file': KeyFile,
  'node-select': NodeSelect,
}

/** The widget of that name. @throws when a page asks for one that does not exist */
export function widgetNamed(name: string): Widget {
  const widget = WIDGETS[name as keyof typeof WIDGETS]
  if (!widget) throw new Error(`no widget named ${name}`)
  return widget
}
