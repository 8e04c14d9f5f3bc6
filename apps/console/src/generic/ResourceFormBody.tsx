import { Button, Form, type FormInstance } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { showError } from '../app/feedback.tsx'
import { ApiError } from '../lib/api.ts'
import { t } from '../lib/i18n.ts'
import type { FormContext, FormValues } from './define-pages.ts'
import { formErrors } from './form-errors.ts'
import { bodyOf, type FormField, isRequired, isVisible } from './form-groups.ts'
import type { ResourceFormProps } from './ResourceForm.tsx'
import { FieldWidgetBody } from './widgets/FieldWidgetBody.tsx'
import { NotJson } from './widgets/JsonEditor.tsx'

/** A form of groups of fields, validated before it is sent, with the server's messages under their fields (spec A5.20 to A5.30). */
export function ResourceFormBody({
  groups,
  initial,
  context,
  view,
  save,
  saveAndContinue,
  onDirty,
  extraButtons,
  submitText,
}: ResourceFormProps) {
  const [form] = Form.useForm<FormValues>()
  const fields = groups.flatMap((group) => group.fields)
  const names = fields.map(({ name }) => name)
  const [saving, setSaving] = useState<'once' | 'again'>()
  const watched = Form.useWatch([], { form, preserve: true }) as FormValues | undefined
  const values = { ...initial, ...watched }
  const dirty = useRef(false)
  const mark = (now: boolean) => {
    if (dirty.current === now) return
    dirty.current = now
    onDirty?.(now)
  }
  useEffect(() => () => onDirty?.(false), [onDirty])

  const submit = async (again: boolean) => {
    try {
      await form.validateFields()
    } catch (failure) {
      const [first] = (failure as { errorFields?: { name: (string | number)[] }[] }).errorFields ?? []
      if (first) scrollToField(form, first.name)
      return
    }
    const now: FormValues = { ...initial, ...(form.getFieldsValue(true) as FormValues) }
    const body = bodyOf(fields, now, context)
    setSaving(again ? 'again' : 'once')
    try {
      await save(view.toBody ? view.toBody(body, context) : body, again)
      mark(false)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      place(form, error, names)
    } finally {
      setSaving(undefined)
    }
  }

  return (
    <Form
      form={form}
      className="form panel"
      initialValues={initial}
      labelCol={{ flex: '20%' }}
      wrapperCol={{ flex: 'auto' }}
      labelWrap
      scrollToFirstError
      validateTrigger="onBlur"
      onValuesChange={() => mark(true)}
      onFinish={() => void submit(false)}
      autoComplete="off"
    >
      {groups.map((group) => {
        const visible = group.fields.filter((field) => isVisible(field, values, context))
        if (visible.length === 0) return null
        return (
          <section key={group.title}>
            {group.title && <h2>{t(group.title)}</h2>}
            {visible.map((field) => (
              <Field key={field.name} field={field} values={values} context={context} form={form} onPicked={() => mark(true)} />
            ))}
          </section>
        )
      })}
      <div className="form-buttons">
        <Button type="primary" htmlType="submit" loading={saving === 'once'} disabled={saving === 'again'}>
          {submitText ?? t('Submit')}
        </Button>
        {saveAndContinue && (
          <Button loading={saving === 'again'} disabled={saving === 'once'} onClick={() => void submit(true)}>
            {t('Save and add another')}
          </Button>
        )}
        {context.mode === 'update' && (
          <Button
            onClick={() => {
              form.resetFields()
              mark(false)
            }}
          >
            {t('Reset')}
          </Button>
        )}
        {extraButtons}
      </div>
    </Form>
  )
}

interface FieldProps {
  field: FormField
  values: FormValues
  context: FormContext
  form: FormInstance<FormValues>
  onPicked: () => void
}

function Field({ field, values, context, form, onPicked }: FieldProps) {
  const required = isRequired(field, values, context)
  return (
    <Form.Item
      name={field.name}
      label={t(field.label)}
      extra={field.help ? t(field.help) : field.help_text}
      required={required}
      rules={[{ validator: (_, value: unknown) => check(field, required, value, form.getFieldsValue(true) as FormValues) }]}
    >
      <FieldWidgetBody
        field={{ ...field, required }}
        context={context}
        disabled={field.disabledWhen?.(values, context) === true}
        onPicked={(value) => {
          onPicked()
          const changes = field.onChange?.(value, { ...values, [field.name]: value })
          if (changes) form.setFieldsValue(changes)
        }}
      />
    </Form.Item>
  )
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** What is wrong with a value before it is sent (spec A5.01 to A5.07). @throws Error with the words for the person */
async function check(field: FormField, required: boolean, value: unknown, values: FormValues): Promise<void> {
  const empty =
    value === undefined ||
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  if (empty && required) throw new Error(t('This field is required'))
  if (value instanceof NotJson) throw new Error(t('Not a valid json format'))
  if (!empty && typeof value === 'string') {
    if ((field.type === 'email' || field.name === 'email') && !EMAIL.test(value.trim()))
      throw new Error(t('Please enter your email address'))
    if (field.max_length !== undefined && value.trim().length > field.max_length)
      throw new Error(t('At most {{count}} characters', { count: field.max_length }))
  }
  const own = field.check?.(value, values)
  if (own) throw new Error(own)
}

/** Puts a 400's messages under their fields and shows the first; what belongs to no field is a message (spec A5.29, notes 2). */
function place(form: FormInstance<FormValues>, error: ApiError, names: readonly string[]): void {
  const { fields, others } = error.fields ? formErrors(error.fields, names) : { fields: {}, others: [] }
  form.setFields(Object.entries(fields).map(([name, text]) => ({ name, errors: [text] })))
  const first = names.find((name) => name in fields)
  if (first) scrollToField(form, [first])
  if (others.length > 0) showError(others.join('; '))
}

function scrollToField(form: FormInstance<FormValues>, name: (string | number)[]): void {
  form.scrollToField(name, { block: 'center', behavior: 'smooth' })
}
