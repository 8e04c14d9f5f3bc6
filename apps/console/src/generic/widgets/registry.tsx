/** Widgets by name; a form field names one or gets one by its kind. */
import type { ComponentType } from 'react'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { REFERENCES } from '../view/references.ts'
import { Cascade } from './Cascade.tsx'
import { Code } from './code/Code.tsx'
import { JsonEditor } from './code/JsonEditor.tsx'
import { JsonFile } from './code/JsonFile.tsx'
import { Cron } from './cron/Cron.tsx'
import { DateTime, DateTimeRange } from './Dates.tsx'
import { ImageUpload } from './ImageUpload.tsx'
import { IpGroup } from './IpGroup.tsx'
import { Interval, NumberField, Password, Text, TextArea } from './inputs.tsx'
import { KeyFile } from './KeyFile.tsx'
import { KeyValues } from './KeyValues.tsx'
import { NodeSelect } from './NodeSelect.tsx'
import { PasswordWithRules } from './PasswordWithRules.tsx'
import { Protocols } from './Protocols.tsx'
import { RemoteSelect } from './remote-select/RemoteSelect.tsx'
import { Choice, Choices, Strings } from './Selects.tsx'
import { ActionsTree, ChoiceTree } from './TickTree.tsx'
import { Token } from './Token.tsx'
import { OnOff, Radios, Tick, Ticks } from './ticks.tsx'
import { WeekTimeGrid } from './week-time/WeekTimeGrid.tsx'
import './widgets-body.css'

// biome-ignore lint/suspicious/noExplicitAny: each widget narrows its own value
type Widget = ComponentType<WidgetProps<any>>

/** A way to another page, between the fields; nothing of it is sent. */
function LinkField({ field, id }: WidgetProps<undefined>) {
  return (
    <a id={id} href={field.href} target="_blank" rel="noreferrer">
      {t(field.placeholder ?? field.label)}
    </a>
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
      aria-required={props['aria-required']}
      aria-invalid={props['aria-invalid']}
      aria-describedby={props['aria-describedby']}
    />
  )
}

const WIDGETS = {
  text: Text,
  phone: Text,
  textarea: TextArea,
  code: Code,
  json: JsonEditor,
  'json-file': JsonFile,
  password: Password,
  'password-rules': PasswordWithRules,
  token: Token,
  'key-file': KeyFile,
  'image-upload': ImageUpload,
  number: NumberField,
  interval: Interval,
  cron: Cron,
  datetime: DateTime,
  'datetime-range': DateTimeRange,
  switch: OnOff,
  checkbox: Tick,
  radio: Radios,
  select: Choice,
  multiselect: Choices,
  'checkbox-group': Ticks,
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
