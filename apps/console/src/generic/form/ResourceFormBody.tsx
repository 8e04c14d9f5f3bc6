import { Form } from 'antd'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import { FormFieldItem } from './FormFieldBody.tsx'
import { type SendingOptions, useSending } from './use-sending.ts'

const FIRST_INPUT = 'input:not([type="hidden"], :disabled), textarea:not(:disabled)'

export interface ResourceFormProps extends SendingOptions {
  saveAndContinue?: boolean
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
export function ResourceFormBody(props: ResourceFormProps) {
  const { initial, context, saveAndContinue, focusFirst = false, onDirty, submitOnly = false } = props
  const mark = useDirtyMark(onDirty)
  const { form, groups, values, shown, saving, submit, goToInvalid } = useSending(props, () => mark(false))
  const buttons = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focusFirst) buttons.current?.closest('form')?.querySelector<HTMLElement>(FIRST_INPUT)?.focus()
  }, [focusFirst])
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
          {props.submitText ?? t('Submit')}
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
        {props.extraButtons}
      </div>
    </Form>
  )
}

/** Tells whether the form holds unsaved input, each time that changes, and that it doesn't when it is gone. */
function useDirtyMark(onDirty: ResourceFormProps['onDirty']): (dirty: boolean) => void {
  const dirty = useRef(false)
  useEffect(() => () => onDirty?.(false), [onDirty])
  return (now) => {
    if (dirty.current === now) return
    dirty.current = now
    onDirty?.(now)
  }
}
