import { Button, Form, type FormInstance } from 'antd'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { showError } from '../../design/feedback.tsx'
import { ApiError, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { FormContext, FormValues, FormView } from '../view/define-pages.ts'
import { type ErrorField, formErrors } from '../view/form-errors.ts'
import { bodyOf, childFields, type FormField, type FormFields, isVisible, widgetName } from '../view/form-groups.ts'
import { ruleFields } from '../widgets/flow-rules.ts'
import { FormFieldItem } from './FormFieldBody.tsx'
import { useShapedGroups } from './shaped-fields.ts'

type Path = (string | number)[]

const FIRST_INPUT = 'input:not([type="hidden"], :disabled), textarea:not(:disabled)'

export interface ResourceFormProps {
  groups: readonly FormFields[]
  initial: FormValues
  context: FormContext
  view: Pick<FormView, 'toBody'>
  /**
   * Sends the body; a failed 400 is put on the fields. `again`: the person wants to add another.
   * After `leaving` the form sends nothing more.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most forms have nothing to say
  save: (body: unknown, again: boolean) => Promise<void | 'leaving'>
  saveAndContinue?: boolean
  /**
   * Fields that are hidden now are sent as they were loaded: for a PUT, which would reset them
   * (spec notes 1.10).
   */
  keepLoaded?: boolean
  /** List address whose metadata describes objects by what is chosen in the form. */
  path?: string
  /** Puts the cursor into the first field. */
  focusFirst?: boolean
  onDirty?: (dirty: boolean) => void
  /** Beside the submit button. */
  extraButtons?: ReactNode
  submitText?: string
  /** No Reset, where there is no single row to go back to. */
  submitOnly?: boolean
}

/**
 * A form of groups of fields, validated before it is sent, with the server's messages under their
 * fields (spec A5.20 to A5.30).
 */
export function ResourceFormBody({
  groups: declared,
  initial,
  context,
  view,
  save,
  saveAndContinue,
  keepLoaded = false,
  path,
  focusFirst = false,
  onDirty,
  extraButtons,
  submitText,
  submitOnly = false,
}: ResourceFormProps) {
  const [form] = Form.useForm<FormValues>()
  const [saving, setSaving] = useState<'once' | 'again'>()
  // Beside the state, which a second click within the same moment would not see yet.
  const busy = useRef(false)
  const buttons = useRef<HTMLDivElement>(null)
  const watched = Form.useWatch([], { form, preserve: true }) as FormValues | undefined
  const values = { ...initial, ...watched }
  const groups = useShapedGroups(declared, values, context, path)
  const fields = groups.flatMap((group) => group.fields)
  const dirty = useRef(false)
  const mark = (now: boolean) => {
    if (dirty.current === now) return
    dirty.current = now
    onDirty?.(now)
  }
  useEffect(() => () => onDirty?.(false), [onDirty])

  useEffect(() => {
    if (focusFirst) buttons.current?.closest('form')?.querySelector<HTMLElement>(FIRST_INPUT)?.focus()
  }, [focusFirst])

  const shown = fields.filter((field) => isVisible(field, values, context))
  const goToInvalid = (failure: unknown) => {
    const { errorFields = [] } = failure as { errorFields?: { name: Path }[] }
    goToFirst(
      form,
      errorFields.map(({ name }) => name),
      shown,
    )
  }

  /** True while the page is being left. */
  const send = async (again: boolean): Promise<boolean> => {
    try {
      await form.validateFields()
    } catch (failure) {
      goToInvalid(failure)
      return false
    }
    const now: FormValues = { ...initial, ...(form.getFieldsValue(true) as FormValues) }
    const body = bodyOf(fields, now, context, keepLoaded ? initial : undefined)
    setSaving(again ? 'again' : 'once')
    let leaving = false
    try {
      leaving = (await save(view.toBody ? view.toBody(body, context) : body, again)) === 'leaving'
      mark(false)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      place(form, error, shown)
    } finally {
      if (!leaving) setSaving(undefined)
    }
    return leaving
  }
  const submit = async (again: boolean) => {
    if (busy.current) return
    busy.current = true
    let leaving = false
    try {
      leaving = await send(again)
    } finally {
      busy.current = leaving
    }
  }

  return (
    <Form
      form={form}
      className="form panel"
      initialValues={initial}
      labelCol={{ flex: '20%' }}
      // From nothing upwards: many tags side by side would else push the control below its label.
      wrapperCol={{ flex: '1 1 0' }}
      labelWrap
      // The browser's own bubbles would come first, in its own language.
      noValidate
      validateTrigger="onBlur"
      onValuesChange={() => mark(true)}
      onFinish={() => void submit(false)}
      onFinishFailed={goToInvalid}
      autoComplete="off"
    >
      {groups.map((group) => {
        const visible = group.fields.filter((field) => shown.includes(field))
        if (visible.length === 0) return null
        return (
          <section key={group.title}>
            {group.title && <h2>{t(group.title)}</h2>}
            {visible.map((field) => (
              <FormFieldItem
                key={field.name}
                field={field}
                values={values}
                context={context}
                form={form}
                onPicked={() => mark(true)}
              />
            ))}
          </section>
        )
      })}
      <div className="form-buttons" ref={buttons}>
        <Button type="primary" htmlType="submit" loading={saving === 'once'} disabled={saving === 'again'}>
          {submitText ?? t('Submit')}
        </Button>
        {saveAndContinue && (
          <Button loading={saving === 'again'} disabled={saving === 'once'} onClick={() => void submit(true)}>
            {t('Save and add another')}
          </Button>
        )}
        {context.mode === 'update' && !submitOnly && (
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

/** Fields as a 400 may name them. */
function named(fields: readonly FormField[]): (ErrorField & { name: string })[] {
  return fields.map((field) => ({
    name: field.name,
    label: t(field.label),
    ...(widgetName(field) === 'nested' ? { children: named(childFields(field)) } : {}),
    ...(widgetName(field) === 'flow-rules' ? { items: named(ruleFields(field)) } : {}),
  }))
}

/**
 * Puts a 400's messages under the fields on the screen and shows the first; what belongs to none of
 * them is a message (spec A5.29, notes 2).
 */
function place(form: FormInstance<FormValues>, error: ApiError, shown: readonly FormField[]): void {
  if (!error.fields) return
  const { fields, others } = formErrors(error.fields, named(shown))
  form.setFields(fields.map(({ path, text }) => ({ name: path as never, errors: [text] })))
  goToFirst(
    form,
    fields.map(({ path }) => path),
    shown,
  )
  if (others.length > 0) showError(others.join('; '))
  else if (fields.length === 0) showError(errorText(error))
}

/** Scrolls to the uppermost of the invalid fields and puts the cursor there (spec A5.28 B5.08). */
function goToFirst(form: FormInstance<FormValues>, invalid: readonly Path[], shown: readonly FormField[]): void {
  // The form's own order is that of appearance on the screen in time: fields shown by a condition
  // would come last.
  const [first] = invalid.toSorted((one, other) => rank(one, shown) - rank(other, shown))
  if (first) form.scrollToField(first, { block: 'center', behavior: 'smooth', focus: true })
}

const rank = ([name]: Path, shown: readonly FormField[]) => shown.findIndex((field) => field.name === name)
