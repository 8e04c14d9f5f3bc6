import { CircleHelpIcon } from 'lucide-react'
import { type FocusEvent, type ReactNode, useEffect, useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { childFields, type FormField, isRequired, isVisible, widgetName } from '../view/form-groups.ts'
import type { FormContext, FormValues } from '../view/form-view.ts'
import { FieldWidget } from '../widgets/FieldWidget.tsx'
import { FlowRules } from '../widgets/FlowRules.tsx'
import { ListItems } from '../widgets/items/ListItems.tsx'
import { fieldId, type Path } from './form-store.ts'
import type { Sending } from './use-sending.ts'

interface FormFieldItemProps {
  field: FormField
  values: FormValues
  context: FormContext
  sending: Sending
  onPicked: () => void
  /** Names of the objects around the field, and places in lists. */
  within?: Path
}

/**
 * Widgets in which a value is typed bit by bit: they are checked when they are left, all others at
 * each choice (A5.01).
 */
const TYPED = new Set([
  'text',
  'phone',
  'textarea',
  'password',
  'token',
  'number',
  'interval',
  'cron',
  'code',
  'key-values',
])

/** Widgets that are before their label, in one line with it. */
const BEFORE_LABEL = new Set(['switch', 'checkbox'])

/**
 * One field with its label, help and messages; an object with known fields is a form of its own
 * inside.
 */
export function FormFieldItem(props: FormFieldItemProps) {
  const { field: declared, values, context, sending, within = [], onPicked } = props
  const field = declared.depends ? ({ ...declared, ...declared.depends(values, context) } as FormField) : declared
  const path = [...within, field.name]
  useClearOutdated(field, values[field.name], (empty) => sending.store.setValue(path, empty))
  const common = { context, sending, onPicked }
  const changeItems = (items: readonly FormValues[]) => {
    // An item's error has no place once the items have changed.
    sending.store.forgetFaults(path)
    sending.store.setValue(path, items)
    onPicked()
  }
  switch (widgetName(field)) {
    case 'nested': {
      const inner = (values[field.name] ?? {}) as FormValues
      const children = childFields(field).filter((child) => isVisible(child, inner, context))
      return children.length === 0 ? null : (
        <fieldset className="nested-fields">
          <legend>{t(field.label)}</legend>
          {children.map((child) => (
            <FormFieldItem key={child.name} field={child} values={inner} {...common} within={path} />
          ))}
        </fieldset>
      )
    }
    case 'flow-rules':
      return (
        <WholeList field={field} sending={sending} path={path}>
          <FlowRules field={field} values={values} context={context}>
            {(child, rule, at) => (
              <FormFieldItem key={child.name} field={child} values={rule} {...common} within={[...path, at]} />
            )}
          </FlowRules>
        </WholeList>
      )
    case 'items':
      return (
        <WholeList field={field} sending={sending} path={path}>
          <ListItems field={field} values={values} context={context} onChange={changeItems}>
            {(child, item, at) => (
              <FormFieldItem key={child.name} field={child} values={item} {...common} within={[...path, at]} />
            )}
          </ListItems>
        </WholeList>
      )
    default:
      return <SingleField field={field} values={values} {...common} within={within} />
  }
}

interface WholeListProps extends Pick<FormFieldItemProps, 'field' | 'sending'> {
  path: Path
  children: ReactNode
}

/** A list of objects, with what is wrong with it as a whole below it. */
function WholeList({ field, sending, path, children }: WholeListProps) {
  const id = fieldId(path)
  const fault = sending.faults.get(id)?.text
  const help = field.help === undefined ? field.help_text : field.help && t(field.help)
  return (
    <div
      className="form-field list"
      data-field={id}
      data-widget={widgetName(field)}
      data-invalid={fault === undefined ? undefined : true}
    >
      {children}
      <div className="note" {...(fault === undefined ? {} : { role: 'alert' })}>
        {fault ?? help}
      </div>
    </div>
  )
}

/** A field of one widget: its label above it, below it what helps or what is wrong. */
function SingleField({ field, values, context, sending, onPicked, within }: Required<FormFieldItemProps>) {
  const { store, faults, check } = sending
  const path = [...within, field.name]
  const id = fieldId(path)
  const name = widgetName(field)
  const value = values[field.name]
  const required = isRequired(field, values, context)
  const fault = faults.get(id)?.text
  const help = field.help === undefined ? field.help_text : field.help && t(field.help)
  useDefaultInside(within, field, value, (given) => store.setValue(path, given))
  const isTouched = useRef(false)
  const choose = (next: unknown) => {
    isTouched.current = true
    store.setValue(path, next)
    onPicked()
    const changes = field.onChange?.(next, { ...values, [field.name]: next })
    if (changes) store.mergeValues(changes)
    // A wrong field is checked again while it is mended, not only when it is left.
    if (!TYPED.has(name) || fault !== undefined) check(path)
  }
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    // Somebody who only passes by has done nothing wrong yet.
    if (isTouched.current && TYPED.has(name) && !currentTarget.contains(relatedTarget)) check(path)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears when its own input is left
    <div
      className={['form-field', BEFORE_LABEL.has(name) && 'ticked', field.beside && 'beside', help && 'helped']
        .filter(Boolean)
        .join(' ')}
      data-field={id}
      data-widget={name}
      data-invalid={fault === undefined ? undefined : true}
      onBlur={leave}
    >
      <span className="label">
        <label htmlFor={id} className={required && !BEFORE_LABEL.has(name) ? 'required' : undefined}>
          {t(field.label)}
        </label>
        {field.tip && <Tip text={t(field.tip)} />}
      </span>
      <div className="widget">
        <FieldWidget
          field={{ ...field, required }}
          context={context}
          disabled={field.disabledWhen?.(values, context) === true}
          value={value}
          id={id}
          onChange={choose}
          aria-required={required || undefined}
          aria-invalid={fault === undefined ? undefined : true}
          aria-describedby={fault !== undefined || help ? `${id}_note` : undefined}
        />
      </div>
      {/* In the place of the help, so that nothing moves when it comes or goes. */}
      <div className="note" id={`${id}_note`} {...(fault === undefined ? {} : { role: 'alert' })}>
        {fault ?? help}
      </div>
    </div>
  )
}

function Tip({ text }: { text: string }) {
  return (
    <button type="button" className="tip" aria-label={text} data-tip={text}>
      <CircleHelpIcon />
    </button>
  )
}

/** Fields that come with a choice bring their defaults with them. */
function useDefaultInside(within: Path, { initial }: FormField, value: unknown, set: (given: unknown) => void): void {
  const isMissing = within.length > 0 && value === undefined && initial !== undefined
  useEffect(() => {
    if (isMissing) set(initial)
  })
}

/** Empties a value that stands no longer among the choices, or that was of another list. */
function useClearOutdated(
  { depends, choices, from }: FormField,
  value: unknown,
  set: (empty: null | []) => void,
): void {
  const list = depends ? from?.path : undefined
  const before = useRef(list)
  const moved = before.current !== list
  const gone = (one: unknown) => choices?.every((choice) => choice.value !== one) === true
  const many = Array.isArray(value)
  const stale =
    depends !== undefined && (moved || (many ? value.some(gone) : value !== undefined && value !== null && gone(value)))
  useEffect(() => {
    before.current = list
    if (stale) set(many ? [] : null)
  })
}
