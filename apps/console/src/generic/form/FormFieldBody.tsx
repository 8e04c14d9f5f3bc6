import { Form, type FormInstance } from 'antd'
import { useEffect, useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { childFields, type FormField, isRequired, widgetName } from '../view/form-groups.ts'
import type { FormContext, FormValues } from '../view/form-view.ts'
import { FieldWidgetBody } from '../widgets/FieldWidgetBody.tsx'
import { FlowRules } from '../widgets/FlowRulesBody.tsx'
import { fieldFault } from './check-field.ts'

interface FormFieldItemProps {
  field: FormField
  values: FormValues
  context: FormContext
  form: FormInstance<FormValues>
  onPicked: () => void
  /** Names of the objects around the field, and places in lists. */
  within?: readonly (string | number)[]
}

/**
 * Widgets in which a value is typed bit by bit: they are checked when they are left, all others at
 * each choice (spec A5.01).
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

/**
 * One field with its label, help and messages; an object with known fields is a form of its own
 * inside.
 */
export function FormFieldItem({ field: declared, values, context, form, onPicked, within = [] }: FormFieldItemProps) {
  const field = declared.depends ? ({ ...declared, ...declared.depends(values, context) } as FormField) : declared
  useClearOutdated(field, values[field.name], (empty) =>
    form.setFieldValue([...within, field.name] as never, empty as never),
  )
  const path = [...within, field.name]
  const common = { context, form, onPicked }
  switch (widgetName(field)) {
    case 'nested': {
      const inner = (values[field.name] ?? {}) as FormValues
      const children = childFields(field)
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
        <FlowRules field={field} values={values} context={context}>
          {(child, rule, at) => (
            <FormFieldItem key={child.name} field={child} values={rule} {...common} within={[...path, at]} />
          )}
        </FlowRules>
      )
    default:
      return <SingleField field={field} values={values} {...common} within={within} />
  }
}

/** A field of one widget, with the messages of its checks. */
function SingleField({ field, values, context, form, onPicked, within }: Required<FormFieldItemProps>) {
  const path = [...within, field.name]
  const required = isRequired(field, values, context)
  return (
    <Form.Item
      name={path as never}
      initialValue={within.length > 0 ? field.initial : undefined}
      label={t(field.label)}
      tooltip={field.tip && t(field.tip)}
      extra={field.help ? t(field.help) : field.help_text}
      required={required}
      dependencies={field.checkedWith?.map((name) => [...within, name])}
      validateTrigger={TYPED.has(widgetName(field)) ? 'onBlur' : 'onChange'}
      rules={[
        {
          validator: async (_, value: unknown) => {
            const all = form.getFieldsValue(true) as FormValues
            const fault = fieldFault(
              field,
              required,
              value,
              within.length > 0 ? ((form.getFieldValue(within as never) ?? {}) as FormValues) : all,
            )
            if (fault) throw new Error(fault)
          },
        },
      ]}
    >
      <FieldWidgetBody
        field={{ ...field, required }}
        context={context}
        disabled={field.disabledWhen?.(values, context) === true}
        onPicked={(value) => {
          onPicked()
          const changes = field.onChange?.(value, { ...values, [field.name]: value })
          if (changes) form.setFieldsValue(changes)
          // What was wrong is looked at again while it is mended, not only when the field is left.
          if (form.getFieldError(path as never).length > 0)
            void form.validateFields([path as never]).catch(() => undefined)
        }}
      />
    </Form.Item>
  )
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
